// SPDX-License-Identifier: Apache-2.0
#include "models/host/responder.h"

#include <utility>

namespace weir::host {
namespace {

constexpr std::uint32_t half_of_sequences = 1U << 23;

/// The way back of a path.
ethernet::udp_path reversed(const ethernet::udp_path& path, std::uint8_t dscp, std::uint8_t hop_limit) {
    ethernet::udp_path back = path;
    std::swap(back.source_mac, back.destination_mac);
    std::swap(back.source_ipv4, back.destination_ipv4);
    std::swap(back.source_ipv6, back.destination_ipv6);
    back.dscp = dscp;
    back.hop_limit = hop_limit;
    back.congestion = ethernet::ecn::not_ect;
    return back;
}

}  // namespace

responder::responder(sc_core::sc_module_name module_name, ethernet::frame_pool& frames, flow_ledger& ledger,
                     transport_counters& counters)
    : sc_module(module_name), frames_(frames), ledger_(ledger), counters_(counters) {}

void responder::open(const flow_parameters& f, std::uint32_t peer, const transport_parameters& requester,
                     std::uint8_t hop_limit) {
    queue_pair& q = flows_.emplace_back();
    q.flow = f.number;
    q.first_sequence = requester.first_sequence;
    q.recovery = requester.recovery;
    q.control = requester.control;
    q.frames = (f.octets + f.frame_payload - 1) / f.frame_payload;
    if (q.recovery == recovery_kind::selective) q.kept.resize(requester.window / f.frame_payload + 1);
    ethernet::bth transport;
    transport.queue_pair = peer;
    ethernet::build_ack(q.acknowledgement, reversed(f.path, parameters_.ack_dscp, hop_limit), transport, {});
    ethernet::build_cnp(q.notification, reversed(f.path, parameters_.cnp_dscp, hop_limit), transport);
}

void responder::receive(const ethernet::frame& f, picoseconds now) {
    const ethernet::bth header = ethernet::read_bth(f);
    if (header.queue_pair < 3 || header.queue_pair % 2 != 1) return;
    const std::uint32_t number = (header.queue_pair - 3) / 2;
    if (number >= flows_.size()) return;
    queue_pair& q = flows_[number];
    flow_record& record = ledger_[q.flow];
    const bool marked = f.headers.congestion == ethernet::ecn::ce;
    if (marked) {
        ++record.marked;
        if (q.control == congestion_control::dcqcn) notify(q, number, now);
    }
    if (q.control == congestion_control::dctcp) echo(q, number, marked);
    const auto next = static_cast<std::uint32_t>(q.first_sequence + q.expected);
    std::uint32_t ahead = (header.sequence - next) & ethernet::sequence_mask;
    const bool first =
        header.opcode == ethernet::bth_opcode_send_first || header.opcode == ethernet::bth_opcode_send_only;
    if (q.recovery == recovery_kind::go_back_0 && first && ahead != 0 && q.expected != q.frames) {
        restart(q);
        ahead = 0;
    }
    if (ahead == 0 && q.expected < q.frames) {
        accept(q, number, header.acknowledge, now);
        return;
    }
    if (ahead >= half_of_sequences) {
        ++record.discarded;
        if (header.acknowledge) acknowledge(q, number);
        return;
    }
    ++record.out_of_order;
    if (q.recovery == recovery_kind::selective) {
        keep(q, number, ahead, header.sequence, now);
        return;
    }
    ++record.discarded;
    if (!q.gap_told) report_gap(q, number);
}

void responder::accept(queue_pair& q, std::uint32_t number, bool wish, picoseconds now) {
    flow_record& record = ledger_[q.flow];
    ++q.expected;
    ++q.since_answer;
    q.gap_told = false;
    ++record.frames_received;
    record.last_received = now;
    bool filled = false;
    if (q.recovery == recovery_kind::selective) {
        for (; q.expected < q.frames && q.kept.has(q.expected); ++q.expected) {
            q.kept.remove(q.expected);
            filled = true;
        }
    }
    if (wish || filled) acknowledge(q, number);
    if (q.expected == q.frames) ledger_.deliver(q.flow, now);
}

// The gap stays and is told with each frame behind it: the MSN's place has the sequence number of the frame that came.
void responder::keep(queue_pair& q, std::uint32_t number, std::uint32_t ahead, std::uint32_t sequence,
                     picoseconds now) {
    flow_record& record = ledger_[q.flow];
    const std::uint64_t place = q.expected + ahead;
    if (ahead >= q.kept.size() || place >= q.frames || q.kept.has(place)) {
        ++record.discarded;
        return;
    }
    q.kept.add(place);
    ++record.frames_received;
    record.last_received = now;
    const auto missing = static_cast<std::uint32_t>(q.first_sequence + q.expected);
    acknowledgements_.push({number, missing, {ethernet::syndrome_sequence_error, sequence}, q.marked});
    transmitter->wake();
}

// RFC 8257, 3.2: when marks begin or end, what came before is acknowledged at once, so that an echo speaks of all the
// frames that it acknowledges.
void responder::echo(queue_pair& q, std::uint32_t number, bool marked) {
    if (marked == q.marked) return;
    if (q.since_answer > 0) acknowledge(q, number);
    q.marked = marked;
}

// What has arrived of the message is thrown away: it comes again from its start.
void responder::restart(queue_pair& q) {
    flow_record& record = ledger_[q.flow];
    record.discarded += q.expected;
    record.frames_received = 0;
    q.expected = 0;
}

void responder::notify(queue_pair& q, std::uint32_t number, picoseconds now) {
    if (q.last_notified != never && now - q.last_notified < parameters_.dcqcn.cnp_interval) return;
    q.last_notified = now;
    notifications_.push(number);
    transmitter->wake();
}

void responder::acknowledge(queue_pair& q, std::uint32_t number) {
    q.since_answer = 0;
    const auto last = static_cast<std::uint32_t>(q.first_sequence + q.expected - 1);
    const std::uint32_t messages = q.expected == q.frames ? 1 : 0;
    acknowledgements_.push({number, last, {ethernet::syndrome_ack, messages}, q.marked});
    transmitter->wake();
}

void responder::report_gap(queue_pair& q, std::uint32_t number) {
    q.gap_told = true;
    if (q.recovery == recovery_kind::go_back_0) restart(q);
    const auto missing = static_cast<std::uint32_t>(q.first_sequence + q.expected);
    acknowledgements_.push({number, missing, {ethernet::syndrome_sequence_error, 0}, q.marked});
    transmitter->wake();
}

scheduler::selection responder::dequeue() {
    if (finished()) return {};
    const pfc::bitmap stopped = gate->stopped_queues();
    const auto more = [this, stopped] {
        return (!notifications_.empty() && (stopped >> parameters_.cnp_priority & 1U) == 0) ||
               (!acknowledgements_.empty() && (stopped >> parameters_.ack_priority & 1U) == 0);
    };
    if (!notifications_.empty() && (stopped >> parameters_.cnp_priority & 1U) == 0) {
        ethernet::frame* f = frames_.take();
        f->copy_from(flows_[notifications_.pop()].notification);
        ++counters_.cnps_sent;
        return {f, more(), never};
    }
    if (!acknowledgements_.empty() && (stopped >> parameters_.ack_priority & 1U) == 0) {
        const answer a = acknowledgements_.pop();
        ethernet::frame* f = frames_.take();
        f->copy_from(flows_[a.number].acknowledgement);
        ethernet::set_acknowledgement(*f, a.sequence, a.what, a.congestion_echo);
        ++(a.what.negative() ? counters_.naks_sent : counters_.acks_sent);
        return {f, more(), never};
    }
    return {};
}

}  // namespace weir::host
