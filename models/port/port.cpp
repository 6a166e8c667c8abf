// SPDX-License-Identifier: Apache-2.0
#include "models/port/port.h"

#include <algorithm>

namespace weir::port {
namespace {
constexpr std::uint32_t digest_mark = 1U << 31;  // beside the length of a frame that bears CE

enum wake_reason : std::uint32_t { arrival, pipeline_end, decision };

}  // namespace

port::port(sc_core::sc_module_name module_name, timeline& time, const port_parameters& p, digest* record)
    : sc_module(module_name),
      actor(time, name()),
      time_(time),
      parameters_(p),
      record_(record),
      place_(digest::place_of(name())) {
    rx.bind(*this);
    tx.bind(*this);
    transmitter.bind(*this);
}

port::~port() {
    while (!in_flight_.empty()) in_flight_.pop().frame->release();
    while (!in_pipeline_.empty()) in_pipeline_.pop().frame->release();
}

tlm::tlm_sync_enum port::nb_transport_fw(ethernet::frame& f, tlm::tlm_phase&, sc_core::sc_time& delay) {
    const picoseconds at = from_kernel(sc_core::sc_time_stamp()) + from_kernel(delay) + parameters_.receive_latency;
    const bool first = in_flight_.empty();
    in_flight_.push({&f, at, false});
    if (first) time_.at(at, phase::reception, *this, arrival);
    return tlm::TLM_ACCEPTED;
}

void port::due(std::uint32_t what) {
    if (what == arrival) {
        receive();
    } else if (what == pipeline_end) {
        pass_on(*in_pipeline_.pop().frame, time_.now());
    } else if (time_.now() == decision_at_) {
        decision_at_ = never;
        decide();
    }
}

void port::receive() {
    const picoseconds now = time_.now();
    const in_flight arrived = in_flight_.pop();
    ethernet::frame& f = *arrived.frame;
    if (!in_flight_.empty()) {
        in_flight_.front().frame->prefetch();
        time_.at(in_flight_.front().arrival, phase::reception, *this, arrival);
    }
    if (!link_ || arrived.lost) {
        if (on_lost_ && f.headers.type != ethernet::ethertype::mac_control) on_lost_(f);
        f.release();
        return;
    }
    if (!receive_enabled_) {
        finish(f, now, mmu::drop_reason::port_disabled);
        f.release();
        return;
    }
    if (record_ != nullptr) {
        const bool marked = f.headers.congestion == ethernet::ecn::ce;
        record_->fold(now, place_, f.length | (marked ? digest_mark : 0), f.flow ^ (f.sequence << 8));
    }
    if (f.headers.type == ethernet::ethertype::mac_control && control->receive(f, now)) {
        if (on_control_) on_control_(f);
        finish(f, now, mmu::drop_reason::none);
        f.release();
        return;
    }
    if (!f.fcs_good) {
        ++counters.rx_fcs_errors;
        finish(f, now, mmu::drop_reason::fcs);
        f.release();
        return;
    }
    if (f.length < ethernet::minimum_frame_octets || f.length > largest_frame_) {
        ++counters.rx_length_errors;
        finish(f, now, mmu::drop_reason::length);
        f.release();
        return;
    }
    ++counters.rx_frames;
    counters.rx_octets += f.length;
    if (parameters_.pipeline_latency == picoseconds{0}) {
        pass_on(f, now);
        return;
    }
    const picoseconds at = now + parameters_.pipeline_latency;
    in_pipeline_.push({&f, at, false});
    time_.at(at, phase::reception, *this, pipeline_end);
}

void port::pass_on(ethernet::frame& f, picoseconds now) {
    // The tap must see the frame as it arrived even when it is dropped; a queued frame stays in its queue until this
    // instant's transmit phase at the earliest.
    const mmu::drop_reason why = ingress->take(f, parameters_.number, now);
    finish(f, now, why);
    if (why != mmu::drop_reason::none) f.release();
}

void port::finish(ethernet::frame& f, picoseconds now, mmu::drop_reason why) {
    if (why != mmu::drop_reason::none) {
        ++counters.drops[static_cast<std::size_t>(why)];
        ++counters.rx_discards;
    }
    for (tap* t : taps_) t->received(f, now, why);
}

void port::wake() {
    if (link_ && transmit_enabled_) decide_at(std::max(time_.now(), free_at_));
}

// At most one decision is meant at a time: an earlier one makes a later one void.
void port::decide_at(picoseconds time) {
    if (decision_at_ <= time) return;
    decision_at_ = time;
    time_.at(time, phase::transmit, *this, decision);
}

void port::decide() {
    if (!link_ || !transmit_enabled_) return;
    const picoseconds now = time_.now();
    // A frame that leaves may itself release a pause, and so ask for a decision in the midst of the one that sent it.
    if (now < free_at_) {
        decide_at(free_at_);
        return;
    }
    if (ethernet::frame* f = control->next_control_frame(now); f != nullptr) {
        send(*f, now);
        decide_at(free_at_);
        return;
    }
    const scheduler::selection next = source->dequeue(now);
    if (next.frame == nullptr) {
        if (next.retry != never) decide_at(next.retry);
        return;
    }
    ++counters.tx_frames;
    counters.tx_octets += next.frame->length;
    send(*next.frame, now);
    if (next.more) decide_at(free_at_);
}

void port::send(ethernet::frame& f, picoseconds now) {
    for (tap* t : taps_) t->sent(f, now);
    const picoseconds last_octet = now + wire_time(preamble_octets + f.length);
    free_at_ = last_octet + wire_time(gap_octets);
    sc_core::sc_time delay = to_kernel(last_octet + parameters_.transmit_latency) - sc_core::sc_time_stamp();
    tlm::tlm_phase begin = tlm::BEGIN_REQ;
    tx->nb_transport_fw(f, begin, delay);
}

// A clock that is so many ppm fast takes that much less time; what does not divide is carried to the next frame.
picoseconds port::wire_time(std::int64_t octets) {
    picoseconds time = parameters_.rate.octets(octets);
    if (parameters_.clock_ppm != 0) {
        const std::int64_t gained = time.count() * parameters_.clock_ppm + ppm_remainder_;
        time -= picoseconds{gained / 1'000'000};
        ppm_remainder_ = gained % 1'000'000;
    }
    return time;
}

void port::set_transmit_enabled(bool on) {
    transmit_enabled_ = on;
    wake();
}

void port::set_link(bool up) {
    if (up == link_) return;
    link_ = up;
    if (!up) {
        for (std::size_t left = in_flight_.size(); left > 0; --left) {
            in_flight gone = in_flight_.pop();
            gone.lost = true;
            in_flight_.push(gone);
        }
    }
    if (up) free_at_ = std::max(free_at_, time_.now() + parameters_.start_delay);
    control->link_changed(up);
    wake();
}

}  // namespace weir::port
