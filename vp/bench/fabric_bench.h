// SPDX-License-Identifier: Apache-2.0
// What a link-hop costs in a leaf–spine network, by its size.
#pragma once

#include <cstdint>

namespace weir::vp {

struct fabric_size {
    std::uint32_t leaves{4};
    std::uint32_t spines{4};
    std::uint32_t hosts{4};  ///< at each leaf
    [[nodiscard]] std::uint32_t all_hosts() const { return leaves * hosts; }
    /// Of the switches.
    [[nodiscard]] std::uint32_t ports() const { return all_hosts() + 2 * leaves * spines; }
};

struct fabric_speed {
    double link_hops{0};
    double cpu_seconds{0};  ///< of the traffic, without boot
};

/// A permutation at 100G, every host to one of another leaf, over reliable connections with DCQCN and frames of 1000
/// octets of payload; so many frames altogether. Throws when a flow is not delivered. Elaborates, so once a process.
[[nodiscard]] fabric_speed run_fabric_permutation(const fabric_size& size, std::uint64_t frames);

}  // namespace weir::vp
