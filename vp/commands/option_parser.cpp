// SPDX-License-Identifier: Apache-2.0
#include "vp/commands/option_parser.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <sstream>
#include <utility>

#include "platforms/text.h"

namespace weir::vp {

namespace po = boost::program_options;
using platforms::config_error;

option_parser::option_parser(std::string usage, std::string about)
    : usage_(std::move(usage)), about_(std::move(about)), shown_("options") {
    shown_.add_options()("help,h", "print this");
}

option_parser& option_parser::positional(const char* name, int count) {
    hidden_.add_options()(name, po::value<std::vector<std::string>>());
    places_.add(name, count);
    return *this;
}

bool option_parser::parse(const std::vector<std::string>& arguments, std::ostream& out) {
    po::options_description all;
    all.add(shown_).add(hidden_);
    // Abbreviated options would change their meaning when new ones come.
    const int style = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(arguments).options(all).positional(places_).style(style).run(), values_);
    po::notify(values_);
    if (values_.count("help") == 0) return true;
    fmt::print(out, "usage: {}\n\n{}\n\n", usage_, about_);
    std::ostringstream text;
    text << shown_;
    out << text.str();
    return false;
}

std::vector<std::string> option_parser::words(const char* name) const {
    if (values_.count(name) == 0) return {};
    return values_[name].as<std::vector<std::string>>();
}

std::string option_parser::word(const char* name, const std::string& missing) const {
    const auto all = words(name);
    if (all.empty()) throw config_error("weir", missing, fmt::format("usage: {}", usage_));
    return all.front();
}

std::string option_parser::text(const char* name) const {
    if (!given(name)) return {};
    std::string value = values_[name].as<std::string>();
    if (value.empty()) throw config_error(fmt::format("--{}", name), "is empty", "a value, or no such option");
    return value;
}

void add_platform_options(option_parser& options) {
    options.positional("platform");
    options.options()("set", po::value<std::vector<std::string>>(), "NAME=VALUE for ${NAME} in the boot script")(
        "hw", po::value<std::vector<std::string>>(), "KEY=VALUE: change a hardware key (weir explain lists them)")(
        "workload", po::value<std::string>(), "flow list (.csv), capture (.pcap, .pcapng) or HPCC flow file (.txt)");
}

platforms::platform_config load_platform(const option_parser& options) {
    platforms::load_options load;
    load.hardware = options.words("hw");
    load.program = options.words("set");
    load.workload_file = options.text("workload");
    return platforms::load_platform(options.word("platform", "no platform was named"), load);
}

std::optional<picoseconds> time_option(const option_parser& options, const char* name) {
    if (!options.given(name)) return std::nullopt;
    const std::string text = options.text(name);
    const auto time = platforms::parse_duration(text);
    if (!time) {
        throw config_error(fmt::format("--{} {}", name, text), "this is no length of time", "100ns, 1.5us, 3ms, 2s");
    }
    return time;
}

std::uint64_t number_option(const option_parser& options, const char* name, std::uint64_t fallback) {
    if (!options.given(name)) return fallback;
    const std::string text = options.text(name);
    const auto number = platforms::parse_number(text);
    if (!number) {
        throw config_error(fmt::format("--{} {}", name, text), "this is no whole number of at most 18 digits",
                           fmt::format("for example: --{} {}", name, fallback));
    }
    return *number;
}

}  // namespace weir::vp
