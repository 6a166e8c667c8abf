// SPDX-License-Identifier: Apache-2.0
// The generated forms of the register map, embedded at build time by embed.py.
#pragma once

#include <string_view>

namespace weir::vp::exports {

extern const std::string_view header;
extern const std::string_view svd;
extern const std::string_view rdl;
extern const std::string_view markdown;

}  // namespace weir::vp::exports
