// SPDX-License-Identifier: Apache-2.0
#include "models/host/requester.h"

#include <algorithm>
#include <functional>

namespace weir::host {
namespace {

enum wake_reason : std::uint32_t { start, timer, reasons };

/// Half of the sequence numbers tell what lies ahead from what lies behind; a quarter is never under way.
constexpr std::uint32_t half_of_sequences = 1U << 23;
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
    }
    ++unfinished_;
    time_.at(f.start, phase::timer, *this, number * reasons + start);
}

void requester::due(std::uint32_t what) {
    const std::uint32_t number = what / reasons;
    if (what % reasons == timer) {
        expire(number);
        return;
    }
    queue_pair& q = flows_[number];
    q.started = true;
    if (shut_) ledger_.begin_sending(q.flow.number, shut_(q.flow.priority));
    make_ready(number, time_.now());
}

bool requester::blocked(const queue_pair& q) const {
    if (q.closed || q.next == q.frames) return true;
    const std::uint64_t under_way = q.next - q.unacknowledged;
    if (under_way == 0) return false;  // a window smaller than a frame lets one through
    if (under_way >= most_under_way) return true;
    return parameters_.window != 0 && (under_way + 1) * q.flow.frame_payload > parameters_.window;
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
    const std::uint64_t place = q.next++;
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

// The timer's entry stays where it is when the deadline moves on; it is looked at again when it comes.
void requester::watch(queue_pair& q, std::uint32_t number) {
    if (q.watched || q.closed || q.deadline == never) return;
    q.watched = true;
    time_.at(q.deadline, phase::timer, *this, number * reasons + timer);
}

void requester::expire(std::uint32_t number) {
    queue_pair& q = flows_[number];
    q.watched = false;
    if (q.closed || q.deadline == never) return;
    const picoseconds now = time_.now();
    if (q.deadline > now) {
        watch(q, number);
        return;
    }
    q.deadline = never;
    ++counters_.timeouts;
    flow_record& record = ledger_[q.flow.number];
    ++record.timeouts;
    if (++q.timeouts > parameters_.retries) {
        record.given_up = now;
        close(q);
        return;
    }
    go_back(q);
    make_ready(number, now);
}

void requester::go_back(queue_pair& q) {
    if (parameters_.recovery == recovery_kind::go_back_0) q.unacknowledged = 0;
    q.next = q.unacknowledged;
}

void requester::close(queue_pair& q) {
    q.closed = true;
    q.deadline = never;
    --unfinished_;
    if (shut_) ledger_.end_sending(q.flow.number, shut_(q.flow.priority));
}

bool requester::receive(const ethernet::frame& f, picoseconds now) {
    const std::uint8_t opcode = f.headers.bth_opcode;
    if (opcode != ethernet::bth_opcode_acknowledge && opcode != ethernet::bth_opcode_cnp) return false;
    const ethernet::bth header = ethernet::read_bth(f);
    const std::uint32_t number = header.queue_pair / 2 - 1;  // of queue pair 0: none so great
    if (header.queue_pair % 2 != 0 || number >= flows_.size()) return false;
    queue_pair& q = flows_[number];
    if (opcode == ethernet::bth_opcode_cnp) {
        ++counters_.cnps_received;
        if (q.reaction && !q.closed) q.reaction->notify(now);
        return true;
    }
    const auto extension = ethernet::read_aeth(f);
    if (!extension) return false;
    ++(extension->negative() ? counters_.naks_received : counters_.acks_received);
    if (!q.closed) answered(q, number, header, *extension, now);
    return true;
}

// A NAK names the frame that is missing: all before it have arrived. An ACK names the last one that has.
void requester::answered(queue_pair& q, std::uint32_t number, const ethernet::bth& header,
                         const ethernet::aeth& extension, picoseconds now) {
    const bool negative = extension.negative();
    const std::uint32_t wanted = negative ? header.sequence : header.sequence + 1;
    const std::uint32_t ahead = (wanted - sequence_of(q.unacknowledged)) & ethernet::sequence_mask;
    if (ahead < half_of_sequences) {
        if (q.unacknowledged + ahead > q.highest) return;  // never sent
        if (ahead > 0) acknowledge(q, number, q.unacknowledged + ahead, now);
    } else if (!negative || parameters_.recovery != recovery_kind::go_back_0) {
        return;  // an old one
    }
    if (negative && !q.closed) {
        go_back(q);
        make_ready(number, now);
    }
}

void requester::acknowledge(queue_pair& q, std::uint32_t number, std::uint64_t up_to, picoseconds now) {
    q.unacknowledged = up_to;
    q.next = std::max(q.next, up_to);
    q.timeouts = 0;
    q.deadline = q.next > up_to ? now + parameters_.timeout : never;
    if (up_to == q.frames) {
        ledger_[q.flow.number].acknowledged = now;
        close(q);
        return;
    }
    watch(q, number);
    make_ready(number, now);
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
