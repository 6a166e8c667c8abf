// SPDX-License-Identifier: Apache-2.0
// Colours of a terminal.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

namespace weir::vp {

enum class colour : std::uint8_t { red, yellow, green };

/// Whether what is written to `out` may be coloured: it is the program's standard output, that is a terminal, and
/// the environment's NO_COLOR is unset or empty.
[[nodiscard]] bool takes_colour(const std::ostream& out);

/// `text` in that colour; a line end at its end stays behind the colour's.
[[nodiscard]] std::string painted(std::string text, colour in);

}  // namespace weir::vp
