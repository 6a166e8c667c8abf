// SPDX-License-Identifier: Apache-2.0
// A port's stall detector: the local signature of a deadlock (the PFC RTL chapter, section 13; rule G7).
//
//   stalled = the queue is lossless ∧ holds frames ∧ the peer has stopped it, without a break
//   stalled for `limit` quanta      → suspect: told, and nothing else
//   stalled for 2 × `limit` quanta  → with `escape` on, the queue is thrown away from its head until it is empty
//
// What it sees is a symptom: a neighbour that is congested for very long looks the same from here. An opened gate, an
// empty queue or a frame that leaves ends the stall; what is thrown away is no progress. With `hold`, as in the
// chapter's own design, an opened gate only stops the count, so that stops which are parts of one jam add up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "models/pfc/pfc_if.h"
#include "models/timeline/timeline.h"

namespace weir::pfc {

class stall_detector : private actor {
public:
    static constexpr std::size_t queues = 8;
    /// Four times the longest pause that one frame can ask for.
    static constexpr std::uint32_t default_limit = 4 * 65535;

    /// What the detector does to the port's queues and asks of them.
    struct connections {
        std::function<bitmap()> holding;    ///< the queues that hold frames
        std::function<void(bitmap)> watch;  ///< of which `filled`, `left` and `emptied` must be told
        std::function<std::uint64_t(std::uint8_t)> throw_away;  ///< empties a queue from its head; frames that went
    };

    stall_detector(timeline& time, const std::string& name, connections port);

    void set_rate(data_rate rate);
    void set_lossless(std::uint8_t queue, bool on);
    /// In quanta of 512 bit times at the port's rate; 0: never.
    void set_limit(std::uint32_t quanta);
    void set_escape(bool on);
    void set_hold(bool on);

    /// The queues that the peer has stopped, whichever way.
    void gate_moved(bitmap stopped);
    // Of a watched queue: it holds frames and held none; a frame was sent; it holds none any more.
    void filled(std::uint8_t queue);
    void left(std::uint8_t queue);
    void emptied(std::uint8_t queue);

    [[nodiscard]] std::uint32_t limit() const { return limit_; }
    /// How long the queue has stood still by now; 0: it does not.
    [[nodiscard]] picoseconds length(std::uint8_t queue, picoseconds now) const;
    /// Queues whose present stall has reached the limit.
    [[nodiscard]] bitmap suspect() const { return suspect_; }
    /// The longest stall since `clear_longest`, the present one counted.
    [[nodiscard]] picoseconds longest(std::uint8_t queue, picoseconds now) const;
    void clear_longest(std::uint8_t queue) { stalls_[queue].longest = picoseconds{0}; }
    void clear_longest() {
        for (stall& s : stalls_) s.longest = picoseconds{0};
    }

    struct queue_counters {
        std::uint64_t suspects{0};  ///< stalls that reached the limit
        std::uint64_t escapes{0};   ///< times the queue was thrown away
        std::uint64_t escaped_frames{0};
    };
    std::array<queue_counters, queues> counters{};

    /// Called when a queue becomes suspect, and just before one is thrown away.
    std::function<void(std::uint8_t queue)> on_suspect;
    std::function<void(std::uint8_t queue)> on_escape;

private:
    struct stall {
        picoseconds since{never};  // the queue stands still since then; never: it does not
        picoseconds kept{0};       // what earlier stops have added up to (hold)
        picoseconds longest{0};
        picoseconds watched{never};  // the time of the queued entry
    };
    void due(std::uint32_t queue) override;
    void judge(std::uint8_t queue);
    void start(std::uint8_t queue);
    void stop(std::uint8_t queue);
    void forget(std::uint8_t queue);
    void look_at(bitmap which);
    void update_watch();

    timeline& time_;
    connections port_;
    data_rate rate_;
    std::uint32_t limit_{default_limit};
    bool escape_{false};
    bool hold_{false};
    bitmap lossless_{0};
    bitmap stopped_{0};
    bitmap watching_{0};
    bitmap suspect_{0};
    std::array<stall, queues> stalls_{};
};

}  // namespace weir::pfc
