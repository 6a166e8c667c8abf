// SPDX-License-Identifier: Apache-2.0
// Lines of docs/conformance.md: what a document expects of the model, and what a test measured.
#pragma once

#include <string_view>

namespace weir::conformance {

/// Adds a line to the row `id` of tests/conformance/rows.toml, in the name of the test that runs. `expected` comes from
/// the document or a closed form, `measured` from the model; the test itself has compared them. Does nothing when the
/// environment's WEIR_RECORDS names no folder; there in "conformance".
void row(std::string_view id, std::string_view expected, std::string_view measured);

}  // namespace weir::conformance
