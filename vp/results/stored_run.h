// SPDX-License-Identifier: Apache-2.0
// A finished run, looked at: in tables, or by the driver: the registers come out of result.json, and the shell's `show`
// reads them as it would a live chip's.
#pragma once

#include <string>

namespace weir::vp {

/// The table (vp/results/stored_tables.h) of that name, or what the shell's `show WORDS` prints for every switch, of
/// the run in `folder`. Throws config_error when there is no result.json of this version, or when the words are none.
[[nodiscard]] std::string show_stored_run(const std::string& folder, const std::string& words);

}  // namespace weir::vp
