// SPDX-License-Identifier: Apache-2.0
// P1 to P13: checks a port's flow control from outside, between the port and its flow control and between that and the
// scheduler's gate.
//
//   port ◄──control_if──► control_checker ◄──control_if──► flow control
//   scheduler ◄──gate_if── control_checker ◄──gate_if──┘
//
// It keeps timers of its own from the frames that it sees, by 802.1Q alone, and compares. What is legitimate although a
// plain reading of the PFC RTL chapter forbids it: a clear bit leaves its timer alone unless `complete_state` is set
// (P9); with `truncated_quanta` N quanta last more than N - 1 of them and at most N, and with `timer_from_stop` the
// response and a longest frame longer (P10, P13); what opens a gate takes the response delay to do so (P12); software
// may release a timer at any time, and a link that goes down releases all (P11). With `commit_short` what a frame that
// is no whole one does is the option's affair, so it is not judged.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "models/pfc/pause_generator.h"
#include "models/pfc/pause_receiver.h"
#include "models/pfc/pfc_if.h"
#include "models/port/wire_watch.h"
#include "models/timeline/timeline.h"

namespace weir::pfc {

class control_checker : public control_if, public gate_if, private actor {
public:
    /// `place`: the port's hierarchical name. The generator and the receiver are only looked at.
    control_checker(timeline& time, const std::string& place, control_if& control, gate_if& gate,
                    const pause_generator& generator, const pause_receiver& receiver);

    bool receive(const ethernet::frame& f, picoseconds now) override;
    ethernet::frame* next_control_frame(picoseconds now) override;
    void link_changed(bool up) override;
    [[nodiscard]] bitmap stopped_queues() const override;
    [[nodiscard]] bitmap queues_stopped_by_pfc() const override { return gate_.queues_stopped_by_pfc(); }
    [[nodiscard]] bool link_stopped() const override { return gate_.link_stopped(); }

    /// Called when the link goes up or down, and when a frame that stops priorities starts to leave.
    void on_link(std::function<void(bool up)> hook) { on_link_ = std::move(hook); }
    void on_told(std::function<void(bitmap stopped, picoseconds now)> hook) { on_told_ = std::move(hook); }

    /// What the port wants stopped is not what its last frame said: a control frame is due.
    [[nodiscard]] bool pending() const;
    [[nodiscard]] port::wire_watch& wire() { return wire_; }

private:
    /// What can be seen of the receiver's timers.
    struct timers_seen {
        std::uint16_t running{0};
        std::array<picoseconds, pause_receiver::timers> deadline{};
        std::uint64_t seen{0};
        std::uint64_t refused{0};  // bad FCS, wrong address or malformed
        std::uint64_t interventions{0};
        bool never_touched{true};
    };
    /// What the frame asks for by the standard.
    struct reading {
        bool matched{false};  // a MAC Control frame with the PFC opcode
        bool good_address{false};
        bool whole{false};
        bool by_pause{false};
        std::uint16_t named{0};
        std::array<std::uint16_t, pause_receiver::timers> quanta{};
    };

    void due(std::uint32_t what) override;
    void broken(const char* property, const std::string& text) const;
    [[nodiscard]] timers_seen look() const;
    [[nodiscard]] static reading read(const ethernet::frame& f, const receiver_rules& r);
    void between_frames(picoseconds now);
    void judge_refused(const ethernet::frame& f, const reading& frame, const timers_seen& before,
                       const timers_seen& after) const;
    void judge_counters(const reading& frame, const timers_seen& before, const timers_seen& after, bool good) const;
    void judge_written(const receiver_rules& r, std::uint16_t named, const reading& frame, const timers_seen& before,
                       const timers_seen& after) const;
    void judge_pace(const receiver_rules& r, std::size_t timer, std::uint16_t quanta, picoseconds deadline,
                    picoseconds now) const;
    void grant(const receiver_rules& r, std::uint16_t named, const reading& frame, picoseconds now);
    void adopt(picoseconds now);
    void judge_gate(picoseconds now) const;
    void judge_frame(const ethernet::frame& f);
    void watch();

    timeline& time_;
    std::string place_;
    control_if& control_;
    gate_if& gate_;
    const pause_generator& generator_;
    const pause_receiver& receiver_;
    std::function<void(bool)> on_link_;
    std::function<void(bitmap, picoseconds)> on_told_;
    port::wire_watch wire_;
    timers_seen last_;
    // Until when a timer may keep its gate shut, by what was received.
    std::array<picoseconds, pause_receiver::timers> shut_until_{};
    picoseconds watched_{never};
    bitmap told_{0};
    bool link_{false};
};

}  // namespace weir::pfc
