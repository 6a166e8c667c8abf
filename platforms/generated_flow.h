// SPDX-License-Identifier: Apache-2.0
// What the generators of workloads have in common: hosts by name, and a flow as [workload] describes it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/config.h"
#include "platforms/workload.h"

namespace weir::platforms {

/// The host that the value of `key` names. Throws config_error.
[[nodiscard]] std::uint32_t host_of(const platform_config& platform, const std::string& key, const std::string& name);

/// The hosts of a list, in its order; all in the order of their numbers when it is empty. Throws config_error for an
/// unknown one and for one that is named twice.
[[nodiscard]] std::vector<std::uint32_t> hosts_of(const platform_config& platform, const std::string& key,
                                                  const std::vector<std::string>& names);

/// Line rate of a host's port.
[[nodiscard]] data_rate host_rate(const platform_config& platform, std::uint32_t host);

/// A flow with everything that [workload] says. Throws config_error when its rate is more than the source's port has.
[[nodiscard]] flow generated_flow(const platform_config& platform, std::uint32_t source, std::uint32_t destination);

/// Throws config_error for fewer than two.
void need_two_hosts(const platform_config& platform);

}  // namespace weir::platforms
