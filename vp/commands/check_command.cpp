// SPDX-License-Identifier: Apache-2.0
#include "vp/commands/check_command.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>

#include "vp/check/check.h"
#include "vp/check/prove.h"
#include "vp/commands/option_parser.h"
#include "vp/commands/worker_options.h"
#include "vp/output/output_directory.h"
#include "vp/run/interruption.h"
#include "vp/study/run.h"

namespace weir::vp {
namespace {

namespace po = boost::program_options;
using platforms::config_error;
using json = nlohmann::ordered_json;

check_report report_of(const platforms::platform_config& platform, const programmed_platform& programmed) {
    std::vector<programmed_state> states;
    for (const auto& each : programmed.switches) states.push_back(read_programmed_state(each.name, each.registers));
    return make_check_report(platform, states);
}

/// A process simulates once, and proving takes many: the platform is booted in another one.
struct boot_outcome {
    std::string report;
    bool errors{false};
    lossless_map map;
};

boot_outcome boot_elsewhere(const platforms::platform_config& platform, const engine& simulator) {
    worker_pool pool(1);
    pool.start(0, [&]() -> std::string {
        try {
            const programmed_platform programmed = simulator.boot(platform);
            const check_report report = report_of(platform, programmed);
            return json{{"report", report.whole()},
                        {"errors", !report.errors.empty()},
                        {"map", to_text(find_lossless_places(platform, programmed))}}
                .dump();
        } catch (const std::exception& e) {
            return json{{"failed", e.what()}}.dump(-1, ' ', false, json::error_handler_t::replace);
        }
    });
    const auto ended = pool.next();
    const json told = json::parse(ended->text, nullptr, false);
    if (!ended->death.empty()) throw boot_error(ended->death);
    if (told.contains("failed")) throw boot_error(told["failed"].get<std::string>());
    return {told["report"], told["errors"], *lossless_map_of(told["map"].get<std::string>())};
}

int prove_platform(const option_parser& options, const platforms::platform_config& platform, const context& c) {
    const interruption_watch watch;
    const boot_outcome booted = boot_elsewhere(platform, c.simulator);
    c.out << booted.report;
    if (booted.errors) return exit_code::bad_input;
    const worker_options how = read_worker_options(options, {});
    worker_pool pool(how.workers, how.memory_each());
    const proof found = prove(c.simulator, platform, booted.map, pool);
    if (options.given("flows")) {
        const std::string path = options.text("flows");
        std::ofstream out(path, std::ios::binary);
        out << found.flows;
        out.close();
        if (!out) throw output_error(fmt::format("--flows {}: cannot be written: {}", path, std::strerror(errno)));
    }
    c.out << "\n" << found.text;
    if (options.given("flows")) {
        fmt::print(c.out, "  again: weir run {} --workload {} {}\n", options.word("platform", ""),
                   options.text("flows"), found.arguments);
    }
    return found.lost ? exit_code::verdict_failed : exit_code::done;
}

}  // namespace

int check_command(const std::vector<std::string>& arguments, const context& c) {
    option_parser options("weir check PLATFORM [options]",
                          "Boots the platform and explains what it is programmed to: budget, headroom against the\n"
                          "closed form, order of thresholds, limits. With --prove it looks for the worst case on "
                          "purpose.\n"
                          "Exit code: 0 no errors, 1 --prove lost a lossless frame, 2 errors.");
    add_platform_options(options);
    options.options()("prove",
                      "attack the lossless classes in many short runs: congested ports, frame sizes, alignment, start, "
                      "response (docs/sizing.md)")("flows", po::value<std::string>(),
                                                   "FILE for the flow list of the worst case, with --prove");
    add_worker_options(options);
    if (!options.parse(arguments, c.out)) return exit_code::done;
    for (const char* name : {"flows", "jobs", "memory"}) {
        if (options.given(name) && !options.given("prove"))
            throw config_error(fmt::format("--{} {}", name, options.text(name)), "nothing is proved", "add --prove");
    }
    const platforms::platform_config platform = load_platform(options);
    if (options.given("prove")) return prove_platform(options, platform, c);
    const check_report report = report_of(platform, c.simulator.boot(platform));
    c.out << report.whole();
    return report.errors.empty() ? exit_code::done : exit_code::bad_input;
}

}  // namespace weir::vp
