// SPDX-License-Identifier: Apache-2.0
// What the peer has stopped: PFC and PAUSE frames in, pause timers, the gate that the scheduler asks.
//
//   last octet of the frame ──► timer runs for exactly N quanta ──► expiry: the safe state (M10)
//                         └──── response delay ──► gate closes, or a time-0 frame opens it (G6)
//
// The delay moves the gate, never the expiry.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>

#include "models/ethernet/chapter_parser.h"
#include "models/ethernet/mac_control.h"
#include "models/pfc/chapter_prescaler.h"
#include "models/pfc/pfc_if.h"
#include "models/timeline/fifo.h"
#include "models/timeline/timeline.h"

namespace weir::pfc {

struct receiver_counters {
    std::uint64_t seen{0};       ///< PFC frames that passed every gate
    std::uint64_t bad_fcs{0};    ///< MAC Control frames with a bad FCS
    std::uint64_t wrong_da{0};   ///< MAC Control frames to another address; first when both apply
    std::uint64_t malformed{0};  ///< MAC Control frames of a wrong length
    std::uint64_t tagged{0};     ///< PFC frames seen with a VLAN tag, honoured or not
    std::uint64_t pause{0};      ///< 802.3x frames
    std::uint64_t ignored{0};    ///< good frames not obeyed: tagged and ignored, PAUSE not enabled, unknown opcode
    std::array<std::uint64_t, 8> frames{};       ///< PFC frames naming the priority, time 0 included, obeyed or not
    std::array<std::uint64_t, 8> quanta{};       ///< sum of the quanta that those frames granted
    std::array<std::uint64_t, 8> transitions{};  ///< paused to released
    std::array<std::uint64_t, 8> expiries{};     ///< of those, by the timer
    std::array<std::uint64_t, 8> releases{};     ///< of those, by the peer
};

/// How a receiver is programmed, for those who check it.
struct receiver_rules {
    data_rate rate;
    picoseconds response{0};
    bool complete_state{false};
    bool ignore_tagged{false};
    bool obeys_pause{false};
    bool timer_from_stop{false};
    bool truncated{false};
    bool commit_short{false};
    std::uint32_t megahertz{0};
    bitmap enabled{0};                        ///< priorities that the peer may stop
    bitmap ignored_queues{0};                 ///< queues that no pause stops for now
    std::array<bitmap, 8> priority_queues{};  ///< the queues that a priority stops
    std::uint64_t interventions{0};           ///< times that software released timers or changed their pace
};

class pause_receiver : private actor {
public:
    /// Eight of PFC, and the ninth of 802.3x.
    static constexpr std::size_t timers = 9;
    static constexpr std::size_t whole_link = 8;

    /// `moved` is called when the gate has changed; `opens`: it lets a queue through that it stopped before.
    pause_receiver(timeline& time, const std::string& name, std::function<void(bool opens)> moved);

    void set_rate(data_rate rate);
    /// From the last octet received to the gate's move.
    void set_response_delay(picoseconds delay) { response_ = delay; }
    void set_complete_state(bool on) { complete_state_ = on; }
    void set_ignore_tagged(bool on) { ignore_tagged_ = on; }
    /// Called for each tagged frame that is not obeyed.
    void on_ignored_tag(std::function<void()> hook) { on_ignored_tag_ = std::move(hook); }
    /// Whether PAUSE is ignored while PFC is enabled on any priority.
    void set_exclusive(bool on);
    /// A pause counts from the moment the gate is shut and the frame in progress has ended, instead of from the frame
    /// that asked for it: longer by that much. `busy_until` gives the end of that frame's last octet.
    void set_timer_from_stop(bool on) { timer_from_stop_ = on; }
    void set_busy_until(std::function<picoseconds()> busy_until) { busy_until_ = std::move(busy_until); }
    /// Chapter mode: quanta of a whole number of port clocks.
    void set_truncated_quanta(bool on);
    /// The port clock; the ticks begin anew when it changes.
    void set_clock(std::uint32_t megahertz);
    /// Chapter mode: frames too short or too long to be whole are honoured.
    void set_commit_short(bool on) { commit_short_ = on; }
    /// Whether the peer may stop the whole link by PAUSE; switched off while stopped it releases at once.
    void set_pause_enabled(bool on);
    /// Priorities that the peer may stop. One that is disabled while stopped is released at once.
    void set_enabled(bitmap which);
    /// The queues that a priority stops.
    void set_priority_queues(std::uint8_t priority, bitmap queues);

    /// True when the frame was MAC Control.
    bool receive(const ethernet::frame& f, picoseconds now);
    void link_changed(bool up);

