// SPDX-License-Identifier: Apache-2.0
// Timer and software interrupt of the hart, laid out as a SiFive CLINT: msip at 0, mtimecmp at 0x4000, mtime at 0xbff8.
//
// mtime counts nanoseconds of simulated time and cannot be written: time is the simulation's. The core asks for the
// `deadline`, so no event is spent on a timer that nobody waits for.
#pragma once

#include <cstdint>

#include "models/cpu/device.h"

namespace weir::cpu {

class clint : public device {
public:
    static constexpr std::uint32_t size = 0x10000;

    bool read(std::uint32_t offset, unsigned octets, std::uint32_t& value, picoseconds now) override;
    bool write(std::uint32_t offset, unsigned octets, std::uint32_t value, picoseconds now) override;
    [[nodiscard]] bool peek(std::uint32_t offset, unsigned octets, std::uint32_t& value,
                            picoseconds now) const override;

    [[nodiscard]] bool software_interrupt() const { return software_; }
    /// From when on the timer interrupt is pending; `never` when mtimecmp lies beyond the end of time.
    [[nodiscard]] picoseconds deadline() const;

private:
    bool software_{false};
    std::uint64_t compare_{UINT64_MAX};
};

}  // namespace weir::cpu
