// SPDX-License-Identifier: Apache-2.0
// The PFC watchdog of one port, in hardware: a queue that its peer keeps stopped for too long is taken from the peer.
//
//            held frames, stopped and sent nothing through `detection` whole ticks
//   operational ───────────────────────────────────────────────────────────────► stormed: PFC for it is ignored, and
//        ▲                                                                          drop     what it holds and what
//        comes └──────────────────── after `recovery` × 100 ms, or by software ──────────  forward  frames pass
//                                                                                   alert    nothing but the report
//
// Software may put a queue into that state by hand; it then stays until software ends it. Rule G12 of docs/pfc.md.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "models/pfc/pfc_if.h"
#include "models/timeline/timeline.h"

namespace weir::pfc {

enum class watchdog_action : std::uint8_t { drop, forward, alert };

/// What software programmed for one queue.
struct watchdog_profile {
    bool enabled{false};
    watchdog_action action{watchdog_action::drop};
    std::uint8_t detection{1};  ///< ticks of the granularity, 1 to 15
    std::uint8_t recovery{1};   ///< of 100 ms, 1 to 10
};

/// The port as the watchdog sees and moves it. A bit a queue.
class watched_port_if {
public:
    virtual ~watched_port_if() = default;
    /// Queues that hold frames, and those that the peer has stopped, now.
    [[nodiscard]] virtual bitmap holding() const = 0;
    [[nodiscard]] virtual bitmap stopped() const = 0;
    /// Queues that were open for a moment, or sent something, since this was asked last.
    virtual bitmap take_moved() = 0;
    /// From now on PFC does not stop these queues.
    virtual void ignore_pauses(bitmap queues) = 0;
    /// Throws away what the queue holds and what comes for it, and what comes into the groups that share its
    /// priorities; off: no longer.
    virtual void discard(std::uint8_t queue, bool on) = 0;
};

class watchdog : private actor {
public:
    static constexpr std::size_t queues = 8;

    enum class event : std::uint8_t { detected, recovered };

    watchdog(timeline& time, const std::string& name, watched_port_if& port);

    /// Called when a queue is detected as stormed, and when it is operational again by itself.
    void on_event(std::function<void(event, std::uint8_t queue)> hook) { on_event_ = std::move(hook); }
    /// The length of a tick; ticks begin anew.
    void set_granularity(picoseconds tick);
    void set_profile(std::uint8_t queue, const watchdog_profile& p);
    /// Software starts or ends recovery; what is so already stays.
    void start(std::uint8_t queue);
    void end(std::uint8_t queue);
    /// Forgets everything, as a reset of the chip does.
    void clear();

    [[nodiscard]] bitmap stormed() const { return stormed_; }
    [[nodiscard]] picoseconds detection_time(std::uint8_t queue) const { return tick_ * profiles_[queue].detection; }
    [[nodiscard]] picoseconds recovery_time(std::uint8_t queue) const {
        return recovery_tick * profiles_[queue].recovery;
    }

    std::array<std::uint64_t, queues> detections{};
    std::array<std::uint64_t, queues> recoveries{};
    void clear_statistics() {
        detections = {};
        recoveries = {};
    }

private:
    static constexpr picoseconds recovery_tick{100'000'000'000};

    void due(std::uint32_t what) override;
    void tick();
    void enter(std::uint8_t queue, picoseconds until);
    void leave(std::uint8_t queue);
    void arm();

    timeline& time_;
    watched_port_if& port_;
    std::function<void(event, std::uint8_t)> on_event_;
    picoseconds tick_{1'000'000'000};
    std::array<watchdog_profile, queues> profiles_{};
    bitmap enabled_{0};
    bitmap held_{0};  // queues that held frames and were stopped at the last tick
    bitmap stormed_{0};
    bitmap acting_{0};                              // of those, the ones whose pauses are ignored
    std::array<std::uint8_t, queues> stuck_for_{};  // whole ticks
    std::array<picoseconds, queues> until_{};       // end of a recovery
    picoseconds next_tick_{never};
};

}  // namespace weir::pfc
