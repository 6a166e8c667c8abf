// SPDX-License-Identifier: Apache-2.0
// Which Weir this is.
#pragma once

#include <string_view>

namespace weir::vp {

/// "0.1.0"
[[nodiscard]] std::string_view version();

}  // namespace weir::vp
