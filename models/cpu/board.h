// SPDX-License-Identifier: Apache-2.0
// The board that firmware runs on: a core, its memory and devices, and a window onto the switch's registers.
//
//   core ─► bus ─┬─ 0x00100000 finisher
//                ├─ 0x02000000 CLINT      mtime in ns
//                ├─ 0x0c000000 PLIC       source 1: the switch, source 10: the UART
//                ├─ 0x10000000 UART
//                ├─ 0x40000000 registers of the switch
//                └─ 0x80000000 RAM
//
// Addresses and source numbers are those of QEMU's "virt" machine where it has the device.
#pragma once

#include <systemc>
#include <tlm>

#include <cstdint>
#include <functional>
#include <optional>

#include "models/cpu/bus.h"
#include "models/cpu/clint.h"
#include "models/cpu/core.h"
#include "models/cpu/device_target.h"
#include "models/cpu/elf.h"
#include "models/cpu/finisher.h"
#include "models/cpu/plic.h"
#include "models/cpu/ram.h"
#include "models/cpu/uart16550.h"

namespace weir::cpu {

struct board_parameters {
    picoseconds clock_period{nanoseconds(1)};
    picoseconds quantum{microseconds(10)};
    picoseconds device_latency{nanoseconds(10)};  ///< of an access to a device of the board
    std::uint32_t ram_octets{8U << 20U};          ///< a multiple of 4096
};

class board : public sc_core::sc_module {
public:
    static constexpr std::uint32_t finisher_base = 0x00100000;
    static constexpr std::uint32_t clint_base = 0x02000000;
    static constexpr std::uint32_t plic_base = 0x0c000000;
    static constexpr std::uint32_t uart_base = 0x10000000;
    static constexpr std::uint32_t switch_base = 0x40000000;
    static constexpr std::uint32_t switch_window = 0x01000000;
    static constexpr std::uint32_t ram_base = 0x80000000;
    static constexpr std::uint32_t switch_source = 1;
    static constexpr std::uint32_t uart_source = 10;

    board(sc_core::sc_module_name name, timeline& time, const board_parameters& p);

    /// To be bound to the switch's register target.
    tlm::tlm_initiator_socket<32>& switch_socket() { return switch_socket_; }
    void set_switch_interrupt(bool asserted) { plic_.set_line(switch_source, asserted); }

    /// Puts a program into the memory and starts the core at its entry. Throws elf_error when it does not fit.
    void load(elf_file program);

    [[nodiscard]] class core& core() { return core_; }
    [[nodiscard]] uart16550& uart() { return uart_; }
    [[nodiscard]] ram& memory() { return ram_; }
    [[nodiscard]] finisher& end() { return finisher_; }
    /// What the core is executing: its pc, the function that is in, and who called that, up to the first that is no
    /// accessor: "0x80000b32 trap_store < write32 < weir_write < weir_pfc_timer_set". Needs frame pointers.
    [[nodiscard]] std::string where();
    /// Null before `load`.
    [[nodiscard]] const elf_file* program() const { return program_ ? &*program_ : nullptr; }

private:
    std::optional<std::uint32_t> word_at(std::uint32_t address);
    clint clint_;
    plic plic_;
    finisher finisher_;
    uart16550 uart_;
    class core core_;
    bus bus_;
    ram ram_;
    device_target clint_target_;
    device_target plic_target_;
    device_target uart_target_;
    device_target finisher_target_;
    tlm::tlm_initiator_socket<32>& switch_socket_;
    std::optional<elf_file> program_;
};

}  // namespace weir::cpu
