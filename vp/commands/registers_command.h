// SPDX-License-Identifier: Apache-2.0
// `weir regs`: the register map for people: list, find, decode an address, explain a register or field, export.
#pragma once

#include <string>
#include <string_view>

#include "models/registers/map.h"

namespace weir::vp {

/// One line a register of the block, or of all blocks when `block` is empty. config_error for an unknown block.
[[nodiscard]] std::string list_registers(const registers::map& map, std::string_view block);

/// Registers and fields whose name or meaning holds the word, whatever its case. config_error when none does.
[[nodiscard]] std::string find_registers(const registers::map& map, std::string_view word);

/// What stands at an address ("0x1234" or decimal). config_error when it is no number or nothing stands there.
[[nodiscard]] std::string decode_address(const registers::map& map, std::string_view address);

/// Everything about "block.register" or "block.register.field". config_error with the nearest name.
[[nodiscard]] std::string explain_register(const registers::map& map, std::string_view name);

/// The generated file of that format: header, svd, rdl, markdown. config_error for another.
[[nodiscard]] std::string_view exported_map(std::string_view format);

}  // namespace weir::vp
