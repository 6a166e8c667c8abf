// SPDX-License-Identifier: Apache-2.0
// Where a booted platform promises not to lose frames: each front port's lossless groups that pause a host or another
// switch, and which frames lead to them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vp/engine.h"

namespace weir::vp {

struct lossless_place {
    std::uint32_t switch_index{0};
    std::uint32_t port{0};
    std::uint32_t group{0};
    std::uint32_t priority{0};          ///< the lowest that it pauses
    std::uint32_t dscp{0};              ///< the lowest that leads to it
    std::optional<std::uint32_t> host;  ///< behind the port; nothing: a switch
    std::uint32_t max_frame{0};
    std::uint64_t headroom{0};  ///< cells; shared: the group's cap
    bool shared{false};
    std::uint64_t xoff{0};  ///< cells that it holds when it asks for a pause, Guaranteed among them
};

struct lossless_map {
    std::vector<lossless_place> places;  ///< by switch, port and group
    std::vector<std::string> left_out;   ///< the others, in words, a line a reason: "s0.3 PG 4: pauses no priority"
};

[[nodiscard]] lossless_map find_lossless_places(const platforms::platform_config& platform,
                                                const programmed_platform& booted);

/// For the way between processes.
[[nodiscard]] std::string to_text(const lossless_map& map);
[[nodiscard]] std::optional<lossless_map> lossless_map_of(const std::string& text);

}  // namespace weir::vp
