// SPDX-License-Identifier: Apache-2.0
#include "vp/commands/run_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <utility>

#include "models/ethernet/frame.h"
#include "platforms/text.h"
#include "platforms/workload.h"
#include "vp/commands/option_parser.h"
#include "vp/commands/progress.h"
#include "vp/output/colour.h"
#include "vp/output/output_directory.h"
#include "vp/record/strict_checks.h"
#include "vp/results/completion.h"
#include "vp/run/interruption.h"

namespace weir::vp {
namespace {

namespace po = boost::program_options;
using platforms::config_error;

/// Ports by number, "0,3-5", or "all".
std::vector<std::uint32_t> ports_option(const std::string& text, const platforms::platform_config& platform) {
    std::size_t most = 0;
    for (const auto& each : platform.switches) most = std::max(most, each.ports.size());
    std::vector<std::uint32_t> ports;
    const auto add = [&](std::uint64_t first, std::uint64_t last) {
        if (first > last) {
            throw config_error(fmt::format("--capture {}", text), fmt::format("{}-{} runs backwards", first, last),
                               "the lower number first");
        }
        if (last >= most) {
            throw config_error(fmt::format("--capture {}", text), fmt::format("there is no port {}", last),
                               fmt::format("0 to {}, or all", most - 1));
        }
        for (auto port = first; port <= last; ++port) ports.push_back(static_cast<std::uint32_t>(port));
    };
    if (text == "all") {
        add(0, most - 1);
        return ports;
    }
    for (const auto part : platforms::split(text, ',')) {
        const auto dash = part.find('-');
        const auto first = platforms::parse_number(part.substr(0, dash));
        const auto last = dash == std::string_view::npos ? first : platforms::parse_number(part.substr(dash + 1));
        if (!first || !last) {
            throw config_error(fmt::format("--capture {}", text), fmt::format("\"{}\" is no port", part),
                               "numbers and ranges: 0,3-5, or all");
        }
        add(*first, *last);
    }
    std::sort(ports.begin(), ports.end());
    ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
    return ports;
}

remote::remote_request read_remote(const option_parser& options) {
    remote::remote_request made;
    const bool anywhere = options.given("remote-any-address");
    if (options.given("json")) made.json = remote::parse_address("--json", options.text("json"), anywhere);
    if (options.given("port")) made.port = remote::parse_address("--port", options.text("port"), anywhere);
    if (options.given("gdb")) made.gdb = remote::parse_address("--gdb", options.text("gdb"), false);
    made.halted = options.given("halt");
    made.timed = options.words("at");
    if (made.halted && !made.json && !made.gdb) {
        throw config_error("--halt", "nobody could resume the run", "add --json ADDRESS or --gdb ADDRESS");
    }
    return made;
}

run_request read_request(const option_parser& options, const platforms::platform_config& platform) {
    run_request request = read_measurement(options, platform);
    if (options.given("console")) request.console = options.text("console");
    request.remote = read_remote(options);
    request.register_trace = options.text("register-trace");
    if (options.given("strict")) request.strict = read_strict_mode(options.text("strict"));
    return request;
}

int run_platform(option_parser options, const std::vector<std::string>& arguments, bool stay, const context& c) {
    add_platform_options(options);
    options.options()("seed", po::value<std::string>(), "of all random streams; default 1")(
        "until", po::value<std::string>(), "TIME after workload time zero; default: until everything is delivered")(
        "traffic-at", po::value<std::string>(), "TIME of workload time zero; default: first whole 100us after boot")(
        "out", po::value<std::string>(), "DIR for summary.txt, result.json, flows.csv and what is asked for below")(
        "capture", po::value<std::string>(), "PORTS whose frames go to a pcapng file each: all, or 0,3-5")(
        "snap", po::value<std::string>(), "OCTETS kept of each captured frame; default: all")(
        "series", po::value<std::string>(), "INTERVAL of occupancy.csv, a row for each group that holds cells")(
        "signals", "signals.csv: every change of occupancies, pauses, drops, marks, interrupts, register writes")(
        "console", po::value<std::string>(),
        "PLACE of the guests' console: print (default), stdio, file:PATH, tcp:PORT, pty, none")(
        "register-trace", po::value<std::string>(), "FILE for every register access of software, a line each")(
        "strict", po::value<std::string>()->implicit_value("report"),
        "tell of register accesses that silicon would swallow; =error: fail by them; =all: also of "
        "configuration that is read and was never written")(
        "json", po::value<std::string>(), "ADDRESS of the JSON door (docs/remote.md): unix:PATH, tcp:PORT")(
        "port", po::value<std::string>(), "ADDRESS at which a driver in another process takes the place of Weir's own")(
        "at", po::value<std::vector<std::string>>(),
        "\"TIME COMMAND …\": a command of docs/remote.md at a simulated time; \"+TIME\": after workload time zero")(
        "gdb", po::value<std::string>(), "ADDRESS for a debugger on the first switch's core: tcp:PORT, unix:PATH")(
        "halt", "begin halted: the JSON door's resume or the debugger's continue lets it go")(
        "remote-any-address", "let --json and --port listen where other machines reach them")(
        "observe",
        "watch the network from outside: causes of pauses, circles of waits, victims (docs/provenance.md); with --out "
        "pauses.csv, pause_log.csv, victims.csv, spread.csv")(
        "check", "check properties P1 to P32 all the while (slower); one that is broken fails the run");
    if (!options.parse(arguments, c.out)) return exit_code::done;

    const platforms::platform_config platform = load_platform(options);
    run_request request = read_request(options, platform);
    if (stay && !options.given("console")) request.console = "stdio";
    request.stay = stay;
    // What is wrong with the workload is said before anything is built.
    (void)platforms::make_flows(platform, request.seed);
    (void)platforms::make_replays(platform);
    std::optional<output_directory> directory;
    if (options.given("out")) {
        directory.emplace(options.text("out"));
        request.output = directory->file("");
        request.output.pop_back();
    }

    run_result result;
    {
        progress_bar bar;
        const interruption_watch watch;
        result = c.simulator.run(platform, request, [&](const progress_report& report) {
            watch.check();
            bar.update(report);
        });
    }
    if (directory) {
        write_run(*directory, result);
        directory->commit();
    }
    c.out << summary_text(result, takes_colour(c.out));
    return result.passed() ? exit_code::done : exit_code::verdict_failed;
}

}  // namespace

run_request read_measurement(const option_parser& options, const platforms::platform_config& platform) {
    run_request request;
    request.seed = number_option(options, "seed", 1);
    request.until = time_option(options, "until");
    request.traffic_at = time_option(options, "traffic-at");
    for (const auto* name : {"capture", "series", "signals"}) {
        if (options.given(name) && !options.given("out")) {
            const std::string value = std::string_view(name) == "signals" ? "" : " " + options.text(name);
            throw config_error(fmt::format("--{}{}", name, value), "there is no folder to write to", "add --out DIR");
        }
    }
    if (options.given("capture")) request.captured = ports_option(options.text("capture"), platform);
    request.snap_octets = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(number_option(options, "snap", 0), ethernet::maximum_frame_octets));
    if (const auto interval = time_option(options, "series"); interval) {
        if (*interval < nanoseconds(1)) {
            throw config_error(fmt::format("--series {}", options.text("series")), "is too short", "1ns at least");
        }
        request.series_interval = *interval;
    }
    request.signals = options.given("signals");
    request.observe = options.given("observe");
    request.check = options.given("check");
    return request;
}

