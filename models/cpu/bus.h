// SPDX-License-Identifier: Apache-2.0
// The board's bus: passes an access on to whichever target's range it falls into, with the address made relative to it.
#pragma once

#include <systemc>
#include <tlm>

#include <cstdint>
#include <deque>

namespace weir::cpu {

class bus : public sc_core::sc_module, public tlm::tlm_fw_transport_if<>, public tlm::tlm_bw_transport_if<> {
public:
    explicit bus(sc_core::sc_module_name name);

    tlm::tlm_target_socket<32> socket{"socket"};
    /// A socket for the target of a range. Ranges do not overlap; a later one of the same octets is never reached.
    tlm::tlm_initiator_socket<32>& attach(std::uint32_t base, std::uint32_t size);

    /// An access that no target takes, or that leaves its range, gets an address error.
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
    unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;

private:
    struct range {
        range(const char* socket_name, std::uint32_t first, std::uint32_t octets)
            : socket(socket_name), base(first), size(octets) {}
        tlm::tlm_initiator_socket<32> socket;
        std::uint32_t base;
        std::uint32_t size;
    };
    range* find(std::uint64_t address);
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
        return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override;

    std::deque<range> ranges_;
};

}  // namespace weir::cpu
