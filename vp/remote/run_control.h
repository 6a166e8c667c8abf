// SPDX-License-Identifier: Apache-2.0
// Who may stop a run and let it go on: the doors ask, the loops that let time pass obey.
//
//   loop:  while (!control.ended()) { control.service(); run_until(min(mine, control.next_stop())); }
//
// `service` looks at the doors and, while the run is halted, stays there. Code that waits for one client inside the
// simulation waits with `wait_for`, so that the other doors are served meanwhile.
#pragma once

#include <poll.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/timeline/time.h"
#include "vp/remote/registry.h"
#include "vp/remote/stream.h"

namespace weir::vp::remote {

/// Something that listens for clients.
class door {
public:
    virtual ~door() = default;
    /// Adds what it waits for.
    virtual void waits_for(std::vector<pollfd>& all) const = 0;
    /// Does what can be done now without waiting.
    virtual void serve() = 0;
};

class run_control {
public:
    /// `now`: the present simulated time. `interrupted`: whether the user wants the program to end (Ctrl-C).
    run_control(std::function<picoseconds()> now, std::function<bool()> interrupted);

    void add(door& d) { doors_.push_back(&d); }

    /// Serves the doors; while the run is halted, until it is resumed or ended. Call it between steps, and wherever a
    /// loop inside the simulation can stand still. Throws nothing. `reached`: the caller's local time, if it leads.
    void service(picoseconds reached = picoseconds{0});
    /// Looks at the doors once, and never waits: for who stands still for a reason of his own.
    void attend() { poll_doors(0, nullptr); }
    /// For waiting inside the simulation: until the descriptor can be read (written), serving the doors meanwhile; a
    /// halted run waits until it is resumed besides. False: the time is up (negative: for ever), or the run has ended.
    bool wait_for(const descriptor& which, bool writing, int milliseconds);

    /// Time must not pass beyond this at one go: the end of an `advance`, or a driver that wants to be heard soon.
    [[nodiscard]] picoseconds next_stop() const;
    /// The end of an `advance` alone; for who lets time pass inside a step.
    [[nodiscard]] picoseconds advance_end() const { return stop_at_.value_or(never); }
    [[nodiscard]] picoseconds now() const { return std::max(now_(), reached_); }
    [[nodiscard]] bool halted() const { return halted_; }
    /// Somebody said quit, or the user interrupted the program.
    [[nodiscard]] bool ended() const { return ended_; }
    /// Somebody drives the run in lockstep: it does not end because nothing moves.
    [[nodiscard]] bool held() const { return held_; }

    /// Stands still at the next `service`; `reason` is a word for programs: "halt", "advance", "breakpoint".
    void halt(const std::string& reason);
    void resume();
    /// Goes on and halts `distance` later.
    void advance(picoseconds distance);
    void end();
    void hold(bool on) { held_ = on; }
    /// While on, `next_stop` lies 10 µs ahead at most.
    void keep_steps_short(bool on) { short_steps_ = on; }
    [[nodiscard]] const std::string& reason() const { return reason_; }

    /// Something to be done at times of its own: `next` says when, `act` does it and may throw, which ends the run.
    void schedule(std::function<picoseconds()> next, std::function<void()> act) {
        next_act_ = std::move(next);
        act_ = std::move(act);
    }
    /// Why the run was ended, when it was not asked for; what was thrown.
    [[nodiscard]] std::exception_ptr failure() const { return failure_; }

    /// Tells whoever listens: stop, interrupt, log, end.
    void publish(const std::string& event, const json& what) const;
    void on_event(std::function<void(const std::string&, const json&)> listener) {
        listeners_.push_back(std::move(listener));
    }

private:
    bool poll_doors(int milliseconds, const pollfd* also);
    void look_at_the_clock();

    std::function<picoseconds()> now_;
    std::function<bool()> interrupted_;
    std::vector<door*> doors_;
    std::vector<std::function<void(const std::string&, const json&)>> listeners_;
    std::vector<pollfd> polled_;
    std::optional<picoseconds> stop_at_;
    std::function<picoseconds()> next_act_;
    std::function<void()> act_;
    std::exception_ptr failure_;
    picoseconds reached_{0};  // by who lets time pass inside a step
    std::string reason_;
    bool halted_{false};
    bool ended_{false};
    bool held_{false};
    bool short_steps_{false};
    bool serving_{false};
};

/// A line for people: on the error stream, and to those who subscribed to "log".
void say(const std::string& text);

}  // namespace weir::vp::remote
