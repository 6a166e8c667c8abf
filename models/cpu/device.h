// SPDX-License-Identifier: Apache-2.0
// A device of the board, as the bus sees it: accesses at an offset from its base. Devices know no TLM; device_target
// puts one on the bus.
#pragma once

#include <cstdint>

#include "models/timeline/time.h"

namespace weir::cpu {

class device {
public:
    virtual ~device() = default;
    /// 1, 2 or 4 octets at an aligned offset, at the time `now` of whoever asks. False: refused, a bus error.
    virtual bool read(std::uint32_t offset, unsigned octets, std::uint32_t& value, picoseconds now) = 0;
    virtual bool write(std::uint32_t offset, unsigned octets, std::uint32_t value, picoseconds now) = 0;
    /// What a read would show, without its side effects: for debuggers. False: nothing is there.
    [[nodiscard]] virtual bool peek(std::uint32_t offset, unsigned octets, std::uint32_t& value,
                                    picoseconds now) const = 0;
};

}  // namespace weir::cpu
