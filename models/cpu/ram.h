// SPDX-License-Identifier: Apache-2.0
// The board's memory: a TLM target that gives direct access (DMI) to all of itself, and takes no time.
#pragma once

#include <systemc>
#include <tlm>

#include <cstdint>
#include <vector>

namespace weir::cpu {

class ram : public sc_core::sc_module, public tlm::tlm_fw_transport_if<> {
public:
    /// `size` in octets, a multiple of 4096; zeros at first.
    ram(sc_core::sc_module_name name, std::uint32_t size);

    tlm::tlm_target_socket<32> socket{"socket"};
    [[nodiscard]] std::vector<std::uint8_t>& octets() { return octets_; }

    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
    unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) override;

private:
    unsigned copy(tlm::tlm_generic_payload& payload);
    std::vector<std::uint8_t> octets_;
};

}  // namespace weir::cpu
