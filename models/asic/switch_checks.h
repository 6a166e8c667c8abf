// SPDX-License-Identifier: Apache-2.0
// The checkers around a switch's memory (P14 to P18, P28) and over its conformance registers (P29 to P32).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/asic/front_port.h"
#include "models/mmu/memory_checker.h"
#include "models/mmu/wish_checker.h"
#include "models/pfc/conformance_checker.h"
#include "models/registers/bank.h"

namespace weir::asic {

class switch_checks {
public:
    switch_checks(const timeline& time, std::string place, mmu::mmu& memory, registers::bank& bank);

    /// The next front port, in the order of their numbers. Its wishes go through the checker that this returns.
    mmu::wish_checker& add(front_port& port);
    /// After all registers are bound: looks when a fault occurs or a threshold is written.
    void watch_registers();
    /// A fault has occurred somewhere.
    void look();
    /// Before a reset of the chip, or of one port: the faults go.
    void forget();
    void forget(std::uint32_t port) { conformance_[port]->clears(0xff); }

    mmu::memory_checker memory;

private:
    [[nodiscard]] std::uint8_t impossible(std::uint32_t port) const;

    const timeline& time_;
    std::string place_;
    mmu::mmu& cells_;
    registers::bank& bank_;
    registers::bank::field_ref dead_time_, truncated_, conformant_, infeasible_;
    registers::bank::field_ref lossless_, absolute_, headroom_, xoff_, xon_;
    registers::bank::field_ref queue_rate_, port_rate_;
    std::vector<registers::bank::field_ref> fault_bits_;
    std::vector<front_port*> ports_;
    std::vector<std::unique_ptr<mmu::wish_checker>> wishes_;
    std::vector<std::unique_ptr<pfc::conformance_checker>> conformance_;
};

}  // namespace weir::asic
