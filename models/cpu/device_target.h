// SPDX-License-Identifier: Apache-2.0
// Puts a device on the TLM bus: one access a payload, 1, 2 or 4 aligned octets, little-endian; anything else is
// refused.
#pragma once

#include <systemc>
#include <tlm>

#include "models/cpu/device.h"

namespace weir::cpu {

class device_target : public sc_core::sc_module, public tlm::tlm_fw_transport_if<> {
public:
    /// `latency`: what an access takes.
    device_target(sc_core::sc_module_name name, device& what, picoseconds latency);

    tlm::tlm_target_socket<32> socket{"socket"};

    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
    /// Looks without side effects; writes nothing.
    unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }

private:
    device& device_;
    picoseconds latency_;
};

}  // namespace weir::cpu
