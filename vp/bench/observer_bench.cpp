// SPDX-License-Identifier: Apache-2.0
#include "vp/bench/observer_bench.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "vp/bench/bench_folder.h"
#include "vp/bench/cpu_time.h"
#include "vp/bench/measurement.h"
#include "vp/engine.h"

namespace weir::vp {
namespace {

constexpr std::uint32_t observed_ports = 8;

struct observer_case {
    const char* name;
    void (*ask)(run_request&);  ///< for it
    std::vector<double> ratios{};
};

/// CPU time of one run that `ask` asked something of, boot included.
double run_seconds(void (*ask)(run_request&)) {
    const bench_folder folder;
    const auto config = platforms::load_platform(folder.path() + "/bench.toml", {});
    run_request request;
    request.console = "none";
    request.output = folder.path();
    ask(request);
    return in_a_process([&] {
               measurement m;
               const double start = cpu_now();
               const run_result result = make_engine().run(config, request, [](const progress_report&) {});
               m.cpu_seconds = cpu_now() - start;
               if (!result.passed()) throw std::runtime_error(result.failures().front());
               return m;
           })
        .cpu_seconds;
}

}  // namespace

void compare_observers(int rounds) {
    std::array<observer_case, 6> cases{{
        {"run --observe", [](run_request& r) { r.observe = true; }},
        {"run --check", [](run_request& r) { r.check = true; }},
        {"run --signals", [](run_request& r) { r.signals = true; }},
        {"run --series 10us", [](run_request& r) { r.series_interval = microseconds(10); }},
        {"run --capture all",
         [](run_request& r) {
             for (std::uint32_t port = 0; port < observed_ports; ++port) r.captured.push_back(port);
         }},
        {"run --register-trace", [](run_request& r) { r.register_trace = r.output + "/trace"; }},
    }};
    // Each round measures all of them, so that a machine that changes its speed changes it for all.
    for (int i = 0; i < rounds; ++i) {
        const double plain = run_seconds([](run_request&) {});
        for (observer_case& each : cases) each.ratios.push_back(run_seconds(each.ask) / plain);
    }
    for (const observer_case& each : cases) {
        fmt::print("{:<22} {:6.2f} times the CPU time of a run without\n", each.name, median(each.ratios));
    }
    std::fflush(stdout);
}

}  // namespace weir::vp
