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
    if (backlog.size() > 0) backlog->gate_moving(port_number_);
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

    if (guaranteed_ != 0) {
        const pfc::bitmap owed = below_minimum(eligible, now);
        if (owed != 0) eligible = owed;
    }
    const std::uint8_t queue = choose(eligible);
    // What a queue gets beyond its least rate counts towards it: the rate is of all that the queue sends.
    if ((guaranteed_ & bit(queue)) != 0) states_[queue].minimum.charge(octets(queue), now);
    if ((shaped_ & bit(queue)) != 0) states_[queue].shaper.spend(octets(queue), now);
    if (port_shaper_.limits()) port_shaper_.spend(octets(queue), now);
    const mmu::queued_frame chosen = queues_[queue].pop();
    if (!queues_[queue].empty()) queues_[queue].front().frame->prefetch();
    const bool emptied = forget_if_empty(queue);
    const picoseconds last_octet = now + rate_.octets(preamble_octets + chosen.frame->length);
    waiting_.sends(queue, holding_, now, last_octet + rate_.octets(gap_octets));
    departed_ |= bit(queue);
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

pfc::bitmap scheduler::below_minimum(pfc::bitmap eligible, picoseconds now) {
    pfc::bitmap owed = 0;
    for (auto left = static_cast<pfc::bitmap>(eligible & guaranteed_); left != 0;) {
        const std::uint8_t queue = lowest(left);
        left = static_cast<pfc::bitmap>(left & ~bit(queue));
        if (states_[queue].minimum.ready(octets(queue), now) == now) owed = static_cast<pfc::bitmap>(owed | bit(queue));
    }
    return owed;
}

// Round robin with deficits: whoever's turn it is gets its quantum once and keeps the turn while it can pay.
template <typename Quantum, typename Cost>
std::uint8_t scheduler::next_payer(deficit_round& round, pfc::bitmap sharing, Quantum quantum, Cost cost) {
    const auto pass_on = [&] {
        const auto above = static_cast<pfc::bitmap>(sharing & ~((2U << round.turn) - 1));
        round.turn = lowest(above != 0 ? above : sharing);
        round.granted = false;
    };
    unsigned refused = 0;
    const auto sharers = static_cast<unsigned>(__builtin_popcount(sharing));
    for (;;) {
        if ((sharing & bit(round.turn)) == 0) pass_on();
        std::int64_t& deficit = round.deficit[round.turn];
        if (!round.granted) {
            deficit += quantum(round.turn);
            round.granted = true;
        }
        if (deficit >= cost(round.turn)) return round.turn;
        pass_on();
        if (++refused < sharers) continue;
        // A whole round in which nobody could pay: skip as many as will pass before somebody can.
        std::int64_t rounds = std::numeric_limits<std::int64_t>::max();
        for (pfc::bitmap left = sharing; left != 0; left = static_cast<pfc::bitmap>(left & (left - 1))) {
            const std::uint8_t one = lowest(left);
            const std::int64_t missing = cost(one) - round.deficit[one];
            rounds = std::min(rounds, (missing + quantum(one) - 1) / quantum(one) - 1);
        }
        for (pfc::bitmap left = sharing; left != 0; left = static_cast<pfc::bitmap>(left & (left - 1))) {
            round.deficit[lowest(left)] += rounds * quantum(lowest(left));
        }
        refused = 0;
    }
}

std::uint8_t scheduler::choose(pfc::bitmap eligible) {
    const auto strict = static_cast<pfc::bitmap>(eligible & strict_);
    if (strict != 0) return highest(strict);
    if (grouped_) return choose_by_group(eligible);
    return choose_in(states_[lowest(eligible)].group, eligible);
}

std::uint8_t scheduler::choose_in(std::uint8_t group, pfc::bitmap eligible) {
    deficit_round& round = rounds_[group];
    const std::uint8_t queue = next_payer(
        round, eligible, [this](std::uint8_t q) { return quantum(q); }, [this](std::uint8_t q) { return cost(q); });
    round.deficit[queue] -= cost(queue);
    return queue;
}

