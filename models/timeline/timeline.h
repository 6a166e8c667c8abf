// SPDX-License-Identifier: Apache-2.0
// The packet plane's future, in one place: an ordered queue of {time, phase, actor, what}.
//
// Lockstep traffic ties at every frame, so one instant has an order, and it depends on names alone:
//
//   receptions → timer expiries → cell returns → register accesses → thresholds → transmit decisions
//   and within each phase by actor: actors are numbered by name, numbers inside names counting as numbers.
//
// One SC_METHOD works the queue off. It runs ahead of the kernel's clock while no other process of the kernel is due
// before the next entry; time inside the packet plane is therefore `now()`, never sc_time_stamp().
#pragma once

#include <systemc>

#include <cstdint>
#include <string>
#include <vector>

#include "models/timeline/time.h"

namespace weir {

/// Order within one instant.
enum class phase : std::uint8_t { reception, timer, cell_return, register_access, threshold, transmit };

class timeline;

/// Something that can be due at a time: a port, a pause timer, an initiator. Its name gives it its place among others
/// that are due at the same time in the same phase, so it must be unique within a timeline.
class actor {
public:
    actor(timeline& owner, std::string name);
    virtual ~actor() = default;
    actor(const actor&) = delete;
    actor& operator=(const actor&) = delete;

    /// Called at the time asked for, with the word given to `timeline::at`.
    virtual void due(std::uint32_t what) = 0;

    [[nodiscard]] const std::string& actor_name() const { return name_; }
    [[nodiscard]] std::uint32_t actor_number() const { return number_; }

private:
    friend class timeline;
    std::string name_;
    std::uint32_t number_{0};
};

/// One entry, as inspection shows it.
struct timeline_entry {
    picoseconds time;
    phase when;
    const actor* who;
    std::uint32_t what;
};

class timeline : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(timeline);
    explicit timeline(sc_core::sc_module_name name);

    /// The instant being worked on.
    [[nodiscard]] picoseconds now() const { return now_; }

    /// Asks for `who.due(what)` at `time`, which must not lie in the past. Entries that agree in time, phase and actor
    /// come in the order in which they were asked for.
    void at(picoseconds time, phase when, actor& who, std::uint32_t what);

    /// True when nothing, here or in the kernel, is due before a register access at `time`: the initiator whose thread
    /// is running may then do it at once, ahead of the kernel's clock. Otherwise it queues a `register_access` entry.
    [[nodiscard]] bool free_to_access(picoseconds time) const;

    /// The first time at which `free_to_access` does not hold: everything before it is free. Within `run_until`.
    [[nodiscard]] picoseconds quiet_until() const;

    /// Moves `now` forward to `time` for an initiator whose turn it is; nothing earlier may be queued.
    void advance_to(picoseconds time);

    /// For an `actor` that stands for a SystemC thread: called from `due`, lets that thread run before the rest of
    /// this instant is worked off.
    void yield_to(sc_core::sc_event& thread);

    /// Runs the kernel, and with it this queue, up to and including `time`, or until it is paused.
    void run_until(picoseconds time);
    /// From within the simulation: the `run_until` that lasts ends with this instant. Changes nothing that happens.
    void pause() { pausing_ = true; }
    /// The last `run_until` ended so; `now()` says when.
    [[nodiscard]] bool paused() const { return pausing_; }
    /// Lets the kernel elaborate, if it has not, and do what is due now; no time passes.
    void settle();

    /// The time of the first queued entry; `never` when there is none.
    [[nodiscard]] picoseconds next() const { return heap_.empty() ? never : picoseconds{heap_.front().time()}; }

    /// Queued entries in the order in which they would happen.
    [[nodiscard]] std::vector<timeline_entry> pending() const;

private:
    friend class actor;
    __extension__ using sort_key = unsigned __int128;
    struct entry {
        sort_key key;  // time, phase, actor number, arrival: one number, so that comparing needs no branch
        actor* who;
        std::uint32_t what;
        [[nodiscard]] std::int64_t time() const { return static_cast<std::int64_t>(key >> 64); }
        [[nodiscard]] phase when() const;
    };

    void end_of_elaboration() override;
    void work();
    void arm();
    void prefetch_next() const;
    [[nodiscard]] bool kernel_lets_pass(std::int64_t time) const;
    void push(const entry& e);
    entry pop();
    void rise(std::size_t at, const entry& e);

    std::vector<actor*> actors_;
    std::vector<entry> heap_;  // four children a node: half the depth of a binary heap
    sc_core::sc_event wake_;
    sc_core::sc_event* yielded_{nullptr};
    picoseconds now_{0};
    picoseconds horizon_{0};
    std::int64_t armed_for_{INT64_MAX};
    std::uint64_t arrivals_{0};
    bool working_{false};
    bool pausing_{false};
};

/// Kernel time as the models see it, and back.
picoseconds from_kernel(const sc_core::sc_time& time);
sc_core::sc_time to_kernel(picoseconds time);

}  // namespace weir
