// SPDX-License-Identifier: Apache-2.0
#include "models/host/end_station.h"

#include <algorithm>
#include <string>

#include "models/timeline/property.h"

namespace weir::host {

namespace {

port::port_parameters mac_of(const end_station_parameters& p) {
    port::port_parameters mac;
    mac.rate = p.rate;
    mac.clock_ppm = p.clock_ppm;
    return mac;
}

}  // namespace

end_station::end_station(sc_core::sc_module_name name, timeline& time, ethernet::frame_pool& frames,
                         flow_ledger& ledger, const end_station_parameters& p, digest* record)
    : sc_module(name),
      mac("mac", time, mac_of(p), record),
      flow("flow", time, frames),
      flows("flows", time, frames, ledger),
      connected("connected", time, frames, ledger, counters),
      answers("answers", frames, ledger, counters),
      player("player", time, frames),
      dcbx(time, std::string(this->name()) + ".dcbx", frames, [this] { mac.wake(); }),
      buffer(time, std::string(this->name()) + ".buffer", flow.generator, p.receive),
      storm(time, std::string(this->name()) + ".storm", flow.generator),
      ledger_(ledger),
      address_(p.address) {
    if (properties_checked()) {
        check_ = std::make_unique<pfc::control_checker>(time, this->name(), flow, flow, flow.generator, flow.receiver);
        mac.control.bind(*check_);
        flows.gate.bind(*check_);
        connected.gate.bind(*check_);
        answers.gate.bind(*check_);
    } else {
        mac.control.bind(flow.control);
        flows.gate.bind(flow.gate);
        connected.gate.bind(flow.gate);
        answers.gate.bind(flow.gate);
    }
    mac.ingress.bind(*this);
    mac.source.bind(*this);
    flow.transmitter.bind(mac.transmitter);
    flows.transmitter.bind(mac.transmitter);
    connected.transmitter.bind(mac.transmitter);
    answers.transmitter.bind(mac.transmitter);
    connected.set_parameters(p.transport);
    connected.set_line(p.rate);
    answers.set_parameters(p.transport);
    const auto shut = [this, &time](std::uint8_t priority) { return shut_for(priority, time.now()); };
    flows.set_shut_time(shut);
    connected.set_shut_time(shut);
    player.transmitter.bind(mac.transmitter);
    flow.set_rate(p.rate);
    flow.generator.set_source(p.address);
    flow.receiver.set_busy_until([this] { return mac.last_octet_at(); });
    flow.receiver.set_response_delay(p.pfc_response);
    flow.receiver.set_pause_enabled(p.obeys_pause);
    flow.receiver.set_enabled(p.obeys_pfc ? 0xff : 0);
    for (std::uint8_t priority = 0; priority < 8; ++priority) {
        flow.receiver.set_priority_queues(priority, static_cast<pfc::bitmap>(1U << priority));
    }
    dcbx.on_pfc([this, obeys = p.obeys_pfc](std::uint8_t enabled) {
        flow.receiver.set_enabled(obeys ? enabled : pfc::bitmap{0});
    });
    if (p.dcbx) set_dcbx(*p.dcbx);
}

void end_station::link_changed(bool up) {
    mac.set_link(up);
    dcbx.link_changed(up);
}

scheduler::selection end_station::dequeue(picoseconds now) {
    if (ethernet::frame* f = dcbx.next(); f != nullptr) return {f, true, never};
    scheduler::selection played = player.dequeue(now);
    if (played.frame != nullptr) {
        played.more = true;
        return played;
    }
    if (scheduler::selection answer = answers.dequeue(); answer.frame != nullptr) {
        answer.more = true;
        return answer;
    }
    scheduler::selection sent = dequeue_flows(now);
    sent.retry = std::min(sent.retry, played.retry);
    sent.more = sent.more || played.retry != never;
    return sent;
}

scheduler::selection end_station::dequeue_flows(picoseconds now) {
    if (connected.finished()) return flows.dequeue(now);
    if (flows.finished()) return connected.dequeue(now);
    connected_first_ = !connected_first_;
    const scheduler::selection one = connected_first_ ? connected.dequeue(now) : flows.dequeue(now);
    if (one.frame != nullptr) return {one.frame, true, never};
    scheduler::selection other = connected_first_ ? flows.dequeue(now) : connected.dequeue(now);
    other.retry = std::min(other.retry, one.retry);
    other.more = other.more || one.retry != never;
    return other;
}

mmu::drop_reason end_station::take(ethernet::frame& f, std::uint16_t, picoseconds now) {
    if (f.headers.type == ethernet::ethertype_lldp && dcbx.receive(f)) {
        f.release();
        return mmu::drop_reason::none;
    }
    if (f.headers.rocev2 && connected.receive(f, now)) {
        f.release();
        return mmu::drop_reason::none;
    }
    if (!buffer.take(f, now)) {
        f.release();
        return mmu::drop_reason::none;
    }
    if (arrived_.frames == 0) arrived_.first = now - mac.rate().octets(f.length);
    arrived_.last = now;
    ++arrived_.frames;
    arrived_.octets += f.length;
    const bool marked = f.headers.congestion == ethernet::ecn::ce;
    if (marked) ++arrived_.marked;
    if (f.flow < ledger_.size()) take_flow(f, marked, now);
    f.release();
    return mmu::drop_reason::none;
}

void end_station::take_flow(const ethernet::frame& f, bool marked, picoseconds now) {
    flow_record& record = ledger_[f.flow];
    if (record.connected) {
        answers.receive(f, now);
        return;
    }
    ++record.frames_received;
    record.last_received = now;
    if (marked) ++record.marked;
    if (f.sequence != record.expected) ++record.out_of_order;
    record.expected = f.sequence + 1;
    if (record.frames_received == record.frames) ledger_.deliver(f.flow, now);
}

}  // namespace weir::host
