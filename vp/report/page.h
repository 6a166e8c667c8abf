// SPDX-License-Identifier: Apache-2.0
// The page: one HTML file with everything in it. Its sources are in vp/report/page, and uPlot draws its charts.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace weir::vp::report {

/// Embedded at build time by embed.py.
namespace assets {
extern const std::string_view page;
extern const std::string_view style;
extern const std::string_view script;
extern const std::string_view chart_style;
extern const std::string_view chart_script;
extern const std::string_view chart_licence;
}  // namespace assets

/// The whole file. `title` is the browser's; `data` is what the scripts draw.
[[nodiscard]] std::string make_page(const std::string& title, const nlohmann::ordered_json& data);

}  // namespace weir::vp::report
