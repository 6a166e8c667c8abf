// SPDX-License-Identifier: Apache-2.0
// Platform-level interrupt controller of one hart, machine mode: 31 level-triggered sources with priorities 0 to 7.
//
//   source's line ─► pending ─► enabled and priority above the threshold ─► the hart's external interrupt
//                       └─ claim (read) takes the greatest; complete (write) lets the source be pending again
//
// Laid out as the RISC-V PLIC specification 1.0.0 has it, context 0.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "models/cpu/device.h"

namespace weir::cpu {

class plic : public device {
public:
    static constexpr std::uint32_t size = 0x4000000;
    static constexpr std::uint32_t sources = 31;  ///< 1 to 31

    /// A source's line, level.
    void set_line(std::uint32_t source, bool asserted);
    /// The hart's external interrupt.
    [[nodiscard]] bool asserted() const { return best() != 0; }
    /// Called whenever `asserted` may have changed.
    void on_change(std::function<void()> hook) { on_change_ = std::move(hook); }

    bool read(std::uint32_t offset, unsigned octets, std::uint32_t& value, picoseconds now) override;
    bool write(std::uint32_t offset, unsigned octets, std::uint32_t value, picoseconds now) override;
    /// The claim register shows what a claim would take.
    [[nodiscard]] bool peek(std::uint32_t offset, unsigned octets, std::uint32_t& value,
                            picoseconds now) const override;

private:
    [[nodiscard]] std::uint32_t best() const;
    void changed();

    std::array<std::uint8_t, sources + 1> priority_{};
    std::uint32_t lines_{0};    // a bit a source
    std::uint32_t claimed_{0};  // in service: its gateway is shut
    std::uint32_t enabled_{0};
    std::uint32_t threshold_{0};
    std::function<void()> on_change_;
};

}  // namespace weir::cpu
