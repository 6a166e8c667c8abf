// SPDX-License-Identifier: Apache-2.0
// The order of names in which numbers count as numbers: "p2" before "p10".
#pragma once

#include <string_view>

namespace weir {

[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

}  // namespace weir
