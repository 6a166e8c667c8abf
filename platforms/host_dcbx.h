// SPDX-License-Identifier: Apache-2.0
// The dcbx keys of a host as the message that it sends.
#pragma once

#include <optional>
#include <string_view>

#include "models/ethernet/dcbx.h"
#include "platforms/config.h"

namespace weir::platforms {

/// "strict,strict,60,40,strict,strict,strict,strict": how classes 0 to 7 are served; priority n is in class n. Nothing
/// when there are not eight words, or the percentages are not 100 together.
[[nodiscard]] std::optional<ethernet::ets_table> ets_of(std::string_view words);

/// What a host with `dcbx` says of itself.
[[nodiscard]] ethernet::dcbx_message dcbx_of(const host_config& host);

}  // namespace weir::platforms
