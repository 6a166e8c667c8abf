// SPDX-License-Identifier: Apache-2.0
// An end station: a port that sends what a workload tells it, openly or over reliable connections, or what a capture
// holds, obeys the pauses it is asked for, answers its peers, and counts what arrives.
#pragma once

#include <systemc>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "models/host/dcbx_agent.h"
#include "models/host/flow_ledger.h"
#include "models/host/flow_source.h"
#include "models/host/pause_storm.h"
#include "models/host/receive_buffer.h"
#include "models/host/requester.h"
#include "models/host/responder.h"
#include "models/host/trace_player.h"
#include "models/host/transport_parameters.h"
#include "models/pfc/control_checker.h"
#include "models/pfc/flow_control.h"
#include "models/pipeline/ingress_if.h"
#include "models/port/port.h"

namespace weir::host {

struct end_station_parameters {
    data_rate rate;
    std::int32_t clock_ppm{0};
    picoseconds pfc_response{0};  ///< from a PFC frame's last octet to the gate
    bool obeys_pfc{true};
    bool obeys_pause{true};
    ethernet::mac_address address{};
    receive_parameters receive;
    std::optional<ethernet::dcbx_message>
        dcbx;                        ///< what it says of itself; then it obeys PFC on those priorities alone
    transport_parameters transport;  ///< of the reliable connections that it opens or answers
};

/// What data arrived, whoever sent it: no acknowledgements nor CNPs.
struct arrivals {
    std::uint64_t frames{0};
    std::uint64_t octets{0};
    std::uint64_t marked{0};
    picoseconds first{never};  ///< the first octet of the first frame, at the MAC
    picoseconds last{0};       ///< the last octet of the last frame
};

class end_station : public sc_core::sc_module, public pipeline::ingress_if, public scheduler::dequeue_if {
public:
    end_station(sc_core::sc_module_name name, timeline& time, ethernet::frame_pool& frames, flow_ledger& ledger,
                const end_station_parameters& p, digest* record);

    port::port mac;
    pfc::flow_control flow;
    transport_counters counters;
    flow_source flows;    ///< flows that nobody acknowledges
    requester connected;  ///< flows over reliable connections
    responder answers;
    trace_player player;
    dcbx_agent dcbx;
    receive_buffer buffer;
    pause_storm storm;

    /// How long altogether the peer has stopped this priority, by PFC or by PAUSE, until `now`.
    [[nodiscard]] picoseconds shut_for(std::uint8_t priority, picoseconds now) const {
        return flow.receiver.paused_for(priority, now) + flow.receiver.link_paused_for(now);
    }
    [[nodiscard]] const arrivals& arrived() const { return arrived_; }
    [[nodiscard]] bool finished() const {
        return flows.finished() && connected.finished() && answers.finished() && player.finished();
    }
    /// When a flow starts or is sent again; `never` when nothing does by itself.
    [[nodiscard]] picoseconds next_departure(picoseconds now) const {
        return std::min(flows.next_start(now), connected.next_departure(now));
    }

    /// What DCBX says of the station from now on.
    void set_dcbx(const ethernet::dcbx_message& own) { dcbx.speak(address_, own); }
    void link_changed(bool up);

    /// The other end of the cable runs at this rate now.
    void set_rate(data_rate rate) {
        mac.set_rate(rate);
        flow.set_rate(rate);
        connected.set_line(rate);
    }

    mmu::drop_reason take(ethernet::frame& f, std::uint16_t ingress_port, picoseconds now) override;
    /// What the player has for this moment goes first, then answers, then flows: those over connections and the
    /// others in turn.
    scheduler::selection dequeue(picoseconds now) override;

private:
    scheduler::selection dequeue_flows(picoseconds now);
    void take_flow(const ethernet::frame& f, bool marked, picoseconds now);

    std::unique_ptr<pfc::control_checker> check_;  // none: built without
    flow_ledger& ledger_;
    ethernet::mac_address address_;
    arrivals arrived_;
    bool connected_first_{false};
};

}  // namespace weir::host
