// SPDX-License-Identifier: Apache-2.0
// Tables of a finished run, as a switch's operating system would print them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace weir::vp {

/// The table `name` of a result.json: pg, queue, pfc, flows or drops, with a row for each that has anything to show,
/// over all switches; a sentence where no row does. Nothing: there is no such table. Throws json exceptions where the
/// result lacks what every result has.
[[nodiscard]] std::optional<std::string> stored_table(const nlohmann::ordered_json& result, const std::string& name);

}  // namespace weir::vp
