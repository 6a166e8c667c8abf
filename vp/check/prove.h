// SPDX-License-Identifier: Apache-2.0
// `weir check --prove`: looks for the worst case of a platform's lossless classes on purpose, in many short runs.
//
//   lossless places ─► cases: congested ports, classes, frame size, alignment, start ─► the worst of them
//                   ─► around the worst: every number of ports, more alignments, shorter responses, shorter own frames
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vp/check/lossless_places.h"
#include "vp/study/adversary.h"
#include "vp/study/worker_pool.h"

namespace weir::vp {

/// One short run against the platform.
struct prove_case {
    adversary against;
    std::uint32_t response_percent{100};  ///< of what the platform says that hosts take to obey
};

struct prove_outcome {
    std::uint64_t lost{0};              ///< lossless frames
    std::int64_t left{0};               ///< cells of headroom that were never used, where it was least
    std::string where;                  ///< "s0.1 PG 3", or a shared pool
    platforms::link_end port;           ///< of the group
    std::optional<std::uint32_t> pool;  ///< the shared pool, of that port's switch
    std::uint64_t peak{0};              ///< cells used there
    std::uint64_t programmed{0};
    std::string flows;                   ///< the flow list that does it again
    std::vector<std::uint64_t> reached;  ///< of each target of the case: cells of headroom that it held at most
    std::string failed;                  ///< why there was no run; empty: there was one

    [[nodiscard]] bool worse_than(const prove_outcome& other) const;
};

/// The cases of the first round.
[[nodiscard]] std::vector<prove_case> first_cases(const platforms::platform_config& platform, const lossless_map& map);
/// Those around the worst of them.
[[nodiscard]] std::vector<prove_case> cases_around(const prove_case& worst, const platforms::platform_config& platform);

/// The lossless places that none of the cases attacks, nor one like them: "s0.3 PG 3, s0.4 PG 3: why"; empty: there are
/// none.
[[nodiscard]] std::string untried_places(const std::vector<prove_case>& cases,
                                         const platforms::platform_config& platform, const lossless_map& map);

struct proof {
    std::string text;
    bool lost{false};
    std::string flows;      ///< of the worst case
    std::string arguments;  ///< of `weir run`, besides its platform and this flow list
};

/// Throws interrupted, config_error when there is nothing to prove.
[[nodiscard]] proof prove(const engine& simulator, const platforms::platform_config& platform, const lossless_map& map,
                          worker_pool& pool);

}  // namespace weir::vp
