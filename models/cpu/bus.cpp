// SPDX-License-Identifier: Apache-2.0
#include "models/cpu/bus.h"

#include <string>

namespace weir::cpu {

bus::bus(sc_core::sc_module_name module_name) : sc_module(module_name) {
    socket.bind(*this);
}

tlm::tlm_initiator_socket<32>& bus::attach(std::uint32_t base, std::uint32_t size) {
    ranges_.emplace_back(("to_" + std::to_string(ranges_.size())).c_str(), base, size);
    ranges_.back().socket.bind(*this);
    return ranges_.back().socket;
}

bus::range* bus::find(std::uint64_t address) {
    for (range& r : ranges_) {
        if (address >= r.base && address - r.base < r.size) return &r;
    }
    return nullptr;
}

void bus::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::uint64_t address = payload.get_address();
    range* r = find(address);
    if (r == nullptr || address - r->base + payload.get_data_length() > r->size) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    payload.set_address(address - r->base);
    r->socket->b_transport(payload, delay);
    payload.set_address(address);
}

unsigned bus::transport_dbg(tlm::tlm_generic_payload& payload) {
    const std::uint64_t address = payload.get_address();
    range* r = find(address);
    if (r == nullptr) return 0;
    payload.set_address(address - r->base);
    const unsigned done = r->socket->transport_dbg(payload);
    payload.set_address(address);
    return done;
}

tlm::tlm_sync_enum bus::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
}

bool bus::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    const std::uint64_t address = payload.get_address();
    range* r = find(address);
    if (r == nullptr) return false;
    payload.set_address(address - r->base);
    const bool granted = r->socket->get_direct_mem_ptr(payload, dmi);
    payload.set_address(address);
    dmi.set_start_address(dmi.get_start_address() + r->base);
    dmi.set_end_address(dmi.get_end_address() + r->base);
    return granted;
}

// A target that takes its pointer back does not say through which range: the initiator forgets all of them.
void bus::invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) {
    socket->invalidate_direct_mem_ptr(0, ~sc_dt::uint64{0});
}

}  // namespace weir::cpu
