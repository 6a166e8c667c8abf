// SPDX-License-Identifier: Apache-2.0
// Options of a subcommand: declared, parsed, and read as what they mean. What is wrong with one throws config_error.
#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "models/timeline/time.h"
#include "platforms/config.h"

namespace weir::vp {

/// The options of one subcommand, its positional arguments, and its help.
class option_parser {
public:
    option_parser(std::string usage, std::string about);

    boost::program_options::options_description_easy_init options() { return shown_.add_options(); }
    option_parser& positional(const char* name, int count = 1);

    /// False when the help was asked for and printed.
    bool parse(const std::vector<std::string>& arguments, std::ostream& out);

    /// Positional arguments; empty when none was given.
    [[nodiscard]] std::vector<std::string> words(const char* name) const;
    /// The first of them; `missing` says what is wrong when there is none.
    [[nodiscard]] std::string word(const char* name, const std::string& missing) const;
    /// The value of an option; empty when it was not given.
    [[nodiscard]] std::string text(const char* name) const;
    [[nodiscard]] bool given(const char* name) const { return values_.count(name) != 0; }

private:
    std::string usage_;
    std::string about_;
    boost::program_options::options_description shown_;
    boost::program_options::options_description hidden_;
    boost::program_options::positional_options_description places_;
    boost::program_options::variables_map values_;
};

/// A length of time: 100ns, 3ms.
[[nodiscard]] std::optional<picoseconds> time_option(const option_parser& options, const char* name);
/// A whole number; `fallback` when it was not given.
[[nodiscard]] std::uint64_t number_option(const option_parser& options, const char* name, std::uint64_t fallback);

/// PLATFORM, --set, --hw and --workload.
void add_platform_options(option_parser& options);
/// The platform that they name.
[[nodiscard]] platforms::platform_config load_platform(const option_parser& options);

}  // namespace weir::vp
