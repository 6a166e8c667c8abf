// SPDX-License-Identifier: Apache-2.0
#include "models/asic/register_target.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::asic {

register_target::register_target(sc_core::sc_module_name module_name, timeline& time, registers::bank& bank,
                                 const bus_timing& timing, error_policy policy)
    : sc_module(module_name), actor(time, name()), time_(time), bank_(bank), timing_(timing), policy_(policy) {
    socket.bind(*this);
}

std::uint32_t register_target::from_bus(const unsigned char* octets) const {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned shift = bank_.layout().order == registers::byte_order::little ? 8 * i : 8 * (3 - i);
        value |= std::uint32_t{octets[i]} << shift;
    }
    return value;
}

void register_target::to_bus(std::uint32_t value, unsigned char* octets) const {
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned shift = bank_.layout().order == registers::byte_order::little ? 8 * i : 8 * (3 - i);
        octets[i] = static_cast<unsigned char>(value >> shift);
    }
}

void register_target::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const picoseconds now = from_kernel(sc_core::sc_time_stamp()) + from_kernel(delay);
    time_.advance_to(now);
    payload.set_dmi_allowed(false);
    const std::uint64_t address = payload.get_address();
    ++(payload.is_write() ? writes_ : reads_);
    const auto* said = payload.get_extension<initiator_name>();
    const char* const initiator = said != nullptr ? said->name : nullptr;
    if (!refused_.empty() && refuses(address, payload.is_write())) {
        delay += to_kernel(payload.is_write() ? timing_.write_latency : timing_.read_latency);
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return;
    }
    registers::bank::result r;
    if (payload.get_data_length() != 4 || payload.get_byte_enable_ptr() != nullptr ||
        payload.get_streaming_width() < 4) {
        r.error = registers::access_error::wrong_size;
        if (const auto place = bank_.locate(address); place) {
            r.where = place->where;
            r.at = place->at;
        }
        tell({now, initiator, address, payload.is_write(), 0, std::nullopt, r});
    } else if (payload.is_read()) {
        std::uint32_t value = 0;
        push_posted_writes();
        r = bank_.read(address, value);
        to_bus(value, payload.get_data_ptr());
        tell({now, initiator, address, false, value, std::nullopt, r});
        delay += to_kernel(timing_.read_latency);
    } else if (payload.is_write()) {
        const std::uint32_t value = from_bus(payload.get_data_ptr());
        delay += to_kernel(timing_.write_latency);
        if (timing_.posted_delay > picoseconds{0}) {
            posted_until_ = now + timing_.posted_delay;
            posted_.push({address, value, initiator});
            time_.at(posted_until_, phase::register_access, *this, 0);
        } else {
            r = write(address, value, initiator);
        }
    }
    if (r.error != registers::access_error::none) report(r, address, said);
    const bool refused = r.error != registers::access_error::none && policy_ == error_policy::bus_error;
    payload.set_response_status(!refused ? tlm::TLM_OK_RESPONSE
                                : r.error == registers::access_error::unmapped ||
                                        r.error == registers::access_error::out_of_range
                                    ? tlm::TLM_ADDRESS_ERROR_RESPONSE
                                    : tlm::TLM_COMMAND_ERROR_RESPONSE);
}

registers::bank::result register_target::write(std::uint64_t address, std::uint32_t value, const char* initiator) {
    if (observers_.empty()) return bank_.write(address, value);
    const auto before = bank_.peek(address);
    const auto r = bank_.write(address, value);
    tell({time_.now(), initiator, address, true, value, before, r});
    return r;
}

bool register_target::refuses(std::uint64_t address, bool write) const {
    return std::any_of(refused_.begin(), refused_.end(), [&](const refused_range& r) {
        return address >= r.first && address <= r.last && (write ? r.writes : r.reads);
    });
}

void register_target::tell(const register_access& done) const {
    for (const auto& observer : observers_) observer(done);
}

// An initiator that can wait has waited for them; one that cannot, as the core, pushes them ahead of its read.
void register_target::push_posted_writes() {
    while (!posted_.empty()) {
        carry_out(posted_.pop());
        ++drained_;
    }
}

void register_target::due(std::uint32_t) {
    if (drained_ > 0) {
        --drained_;
        return;
    }
    carry_out(posted_.pop());
}

void register_target::carry_out(const posted_write& w) {
    const auto r = write(w.address, w.value, w.initiator);
    if (r.error != registers::access_error::none) report(r, w.address, nullptr);
}

void register_target::report(const registers::bank::result& r, std::uint64_t address, const initiator_name* who) {
    if (on_error_) on_error_(r, address);
    if (policy_ == error_policy::ignored) return;
    const auto place = bank_.locate(address);
    const double us = static_cast<double>(time_.now().count()) / 1e6;
    const bool tells = who != nullptr && who->where;
    const std::string text =
        fmt::format("{:.3f} us: {:#010x}{}: {}{}", us, address, place ? " (" + registers::describe(*place) + ")" : "",
                    registers::name_of(r.error), tells ? ", pc " + who->where() : "");
    SC_REPORT_INFO("weir/registers", text.c_str());
}

unsigned register_target::transport_dbg(tlm::tlm_generic_payload& payload) {
    const unsigned octets = payload.get_data_length() & ~3U;
    unsigned done = 0;
    for (; done < octets; done += 4) {
        const std::uint64_t address = payload.get_address() + done;
        unsigned char* data = payload.get_data_ptr() + done;
        if (payload.is_write()) {
            if (!bank_.poke(address, from_bus(data))) break;
        } else {
            const auto value = bank_.peek(address);
            if (!value) break;
            to_bus(*value, data);
        }
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return done;
}

tlm::tlm_sync_enum register_target::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                                                    sc_core::sc_time&) {
    // The control plane is loosely timed: there is one way to make an access.
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
}

}  // namespace weir::asic