// Which frame a group would send is its queues' own affair, so a group sends as long as it has anything to spend and
// pays afterwards, at most a frame more than it had.
std::uint8_t scheduler::choose_by_group(pfc::bitmap eligible) {
    pfc::bitmap groups = 0;
    for (pfc::bitmap left = eligible; left != 0; left = static_cast<pfc::bitmap>(left & (left - 1))) {
        groups = static_cast<pfc::bitmap>(groups | bit(states_[lowest(left)].group));
    }
    const std::uint8_t group = next_payer(
        group_round_, groups, [this](std::uint8_t g) { return group_weights_[g] * octets_per_weight; },
        [](std::uint8_t) { return std::int64_t{1}; });
    const std::uint8_t queue = choose_in(group, static_cast<pfc::bitmap>(eligible & members_[group]));
    group_round_.deficit[group] -= octets(queue);
    return queue;
}

bool scheduler::forget_if_empty(std::uint8_t queue) {
    if (!queues_[queue].empty()) return false;
    holding_ = static_cast<pfc::bitmap>(holding_ & ~bit(queue));
    const std::uint8_t group = states_[queue].group;
    rounds_[group].deficit[queue] = 0;
    // A group's debt stays: it is for what it has sent already.
    if (grouped_ && (holding_ & members_[group] & ~strict_) == 0) {
        group_round_.deficit[group] = std::min<std::int64_t>(group_round_.deficit[group], 0);
    }
    return true;
}

void scheduler::set_discipline(std::uint8_t queue, discipline d, std::uint8_t weight) {
    states_[queue].mode = d;
    states_[queue].weight = std::max<std::uint8_t>(weight, 1);
    rounds_[states_[queue].group].deficit[queue] = 0;
    strict_ = static_cast<pfc::bitmap>(d == discipline::strict ? strict_ | bit(queue) : strict_ & ~bit(queue));
    find_groups();
}

void scheduler::set_group(std::uint8_t queue, std::uint8_t group) {
    std::uint8_t& present = states_[queue].group;
    rounds_[present].deficit[queue] = 0;
    members_[present] = static_cast<pfc::bitmap>(members_[present] & ~bit(queue));
    present = group;
    members_[group] = static_cast<pfc::bitmap>(members_[group] | bit(queue));
    find_groups();
}

void scheduler::set_group_weight(std::uint8_t group, std::uint8_t weight) {
    group_weights_[group] = std::max<std::uint8_t>(weight, 1);
}

// With one group the queues' own round decides everything, as it does without groups.
void scheduler::find_groups() {
    const auto sharing = std::count_if(members_.begin(), members_.end(),
                                       [this](pfc::bitmap members) { return (members & ~strict_) != 0; });
    grouped_ = sharing > 1;
    if (!grouped_) group_round_ = {};
}

void scheduler::set_queue_minimum(std::uint8_t queue, std::uint32_t kilobits, std::uint32_t burst_octets) {
    states_[queue].minimum.configure(kilobits, burst_octets, time_.now());
    guaranteed_ = static_cast<pfc::bitmap>(kilobits != 0 ? guaranteed_ | bit(queue) : guaranteed_ & ~bit(queue));
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
    // What waits elsewhere first, or it would come here as soon as there is room.
    std::uint64_t frames = backlog.size() > 0 ? backlog->discard_backlog(port_number_, which, why) : 0;
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
    }
    for (unsigned left = which & watched_; left != 0; left &= left - 1) {
        progress->queue_emptied(static_cast<std::uint8_t>(__builtin_ctz(left)));
    }
    return frames;
}

bool scheduler::withdraw(std::uint8_t queue, const ethernet::frame& f) {
    if (!queues_[queue].remove_first([&f](const mmu::queued_frame& each) { return each.frame == &f; })) return false;
    if (forget_if_empty(queue)) waiting_.empties(queue, time_.now());
    return true;
}

std::uint64_t scheduler::throw_away(std::uint8_t queue) {
    return clear(queue, mmu::drop_reason::escape);
}

std::uint64_t scheduler::clear(std::uint8_t queue, mmu::drop_reason why) {
    const std::uint64_t frames = discard(bit(queue), why);
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
