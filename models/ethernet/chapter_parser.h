// SPDX-License-Identifier: Apache-2.0
// Chapter mode of the PFC parser (G9): the PFC RTL chapter's automaton, octet by octet, with what it leaves out.
//
// It commits whatever has a good FCS and got as far as the opcode. What a frame was too short to bring is what an
// earlier control frame left in the registers; and its octet counter has six bits, so a frame beyond 64 octets is read
// again from the start. The FCS is not among the octets: the chapter's builder leaves it to the MAC as well.
#pragma once

#include "models/ethernet/mac_control.h"

namespace weir::ethernet {

class chapter_parser {
public:
    enum class verdict : std::uint8_t { nothing, wrong_address, bad_fcs, commit };

    /// Every untagged MAC Control frame passes through here, because it leaves traces.
    verdict take(const frame& received);
    [[nodiscard]] std::uint8_t vector() const { return vector_; }
    [[nodiscard]] const pause_times& time() const { return time_; }

private:
    std::uint16_t type_{0};
    std::uint16_t opcode_{0};
    std::uint8_t vector_{0};
    pause_times time_{};
};

}  // namespace weir::ethernet
