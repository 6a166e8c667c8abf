// SPDX-License-Identifier: Apache-2.0
// Registers as people write them: "pg.xoff[0][3]", "pg.xoff.cells[0][3]", "pg.xoff[port 0][group 3].cells", "0x80018".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/registers/bank.h"

namespace weir::vp::remote {

/// One register of a chip, one field of it, or one 32-bit word of the map.
struct register_place {
    const registers::register_descriptor* about{nullptr};  ///< null: an address where nothing stands
    const registers::field_descriptor* field{nullptr};     ///< null: the whole register
    registers::index at{};
    std::uint32_t address{0};  ///< of the register's low word, or of the word
    bool one_word{true};       ///< false: a 64-bit register, both words
    bool high{false};          ///< the word is a 64-bit register's upper one
};

/// Finds it on this chip. Throws command_error (unknown_name, bad_index) with what would be right. An address need not
/// have a register.
[[nodiscard]] register_place find_register(const registers::bank& chip, std::string_view name);

/// "pg.xoff[0][3]", "pg.xoff.cells[0][3]", "port.rx_frames[2].high"; an address where nothing stands: "0x123".
[[nodiscard]] std::string register_text(const register_place& place);

/// Only the name without indices: "pg.xoff", "pg.xoff.cells". Throws command_error.
[[nodiscard]] register_place find_kind(const registers::map& layout, std::string_view name);

/// How many instances there are along one of its dimensions on this chip.
[[nodiscard]] std::uint32_t instances_along(const registers::bank& chip, const registers::register_descriptor& about,
                                            std::size_t dimension);

}  // namespace weir::vp::remote
