// SPDX-License-Identifier: Apache-2.0
#include "vp/commands/worker_options.h"

#include <fmt/format.h>

#include "platforms/text.h"

namespace weir::vp {
namespace {

namespace po = boost::program_options;
using platforms::config_error;

constexpr std::uint64_t most_workers = 1024;
/// Less than this and no simulation of any size begins.
constexpr std::uint64_t least_memory = 64ULL << 20;

}  // namespace

void add_worker_options(option_parser& options) {
    options.options()("jobs", po::value<std::string>(), "N processes at a time; default: one a processor")(
        "memory", po::value<std::string>(), "SIZE that all of them together may use: 2GiB; default: no bound");
}

worker_options read_worker_options(const option_parser& options, const study& of) {
    worker_options made;
    made.workers = number_option(options, "jobs", of.jobs.value_or(processors()));
    if (made.workers == 0 || made.workers > most_workers) {
        throw config_error(fmt::format("--jobs {}", options.text("jobs")), "out of range",
                           fmt::format("1 to {}", most_workers));
    }
    made.memory = of.memory;
    if (options.given("memory")) {
        made.memory = platforms::parse_octets(options.text("memory"));
        if (!made.memory)
            throw config_error(fmt::format("--memory {}", options.text("memory")), "this is no size", "512MiB, 2GiB");
    }
    if (made.memory && *made.memory / made.workers < least_memory) {
        throw config_error(
            options.given("memory") ? "--memory " + options.text("memory") : of.file,
            fmt::format("{} workers would have {} octets each", made.workers, *made.memory / made.workers),
            fmt::format("{} each at least, or fewer --jobs", platforms::format_octets(least_memory)));
    }
    return made;
}

}  // namespace weir::vp
