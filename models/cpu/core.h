// SPDX-License-Identifier: Apache-2.0
// The hart on the bus and in time: runs instructions, one clock each, up to the next thing that is due.
//
//   timeline ─► due ─► a slice of instructions ─► due again      RAM: directly (DMI)
//                        └─ load or store elsewhere ─► bus ─► register bank, UART, CLINT, PLIC, finisher
//
// A slice ends before anything that could change what the hart sees: an entry of the timeline, another process of the
// kernel, the timer's deadline. So an interrupt is taken at the same picosecond whatever the quantum. In wfi the core
// sleeps and costs nothing.
//
// The core is an actor of the timeline, not an SC_THREAD as the native driver is: all its state is data, and a turn
// costs a call instead of a switch of stacks. Its price: no target on the board's bus may wait in b_transport.
#pragma once

#include <systemc>
#include <tlm>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "models/cpu/clint.h"
#include "models/cpu/hart.h"
#include "models/timeline/initiator_name.h"
#include "models/timeline/timeline.h"

namespace weir::cpu {

class core : public sc_core::sc_module, public tlm::tlm_bw_transport_if<>, private actor, private bus_if {
public:
    /// `period`: of the clock. `quantum`: the longest slice; it changes no result.
    core(sc_core::sc_module_name name, timeline& time, clint& timer, picoseconds period, picoseconds quantum);

    ~core() override;

    tlm::tlm_initiator_socket<32> socket{"socket"};

    /// Takes the hart out of reset at `pc`, now or when the simulation starts.
    void start(std::uint32_t pc);
    /// The external interrupt line.
    void set_external_interrupt(bool asserted);

    [[nodiscard]] hart& processor() { return hart_; }
    /// When the instruction under way began, or the next one will begin.
    [[nodiscard]] picoseconds local_time() const;
    /// Instructions since the start.
    [[nodiscard]] std::uint64_t instructions() const { return retired_; }
    [[nodiscard]] bool sleeping() const { return sleeping_; }
    [[nodiscard]] picoseconds period() const { return period_; }

    /// What the hart is executing, in words, for messages and traces; by default its pc alone.
    void tell_where(std::function<std::string()> where) { says_.where = std::move(where); }

    // For a debugger.

    /// Makes the core stop before its next instruction and call the hook below. In wfi that is now.
    void halt();
    /// Called when the hart stops at a breakpoint, at a watchpoint, or because of `halt` or `single_step` (requested).
    /// Everything stands still until it returns; then the hart goes on.
    void on_stop(std::function<void(stop)> hook) { on_stop_ = std::move(hook); }
    /// From inside the hook: the hart executes one instruction, and the hook is called again.
    void single_step() { step_ = true; }
    /// Memory and devices without side effects: how many octets could be read or written.
    unsigned look(std::uint32_t address, unsigned char* data, unsigned octets);
    unsigned alter(std::uint32_t address, const unsigned char* data, unsigned octets);

private:
    void due(std::uint32_t what) override;
    bool load(std::uint32_t address, unsigned octets, std::uint32_t& value) override;
    bool store(std::uint32_t address, unsigned octets, std::uint32_t value) override;
    bool access(tlm::tlm_command command, std::uint32_t address, unsigned octets, unsigned char* data);
    unsigned debug(tlm::tlm_command command, std::uint32_t address, unsigned char* data, unsigned octets);
    void map_directly(std::uint32_t address);
    [[nodiscard]] std::uint64_t budget(picoseconds end, bool first) const;
    [[nodiscard]] bool interrupt_waits();
    void stopped(stop why);
    void update_lines();
    void wake();
    void arm(picoseconds at);
    void start_of_simulation() override;
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
        return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;

    timeline& time_;
    clint& timer_;
    hart hart_;
    tlm::tlm_generic_payload payload_;
    initiator_name says_;
    std::function<void(stop)> on_stop_;
    picoseconds period_;
    picoseconds quantum_;
    picoseconds local_{0};     // when the slice began
    picoseconds bus_time_{0};  // what the bus took in this slice, besides the clocks of its instructions
    std::uint64_t retired_{0};
    std::uint32_t turns_{0};  // numbers the entries, so that a late one of an earlier wait is ignored
    bool external_{false};
    bool started_{false};
    bool running_{false};  // in a slice
    bool sleeping_{false};
    bool halt_{false};
    bool step_{false};
    bool elaborated_{false};
};

}  // namespace weir::cpu
