// SPDX-License-Identifier: Apache-2.0
#include "models/scheduler/scheduler.h"

#include <algorithm>
#include <limits>

namespace weir::scheduler {
namespace {

// A weight's worth of octets a round: a minimum frame on the wire, so that small frames share evenly in short runs.
constexpr std::int64_t octets_per_weight = 84;

constexpr pfc::bitmap bit(std::uint8_t queue) {
    return static_cast<pfc::bitmap>(1U << queue);
}

std::uint8_t highest(pfc::bitmap map) {
    return static_cast<std::uint8_t>(31 - __builtin_clz(map));
}

std::uint8_t lowest(pfc::bitmap map) {
    return static_cast<std::uint8_t>(__builtin_ctz(map));
}

}  // namespace

scheduler::scheduler(sc_core::sc_module_name name, timeline& time, std::uint16_t port_number)
    : sc_module(name), time_(time), port_number_(port_number) {
    filling.bind(*this);
    emptying.bind(*this);
    gated.bind(*this);
}

scheduler::~scheduler() {
    for (auto& queue : queues_) {
        while (!queue.empty()) queue.pop().frame->release();
    }
}

void scheduler::gate_moved() {
    stopped_ = gate->stopped_queues();
    waiting_.gate(gate->queues_stopped_by_pfc(), gate->link_stopped(), time_.now());
}

void scheduler::enqueue(std::uint8_t queue, const mmu::queued_frame& f) {
    queues_[queue].push(f);
    if ((holding_ & bit(queue)) == 0) {
        holding_ |= bit(queue);
        waiting_.fills(queue, time_.now());
        if ((watched_ & bit(queue)) != 0) progress->queue_filled(queue);
    }
    if ((open_queues() & bit(queue)) != 0) transmitter->wake();
}

selection scheduler::dequeue(picoseconds now) {
    const auto open = static_cast<pfc::bitmap>(holding_ & open_queues());
    if (open == 0) return {};
    pfc::bitmap eligible = open;
    picoseconds retry = never;
    for (auto left = static_cast<pfc::bitmap>(open & shaped_); left != 0;) {
        const std::uint8_t queue = lowest(left);
        left = static_cast<pfc::bitmap>(left & ~bit(queue));
        const picoseconds ready = states_[queue].shaper.ready(octets(queue), now);
        if (ready == now) continue;
        eligible = static_cast<pfc::bitmap>(eligible & ~bit(queue));
        retry = std::min(retry, ready);
    }
    if (port_shaper_.limits()) {
        // The bucket of the port asks about the frame that would go, so each candidate is asked about.
        for (pfc::bitmap left = eligible; left != 0;) {
            const std::uint8_t queue = lowest(left);
            left = static_cast<pfc::bitmap>(left & ~bit(queue));
            const picoseconds ready = port_shaper_.ready(octets(queue), now);
            if (ready == now) continue;
            eligible = static_cast<pfc::bitmap>(eligible & ~bit(queue));
            retry = std::min(retry, ready);
        }
    }
    if (eligible == 0) return {nullptr, false, retry};

    const std::uint8_t queue = choose(eligible);
    if ((shaped_ & bit(queue)) != 0) states_[queue].shaper.spend(octets(queue), now);
    if (port_shaper_.limits()) port_shaper_.spend(octets(queue), now);
    const mmu::queued_frame chosen = queues_[queue].pop();
    if (!queues_[queue].empty()) queues_[queue].front().frame->prefetch();
    const bool emptied = forget_if_empty(queue);
    const picoseconds last_octet = now + rate_.octets(preamble_octets + chosen.frame->length);
    waiting_.sends(queue, holding_, now, last_octet + rate_.octets(gap_octets));
    if ((watched_ & bit(queue)) != 0) {
        emptied ? progress->queue_emptied(queue) : progress->frame_left(queue);
    }
    departure->depart(port_number_, queue, chosen, last_octet);
    return {chosen.frame, (holding_ & open_queues()) != 0, never};
}

std::int64_t scheduler::cost(std::uint8_t queue) const {
    return states_[queue].mode == discipline::wrr ? 1 : octets(queue);
}

std::int64_t scheduler::quantum(std::uint8_t queue) const {
    const queue_state& state = states_[queue];
    return state.mode == discipline::wrr ? state.weight : state.weight * octets_per_weight;
}

std::uint8_t scheduler::next_turn(pfc::bitmap sharing) const {
    const auto above = static_cast<pfc::bitmap>(sharing & ~((2U << turn_) - 1));
    return lowest(above != 0 ? above : sharing);
}

std::uint8_t scheduler::choose(pfc::bitmap eligible) {
    const auto strict = static_cast<pfc::bitmap>(eligible & strict_);
    if (strict != 0) return highest(strict);
    unsigned refused = 0;
    const auto sharers = static_cast<unsigned>(__builtin_popcount(eligible));
    for (;;) {
        if ((eligible & bit(turn_)) == 0) {
            turn_ = next_turn(eligible);
            granted_ = false;
        }
        queue_state& state = states_[turn_];
        if (!granted_) {
            state.deficit += quantum(turn_);
            granted_ = true;
        }
        if (state.deficit >= cost(turn_)) {
            state.deficit -= cost(turn_);
            return turn_;
        }
        turn_ = next_turn(eligible);
        granted_ = false;
        if (++refused < sharers) continue;
        // A whole round in which nobody could pay: skip as many as will pass before somebody can.
        std::int64_t rounds = std::numeric_limits<std::int64_t>::max();
        for (pfc::bitmap left = eligible; left != 0; left = static_cast<pfc::bitmap>(left & (left - 1))) {
            const std::uint8_t queue = lowest(left);
            const std::int64_t missing = cost(queue) - states_[queue].deficit;
            rounds = std::min(rounds, (missing + quantum(queue) - 1) / quantum(queue) - 1);
        }
        for (pfc::bitmap left = eligible; left != 0; left = static_cast<pfc::bitmap>(left & (left - 1))) {
            states_[lowest(left)].deficit += rounds * quantum(lowest(left));
        }
        refused = 0;
    }
}

bool scheduler::forget_if_empty(std::uint8_t queue) {
    if (!queues_[queue].empty()) return false;
    holding_ = static_cast<pfc::bitmap>(holding_ & ~bit(queue));
    states_[queue].deficit = 0;
    return true;
}

void scheduler::set_discipline(std::uint8_t queue, discipline d, std::uint8_t weight) {
    states_[queue].mode = d;
    states_[queue].weight = std::max<std::uint8_t>(weight, 1);
    states_[queue].deficit = 0;
    strict_ = static_cast<pfc::bitmap>(d == discipline::strict ? strict_ | bit(queue) : strict_ & ~bit(queue));
}

void scheduler::set_queue_shaper(std::uint8_t queue, std::uint32_t kilobits, std::uint32_t burst_octets) {
    states_[queue].shaper.configure(kilobits, burst_octets, time_.now());
    shaped_ = static_cast<pfc::bitmap>(kilobits != 0 ? shaped_ | bit(queue) : shaped_ & ~bit(queue));
    transmitter->wake();
}

void scheduler::set_port_shaper(std::uint32_t kilobits, std::uint32_t burst_octets) {
    port_shaper_.configure(kilobits, burst_octets, time_.now());
    transmitter->wake();
}

void scheduler::set_dequeue_enabled(std::uint8_t queue, bool on) {
    enabled_ = static_cast<pfc::bitmap>(on ? enabled_ | bit(queue) : enabled_ & ~bit(queue));
    if (on) transmitter->wake();
}

std::uint64_t scheduler::discard(pfc::bitmap which, mmu::drop_reason why) {
    std::uint64_t frames = 0;
    for (auto left = static_cast<pfc::bitmap>(which & holding_); left != 0;) {
        const std::uint8_t queue = lowest(left);
        left = static_cast<pfc::bitmap>(left & ~bit(queue));
        while (!queues_[queue].empty()) {
            const mmu::queued_frame thrown = queues_[queue].pop();
            departure->discard(port_number_, queue, thrown, why);
            thrown.frame->release();
            ++frames;
        }
        forget_if_empty(queue);
        waiting_.empties(queue, time_.now());
        if ((watched_ & bit(queue)) != 0) progress->queue_emptied(queue);
    }
    return frames;
}

std::uint64_t scheduler::throw_away(std::uint8_t queue) {
    const std::uint64_t frames = discard(bit(queue), mmu::drop_reason::escape);
    transmitter->wake();  // a flush may have waited for this queue
    return frames;
}

void scheduler::flush() {
    discard(open_queues(), mmu::drop_reason::flushed);
}

void scheduler::clear() {
    discard(0xff, mmu::drop_reason::flushed);
}

}  // namespace weir::scheduler