    [[nodiscard]] bitmap stopped_queues() const { return stopped_queues_; }
    [[nodiscard]] bitmap queues_stopped_by_pfc() const { return stopped_by_pfc_; }
    [[nodiscard]] bool link_stopped() const { return link_stopped_; }
    /// Queues that no pause stops for now; a priority that stops no other queue starts no timer either. Frames are
    /// counted.
    void set_ignored_queues(bitmap queues);
    /// Queues that were not stopped for a moment since this was asked last.
    [[nodiscard]] bitmap take_open();
    /// Priorities whose timer runs.
    [[nodiscard]] bitmap paused() const { return static_cast<bitmap>(running_ & 0xffU); }
    [[nodiscard]] bool whole_link_paused() const { return (running_ >> whole_link & 1U) != 0; }
    /// For how long altogether a priority was stopped by PFC, up to `now`; and the whole link by PAUSE.
    [[nodiscard]] picoseconds paused_for(std::uint8_t priority, picoseconds now) const { return timed(priority, now); }
    [[nodiscard]] picoseconds link_paused_for(picoseconds now) const { return timed(whole_link, now); }

    // What a checker looks at.
    [[nodiscard]] receiver_rules rules() const {
        return {rate_,         response_,     complete_state_, ignore_tagged_, obeys_pause(),   timer_from_stop_,
                truncated_,    commit_short_, megahertz_,      enabled_,       ignored_queues_, priority_queues_,
                interventions_};
    }
    /// A bit a timer that runs, and when that one runs out.
    [[nodiscard]] std::uint16_t running() const { return running_; }
    [[nodiscard]] picoseconds deadline(std::size_t timer) const { return until_[timer]; }

    receiver_counters counters;
    void clear_statistics();

private:
    /// A gate movement on its way through the response delay.
    struct movement {
        picoseconds at;
        std::uint16_t close;  // timers that close their gate, each until its expiry
        std::uint16_t open;
        std::array<picoseconds, timers> until;       // expiries, valid for `close`
        std::array<std::uint16_t, timers> quanta{};  // the same in quanta, for expiries that count from the stop
    };

    void due(std::uint32_t what) override;
    void obey_pfc(std::uint8_t vector, const ethernet::pause_times& time, bool tagged, picoseconds now);
    [[nodiscard]] bool obey_short(const ethernet::frame& f, picoseconds now);
    [[nodiscard]] bool obeys_pause() const { return pause_enabled_ && !(exclusive_ && enabled_ != 0); }
    [[nodiscard]] picoseconds expiry(std::uint16_t quanta, picoseconds from) const {
        return truncated_ ? prescaler_.tick_after(prescaler_.edge(from), quanta) : from + rate_.quanta(quanta);
    }
    void lose_tick(std::uint16_t loaded, picoseconds edge);
    void watch(std::size_t timer, picoseconds until);
    void obey(std::uint16_t named, const std::array<std::uint16_t, timers>& quanta, picoseconds now);
    void start(std::size_t timer, picoseconds until, picoseconds now);
    void stop(std::size_t timer, picoseconds now);
    void release(std::uint16_t which);
    void judge_deaf();
    void apply(const movement& m, picoseconds now);
    void set_gate(std::uint16_t closed);
    [[nodiscard]] picoseconds timed(std::size_t timer, picoseconds now) const;

    timeline& time_;
    std::function<void(bool)> moved_;
    std::function<void()> on_ignored_tag_;
    data_rate rate_;
    picoseconds response_{0};
    bool complete_state_{false};
    bool ignore_tagged_{false};
    bool pause_enabled_{false};
    bool exclusive_{false};
    bool timer_from_stop_{false};
    bool truncated_{false};
    bool commit_short_{false};
    std::uint32_t megahertz_{156};
    std::uint64_t interventions_{0};
    chapter_prescaler prescaler_;
    ethernet::chapter_parser chapter_parser_;
    std::function<picoseconds()> busy_until_;
    bitmap enabled_{0};
    std::array<bitmap, 8> priority_queues_{};
    std::uint16_t running_{0};
    std::uint16_t closed_{0};
    bitmap stopped_queues_{0};  // by PFC or by PAUSE
    bitmap stopped_by_pfc_{0};
    bool link_stopped_{false};
    bitmap ignored_queues_{0};
    bitmap deaf_{0};  // priorities that stop ignored queues alone
    bitmap was_open_{0xff};
    std::array<picoseconds, timers> until_{};       // expiry of a running timer
    std::array<picoseconds, timers> gate_until_{};  // expiry that the closed gate knows of
    std::array<picoseconds, timers> watched_{};     // the time of the entry queued for this timer
    std::array<picoseconds, timers> since_{};
    std::array<picoseconds, timers> paused_{};
    fifo<movement> moving_;
};

}  // namespace weir::pfc
