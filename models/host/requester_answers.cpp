// SPDX-License-Identifier: Apache-2.0
// What a station's connections do about answers, and about their absence.
#include <algorithm>

#include "models/host/requester.h"

namespace weir::host {
namespace {

/// Half of the sequence numbers lie ahead.
constexpr std::uint32_t half_of_sequences = 1U << 23;

}  // namespace

// The timer's entry stays where it is when the deadline moves on; it is looked at again when it comes.
void requester::watch(queue_pair& q, std::uint32_t number) {
    if (q.watched || q.closed || q.deadline == never) return;
    q.watched = true;
    time_.at(q.deadline, phase::timer, *this, number * wake_reasons + wake_for_timer);
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
    if (q.window) q.window->time_out();
    q.resend = q.unacknowledged;
    q.lost_before = parameters_.recovery == recovery_kind::selective ? q.highest : 0;
    go_back(q);
    make_ready(number, now);
}

void requester::go_back(queue_pair& q) {
    if (parameters_.recovery == recovery_kind::selective) return;
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
        if (ahead > 0) {
            acknowledge(q, number, q.unacknowledged + ahead, header.backward_notification, now);
        }
    } else if (!negative || parameters_.recovery != recovery_kind::go_back_0) {
        return;  // an old one
    }
    if (negative && !q.closed) {
        if (q.window) q.window->lose(q.unacknowledged, q.highest);
        if (parameters_.recovery == recovery_kind::selective) {
            note_arrived(q, (extension.message - header.sequence) & ethernet::sequence_mask);
        }
        go_back(q);
        make_ready(number, now);
    }
}

/// The frame so far behind the first unacknowledged one has arrived, and what lies between may not have.
void requester::note_arrived(queue_pair& q, std::uint64_t distance) {
    const std::uint64_t place = q.unacknowledged + distance;
    if (distance >= q.arrived.size() || place >= q.highest) return;
    q.arrived.add(place);
    q.lost_before = std::max(q.lost_before, place);
}

void requester::forget_arrived(queue_pair& q, std::uint64_t up_to) {
    for (std::uint64_t place = q.unacknowledged; place < up_to; ++place) q.arrived.remove(place);
    q.resend = std::max(q.resend, up_to);
}

void requester::acknowledge(queue_pair& q, std::uint32_t number, std::uint64_t up_to, bool marked, picoseconds now) {
    if (parameters_.recovery == recovery_kind::selective) forget_arrived(q, up_to);
    if (q.window) {
        q.window->acknowledge((up_to - q.unacknowledged) * q.flow.frame_payload, marked, up_to, q.highest);
    }
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

}  // namespace weir::host
