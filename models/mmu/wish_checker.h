// SPDX-License-Identifier: Apache-2.0
// P14 to P18: checks what the MMU asks of one port's flow control, from outside, by R5 and R6 alone.
//
//   MMU ──pause_wish_if──► wish_checker ──► flow control        memory_checker calls `settled` after each frame
//
// What is legitimate: a frame of many cells may jump past XOFF, so a group is judged after the frame has settled, in
// the same instant (the one clock that P14 and P15 leave to each other). While the link is down nobody is asked for
// anything (R13). Clearing `lossless` releases at any occupancy. P18 is judged only where a dead time is programmed and
// the Headroom holds what can come in the worst case, in cells of the smallest frames, and the peer was not late.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "models/mmu/priority_group.h"
#include "models/pfc/pfc_if.h"
#include "models/timeline/timeline.h"

namespace weir::mmu {

class wish_checker : public pfc::pause_wish_if {
public:
    /// What the checker looks at. P18 needs all of it, the others the groups alone.
    struct view {
        std::function<const priority_group&(std::uint8_t)> group;
        std::function<picoseconds()> dead_time;      ///< 0: P18 is not judged
        std::function<std::uint64_t()> late_frames;  ///< frames of the peer that came too late so far
        std::function<data_rate()> rate;
        std::function<cells(std::uint32_t)> cells_of;  ///< of a frame of that many octets
    };
    wish_checker(const timeline& time, std::string place, pfc::pause_wish_if& flow, view seen);

    void group_wishes(std::uint8_t group, bool pause) override;
    void group_overflowed(std::uint8_t group) override;

    /// The link went up or down: going down, what was wished is forgotten.
    void link_changed(bool up);
    /// A frame that stops priorities starts to leave.
    void told(picoseconds now);
    /// An event of the memory is over. `admitted`: a frame was charged to that group just now; 8: none was.
    void settled(std::uint8_t admitted);
    /// Times that a group was told to have overflowed.
    [[nodiscard]] std::uint64_t overflows() const { return overflows_; }

private:
    [[nodiscard]] static cells judged(const priority_group& g);
    [[nodiscard]] static bool must_ask(const priority_group& g);
    [[nodiscard]] static bool may_resume(const priority_group& g);
    void broken(const char* property, std::uint8_t group, const std::string& text) const;
    void judge_overflow(std::uint8_t group) const;

    const timeline& time_;
    std::string place_;
    pfc::pause_wish_if& flow_;
    view seen_;
    bool link_{false};
    pfc::bitmap asks_{0};
    std::uint64_t overflows_{0};
    std::array<picoseconds, 8> asks_since_{};
    std::array<picoseconds, 8> told_at_{};  // never: not yet since the wish
};

}  // namespace weir::mmu
