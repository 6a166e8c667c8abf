// SPDX-License-Identifier: Apache-2.0
// What a station's connections send, and when.
#include "models/host/requester.h"

#include <algorithm>
#include <functional>

namespace weir::host {
namespace {

/// Half of the sequence numbers tell what lies ahead from what lies behind; a quarter is never under way.
constexpr std::uint64_t most_under_way = 1U << 22;

}  // namespace

requester::requester(sc_core::sc_module_name module_name, timeline& time, ethernet::frame_pool& frames,
                     flow_ledger& ledger, transport_counters& counters)
    : sc_module(module_name), actor(time, name()), time_(time), frames_(frames), ledger_(ledger), counters_(counters) {}

void requester::open(const flow_parameters& f, std::uint32_t peer) {
    const auto number = static_cast<std::uint32_t>(flows_.size());
    queue_pair& q = flows_.emplace_back();
    q.flow = f;
    q.frames = (f.octets + f.frame_payload - 1) / f.frame_payload;
    q.next_time = f.start;
    const auto last = static_cast<std::uint32_t>(f.octets - (q.frames - 1) * f.frame_payload);
    ethernet::udp_path path = f.path;
    // A sender that reacts to marks says so.
    if (parameters_.control != congestion_control::none && path.congestion == ethernet::ecn::not_ect) {
        path.congestion = ethernet::ecn::ect0;
    }
    ethernet::bth transport;
    transport.queue_pair = peer;
    transport.opcode = ethernet::bth_opcode_send_middle;
    ethernet::build_rocev2(q.body, path, transport, f.frame_payload);
    transport.opcode = q.frames == 1 ? ethernet::bth_opcode_send_only : ethernet::bth_opcode_send_last;
    transport.acknowledge = true;
    ethernet::build_rocev2(q.tail, path, transport, last);
    q.body.flow = q.tail.flow = f.number;
    if (parameters_.control == congestion_control::dcqcn) {
        q.reaction.emplace(parameters_.dcqcn, line_.bits_per_second(), f.number, on_rate_);
    } else if (parameters_.control == congestion_control::dctcp) {
        q.window.emplace(parameters_.dctcp, f.frame_payload);
    }
    if (parameters_.recovery == recovery_kind::selective) q.arrived.resize(parameters_.window / f.frame_payload + 1);
    ++unfinished_;
    time_.at(f.start, phase::timer, *this, number * wake_reasons + wake_to_start);
}

void requester::due(std::uint32_t what) {
    const std::uint32_t number = what / wake_reasons;
    if (what % wake_reasons == wake_for_timer) {
        expire(number);
        return;
    }
    queue_pair& q = flows_[number];
    q.started = true;
    if (shut_) ledger_.begin_sending(q.flow.number, shut_(q.flow.priority));
    make_ready(number, time_.now());
}

std::uint64_t requester::window_of(const queue_pair& q) const {
    if (!q.window) return parameters_.window;
    return parameters_.window == 0 ? q.window->octets() : std::min(parameters_.window, q.window->octets());
}

/// Whether a frame is to be sent again by itself: `resend` is it.
bool requester::find_lost(queue_pair& q) const {
    while (q.resend < q.lost_before && q.arrived.has(q.resend)) ++q.resend;
    return q.resend < q.lost_before;
}

bool requester::blocked(queue_pair& q) const {
    if (q.closed) return true;
    if (find_lost(q)) return false;
    if (q.next == q.frames) return true;
    const std::uint64_t under_way = q.next - q.unacknowledged;
    if (under_way == 0) return false;  // a window smaller than a frame lets one through
    if (under_way >= most_under_way) return true;
    const std::uint64_t window = window_of(q);
    return window != 0 && (under_way + 1) * q.flow.frame_payload > window;
}

void requester::make_ready(std::uint32_t number, picoseconds now) {
    queue_pair& q = flows_[number];
    if (!q.started || q.queued || blocked(q)) return;
    q.queued = true;
    if (q.next_time > now) {
        paced_.emplace_back(q.next_time, number);
        std::push_heap(paced_.begin(), paced_.end(), std::greater<>{});
    } else {
        ready_[q.flow.priority].push(number);
        holding_ = static_cast<pfc::bitmap>(holding_ | 1U << q.flow.priority);
    }
    transmitter->wake();
}

scheduler::selection requester::dequeue(picoseconds now) {
    while (!paced_.empty() && paced_.front().first <= now) {
        const std::uint32_t number = paced_.front().second;
        std::pop_heap(paced_.begin(), paced_.end(), std::greater<>{});
        paced_.pop_back();
        const std::uint8_t priority = flows_[number].flow.priority;
        ready_[priority].push(number);
        holding_ = static_cast<pfc::bitmap>(holding_ | 1U << priority);
    }
    const pfc::bitmap stopped = gate->stopped_queues();
    for (std::size_t step = 0; step < priorities && (holding_ & ~stopped) != 0; ++step) {
        const std::size_t priority = (priority_turn_ + step) % priorities;
        if ((holding_ & ~stopped & 1U << priority) == 0) continue;
        ethernet::frame* f = nullptr;
        while (f == nullptr && !ready_[priority].empty()) {
            const std::uint32_t number = ready_[priority].pop();
            queue_pair& q = flows_[number];
            q.queued = false;
            if (blocked(q)) continue;  // acknowledged or given up while it waited
            f = next_frame(q, now);
            watch(q, number);
            if (blocked(q)) continue;
            q.queued = true;
            if (q.next_time > now) {
                paced_.emplace_back(q.next_time, number);
                std::push_heap(paced_.begin(), paced_.end(), std::greater<>{});
            } else {
                ready_[priority].push(number);
            }
        }
        if (ready_[priority].empty()) holding_ = static_cast<pfc::bitmap>(holding_ & ~(1U << priority));
        if (f == nullptr) continue;
        priority_turn_ = (priority + 1) % priorities;
        return {f, (holding_ & ~stopped) != 0 || !paced_.empty(), never};
    }
    return {nullptr, false, paced_.empty() ? never : paced_.front().first};
}

ethernet::frame* requester::next_frame(queue_pair& q, picoseconds now) {
    const std::uint64_t place = find_lost(q) ? q.resend++ : q.next++;
    const bool last = place + 1 == q.frames;
    ethernet::frame* f = frames_.take();
    f->copy_from(last ? q.tail : q.body);
    if (!last) {
        // Who waits for the window asks, or he would wait for ever.
        const bool wish = (place + 1) % parameters_.ack_every == 0 || blocked(q);
        if (place == 0 || wish) {
            ethernet::set_request(*f, place == 0 ? ethernet::bth_opcode_send_first : ethernet::bth_opcode_send_middle,
                                  wish);
        }
    }
    ethernet::set_sequence(*f, sequence_of(place));
    f->sequence = static_cast<std::uint32_t>(place);
    flow_record& record = ledger_[q.flow.number];
    if (record.frames_sent == 0) record.first_sent = now;
    ++record.frames_sent;
    if (place < q.highest) {
        ++record.retransmitted;
        ++counters_.retransmitted;
    } else {
        q.highest = place + 1;
    }
    if (q.deadline == never) q.deadline = now + parameters_.timeout;
    pace(q, std::int64_t{f->length} + wire_overhead_octets, now);
    return f;
}

// The slower of the workload's rate and of what congestion control allows; the line's own rate needs no pacing.
void requester::pace(queue_pair& q, std::int64_t wire_octets, picoseconds now) {
    std::int64_t rate = q.flow.bits_per_second;
    if (q.reaction) {
        q.reaction->advance(now);
        q.reaction->sent(wire_octets, now);
        if (rate == 0 || q.reaction->rate() < rate) rate = q.reaction->rate();
        if (rate >= line_.bits_per_second()) rate = 0;
    }
    if (rate == 0) return;
    const std::int64_t scaled = wire_octets * 8 * 1'000'000'000'000 + q.pace_remainder;
    // A flow that was held up does not catch up: it goes on at its rate.
    q.next_time = now + picoseconds{scaled / rate};
    q.pace_remainder = scaled % rate;
}

picoseconds requester::next_departure(picoseconds now) const {
    picoseconds earliest = never;
    for (const queue_pair& q : flows_) {
        if (q.closed) continue;
        const picoseconds at = q.started ? q.deadline : q.flow.start;
        if (at > now) earliest = std::min(earliest, at);
    }
    return earliest;
}

std::int64_t requester::rate(std::size_t flow, picoseconds now) {
    queue_pair& q = flows_[flow];
    std::int64_t rate = line_.bits_per_second();
    if (q.reaction) {
        q.reaction->advance(now);
        rate = q.reaction->rate();
    }
    return q.flow.bits_per_second == 0 ? rate : std::min(rate, q.flow.bits_per_second);
}

}  // namespace weir::host
