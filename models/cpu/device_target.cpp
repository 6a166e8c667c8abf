// SPDX-License-Identifier: Apache-2.0
#include "models/cpu/device_target.h"

#include "models/timeline/timeline.h"

namespace weir::cpu {

device_target::device_target(sc_core::sc_module_name module_name, device& what, picoseconds latency)
    : sc_module(module_name), device_(what), latency_(latency) {
    socket.bind(*this);
}

void device_target::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const picoseconds now = from_kernel(sc_core::sc_time_stamp() + delay);
    const auto offset = static_cast<std::uint32_t>(payload.get_address());
    const unsigned octets = payload.get_data_length();
    unsigned char* data = payload.get_data_ptr();
    payload.set_dmi_allowed(false);
    delay += to_kernel(latency_);
    const bool one_word = (octets == 1 || octets == 2 || octets == 4) && offset % octets == 0 &&
                          payload.get_byte_enable_ptr() == nullptr && payload.get_streaming_width() >= octets;
    bool good = false;
    std::uint32_t value = 0;
    if (one_word && payload.is_read()) {
        good = device_.read(offset, octets, value, now);
        for (unsigned i = 0; i < octets; ++i) data[i] = static_cast<unsigned char>(value >> (8 * i));
    } else if (one_word && payload.is_write()) {
        for (unsigned i = 0; i < octets; ++i) value |= std::uint32_t{data[i]} << (8 * i);
        good = device_.write(offset, octets, value, now);
    }
    payload.set_response_status(good       ? tlm::TLM_OK_RESPONSE
                                : one_word ? tlm::TLM_ADDRESS_ERROR_RESPONSE
                                           : tlm::TLM_COMMAND_ERROR_RESPONSE);
}

unsigned device_target::transport_dbg(tlm::tlm_generic_payload& payload) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (!payload.is_read()) return 0;
    const picoseconds now = from_kernel(sc_core::sc_time_stamp());
    unsigned done = 0;
    for (; done < payload.get_data_length(); ++done) {
        std::uint32_t value = 0;
        const auto offset = static_cast<std::uint32_t>(payload.get_address()) + done;
        if (device_.peek(offset, 1, value, now)) {
            payload.get_data_ptr()[done] = static_cast<unsigned char>(value);
        } else if (device_.peek(offset & ~3U, 4, value, now)) {
            payload.get_data_ptr()[done] = static_cast<unsigned char>(value >> (8 * (offset % 4)));
        } else {
            break;
        }
    }
    return done;
}

tlm::tlm_sync_enum device_target::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                                                  sc_core::sc_time&) {
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
}

}  // namespace weir::cpu
