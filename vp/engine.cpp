// SPDX-License-Identifier: Apache-2.0
// The simulator behind the command line: builds a machine, boots it, runs the workload, and tells what came of it.
#include "vp/engine.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "platforms/failures.h"
#include "platforms/ideal.h"
#include "platforms/machine.h"
#include "platforms/routes.h"
#include "vp/bench/bench.h"
#include "vp/record/property_log.h"
#include "vp/record/register_trace.h"
#include "vp/record/samplers.h"
#include "vp/record/strict_checks.h"
#include "vp/results/collect.h"
#include "vp/results/observation.h"
#include "vp/results/stored_run.h"
#include "vp/run/booted_machine.h"
#include "vp/run/interruption.h"
#include "vp/run/replay.h"
#include "vp/run/traffic.h"
#include "vp/run/turning_point.h"

namespace weir::vp {
namespace {

using platforms::machine;
using platforms::platform_config;

void add_set_command(remote::registry& commands, booted_machine& m) {
    commands.add(
        {"set",
         "another value of the script: the drivers carry out the lines again that it changes",
         {{"name", remote::argument_kind::text, "", true, "of ${name}"},
          {"value", remote::argument_kind::text, "", true, "what it becomes"}},
         [&m](const remote::json& arguments, remote::caller&) {
             const auto text = [&](const char* of) { return arguments[of].get<std::string>(); };
             try {
                 return remote::json{{"lines", change_program(m, {text("name") + "=" + text("value")}, "set")}};
             } catch (const platforms::config_error& e) {
                 throw remote::command_error("bad_argument", e.what(), "");
             }
         }});
}

run_result run(const platform_config& config, const run_request& request,
               const std::function<void(const progress_report&)>& progress) {
    const std::vector<platforms::flow> flows = platforms::make_flows(config, request.seed);
    const platforms::routing_table table = platforms::plan_routes(config);
    for (const platforms::flow& f : flows) platforms::check_reachable(config, table, f.source, f.destination);
    const auto replays = platforms::make_replays(config);
    std::optional<property_log> properties;
    if (request.check) properties.emplace();
    std::optional<remote::remote_access> doors;
    if (request.remote.any()) doors.emplace(request.remote);
    std::optional<register_trace> trace;
    std::optional<strict_checks> strict;
    booted_machine booted = boot(config, request.seed, request.console, doors ? &*doors : nullptr, [&](machine& made) {
        const program_counter where = [&made](const char* initiator) -> std::string {
            for (std::size_t s = 0; s < made.switches(); ++s) {
                cpu::board* board = made.board(s);
                if (board != nullptr && initiator != nullptr && initiator == std::string_view(board->core().name()))
                    return board->where();
            }
            return {};
        };
        if (!request.register_trace.empty()) trace.emplace(request.register_trace, made, where);
        if (request.strict != strict_mode::off) strict.emplace(made, request.strict == strict_mode::all, where);
    });
    machine& m = *booted.hardware;
    if (doors && !doors->drives()) add_set_command(doors->commands(), booted);

    run_result result;
    result.configuration = config;
    result.seed = request.seed;
    const picoseconds earliest = machine::first_traffic_time(booted.booted_at);
    if (request.traffic_at && *request.traffic_at < earliest) {
        throw boot_error(fmt::format("--traffic-at {} us is before the boot has ended\n  at the earliest: {} us",
                                     *request.traffic_at / microseconds(1), earliest / microseconds(1)));
    }
    const picoseconds origin = request.traffic_at.value_or(earliest);
    result.traffic_at = origin;
    const auto within_time = [origin](picoseconds distance, const std::string& what) {
        if (distance <= end_of_time - origin) return;
        throw boot_error(fmt::format("{} lies beyond the end of simulated time\n  at most {} days after power-on", what,
                                     end_of_time / microseconds(86'400'000'000)));
    };
    within_time(request.until.value_or(picoseconds{0}), "--until");
    for (const platforms::flow& f : flows) within_time(f.start, "the start of a flow");
    m.record().start(origin);
    if (doors) {
        doors->run_until(origin - picoseconds{1});
        throw_if_interrupted();
        if (doors->control().ended()) throw boot_error("the run was ended before its workload began");
    }
    m.run_until(origin - picoseconds{1});
    m.begin(origin);
    std::uint64_t frames = 0;
    m.add_flows(flows, origin);
    for (const platforms::flow& f : flows) {
        frames += (f.octets + f.payload - 1) / f.payload;
    }
    for (const platforms::replay& r : replays) m.play(r, origin);
    std::optional<platforms::failure_program> failures;
    if (!config.failures.empty()) {
        std::vector<platforms::guest*> drivers;
        for (const auto& guest : booted.guests) drivers.push_back(guest.get());
        failures.emplace(m, std::move(drivers), booted.told, origin);
    }
    std::optional<observer::observer> outside;
    if (request.observe) {
        std::vector<observer::watched_flow> watched;
        for (const platforms::flow& f : flows) watched.push_back({f.source, f.destination, f.priority});
        outside.emplace(m.time(), fabric_of(m), m.ledger(), std::move(watched));
    }
    samplers watch(m, request, origin, outside ? &*outside : nullptr);
    std::optional<turning_point> turn;
    if (request.turn) turn.emplace(booted, *request.turn, origin, watch);
    if (doors) doors->workload_begins(origin);
    const picoseconds end = run_traffic(m, request, origin, 2 * frames, watch, doors ? &doors->control() : nullptr,
                                        turn ? &*turn : nullptr, progress);
    if (request.stay) stay_at_console(booted, end, [&] { progress({}); });
    if (doors && doors->control().failure()) std::rethrow_exception(doors->control().failure());
    const bool ended = doors && doors->control().ended();
    if (doors) doors->finish(ended ? "the run was ended" : "the run is over");
    if (outside) outside->finish();
    watch.close();
    if (trace) trace->close();

    result.drained = m.drained();
    result.end = end;
    result.driver = driver_counts(booted);
    result.switches = snapshots(booted);
    for (std::size_t h = 0; h < m.hosts(); ++h) result.hosts.push_back(result_of(m, h));
    platforms::ideal_times ideal(config);
    result.flows = flow_results(m, flows, origin, ideal);
    result.losses = losses_of(m);
    if (outside) result.seen = make_observation(*outside, m, origin);
    for (const auto name : mmu::drop_reason_names) result.drop_reasons.emplace_back(name);
    result.violations = violations_of(m, result.drained);
    for (std::size_t f = 0; f < result.flows.size(); ++f) {
        const flow_result& flow = result.flows[f];
        if (!flow.given_up) continue;
        result.violations.push_back(fmt::format("flow {} ({} to {}) was given up after {} timeouts without progress", f,
                                                flow.source, flow.destination, m.ledger()[f].timeouts));
    }
    if (strict) {
        result.strict_findings = strict->findings().size();
        if (request.strict == strict_mode::error && *result.strict_findings > 0) {
            result.violations.push_back(fmt::format("strict: {} finding(s)", *result.strict_findings));
        }
    }
    for (const auto& guest : booted.guests) {
        if (!guest->error().empty()) result.violations.push_back(guest->error());
    }
    if (properties) {
        for (auto& line : properties->lines()) result.violations.push_back(std::move(line));
    }
    if (!result.drained && !request.until && !ended) {
        result.violations.push_back(
            fmt::format("nothing moves any more: {} frames are under way, and {} of {} hosts have not sent everything",
                        m.frames_under_way(), m.unfinished_hosts(), m.hosts()));
    }
    m.finish_record();
    result.digest = fmt::format("{:016x}", m.record().value());
    result.files = watch.files();
    return result;
}

}  // namespace

engine make_engine() {
    engine e;
    e.run = run;
    e.boot = [](const platform_config& config) {
        const booted_machine m = boot(config, 1, "none");
        return programmed_platform{snapshots(m), driver_counts(m)};
    };
    e.show = show_stored_run;
    e.replay = replay_trace;
    e.bench = run_bench;
    return e;
}

}  // namespace weir::vp
