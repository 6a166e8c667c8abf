// SPDX-License-Identifier: Apache-2.0
#include "models/scheduler/crossbar.h"

#include <algorithm>
#include <string>
#include <utility>

namespace weir::scheduler {
namespace {

// Any other word is the number of an input that becomes free.
constexpr std::uint32_t offer_freed = 0xffffffff;
constexpr std::uint32_t offer_again = 0xfffffffe;

std::uint32_t below(random_stream& random, std::uint32_t count) {
    return static_cast<std::uint32_t>(std::uint64_t{random.next()} * count >> 32U);
}

}  // namespace

crossbar::crossbar(sc_core::sc_module_name module_name, timeline& time, queueing structure, matching way,
                   std::uint16_t ports, std::uint64_t seed)
    : sc_module(module_name),
      actor(time, name()),
      time_(time),
      structure_(structure),
      matching_(way),
      ports_(ports),
      rows_an_input_(structure == queueing::voq ? ports : 1U),
      lanes_(std::size_t{ports} * rows_an_input_ * queues),
      inputs_(ports),
      order_(seed, std::string(name()) + ".order"),
      pick_(seed, std::string(name()) + ".pick") {
    filling.init(ports);
    for (std::uint16_t port = 0; port < ports; ++port) {
        outputs_.push_back(std::make_unique<output>(*this, port));
        filling[port].bind(*outputs_.back());
    }
    departure.bind(*this);
    backlog.bind(*this);
    freed_.reserve(ports);
}

// A head that is offered is its scheduler's to release.
crossbar::~crossbar() {
    for (lane& l : lanes_) {
        if (l.offered) l.frames.pop();
        while (!l.frames.empty()) l.frames.pop().frame.frame->release();
    }
}

void crossbar::attach(std::uint16_t egress, scheduler& its_queues) {
    outputs_[egress]->queues = &its_queues;
}

void crossbar::arrive(std::uint16_t egress, std::uint8_t queue, const mmu::queued_frame& f) {
    const std::size_t at = lane_of(f.ingress_port, egress, queue);
    lane& l = lanes_[at];
    const bool first = l.frames.empty();
    l.frames.push({f, egress});
    ++outputs_[egress]->frames;
    if (!first) return;
    l.since = time_.now();
    if (!inputs_[f.ingress_port].busy) offer(at);
}

void crossbar::offer(std::size_t at) {
    lane& l = lanes_[at];
    l.offered = true;
    const held& head = l.frames.front();
    outputs_[head.egress]->queues->enqueue(static_cast<std::uint8_t>(at % queues), head.frame);
}

void crossbar::offer_all_of(std::uint16_t ingress) {
    const std::size_t first = std::size_t{ingress} * rows_an_input_ * queues;
    for (std::size_t at = first; at < first + rows_an_input_ * queues; ++at) {
        if (!lanes_[at].offered && !lanes_[at].frames.empty()) offer(at);
    }
}

void crossbar::withdraw(std::size_t at) {
    lane& l = lanes_[at];
    l.offered = false;
    const held& head = l.frames.front();
    outputs_[head.egress]->queues->withdraw(static_cast<std::uint8_t>(at % queues), *head.frame.frame);
}

void crossbar::withdraw_all_of(std::uint16_t ingress) {
    const std::size_t first = std::size_t{ingress} * rows_an_input_ * queues;
    for (std::size_t at = first; at < first + rows_an_input_ * queues; ++at) {
        if (lanes_[at].offered) withdraw(at);
    }
}

// The output that could have the lane's head now. A head whose queue is stopped or disabled just stays where it is.
crossbar::output* crossbar::output_to_ask(const lane& l, std::uint8_t queue) const {
    if (!l.offered) return nullptr;
    output* out = outputs_[l.frames.front().egress].get();
    const bool free = out->sending_until <= time_.now();
    return free && (out->queues->open_queues() >> queue & 1U) != 0 ? out : nullptr;
}

// One iteration. What is not granted is withdrawn, and offered again after the time of a frame at the latest.
void crossbar::match_once() {
    for (auto& out : outputs_) out->choices = 0;
    for (input& in : inputs_) in.asked = 0;
    for (std::size_t at = 0; at < lanes_.size(); ++at) {
        output* out = output_to_ask(lanes_[at], static_cast<std::uint8_t>(at % queues));
        if (out != nullptr && below(pick_, ++out->choices) == 0) out->asks_for = at;
    }
    for (const auto& out : outputs_) {
        if (out->choices == 0) continue;
        input& in = inputs_[ingress_of(out->asks_for)];
        if (below(pick_, ++in.asked) == 0) in.granted = out.get();
    }
    picoseconds slot{0};
    for (std::size_t at = 0; at < lanes_.size(); ++at) {
        const output* out = output_to_ask(lanes_[at], static_cast<std::uint8_t>(at % queues));
        if (out == nullptr) continue;
        const input& in = inputs_[ingress_of(at)];
        if (in.asked != 0 && in.granted == out) continue;
        const auto octets = lanes_[at].frames.front().frame.frame->length + wire_overhead_octets;
        slot = std::max(slot, out->queues->rate().octets(octets));
        withdraw(at);
    }
    if (slot == picoseconds{0} || (again_at_ > time_.now() && again_at_ <= time_.now() + slot)) return;
    again_at_ = time_.now() + slot;
    time_.at(again_at_, phase::cell_return, *this, offer_again);
}

// The scheduler has taken the head already.
void crossbar::take_head(std::size_t at) {
    lane& l = lanes_[at];
    settle(l, static_cast<std::uint8_t>(at % queues));
    l.offered = false;
    --outputs_[l.frames.front().egress]->frames;
    l.frames.pop();
}

void crossbar::depart(std::uint16_t port, std::uint8_t queue, const mmu::queued_frame& f, picoseconds end) {
    output& out = *outputs_[port];
    const std::size_t at = lane_of(f.ingress_port, port, queue);
    if (accounts()) {
        const unsigned changing = 1U << queue | (out.sending < queues ? 1U << out.sending : 0U);
        settle_heads_for(out, static_cast<pfc::bitmap>(changing));
    }
    take_head(at);
    // Software takes what comes to the CPU port at once; no wire keeps the input busy.
    const picoseconds free_again = port + 1 == ports_ ? time_.now() : end + out.queues->rate().octets(gap_octets);
    out.sending = queue;
    out.sending_until = free_again;
    inputs_[f.ingress_port].busy = true;
    withdraw_all_of(f.ingress_port);
    time_.at(free_again, phase::cell_return, *this, f.ingress_port);
    memory->depart(port, queue, f, end);
}

// All inputs that become free in one instant offer their heads together, in an order that favours none: the first one
// offered is the first one chosen.
void crossbar::due(std::uint32_t what) {
    if (what != offer_freed) {
        // After all inputs that become free now.
        if (std::exchange(offers_at_, time_.now()) != time_.now()) {
            time_.at(time_.now(), phase::cell_return, *this, offer_freed);
        }
        if (what == offer_again) return;
        inputs_[what].busy = false;
        freed_.push_back(static_cast<std::uint16_t>(what));
        return;
    }
    offers_at_ = never;
    if (matching_ == matching::single) {
        // Those that were not granted offer again.
        freed_.clear();
        for (std::uint16_t ingress = 0; ingress < ports_; ++ingress) {
            if (!inputs_[ingress].busy) freed_.push_back(ingress);
        }
    }
    for (auto left = static_cast<std::uint32_t>(freed_.size()); left > 1; --left) {
        std::swap(freed_[left - 1], freed_[below(order_, left)]);
    }
    for (const std::uint16_t ingress : freed_) offer_all_of(ingress);
    freed_.clear();
    if (matching_ == matching::single) match_once();
}

void crossbar::discard(std::uint16_t port, std::uint8_t queue, const mmu::queued_frame& f, mmu::drop_reason why) {
    const std::size_t at = lane_of(f.ingress_port, port, queue);
    take_head(at);
    memory->discard(port, queue, f, why);
    if (!inputs_[f.ingress_port].busy && !lanes_[at].frames.empty()) offer(at);
}

std::uint64_t crossbar::discard_backlog(std::uint16_t egress, pfc::bitmap which, mmu::drop_reason why) {
    std::uint64_t frames = 0;
    for (std::size_t at = 0; at < lanes_.size(); ++at) {
        if ((which >> (at % queues) & 1U) == 0) continue;
        if (structure_ == queueing::voq && at / queues % ports_ != egress) continue;
        frames += thin_out(at, egress, why);
    }
    return frames;
}

// Throws away the lane's frames for one egress port, but not a head that is offered: that one is its scheduler's.
std::uint64_t crossbar::thin_out(std::size_t at, std::uint16_t egress, mmu::drop_reason why) {
    lane& l = lanes_[at];
    if (!l.frames.empty()) settle(l, static_cast<std::uint8_t>(at % queues));
    std::uint64_t frames = 0;
    bool keep = l.offered;
    for (std::size_t left = l.frames.size(); left > 0; --left) {
        const held each = l.frames.pop();
        if (std::exchange(keep, false) || each.egress != egress) {
            l.frames.push(each);
            continue;
        }
        memory->discard(egress, static_cast<std::uint8_t>(at % queues), each.frame, why);
        each.frame.frame->release();
        --outputs_[egress]->frames;
        ++frames;
    }
    return frames;
}

wait_share crossbar::uncounted(const lane& l, std::uint8_t queue, picoseconds now) const {
    const output& out = *outputs_[l.frames.front().egress];
    const attribution& there = out.queues->waiting();
    const bool by_pfc = (there.stopped_by_pfc() >> queue & 1U) != 0;
    return share_of(judge(by_pfc, there.link_stopped(), out.sending == queue), l.since, out.sending_until, now);
}

void crossbar::settle(lane& l, std::uint8_t queue) {
    const picoseconds now = time_.now();
    if (accounts() && l.since != now) {
        const wait_share s = uncounted(l, queue, now);
        l.waited[static_cast<std::size_t>(s.cause)] += s.time;
        l.waited[static_cast<std::size_t>(wait_cause::none)] += s.none;
    }
    l.since = now;
}

void crossbar::settle_heads_for(const output& out, pfc::bitmap which) {
    for (std::size_t at = 0; at < lanes_.size(); ++at) {
        lane& l = lanes_[at];
        if ((which >> (at % queues) & 1U) == 0 || l.frames.empty()) continue;
        if (l.frames.front().egress == out.number) settle(l, static_cast<std::uint8_t>(at % queues));
    }
}

void crossbar::gate_moving(std::uint16_t egress) {
    if (accounts()) settle_heads_for(*outputs_[egress], 0xff);
}

picoseconds crossbar::waited(std::uint16_t ingress, std::uint8_t queue, wait_cause why, picoseconds now) const {
    const lane& l = lanes_[lane_of(ingress, 0, queue)];
    picoseconds time = l.waited[static_cast<std::size_t>(why)];
    if (l.frames.empty()) return time;
    const wait_share s = uncounted(l, queue, now);
    if (why == s.cause) time += s.time;
    if (why == wait_cause::none) time += s.none;
    return time;
}

void crossbar::clear_statistics() {
    for (lane& l : lanes_) {
        l.waited = {};
        l.since = time_.now();
    }
}

}  // namespace weir::scheduler
