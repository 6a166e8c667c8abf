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
double study_seconds(const bench_folder& folder, int workers) {
    const engine simulator = make_engine();
    std::ostringstream out;
    std::ostringstream err;
    const auto begin = std::chrono::steady_clock::now();
    const int code = sweep_command({folder.path() + "/study.toml", "--out",
                                    fmt::format("{}/{}", folder.path(), workers), "--jobs", fmt::format("{}", workers)},
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
        const double alone = study_seconds(folder, 1);
        shares.push_back(alone / (2 * study_seconds(folder, 2)));
    }
    fmt::print("{:<22} {:6.2f} of twice the speed of one (60 runs)\n", "weir sweep, 2 workers", median(shares));
    std::fflush(stdout);
}

}  // namespace weir::vp
