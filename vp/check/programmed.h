// SPDX-License-Identifier: Apache-2.0
// What a booted switch is programmed to, taken from its registers: the input of `weir check`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vp/results/snapshot.h"

namespace weir::vp {

/// A size in cells; nothing means unlimited.
using cell_limit = std::optional<std::uint64_t>;

struct programmed_group {
    bool enabled{false};
    bool lossless{false};
    bool dynamic{false};
    double alpha{1};  ///< of the dynamic limit
    std::uint32_t pool{0};
    bool service_after_xoff{false};
    bool shared_headroom{false};
    std::uint64_t guaranteed{0};
    cell_limit limit;
    cell_limit xoff;
    std::uint64_t xon_offset{0};
    std::uint64_t headroom{0};
    std::uint8_t priorities{0};  ///< PFC priorities that it pauses
};

struct programmed_queue {
    bool enabled{false};
    bool lossless{false};
    bool dynamic{false};
    double alpha{1};
    std::uint32_t pool{0};
    std::uint64_t guaranteed{0};
    cell_limit limit;
    bool ecn{false};
    std::uint64_t kmin{0};
    std::uint64_t kmax{0};
};

struct programmed_pool {
    bool egress{false};
    std::uint64_t size{0};
    std::uint64_t shared_headroom{0};
};

struct programmed_port {
    std::array<programmed_group, 8> groups;
    std::array<programmed_queue, 8> queues;
    std::uint8_t pfc_tx_enable{0};
    std::uint32_t quanta{0};
    std::uint32_t refresh{0};
};

struct programmed_state {
    std::string name;
    std::vector<programmed_pool> pools;
    std::vector<programmed_port> ports;  ///< front ports
    std::uint64_t overcommit_ingress{0};
    std::uint64_t overcommit_egress{0};
};

/// Reads the state of a switch from a snapshot of its blocks bm, pg, queue, wred, map, pfc and port.
[[nodiscard]] programmed_state read_programmed_state(const std::string& name, const register_snapshot& registers);

}  // namespace weir::vp
