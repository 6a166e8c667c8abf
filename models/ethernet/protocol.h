// SPDX-License-Identifier: Apache-2.0
// Ethernet as a TLM-2.0 protocol: one nb_transport_fw(frame, phase, delay) a frame, whose delay runs to the arrival of
// its last octet. Store and forward: nobody sees a frame before it is whole.
//
//   port ──tx──► link (cable delay) ──► rx── port        and the same the other way round
//
// The receiver takes over the sender's reference to the frame. Nothing comes back on the backward path.
#pragma once

#include <systemc>
#include <tlm>

#include "models/ethernet/frame.h"

namespace weir::ethernet {

struct ethernet_protocol {
    using tlm_payload_type = frame;
    using tlm_phase_type = tlm::tlm_phase;
};

using tx_socket = tlm::tlm_initiator_socket<32, ethernet_protocol>;
using rx_socket = tlm::tlm_target_socket<32, ethernet_protocol>;
using fw_interface = tlm::tlm_fw_transport_if<ethernet_protocol>;
using bw_interface = tlm::tlm_bw_transport_if<ethernet_protocol>;

/// The backward half for those who send: nothing is expected there.
class sender : public bw_interface {
public:
    tlm::tlm_sync_enum nb_transport_bw(frame&, tlm::tlm_phase&, sc_core::sc_time&) override {
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

/// The forward half for those who receive: frames come by nb_transport_fw alone.
class receiver : public fw_interface {
public:
    void b_transport(frame&, sc_core::sc_time&) override {
        SC_REPORT_ERROR("weir/ethernet", "frames travel by nb_transport_fw, not by b_transport");
    }
    bool get_direct_mem_ptr(frame&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(frame&) override { return 0; }
};

}  // namespace weir::ethernet
