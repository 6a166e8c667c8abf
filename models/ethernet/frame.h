// SPDX-License-Identifier: Apache-2.0
// A frame on the wire and the pool it comes from.
//
// Only the octets that somebody looks at are stored: generated traffic keeps its headers, a replayed capture keeps what
// the capture holds. The rest of the frame is zeros. Headers are found once, when the octets are set, and the result
// stays with the frame; whoever rewrites octets calls the matching setter, which keeps both in step.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/ethernet/headers.h"
#include "models/timeline/time.h"

namespace weir::ethernet {

class frame_pool;

/// What the switch that holds the frame did with it: for captures and reports, never for decisions.
struct frame_note {
    std::uint8_t drop_reason{0};  ///< a weir::mmu::drop_reason, 0: not dropped
    std::uint16_t ingress{0};     ///< port it came in by
    std::uint8_t group{0};
    std::uint8_t queue{0};
    bool marked{false};  ///< ECT became CE here
};

/// Limits of 802.3: 64 octets with FCS; jumbo frames are capped where real MACs cap them.
constexpr std::uint32_t minimum_frame_octets = 64;
constexpr std::uint32_t maximum_frame_octets = 16'000;
constexpr std::uint32_t fcs_octets = 4;

class frame {
public:
    /// Room for VLAN, IPv6, UDP, BTH and the first payload word: what generated traffic stores.
    static constexpr std::uint32_t inline_octets = 88;

    /// Length on the wire in octets, FCS included, preamble and gap not.
    std::uint32_t length{0};
    /// How many leading octets are stored, FCS never among them.
    std::uint32_t stored{0};
    /// False for a frame whose FCS arrives wrong.
    bool fcs_good{true};
    /// Which flow of which workload this belongs to, and its place in it: bookkeeping of end stations only.
    std::uint32_t flow{no_flow};
    std::uint32_t sequence{0};
    frame_note note;
    /// The switch that holds it has routed it: its hop limit is one less when it leaves.
    bool routed{false};
    header_view headers;

    static constexpr std::uint32_t no_flow = 0xffffffff;

    [[nodiscard]] const std::uint8_t* octets() const { return stored <= inline_octets ? head_.data() : body_.data(); }
    [[nodiscard]] std::uint8_t* octets() { return stored <= inline_octets ? head_.data() : body_.data(); }

    /// Sets the stored octets (FCS excluded) and the length on the wire (FCS included, at least `count` + 4), and
    /// finds the headers again.
    void assign(const std::uint8_t* data, std::uint32_t count, std::uint32_t wire_length);

    /// Copies content, headers and bookkeeping of `other`, not its references.
    void copy_from(const frame& other);

    /// ECT → CE in the IP header, its checksum kept right (RFC 1624). Precondition: headers.ecn is ECT.
    void mark_congestion_experienced();

    /// What its IP header says; nothing without one.
    [[nodiscard]] std::optional<std::uint8_t> hop_limit() const;
    /// One less in the IP header, its checksum kept right (RFC 1624). Precondition: there is one, and it is not 0.
    void decrement_hop_limit();

    /// The whole frame as it stands on the wire, FCS included (inverted when !fcs_good).
    [[nodiscard]] std::vector<std::uint8_t> wire_octets() const;

    /// Brings what every station looks at nearer: a frame that waited in a queue has left the caches.
    void prefetch() const {
        __builtin_prefetch(this, 1);
        __builtin_prefetch(reinterpret_cast<const char*>(this) + 64, 1);
    }

    void retain() { ++references_; }
    /// Gives one reference back; the last one returns the frame to its pool.
    void release();

private:
    friend class frame_pool;
    frame_pool* pool_{nullptr};
    std::uint32_t references_{0};
    std::array<std::uint8_t, inline_octets> head_{};
    std::vector<std::uint8_t> body_;
};

/// Frames in use and frames to use again. Steady traffic allocates nothing.
class frame_pool {
public:
    frame_pool() = default;
    frame_pool(const frame_pool&) = delete;
    frame_pool& operator=(const frame_pool&) = delete;

    /// A frame with one reference, cleared but for its octets, which `assign` or `copy_from` sets.
    [[nodiscard]] frame* take();

    /// Frames that somebody still holds. Zero after every drained run: a leaked frame fails the test that leaked it.
    [[nodiscard]] std::size_t in_use() const { return made_ - free_.size(); }
    /// Calls `look` with each of them.
    template <typename Look>
    void each_in_use(Look look) const {
        for (const auto& made : blocks_) {
            for (std::size_t i = 0; i < block; ++i) {
                if (made[i].references_ > 0) look(made[i]);
            }
        }
    }

private:
    friend class frame;
    static constexpr std::size_t block = 256;
    std::vector<std::unique_ptr<frame[]>> blocks_;
    std::vector<frame*> free_;
    std::size_t made_{0};
};

}  // namespace weir::ethernet
