// SPDX-License-Identifier: Apache-2.0
#include "vp/commands/export_command.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "platforms/config.h"
#include "vp/commands/option_parser.h"
#include "vp/output/output_directory.h"
#include "vp/results/stored_result.h"
#include "vp/signals/signal_export.h"

namespace weir::vp {

using platforms::config_error;

int export_command(const std::vector<std::string>& arguments, const context& c) {
    namespace po = boost::program_options;
    option_parser options("weir export DIR --perfetto FILE | --vcd FILE",
                          "Writes the signals that weir run --signals left in DIR as a Perfetto trace\n"
                          "(ui.perfetto.dev opens it) or as a VCD file for waveform viewers.");
    options.positional("folder");
    options.options()("perfetto", po::value<std::string>(), "FILE to write: pauses, occupancies, drops, writes")(
        "vcd", po::value<std::string>(), "FILE to write: the same as value changes, to the picosecond");
    if (!options.parse(arguments, c.out)) return exit_code::done;
    const std::string folder = options.word("folder", "no folder was named");
    if (!options.given("perfetto") && !options.given("vcd")) {
        throw config_error("weir export", "as what?", "--perfetto FILE, --vcd FILE");
    }
    const auto result = read_stored_result(folder);
    std::error_code ignored;
    if (!std::filesystem::exists(folder + "/signals.csv", ignored)) {
        throw config_error(folder, "has no signals", "run it again with --signals");
    }
    const auto signals = report::read_recording(folder, result);
    if (options.given("perfetto")) write_whole(options.text("perfetto"), perfetto_trace(*signals));
    if (options.given("vcd")) write_whole(options.text("vcd"), value_change_dump(*signals));
    return exit_code::done;
}

}  // namespace weir::vp
