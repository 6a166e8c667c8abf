// SPDX-License-Identifier: Apache-2.0
#include "vp/bench/sweep_bench.h"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "vp/bench/bench_folder.h"
#include "vp/bench/measurement.h"
#include "vp/commands/command.h"
#include "vp/commands/sweep_command.h"
#include "vp/engine.h"

namespace weir::vp {
namespace {

/// Wall-clock time of the study with so many workers, table included.
double study_seconds(const bench_folder& folder, const std::string& output, int workers) {
    const engine simulator = make_engine();
    std::ostringstream out;
    std::ostringstream err;
    const auto begin = std::chrono::steady_clock::now();
    const int code = sweep_command(
        {folder.path() + "/study.toml", "--out", folder.path() + "/" + output, "--jobs", fmt::format("{}", workers)},
        {simulator, out, err});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (code != 0) throw std::runtime_error(err.str());
    return took.count();
}

}  // namespace

void measure_workers(int rounds) {
    std::vector<double> shares;
    for (int i = 0; i < rounds; ++i) {
        const bench_folder folder;
        std::ofstream(folder.path() + "/study.toml")
            << "platform = \"bench.toml\"\nfigures = [\"pauses\"]\n[[vary]]\nname = \"xoff\"\n"
               "log = { from = 3000, to = 6800, points = 60 }\n";
        // Both orders, so that a machine that changes its speed changes it for both.
        const double alone = study_seconds(folder, "a", 1);
        const double together = study_seconds(folder, "b", 2) + study_seconds(folder, "c", 2);
        shares.push_back((alone + study_seconds(folder, "d", 1)) / (2 * together));
    }
    fmt::print("{:<22} {:6.2f} of twice the speed of one (60 runs)\n", "weir sweep, 2 workers", median(shares));
    std::fflush(stdout);
}

}  // namespace weir::vp
