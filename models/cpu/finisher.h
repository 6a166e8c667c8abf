// SPDX-License-Identifier: Apache-2.0
// The test finisher: firmware that has come to its end says so here, and how. 0x5555: passed; 0x3333: failed, with a
// code in bits 31:16. As SiFive's, so that test programs run elsewhere too.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "models/cpu/device.h"

namespace weir::cpu {

class finisher : public device {
public:
    static constexpr std::uint32_t size = 0x1000;
    static constexpr std::uint32_t passed = 0x5555;
    static constexpr std::uint32_t failed = 0x3333;

    /// Called with 0 when the program passed, else with its code, 1 if it gave none.
    void on_finish(std::function<void(std::uint32_t)> hook) { on_finish_ = std::move(hook); }

    bool read(std::uint32_t offset, unsigned octets, std::uint32_t& value, picoseconds now) override {
        return peek(offset, octets, value, now);
    }
    bool write(std::uint32_t offset, unsigned octets, std::uint32_t value, picoseconds) override {
        if (offset != 0 || octets != 4) return false;
        const std::uint32_t word = value & 0xffff;
        const std::uint32_t code = value >> 16;
        if (!on_finish_ || (word != passed && word != failed)) return true;
        on_finish_(word == passed ? 0 : code == 0 ? 1 : code);
        return true;
    }
    [[nodiscard]] bool peek(std::uint32_t offset, unsigned octets, std::uint32_t& value, picoseconds) const override {
        value = 0;
        return offset == 0 && octets == 4;
    }

private:
    std::function<void(std::uint32_t)> on_finish_;
};

}  // namespace weir::cpu
