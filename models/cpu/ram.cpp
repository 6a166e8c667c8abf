// SPDX-License-Identifier: Apache-2.0
#include "models/cpu/ram.h"

#include <algorithm>
#include <cstring>

namespace weir::cpu {

ram::ram(sc_core::sc_module_name module_name, std::uint32_t size) : sc_module(module_name), octets_(size) {
    socket.bind(*this);
}

// Copies what lies inside; returns how many octets that were.
unsigned ram::copy(tlm::tlm_generic_payload& payload) {
    if (payload.get_address() >= octets_.size()) return 0;
    const std::uint64_t room = octets_.size() - payload.get_address();
    const auto length = static_cast<unsigned>(std::min<std::uint64_t>(payload.get_data_length(), room));
    std::uint8_t* place = octets_.data() + payload.get_address();
    if (payload.is_read()) {
        std::memcpy(payload.get_data_ptr(), place, length);
    } else if (payload.is_write()) {
        std::memcpy(place, payload.get_data_ptr(), length);
    }
    return length;
}

void ram::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    const bool plain =
        payload.get_byte_enable_ptr() == nullptr && payload.get_streaming_width() >= payload.get_data_length();
    const bool inside = payload.get_address() + payload.get_data_length() <= octets_.size();
    if (plain && inside) copy(payload);
    payload.set_dmi_allowed(true);
    payload.set_response_status(!plain   ? tlm::TLM_COMMAND_ERROR_RESPONSE
                                : inside ? tlm::TLM_OK_RESPONSE
                                         : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

unsigned ram::transport_dbg(tlm::tlm_generic_payload& payload) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return copy(payload);
}

tlm::tlm_sync_enum ram::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
}

bool ram::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
    dmi.allow_read_write();
    dmi.set_dmi_ptr(octets_.data());
    dmi.set_start_address(0);
    dmi.set_end_address(octets_.size() - 1);
    return true;
}

}  // namespace weir::cpu
