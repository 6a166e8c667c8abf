// SPDX-License-Identifier: Apache-2.0
// The driver's CPU, played by an SC_THREAD: native C code runs in it and reaches the chip over the bus.
//
// Its local time may run ahead of the kernel's, but never past anything that is due: an access at local time t happens
// when everything before t is done, so results do not depend on the quantum. While nothing else is due, which is the
// whole of a boot, an access costs a call and no context switch.
#pragma once

#include <systemc>
#include <tlm>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "models/asic/switch_asic.h"
#include "models/timeline/timeline.h"
#include "sw/hal/hal.h"

namespace weir::platforms {

class native_initiator : public sc_core::sc_module, public tlm::tlm_bw_transport_if<>, private actor {
public:
    SC_HAS_PROCESS(native_initiator);
    /// Drives `chip`. `quantum` bounds how far the local time may lead; 0: each access waits for the kernel.
    native_initiator(sc_core::sc_module_name name, timeline& time, asic::switch_asic& chip,
                     picoseconds quantum = microseconds(10));
    ~native_initiator() override;

    tlm::tlm_initiator_socket<32> socket{"socket"};

    /// Lets the CPU reach another chip, at the same local time; before the simulation starts. Chips are numbered in the
    /// order in which they come; the one given at construction is 0.
    void add_chip(asic::switch_asic& chip);
    [[nodiscard]] std::size_t chips() const { return chips_.size(); }

    /// Gives the CPU something to run: at the simulation's start, or now. Until it returns, `running` is true; one at a
    /// time.
    void program(std::function<void()> body);
    [[nodiscard]] bool running() const { return running_; }
    /// Programs are handed to `runner`, which calls them, or lets somebody else and returns when that is done.
    void run_programs_by(std::function<void(const std::function<void()>&)> runner) { runner_ = std::move(runner); }
    /// The chip as that program sees it.
    [[nodiscard]] weir_hal& hal() { return hal_; }
    [[nodiscard]] picoseconds local_time() const { return local_; }
    /// Where the driver's messages go; by default nowhere.
    void on_log(std::function<void(weir_log_level, const char*)> log) { log_ = std::move(log); }

    // For C++ programs, which need no HAL in between. False: the bus answered with an error.
    bool read(std::uint32_t address, std::uint32_t& word, std::size_t chip = 0);
    bool write(std::uint32_t address, std::uint32_t word, std::size_t chip = 0);
    void wait_until(picoseconds time);
    /// Waits until every posted write has taken effect.
    void barrier();
    /// True: the chip's interrupt line was asserted before `timeout` passed.
    bool wait_for_interrupt(picoseconds timeout, std::size_t chip = 0);
    /// For a program that stood still while time went on by itself: brings its local time to the present.
    void catch_up();

private:
    void run();
    void due(std::uint32_t what) override;
    void take_turn();
    void listen(asic::switch_asic& chip);
    bool access(tlm::tlm_command command, std::uint32_t address, std::uint32_t& word, std::size_t chip);
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
        return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    timeline& time_;
    std::vector<asic::switch_asic*> chips_;
    struct another_bus;
    std::vector<std::unique_ptr<another_bus>> more_buses_;  // of chips 1 and up
    initiator_name says_;
    picoseconds quantum_;
    picoseconds local_{0};
    weir_hal hal_{};
    std::function<void()> body_;
    std::function<void(const std::function<void()>&)> runner_;
    std::function<void(weir_log_level, const char*)> log_;
    tlm::tlm_generic_payload payload_;
    sc_core::sc_event turn_;
    sc_core::sc_event programmed_;
    std::uint32_t turns_{0};  // numbers the waits, so that a late entry of an earlier one is ignored
    const asic::switch_asic* waiting_for_{nullptr};  // whose interrupt line
    bool running_{false};
};

}  // namespace weir::platforms
