// SPDX-License-Identifier: Apache-2.0
// The simulator behind the command line: builds a machine, boots it, runs the workload, and tells what came of it.
#include "vp/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "platforms/boot.h"
#include "platforms/failures.h"
#include "platforms/firmware.h"
#include "platforms/ideal.h"
#include "platforms/machine.h"
#include "platforms/routes.h"
#include "vp/bench.h"
#include "vp/console.h"
#include "vp/csv_writer.h"
#include "vp/interruption.h"
#include "vp/observation.h"
#include "vp/port_capture.h"
#include "vp/property_log.h"
#include "vp/register_trace.h"
#include "vp/replay.h"
#include "vp/stored_run.h"
#include "vp/strict_checks.h"
#include "vp/version.h"

namespace weir::vp {
namespace {

using platforms::machine;
using platforms::platform_config;

/// The run is looked at once a step; it also ends at a step, whatever observers are on.
constexpr picoseconds step = microseconds(10);
/// Without a frame for so long, nothing is going to move any more.
constexpr picoseconds stall_limit = microseconds(100'000);
/// How long a boot may take, and how often it is looked at.
constexpr picoseconds longest_boot = microseconds(10'000'000);
constexpr picoseconds boot_step = microseconds(100);
/// The end of time: 104 days, a little before picoseconds in 64 bits run out.
constexpr picoseconds end_of_time{9'000'000'000'000'000'000};

struct booted_machine {
    std::unique_ptr<console> terminal;
    std::unique_ptr<machine> hardware;
    std::vector<std::unique_ptr<platforms::guest>> guests;
    std::vector<platforms::switch_routes> told;     // a switch's routes
    platforms::firmware_driver* typed_to{nullptr};  // the first switch's firmware, when there is one
    picoseconds booted_at{0};
};

/// A driver's messages that people want to see.
void log_of_driver(const std::string& name, picoseconds time, weir_log_level level, const char* text) {
    if (level == WEIR_LOG_INFO) return;
    const double us = static_cast<double>(time.count()) / 1e6;
    SC_REPORT_INFO("weir/driver", fmt::format("{:.3f} us: {}: {}", us, name, text).c_str());
}

std::unique_ptr<platforms::guest> make_guest(machine& m, std::size_t s) {
    const platform_config& config = m.config();
    if (cpu::board* board = m.board(s)) {
        return std::make_unique<platforms::firmware_driver>(*board, m.time(), config.cpu.firmware);
    }
    platforms::native_initiator& cpu = m.cpu(s);
    cpu.on_log([&cpu, name = config.switches[s].name](weir_log_level level, const char* text) {
        log_of_driver(name, cpu.local_time(), level, text);
    });
    return std::make_unique<platforms::switch_driver>(cpu);
}

/// `doors`: null, or those of a run that can be reached from outside; they have brought a driver of their own, or not.
/// `built`: called with the machine before anything runs.
booted_machine boot(const platform_config& config, std::uint64_t seed, const std::string& console_place,
                    remote::remote_access* doors = nullptr, const std::function<void(machine&)>& built = {}) {
    const bool driven_from_outside = doors != nullptr && doors->drives();
    booted_machine m;
    std::vector<std::vector<platforms::script_line>> scripts;
    const platforms::routing_table table = platforms::plan_routes(config);
    for (std::uint32_t s = 0; s < config.switches.size() && !driven_from_outside; ++s) {
        scripts.push_back(platforms::boot_script(config, s));
        m.told.emplace_back(config, s);
        if (table.empty()) continue;
        for (auto& line : m.told[s].change_to(table[s])) scripts[s].push_back(std::move(line));
    }
    m.terminal = open_console(console_place, [](const std::string& line) { fmt::print(stderr, "{}\n", line); });
    m.hardware = std::make_unique<machine>(config, seed);
    if (built) built(*m.hardware);
    if (doors != nullptr) {
        doors->attach(
            *m.hardware, {{"program", "weir"}, {"version", version()}, {"seed", seed}},
            [&cpu = m.hardware->cpu(0), name = config.switches[0].name](weir_log_level level, const std::string& text) {
                log_of_driver(name, cpu.local_time(), level, text.c_str());
            });
    }
    const std::size_t own_guests = driven_from_outside ? 0 : m.hardware->switches();
    for (std::size_t s = 0; s < own_guests; ++s) {
        m.guests.push_back(make_guest(*m.hardware, s));
        m.guests.back()->on_print([terminal = m.terminal.get()](const char* text) { terminal->print(text); });
        m.guests.back()->program(std::move(scripts[s]));
    }
    if (own_guests > 0) m.typed_to = dynamic_cast<platforms::firmware_driver*>(m.guests.front().get());
    const auto booting = [&m] {
        return std::any_of(m.guests.begin(), m.guests.end(), [](const auto& g) { return g->booting(); });
    };
    const bool done = doors != nullptr ? doors->boot(booting) : m.hardware->run_while(booting, longest_boot, boot_step);
    throw_if_interrupted();
    if (doors != nullptr && doors->control().failure()) std::rethrow_exception(doors->control().failure());
    if (doors != nullptr && doors->control().ended()) throw boot_error("the run was ended before its workload began");
    m.booted_at = m.hardware->cpu(0).local_time();
    for (const auto& guest : m.guests) {
        if (!guest->error().empty()) throw boot_error(guest->error());
    }
    if (!done) throw boot_error("the boot script did not end within ten simulated seconds");
    for (const auto& guest : m.guests) {
        m.booted_at = std::max(m.booted_at, guest->booted_at());
        guest->keep_serving();
    }
    return m;
}

/// After the workload: time goes on as long as the guest has something to do, then waits for somebody to type.
void stay_at_console(booted_machine& m, picoseconds now, const std::function<void()>& between_steps) {
    if (m.typed_to == nullptr || !m.terminal->interactive()) return;
    // Between two lines that came at once a prompt is nothing to wait at: for as long as characters take to leave.
    constexpr int settled = 10;
    int steps_at_prompt = 0;
    std::string typed;
    for (bool open = true; !m.typed_to->finished();) {
        steps_at_prompt = m.typed_to->at_prompt() ? steps_at_prompt + 1 : 0;
        const bool idle = steps_at_prompt > settled && m.hardware->drained();
        if (idle && !open) return;
        typed.clear();
        if (open) open = m.terminal->read(typed, idle);
        if (!typed.empty()) m.typed_to->type(typed);
        m.hardware->run_until(now += step);
        between_steps();
    }
}

driver_result driver_counts(const booted_machine& m) {
    driver_result all;
    for (const auto& guest : m.guests) all.commands += guest->commands();
    for (std::size_t s = 0; s < m.hardware->switches(); ++s) {
        all.reads += m.hardware->chip(s).target().reads();
        all.writes += m.hardware->chip(s).target().writes();
        const auto& bank = m.hardware->chip(s).bank();
        all.errors += bank.get(bank.field("global.access_error_count.count"));
    }
    return all;
}

std::vector<switch_result> snapshots(const booted_machine& m) {
    std::vector<switch_result> all;
    for (std::size_t s = 0; s < m.hardware->switches(); ++s) {
        const registers::bank& bank = m.hardware->chip(s).bank();
        const auto peek = [&bank](std::uint64_t address) { return bank.peek(address); };
        all.push_back({m.hardware->config().switches[s].name,
                       register_snapshot(bank.layout(), peek,
                                         {"global", "bm", "pg", "queue", "wred", "map", "pfc", "port", "sched"})});
    }
    return all;
}

/// The observers of one run: captures and the occupancy series.
class observers {
public:
    observers(machine& m, const run_request& request, picoseconds origin) : machine_(m), origin_(origin) {
        if (request.output.empty()) return;
        for (std::size_t s = 0; s < m.switches(); ++s) {
            for (const std::uint32_t port : request.captured) {
                if (port >= m.chip(s).ports()) continue;
                const std::string name = fmt::format("{}.{}", m.config().switches[s].name, port);
                auto& mac = m.chip(s).port(port).mac;
                files_.push_back(name + ".pcapng");
                captures_.push_back(std::make_unique<port_capture>(request.output + "/" + files_.back(), name,
                                                                   mac.rate(), origin, request.snap_octets));
                mac.observe(captures_.back().get());
            }
        }
        if (request.series_interval > picoseconds{0}) {
            files_.emplace_back("occupancy.csv");
            series_ = std::make_unique<csv_writer>(request.output + "/occupancy.csv", occupancy_columns());
            for (std::size_t s = 0; s < m.switches(); ++s) held_.emplace_back(m.chip(s).ports() * mmu::groups_per_port);
        }
    }

    void sample(picoseconds now) {
        if (!series_) return;
        for (std::size_t s = 0; s < machine_.switches(); ++s) {
            auto& chip = machine_.chip(s);
            for (std::uint16_t port = 0; port < chip.ports(); ++port) {
                for (std::uint8_t g = 0; g < mmu::groups_per_port; ++g) {
                    const mmu::priority_group& group = chip.memory().group(port, g);
                    bool& held = held_[s][port * mmu::groups_per_port + g].value;
                    if (group.used() == 0 && !held) continue;
                    held = group.used() != 0;
                    series_->row({(now - origin_).count(), static_cast<std::int64_t>(s), port, g,
                                  group.guaranteed_used(), group.service_used(), group.headroom_used(),
                                  group.paused() ? 1 : 0});
                }
            }
        }
    }

    /// A sample would give no row, now and as long as nothing happens.
    [[nodiscard]] bool quiet() const {
        for (std::size_t s = 0; s < machine_.switches(); ++s) {
            if (machine_.chip(s).memory().used() != 0) return false;
        }
        return std::none_of(held_.begin(), held_.end(), [](const auto& of_switch) {
            return std::any_of(of_switch.begin(), of_switch.end(), [](flag f) { return f.value; });
        });
    }

    void close() {
        for (auto& capture : captures_) capture->close();
        if (series_) series_->close();
    }
    [[nodiscard]] const std::vector<std::string>& files() const { return files_; }

private:
    struct flag {
        bool value{false};
    };
    machine& machine_;
    picoseconds origin_;
    std::vector<std::string> files_;
    std::vector<std::unique_ptr<port_capture>> captures_;
    std::unique_ptr<csv_writer> series_;
    std::vector<std::vector<flag>> held_;  // groups that held cells at the last sample: their zero is a row too
};

/// The first point of a grid at or after `wanted`, and not before `at`; both and the grid count from `origin`.
picoseconds grid_point(picoseconds origin, picoseconds distance, picoseconds at, picoseconds wanted) {
    if (wanted <= at) return at;
    const std::int64_t points = (wanted - origin - picoseconds{1}) / distance + 1;
    return points > (end_of_time - origin) / distance ? end_of_time : origin + points * distance;
}

/// Runs from time zero to the end: everything delivered, `until`, or nothing moving any more.
picoseconds run_traffic(machine& m, const run_request& request, picoseconds origin, std::uint64_t expected_hops,
                        observers& watch, remote::run_control* control,
                        const std::function<void(const progress_report&)>& progress) {
    picoseconds now = origin;
    picoseconds next_sample = origin;
    picoseconds last_movement = origin;
    std::uint64_t hops = m.link_hops();
    const std::uint64_t first_hops = hops;
    const picoseconds end = request.until ? origin + *request.until : end_of_time;
    const bool sampled = request.series_interval > picoseconds{0};
    for (picoseconds next_step = origin + step;; next_step += step) {
        // Steps in which nothing is due are left out: time without traffic costs nothing.
        const picoseconds look_again = request.until ? end : last_movement + stall_limit;
        next_step = grid_point(origin, step, next_step, std::min(m.time().next(), look_again));
        if (control != nullptr) control->service();
        // Never behind now: a client may ask for a stop between two steps.
        const picoseconds target =
            std::min({next_step, end, control == nullptr ? end : std::max(control->next_stop(), now)});
        while (sampled && next_sample <= target) {
            m.run_until(next_sample);
            watch.sample(next_sample);
            next_sample += request.series_interval;
            if (watch.quiet()) {
                next_sample =
                    grid_point(origin, request.series_interval, next_sample, std::min(m.time().next(), target));
            }
        }
        m.run_until(target);
        now = target;
        const std::uint64_t before = hops;
        hops = m.link_hops();
        if (hops != before) last_movement = now;
        if (progress) {
            const double share =
                expected_hops == 0 ? -1.0 : static_cast<double>(hops - first_hops) / static_cast<double>(expected_hops);
            progress({now - origin, std::min(share, 1.0), hops - first_hops});
        }
        if (control != nullptr && control->ended()) return now;
        if (now < next_step && now < end) {
            next_step -= step;  // stopped on the way for a client; where a run ends does not depend on that
            continue;
        }
        if (now >= end) return now;
        if (control != nullptr && control->held()) {
            last_movement = now;  // nobody waits for this run to move by itself
            continue;
        }
        if (!request.until && m.drained()) return now;
        if (request.until || now - last_movement <= stall_limit) continue;
        last_movement = m.next_departure();
        if (last_movement == never) return now;
    }
}

host_result result_of(machine& m, std::size_t number) {
    const platforms::host_config& config = m.config().hosts[number];
    host::end_station& station = m.host(number);
    const picoseconds now = from_kernel(sc_core::sc_time_stamp());
    host_result r;
    r.name = config.name;
    r.switch_index = config.switch_index;
    r.port = config.port;
    r.rate = station.mac.rate();
    r.tx_frames = station.mac.counters.tx_frames;
    r.tx_octets = station.mac.counters.tx_octets;
    r.rx_frames = station.mac.counters.rx_frames;
    r.rx_octets = station.mac.counters.rx_octets;
    const host::arrivals& arrived = station.arrived();
    r.rx_marked = arrived.marked;
    r.overruns = station.buffer.overruns();
    r.data_frames = arrived.frames;
    r.data_octets = arrived.octets;
    if (arrived.frames > 0) {
        r.first_data = arrived.first;
        r.last_data = arrived.last;
    }
    for (std::uint8_t p = 0; p < 8; ++p) r.paused[p] = station.flow.receiver.paused_for(p, now);
    r.link_paused = station.flow.receiver.link_paused_for(now);
    r.pfc_received = station.flow.receiver.counters.seen;
    r.pause_received = station.flow.receiver.counters.pause;
    r.transport = station.counters;
    return r;
}

flow_result result_of(machine& m, const platforms::flow& f, const host::flow_record& record, picoseconds origin,
                      platforms::ideal_times& ideal) {
    flow_result r;
    r.source = m.config().hosts[f.source].name;
    r.destination = m.config().hosts[f.destination].name;
    r.priority = f.priority;
    r.dscp = f.dscp;
    r.octets = f.octets;
    r.id = f.id;
    r.start = f.start;
    if (!f.after.empty()) {
        r.start.reset();
        if (record.started != never) r.start = record.started - origin;
    }
    if (record.frames_sent > 0) r.first = record.first_sent - origin;
    r.delivered_octets = std::min(record.frames_received * f.payload, f.octets);
    if (record.delivered != never) r.finish = record.delivered - origin;
    r.lost_frames = record.frames_sent - record.frames_received - record.discarded;
    r.marked_frames = record.marked;
    r.retransmitted_frames = record.retransmitted;
    if (record.acknowledged != never) r.acknowledged = record.acknowledged - origin;
    if (record.given_up != never) r.given_up = record.given_up - origin;
    r.ideal = ideal.of(f);
    const picoseconds now = from_kernel(sc_core::sc_time_stamp());
    if (record.shut != never) {
        r.paused = record.shut;
    } else if (record.started <= now) {
        r.paused = m.host(f.source).shut_for(f.priority, now) - record.shut_before;
    }
    return r;
}

std::vector<loss> losses_of(machine& m) {
    std::vector<loss> all;
    for (std::size_t s = 0; s < m.switches(); ++s) {
        auto& chip = m.chip(s);
        for (std::uint16_t port = 0; port < chip.ports(); ++port) {
            mmu::mmu::reason_counts outside = chip.port(port).mac.counters.drops;
            for (std::uint8_t g = 0; g < mmu::groups_per_port; ++g) {
                const auto& dropped = chip.memory().drops_of_group(port, g);
                for (std::size_t reason = 1; reason < mmu::drop_reasons; ++reason) {
                    if (dropped[reason] == 0) continue;
                    // These were dropped after the port had let them in.
                    if (reason != static_cast<std::size_t>(mmu::drop_reason::flushed) &&
                        reason != static_cast<std::size_t>(mmu::drop_reason::escape)) {
                        // A port's counters can be cleared by themselves.
                        outside[reason] -= std::min(outside[reason], dropped[reason]);
                    }
                    all.push_back({static_cast<std::uint32_t>(s), port, g,
                                   chip.memory().group(port, g).profile.lossless,
                                   std::string(mmu::drop_reason_names[reason]), dropped[reason]});
                }
            }
            for (std::size_t reason = 1; reason < mmu::drop_reasons; ++reason) {
                if (outside[reason] == 0) continue;
                all.push_back({static_cast<std::uint32_t>(s), port, 0, false,
                               std::string(mmu::drop_reason_names[reason]), outside[reason]});
            }
        }
    }
    return all;
}

std::vector<std::string> violations_of(machine& m, bool drained) {
    std::vector<std::string> all;
    for (std::size_t s = 0; s < m.switches(); ++s) {
        const std::string error = m.chip(s).memory().conservation_error();
        if (!error.empty()) all.push_back(fmt::format("{}: {}", m.config().switches[s].name, error));
        if (drained && m.chip(s).memory().used() != 0) {
            all.push_back(fmt::format("{}: {} cells are in use although nothing is under way",
                                      m.config().switches[s].name, m.chip(s).memory().used()));
        }
    }
    return all;
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
    observers watch(m, request, origin);
    if (doors) doors->workload_begins(origin);
    const picoseconds end =
        run_traffic(m, request, origin, 2 * frames, watch, doors ? &doors->control() : nullptr, progress);
    if (request.stay) stay_at_console(booted, end, [&] { progress({}); });
    if (doors && doors->control().failure()) std::rethrow_exception(doors->control().failure());
    const bool ended = doors && doors->control().ended();
    if (doors) doors->finish(ended ? "the run was ended" : "the run is over");
    watch.close();
    if (trace) trace->close();

    result.drained = m.drained();
    result.end = end;
    result.driver = driver_counts(booted);
    result.switches = snapshots(booted);
    for (std::size_t h = 0; h < m.hosts(); ++h) result.hosts.push_back(result_of(m, h));
    platforms::ideal_times ideal(config);
    for (std::size_t f = 0; f < flows.size(); ++f)
        result.flows.push_back(result_of(m, flows[f], m.ledger()[f], origin, ideal));
    result.losses = losses_of(m);
    if (outside) {
        outside->finish();
        result.seen = make_observation(*outside, m, origin);
    }
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
