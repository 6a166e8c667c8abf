// SPDX-License-Identifier: Apache-2.0
// `weir run` and `weir console`: options become a request, the run's result becomes a folder and a summary.
#pragma once

#include "vp/commands/command.h"
#include "vp/commands/option_parser.h"
#include "vp/output/output_directory.h"

namespace weir::vp {

/// Seed, times, captures, series, --observe and --check: what is measured, whatever else a subcommand does.
[[nodiscard]] run_request read_measurement(const option_parser& options, const platforms::platform_config& platform);
/// The files of a result (docs/results.md), the summary among them. Throws output_error.
void write_run(const output_directory& directory, const run_result& result);

int run_command(const std::vector<std::string>& arguments, const context& c);
int console_command(const std::vector<std::string>& arguments, const context& c);

}  // namespace weir::vp
