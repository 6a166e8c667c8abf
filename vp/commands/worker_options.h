// SPDX-License-Identifier: Apache-2.0
// How many processes work at a study, and how much memory they may use: --jobs, --memory, or the study's [limits].
#pragma once

#include "vp/commands/option_parser.h"
#include "vp/study/study.h"
#include "vp/study/worker_pool.h"

namespace weir::vp {

struct worker_options {
    std::size_t workers{1};
    std::optional<std::uint64_t> memory;  ///< octets, of all together

    [[nodiscard]] std::optional<std::uint64_t> memory_each() const {
        return memory ? std::optional<std::uint64_t>(*memory / workers) : std::nullopt;
    }
};

void add_worker_options(option_parser& options);
/// The command line's, else the study's, else one worker a processor and no bound. Throws config_error.
[[nodiscard]] worker_options read_worker_options(const option_parser& options, const study& of);

}  // namespace weir::vp
