// SPDX-License-Identifier: Apache-2.0
// Does this port keep what PFC promises, and does its peer? Five sticky faults a port, in the order of the PFC RTL
// chapter's monitor, and the time of each one's first occurrence.
//
//   pause frame starts to leave ──► dead time ──► what still arrives is late ──► until the granted quanta run out
//
// The dead time counts from the start of the pause frame, so what the frame waited for is not in it: what the peer
// needs is 84 octets of control frame, two propagation legs, its response and a longest frame begun just before. The
// chapter has one leg and counts from the wish (`chapter_window`): it accuses a peer that does everything right.
//
// The monitor says that a device did what it promised. It does not say that the network makes progress: no device can.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>

#include "models/pfc/pfc_if.h"
#include "models/timeline/timeline.h"

namespace weir::pfc {

/// Bits of pfc.fault.
enum class fault : std::uint8_t {
    overflow,     ///< a lossless group lost a frame for want of Headroom or of memory
    late,         ///< the peer went on sending what it had been asked to stop
    lossy_pause,  ///< a pause was asked for a priority without a lossless group (only pfc.force can, R11)
    escape,       ///< frames of a stalled queue were thrown away so that it moves again
    tagged,       ///< a tagged PFC frame was not obeyed (G5)
};
constexpr std::size_t faults = 5;

class conformance_monitor {
public:
    explicit conformance_monitor(const timeline& time) : time_(time) {}

    /// Called at each occurrence of a fault.
    void on_fault(std::function<void(fault)> hook) { on_fault_ = std::move(hook); }

    /// How long the peer may take to stop, from the start of the pause frame; 0: not judged.
    void set_dead_time(picoseconds time);
    /// Count from the wish instead, as the PFC RTL chapter does.
    void set_chapter_window(bool on) { chapter_window_ = on; }
    void set_group_lossless(std::uint8_t group, bool lossless);
    void set_group_priorities(std::uint8_t group, bitmap which) { group_priorities_[group] = which; }

    // What the generator does.
    void wanted(bitmap which);
    /// A frame that keeps `paused` stopped for `granted` starts to leave. `by_priority`: PFC, not PAUSE.
    void announced(bitmap paused, bool by_priority, picoseconds granted);
    /// The link went down: the peer has been asked for nothing.
    void forget();

    // What happens.
    /// The last octet of a frame of that class, which is that PFC priority, came in at `at`.
    void arrived(std::uint8_t traffic_class, picoseconds at);
    void overflow(std::uint8_t group);
    /// Frames of that egress queue were thrown away although it is lossless.
    void escape(std::uint8_t queue);
    void tagged_ignored() { occurred(fault::tagged); }

    [[nodiscard]] std::uint64_t count(fault f) const { return counts_[static_cast<std::size_t>(f)]; }
    void clear_counts() { counts_ = {}; }

private:
    void occurred(fault f);
    [[nodiscard]] bool late(std::uint8_t priority, picoseconds at) const;

    const timeline& time_;
    std::function<void(fault)> on_fault_;
    picoseconds dead_time_{0};
    bool chapter_window_{false};
    bitmap lossless_groups_{0};
    std::array<bitmap, 8> group_priorities_{};
    bitmap wanted_{0};
    bitmap announced_{0};
    std::array<picoseconds, 8> wanted_since_{};
    std::array<picoseconds, 8> told_{};           // start of the frame from which the dead time counts
    std::array<picoseconds, 8> granted_until_{};  // a conformant peer may be sending again from here on
    std::array<std::uint64_t, faults> counts_{};
};

}  // namespace weir::pfc