void write_run(const output_directory& directory, const run_result& result) {
    directory.write("summary.txt", summary_text(result));
    directory.write("result.json", result_json(result));
    directory.write("flows.csv", flows_csv(result));
    directory.write("completion.csv", completion_csv(result.flows));
    if (!result.seen) return;
    directory.write("pauses.csv", pauses_csv(*result.seen));
    directory.write("victims.csv", victims_csv(*result.seen));
    directory.write("spread.csv", spread_csv(*result.seen));
}

int run_command(const std::vector<std::string>& arguments, const context& c) {
    return run_platform({"weir run PLATFORM [options]",
                         "Boots the platform with its driver and script, runs the workload, and prints a summary.\n"
                         "Exit code: 0 passed, 1 lossless loss, broken conservation, a standstill or (with --check) a "
                         "broken property, 2 bad input, 128 "
                         "+ signal interrupted."},
                        arguments, false, c);
}

int console_command(const std::vector<std::string>& arguments, const context& c) {
    return run_platform({"weir console PLATFORM [options]",
                         "As weir run, and then you are at the prompt of the first switch's firmware (cpu.kind =\n"
                         "\"riscv\"). Simulated time goes on while it works and stands still while it waits for you.\n"
                         "The session ends with the input, or with the command poweroff."},
                        arguments, true, c);
}

}  // namespace weir::vp
