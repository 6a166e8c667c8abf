// SPDX-License-Identifier: Apache-2.0
#include "vp/remote/run_control.h"

#include <sched.h>

#include <algorithm>
#include <systemc>

namespace weir::vp::remote {
namespace {

/// How often a waiting run looks whether the user wants it to end, in ms. A signal wakes it at once, as a rule.
constexpr int attention = 200;
constexpr picoseconds short_step = microseconds(10);

}  // namespace

void say(const std::string& text) {
    SC_REPORT_INFO("weir/remote", text.c_str());
}

run_control::run_control(std::function<picoseconds()> now, std::function<bool()> interrupted)
    : now_(std::move(now)), interrupted_(std::move(interrupted)) {}

void run_control::publish(const std::string& event, const json& what) const {
    for (const auto& listener : listeners_) listener(event, what);
}

void run_control::halt(const std::string& reason) {
    stop_at_.reset();
    if (halted_) return;
    halted_ = true;
    reason_ = reason;
    publish("stop", {{"reason", reason}, {"time_ps", now().count()}});
}

void run_control::resume() {
    halted_ = false;
    stop_at_.reset();
    reason_.clear();
}

void run_control::advance(picoseconds distance) {
    resume();
    stop_at_ = now() + distance;
}

void run_control::end() {
    ended_ = true;
    halted_ = false;
}

picoseconds run_control::next_stop() const {
    picoseconds stop = stop_at_.value_or(never);
    if (next_act_) stop = std::min(stop, next_act_());
    if (short_steps_) stop = std::min(stop, now() + short_step);
    return stop;
}

void run_control::look_at_the_clock() {
    if (next_act_ && next_act_() <= now()) {
        try {
            act_();
        } catch (...) {
            failure_ = std::current_exception();
            end();
        }
    }
    if (stop_at_ && now() >= *stop_at_) halt("advance");
}

// True: `also` can be read or written, or its peer has gone.
bool run_control::poll_doors(int milliseconds, const pollfd* also) {
    polled_.clear();
    if (also != nullptr) polled_.push_back(*also);
    const std::size_t own = polled_.size();
    for (const door* d : doors_) d->waits_for(polled_);
    const int happened = poll(polled_.data(), polled_.size(), milliseconds);
    if (interrupted_()) end();
    if (happened <= 0) return false;
    const bool awaited = own != 0 && polled_[0].revents != 0;
    if (happened > static_cast<int>(awaited) && !serving_) {
        serving_ = true;
        for (door* d : doors_) d->serve();
        serving_ = false;
    }
    return awaited;
}

void run_control::service(picoseconds reached) {
    reached_ = std::max(reached_, reached);
    look_at_the_clock();
    poll_doors(0, nullptr);
    while (halted_ && !ended_) poll_doors(attention, nullptr);
}

bool run_control::wait_for(const descriptor& which, bool writing, int milliseconds) {
    const pollfd wanted{which.number(), static_cast<short>(writing ? POLLOUT : POLLIN), 0};
    // A client that asks again at once is heard at once: to be put to sleep and woken costs more than an access.
    constexpr int looks = 200;
    for (int look = 0; look < looks && !halted_ && !ended_; ++look) {
        look_at_the_clock();
        if (!halted_ && poll_doors(0, &wanted) && !halted_ && !ended_) return true;
        sched_yield();
    }
    for (int left = milliseconds; !ended_;) {
        look_at_the_clock();
        if (halted_) {
            poll_doors(attention, nullptr);
            continue;
        }
        if (milliseconds >= 0 && left <= 0) return false;
        const int slice = milliseconds < 0 ? attention : std::min(left, attention);
        if (poll_doors(slice, &wanted) && !halted_ && !ended_) return true;
        left -= slice;
    }
    return false;
}

}  // namespace weir::vp::remote
