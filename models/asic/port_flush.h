// SPDX-License-Identifier: Apache-2.0
// A port's flush: throws away what waits for the port, and is done once its queues are empty.
//
//   start ──► under way ──(the queues are empty)──► done ──► start, or the port comes up: forgotten
//
// It works through the queues' dequeue enables and gates: a queue that is stopped or not enabled keeps its frames, and
// the flush waits for it. Software that polls without having opened it polls for ever, as on silicon.
#pragma once

#include <functional>
#include <utility>

#include "models/scheduler/scheduler.h"

namespace weir::asic {

class port_flush {
public:
    explicit port_flush(scheduler::scheduler& egress) : egress_(egress) {}

    /// `hook` is called when a flush ends.
    void on_end(std::function<void()> hook) { ended_ = std::move(hook); }

    void start() {
        state_ = state::under_way;
        look();
    }
    /// Throws away what may leave by now. Whoever may have opened a queue calls it.
    void look() {
        if (state_ != state::under_way) return;
        egress_.flush();
        if (!egress_.empty()) return;
        state_ = state::done;
        if (ended_) ended_();
    }
    /// The port goes down: what has come since the flush ended goes as well.
    void port_down() {
        look();
        if (state_ == state::done) egress_.flush();
    }
    void forget() { state_ = state::none; }

    [[nodiscard]] bool under_way() const { return state_ == state::under_way; }
    [[nodiscard]] bool done() const { return state_ == state::done; }

private:
    enum class state : unsigned char { none, under_way, done };
    scheduler::scheduler& egress_;
    std::function<void()> ended_;
    state state_{state::none};
};

}  // namespace weir::asic
