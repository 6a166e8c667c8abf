// SPDX-License-Identifier: Apache-2.0
// Changing the program of switches that run: other values for its ${names}, and the lines that come out otherwise.
#pragma once

#include <string>
#include <vector>

#include "platforms/config.h"
#include "platforms/guest.h"

namespace weir::platforms {

/// What the drivers have to carry out when the values of the program become those of `assignments` ("NAME=VALUE" each),
/// one after the other: a list for each switch. An assignment gives the lines of the switch's script that it changes,
/// in their order, each behind the `interface` that it stands under; a `pool create` becomes a `pool resize`.
/// `platform` has the new values afterwards. Throws config_error, with `where` before it, for one that is no assignment
/// and for a name that the program does not have; and for an `interface` line that changes: what it said before cannot
/// be taken back.
[[nodiscard]] std::vector<std::vector<script_line>> change_program(platform_config& platform,
                                                                   const std::vector<std::string>& assignments,
                                                                   const std::string& where);

}  // namespace weir::platforms
