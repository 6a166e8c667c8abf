// SPDX-License-Identifier: Apache-2.0
#include "models/host/flow_source.h"

#include <algorithm>

namespace weir::host {
namespace {

constexpr std::uint16_t discard_port = 9;  // RFC 863: whoever gets it throws it away

}  // namespace

flow_source::flow_source(sc_core::sc_module_name module_name, timeline& time, ethernet::frame_pool& frames,
                         flow_ledger& ledger)
    : sc_module(module_name), actor(time, name()), time_(time), frames_(frames), ledger_(ledger) {}

void flow_source::add(const flow_parameters& f) {
    active_flow flow{};
    flow.number = f.number;
    flow.priority = f.priority;
    flow.bits_per_second = f.bits_per_second;
    flow.next_time = f.start;
    flow.frames = (f.octets + f.frame_payload - 1) / f.frame_payload;
    const auto last = static_cast<std::uint32_t>(f.octets - (flow.frames - 1) * f.frame_payload);
    if (f.plain_udp) {
        ethernet::udp_path path = f.path;
        path.destination_port = discard_port;
        ethernet::build_udp(flow.body, path, f.frame_payload);
        ethernet::build_udp(flow.tail, path, f.frame_payload);
    } else {
        const ethernet::bth transport{ethernet::bth_opcode_send_only, 0xffff, false, false,
                                      f.number & 0xffffffU,           false,  0};
        ethernet::build_rocev2(flow.body, f.path, transport, f.frame_payload);
        ethernet::build_rocev2(flow.tail, f.path, transport, last);
    }
    flow.body.flow = flow.tail.flow = f.number;
    flows_.push_back(std::move(flow));
    ++unfinished_;
    time_.at(f.start, phase::timer, *this, static_cast<std::uint32_t>(flows_.size() - 1));
}

void flow_source::due(std::uint32_t flow) {
    const std::uint8_t priority = flows_[flow].priority;
    if (shut_) ledger_.begin_sending(flows_[flow].number, shut_(priority));
    ready_[priority].push_back(flow);
    holding_ = static_cast<pfc::bitmap>(holding_ | 1U << priority);
    transmitter->wake();
}

picoseconds flow_source::next_start(picoseconds now) const {
    picoseconds earliest = never;
    for (const active_flow& flow : flows_) {
        if (flow.next_sequence == 0 && flow.next_time > now) earliest = std::min(earliest, flow.next_time);
    }
    return earliest;
}

scheduler::selection flow_source::dequeue(picoseconds now) {
    const auto open = static_cast<pfc::bitmap>(holding_ & ~gate->stopped_queues());
    picoseconds retry = never;
    for (std::size_t step = 0; step < priorities && open != 0; ++step) {
        const std::size_t priority = (priority_turn_ + step) % priorities;
        if ((open >> priority & 1U) == 0) continue;
        auto& ready = ready_[priority];
        for (std::size_t tried = 0; tried < ready.size(); ++tried) {
            const std::size_t at = (turn_[priority] + tried) % ready.size();
            active_flow& flow = flows_[ready[at]];
            if (flow.next_time > now) {
                retry = std::min(retry, flow.next_time);
                continue;
            }
            ethernet::frame* f = next_frame(flow, now);
            turn_[priority] = at + 1;
            if (flow.next_sequence == flow.frames) {
                if (shut_) ledger_.end_sending(flow.number, shut_(flow.priority));
                ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(at));
                turn_[priority] = at;
                if (ready.empty()) holding_ = static_cast<pfc::bitmap>(holding_ & ~(1U << priority));
                --unfinished_;
            }
            priority_turn_ = (priority + 1) % priorities;
            return {f, (holding_ & ~gate->stopped_queues()) != 0, never};
        }
    }
    return {nullptr, false, retry};
}

ethernet::frame* flow_source::next_frame(active_flow& flow, picoseconds now) {
    ethernet::frame* f = frames_.take();
    f->copy_from(flow.next_sequence + 1 == flow.frames ? flow.tail : flow.body);
    const auto sequence = static_cast<std::uint32_t>(flow.next_sequence++);
    if (f->headers.rocev2) ethernet::set_sequence(*f, sequence & 0xffffffU);
    f->sequence = sequence;
    if (flow.bits_per_second != 0) {
        const std::int64_t bits = (std::int64_t{f->length} + wire_overhead_octets) * 8;
        const std::int64_t scaled = bits * 1'000'000'000'000 + flow.pace_remainder;
        // A flow that was held up does not catch up: it goes on at its rate.
        flow.next_time = now + picoseconds{scaled / flow.bits_per_second};
        flow.pace_remainder = scaled % flow.bits_per_second;
    }
    flow_record& record = ledger_[flow.number];
    if (record.frames_sent == 0) record.first_sent = now;
    ++record.frames_sent;
    return f;
}

}  // namespace weir::host
