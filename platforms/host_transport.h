// SPDX-License-Identifier: Apache-2.0
// A host's keys of reliable connections and congestion control, and the presets of DCQCN.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "models/host/transport_parameters.h"
#include "platforms/keys.h"

namespace weir::platforms {

[[nodiscard]] const std::vector<bound_key<host_config>>& host_transport_keys();

/// Gives each DCQCN parameter the value that the host's preset has for it on a line of that rate, unless the key was
/// given (`given` says so of a key's name).
void apply_preset(host_config& host, data_rate line, const std::function<bool(std::string_view key)>& given);

/// What the end station is built with.
[[nodiscard]] host::transport_parameters transport_of(const host_config& host);

}  // namespace weir::platforms
