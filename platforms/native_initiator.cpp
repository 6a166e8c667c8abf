// SPDX-License-Identifier: Apache-2.0
#include "platforms/native_initiator.h"

#include <algorithm>
#include <string>
#include <utility>

namespace weir::platforms {

/// The kernel wants a socket to stand in a module, and the CPU itself is complete when further chips come.
struct native_initiator::another_bus : sc_core::sc_module {
    explicit another_bus(sc_core::sc_module_name name) : sc_module(name) {}
    tlm::tlm_initiator_socket<32> socket{"socket"};
};

native_initiator::native_initiator(sc_core::sc_module_name module_name, timeline& time, asic::switch_asic& chip,
                                   picoseconds quantum)
    : sc_module(module_name), actor(time, name()), time_(time), chips_{&chip}, says_(name()), quantum_(quantum) {
    socket.bind(*this);
    payload_.set_extension(&says_);
    listen(chip);
    hal_.ctx = this;
    hal_.read32 = [](void* ctx, std::uint32_t address, std::uint32_t* word) {
        return static_cast<native_initiator*>(ctx)->read(address, *word) ? WEIR_OK : WEIR_E_BUS;
    };
    hal_.write32 = [](void* ctx, std::uint32_t address, std::uint32_t word) {
        return static_cast<native_initiator*>(ctx)->write(address, word) ? WEIR_OK : WEIR_E_BUS;
    };
    hal_.barrier = [](void* ctx) { static_cast<native_initiator*>(ctx)->barrier(); };
    hal_.now_ns = [](void* ctx) {
        return static_cast<std::uint64_t>(static_cast<native_initiator*>(ctx)->local_ / nanoseconds(1));
    };
    hal_.delay_ns = [](void* ctx, std::uint64_t ns) {
        auto& self = *static_cast<native_initiator*>(ctx);
        self.wait_until(self.local_ + nanoseconds(static_cast<std::int64_t>(ns)));
    };
    hal_.wait_irq = [](void* ctx, std::uint64_t timeout_ns) {
        auto& self = *static_cast<native_initiator*>(ctx);
        // What is longer than time itself is without end.
        const auto most = static_cast<std::uint64_t>((never - self.local_) / nanoseconds(1));
        const auto ns = static_cast<std::int64_t>(std::min(timeout_ns, most));
        return self.wait_for_interrupt(nanoseconds(ns)) ? WEIR_OK : WEIR_E_TIMEOUT;
    };
    hal_.log = [](void* ctx, weir_log_level level, const char* text) {
        auto& self = *static_cast<native_initiator*>(ctx);
        if (self.log_) self.log_(level, text);
    };
    SC_THREAD(run);
}

native_initiator::~native_initiator() {
    payload_.clear_extension(&says_);
}

void native_initiator::listen(asic::switch_asic& chip) {
    chip.on_interrupt([this, &chip](bool asserted) {
        if (asserted && waiting_for_ == &chip) time_.at(time_.now(), phase::register_access, *this, turns_);
    });
}

void native_initiator::add_chip(asic::switch_asic& chip) {
    const std::string bus_name = std::string(basename()) + "_bus" + std::to_string(chips_.size());
    more_buses_.push_back(std::make_unique<another_bus>(bus_name.c_str()));
    more_buses_.back()->socket.bind(*this);
    more_buses_.back()->socket.bind(chip.socket());
    chips_.push_back(&chip);
    listen(chip);
}

void native_initiator::program(std::function<void()> body) {
    body_ = std::move(body);
    running_ = true;
    programmed_.notify(sc_core::SC_ZERO_TIME);
}

void native_initiator::run() {
    for (;;) {
        while (!running_) wait(programmed_);
        local_ = std::max(time_.now(), from_kernel(sc_core::sc_time_stamp()));
        if (runner_) {
            runner_(body_);
        } else {
            body_();
        }
        take_turn();
        running_ = false;
    }
}

// Waits until everything before the local time is done, and makes the local time the packet plane's.
void native_initiator::take_turn() {
    const bool within_quantum = local_ - from_kernel(sc_core::sc_time_stamp()) < quantum_;
    if (within_quantum && time_.free_to_access(local_)) return;
    local_ = std::max(local_, time_.now());
    time_.at(local_, phase::register_access, *this, ++turns_);
    wait(turn_);
}

void native_initiator::due(std::uint32_t what) {
    if (what == turns_) time_.yield_to(turn_);
}

bool native_initiator::access(tlm::tlm_command command, std::uint32_t address, std::uint32_t& word, std::size_t chip) {
    take_turn();
    payload_.set_command(command);
    payload_.set_address(address);
    payload_.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    payload_.set_data_length(4);
    payload_.set_streaming_width(4);
    payload_.set_byte_enable_ptr(nullptr);
    payload_.set_dmi_allowed(false);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    const sc_core::sc_time kernel_now = sc_core::sc_time_stamp();
    sc_core::sc_time delay = to_kernel(local_) - kernel_now;
    auto& bus = chip == 0 ? socket : more_buses_[chip - 1]->socket;
    bus->b_transport(payload_, delay);
    local_ = from_kernel(kernel_now + delay);
    return payload_.is_response_ok();
}

bool native_initiator::read(std::uint32_t address, std::uint32_t& word, std::size_t chip) {
    // A read pushes posted writes before it.
    local_ = std::max(local_, chips_[chip]->target().posted_until());
    word = 0;
    return access(tlm::TLM_READ_COMMAND, address, word, chip);
}

bool native_initiator::write(std::uint32_t address, std::uint32_t word, std::size_t chip) {
    return access(tlm::TLM_WRITE_COMMAND, address, word, chip);
}

void native_initiator::wait_until(picoseconds time) {
    if (time <= local_) return;
    local_ = time;
    take_turn();
}

void native_initiator::barrier() {
    for (asic::switch_asic* chip : chips_) wait_until(chip->target().posted_until());
}

void native_initiator::catch_up() {
    local_ = std::max({local_, time_.now(), from_kernel(sc_core::sc_time_stamp())});
}

bool native_initiator::wait_for_interrupt(picoseconds timeout, std::size_t chip) {
    take_turn();
    const asic::switch_asic& watched = *chips_[chip];
    if (watched.interrupt_pending()) return true;
    // Either the line rises, or the time is up: whichever entry comes first ends the wait.
    waiting_for_ = &watched;
    time_.at(local_ + timeout, phase::register_access, *this, ++turns_);
    wait(turn_);
    waiting_for_ = nullptr;
    ++turns_;
    local_ = std::max(local_, time_.now());
    return watched.interrupt_pending();
}

}  // namespace weir::platforms
