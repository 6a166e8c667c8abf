// SPDX-License-Identifier: Apache-2.0
// `weir check`: explains what a platform is programmed to before it runs, and says what is wrong with it.
#pragma once

#include <string>
#include <vector>

#include "platforms/config.h"
#include "vp/check/programmed.h"

namespace weir::vp {

struct check_report {
    std::string text;                   ///< the tables
    std::vector<std::string> errors;    ///< these stop
    std::vector<std::string> warnings;  ///< these do not

    /// Tables, then errors and warnings, a line each.
    [[nodiscard]] std::string whole() const;
};

/// `states` by switch, as the platform lists them.
[[nodiscard]] check_report make_check_report(const platforms::platform_config& platform,
                                             const std::vector<programmed_state>& states);

}  // namespace weir::vp
