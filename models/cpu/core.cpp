// SPDX-License-Identifier: Apache-2.0
#include "models/cpu/core.h"

#include <algorithm>
#include <utility>

namespace weir::cpu {

core::core(sc_core::sc_module_name module_name, timeline& time, clint& timer, picoseconds period, picoseconds quantum)
    : sc_module(module_name),
      actor(time, name()),
      time_(time),
      timer_(timer),
      hart_(static_cast<bus_if&>(*this)),
      says_(name()),
      period_(period),
      quantum_(quantum) {
    socket.bind(*this);
    payload_.set_extension(&says_);
}

core::~core() {
    payload_.clear_extension(&says_);
}

void core::start_of_simulation() {
    elaborated_ = true;
    if (started_) arm(time_.now());
}

void core::start(std::uint32_t pc) {
    hart_.reset(pc);
    local_ = std::max(local_, time_.now());
    started_ = true;
    sleeping_ = false;
    if (elaborated_) arm(local_);
}

void core::arm(picoseconds at) {
    time_.at(at, phase::register_access, *this, ++turns_);
}

void core::wake() {
    if (running_) {
        hart_.request_stop();
    } else if (sleeping_ && elaborated_) {
        sleeping_ = false;
        arm(std::max(local_, time_.now()));
    }
}

void core::set_external_interrupt(bool asserted) {
    if (asserted == external_) return;
    external_ = asserted;
    wake();
}

void core::halt() {
    halt_ = true;
    wake();
}

picoseconds core::local_time() const {
    if (!running_) return local_;
    return local_ + static_cast<std::int64_t>(hart_.executed()) * period_ + bus_time_;
}

void core::update_lines() {
    hart_.set_line(interrupt_line::software, timer_.software_interrupt());
    hart_.set_line(interrupt_line::timer, timer_.deadline() <= local_);
    hart_.set_line(interrupt_line::external, external_);
}

// Instructions that begin before anything else is due. The turn that the timeline gave is good for one in any case:
// two cores that are due at one instant would otherwise wait for each other.
std::uint64_t core::budget(picoseconds end, bool first) const {
    picoseconds bound = std::min(time_.quiet_until(), end);
    const picoseconds deadline = timer_.deadline();
    if (deadline > local_) bound = std::min(bound, deadline);
    if (bound <= local_) return first ? 1 : 0;
    return static_cast<std::uint64_t>((bound - local_ - picoseconds{1}) / period_) + 1;
}

void core::due(std::uint32_t what) {
    if (what != turns_) return;
    sleeping_ = false;
    local_ = std::max(local_, time_.now());
    const picoseconds end = local_ + quantum_;
    for (bool first = true;; first = false) {
        update_lines();
        if (std::exchange(halt_, false)) stopped(stop::requested);
        const std::uint64_t room = budget(end, first);
        if (room == 0) break;
        const bool stepping = std::exchange(step_, false);
        const std::uint64_t count = stepping ? 1 : room;
        running_ = true;
        bus_time_ = picoseconds{0};
        const stop why = hart_.run(count);
        local_ = local_time();
        retired_ += hart_.executed();
        running_ = false;
        if (stepping || why == stop::breakpoint || why == stop::watchpoint) {
            stopped(why == stop::budget || why == stop::wait ? stop::requested : why);
            // What the debugger did may have woken the hart.
            if (why != stop::wait || step_ || halt_) continue;
        }
        if (why == stop::wait && !interrupt_waits()) {
            sleeping_ = true;
            const picoseconds deadline = timer_.deadline();
            if (deadline > local_ && deadline != never) arm(deadline);
            return;
        }
    }
    arm(local_);
}

// The bus may have changed a line in the very slice that ended in wfi.
bool core::interrupt_waits() {
    update_lines();
    return hart_.interrupt_pending();
}

void core::stopped(stop why) {
    if (on_stop_) on_stop_(why);
}

bool core::access(tlm::tlm_command command, std::uint32_t address, unsigned octets, unsigned char* data) {
    payload_.set_command(command);
    payload_.set_address(address);
    payload_.set_data_ptr(data);
    payload_.set_data_length(octets);
    payload_.set_streaming_width(octets);
    payload_.set_byte_enable_ptr(nullptr);
    payload_.set_dmi_allowed(false);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    const picoseconds begin = local_time();
    const sc_core::sc_time kernel_now = sc_core::sc_time_stamp();
    sc_core::sc_time delay = to_kernel(begin) - kernel_now;
    socket->b_transport(payload_, delay);
    bus_time_ += from_kernel(kernel_now + delay) - begin;
    // The access may have made something due, moved a line or the timer's deadline: the slice's length is void.
    hart_.request_stop();
    if (payload_.is_response_ok() && payload_.is_dmi_allowed()) map_directly(address);
    return payload_.is_response_ok();
}

bool core::load(std::uint32_t address, unsigned octets, std::uint32_t& value) {
    unsigned char data[4] = {};
    if (!access(tlm::TLM_READ_COMMAND, address, octets, data)) return false;
    value = 0;
    for (unsigned i = 0; i < octets; ++i) value |= std::uint32_t{data[i]} << (8 * i);
    return true;
}

bool core::store(std::uint32_t address, unsigned octets, std::uint32_t value) {
    unsigned char data[4];
    for (unsigned i = 0; i < 4; ++i) data[i] = static_cast<unsigned char>(value >> (8 * i));
    return access(tlm::TLM_WRITE_COMMAND, address, octets, data);
}

void core::map_directly(std::uint32_t address) {
    tlm::tlm_dmi dmi;
    payload_.set_address(address);
    if (!socket->get_direct_mem_ptr(payload_, dmi) || !dmi.is_read_write_allowed()) return;
    const auto first = static_cast<std::uint32_t>(dmi.get_start_address());
    hart_.map_memory(first, dmi.get_dmi_ptr(), static_cast<std::uint32_t>(dmi.get_end_address()) - first + 1);
}

void core::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) {
    const auto base = static_cast<std::uint32_t>(first) & ~std::uint32_t{0xfff};
    const auto top = static_cast<std::uint32_t>(std::min<sc_dt::uint64>(last, UINT32_MAX));
    hart_.unmap_memory(base, ((top - base) & ~std::uint32_t{0xfff}) + 0x1000);
}

unsigned core::look(std::uint32_t address, unsigned char* data, unsigned octets) {
    return debug(tlm::TLM_READ_COMMAND, address, data, octets);
}

unsigned core::alter(std::uint32_t address, const unsigned char* data, unsigned octets) {
    std::vector<unsigned char> copy(data, data + octets);
    const unsigned done = debug(tlm::TLM_WRITE_COMMAND, address, copy.data(), octets);
    hart_.memory_changed(address, octets);
    return done;
}

unsigned core::debug(tlm::tlm_command command, std::uint32_t address, unsigned char* data, unsigned octets) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data);
    payload.set_data_length(octets);
    payload.set_streaming_width(octets);
    return socket->transport_dbg(payload);
}

}  // namespace weir::cpu
