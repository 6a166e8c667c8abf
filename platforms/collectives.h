// SPDX-License-Identifier: Apache-2.0
// Collective operations as flows that start when others are delivered.
//
//   progress (what each rank waits for) ─► add_collective ─► flows, and the progress behind it
//
// S: octets of the vector that the operation works on, at each rank that holds all of it. n: ranks. T(x): how long a
// message of x octets takes. On an unshared network whose hosts are alike:
//
//   reduce_scatter, all_gather   ring, n − 1 steps of S/n:        (n − 1)·T(S/n)
//   ring_all_reduce              the one, then the other:        2(n − 1)·T(S/n)
//   tree_all_reduce              up a binary tree and down again, in pieces that follow one another
//   all_to_all                   S/n from each to each; at once, or in n − 1 steps: in step k rank i sends to i + k
//
// A rank takes a step when what it waits for has arrived: the ring's next when the last one's message from its left
// neighbour is there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/timeline/time.h"
#include "platforms/workload.h"

namespace weir::platforms {

enum class collective_kind : std::uint8_t {
    ring_all_reduce,
    tree_all_reduce,
    all_gather,
    reduce_scatter,
    all_to_all,
    shifted_all_to_all,
};

/// What a rank waits for before it goes on: flows that have to be delivered, and then so much time.
struct rank_progress {
    std::vector<std::uint32_t> after;
    picoseconds delay{0};
};

struct collective {
    collective_kind kind{collective_kind::ring_all_reduce};
    std::vector<std::uint32_t> ranks;  ///< hosts, by rank
    std::uint64_t octets{0};           ///< S; at least one for each rank, of a tree for each piece
    std::uint32_t pieces{1};           ///< of a tree's vector; on a branch one is under way at a time
};

/// A flow from one host to another as the workload wants it, its octets and what it waits for aside.
using flow_template = std::function<flow(std::uint32_t source, std::uint32_t destination)>;

/// Appends the flows of `what`. `progress`: of each of its ranks, before and after. With one rank nothing happens. In a
/// tree, a delay of a rank that has children counts from their messages.
void add_collective(std::vector<flow>& flows, const collective& what, std::vector<rank_progress>& progress,
                    const flow_template& make);

/// Octets that a collective needs at least.
[[nodiscard]] std::uint64_t least_octets(const collective& what);

/// The flows of a [workload] that is a collective. Throws config_error.
[[nodiscard]] std::vector<flow> make_collective(const platform_config& platform);

}  // namespace weir::platforms
