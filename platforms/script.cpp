// SPDX-License-Identifier: Apache-2.0
// Reading the script and putting values in.
#include "platforms/script.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "platforms/text.h"

namespace weir::platforms {
namespace {

std::string substituted(const std::string& line, std::uint32_t number, const platform_config& platform) {
    std::string made;
    std::size_t from = 0;
    // What stands in a comment stays as it is.
    const std::size_t comment = std::min(line.find('#'), line.size());
    for (std::size_t at = line.find("${"); at < comment; at = line.find("${", from)) {
        const std::string where = fmt::format("{}:{}:{}", platform.program, number, at + 1);
        const std::size_t end = line.find('}', at);
        if (end == std::string::npos) throw config_error(where, "${ is not closed", "for example ${headroom}");
        const std::string name = line.substr(at + 2, end - at - 2);
        const auto value = platform.program_values.find(name);
        if (value == platform.program_values.end()) {
            std::vector<std::string> known;
            for (const auto& [each, text] : platform.program_values) known.push_back(each);
            const auto near = nearest_name(name, known);
            throw config_error(where, fmt::format("${{{}}} has no value", name),
                               near ? fmt::format("did you mean ${{{}}}?", *near)
                                    : fmt::format("give it in [program], or with --set {}=…", name));
        }
        made += line.substr(from, at - from) + value->second;
        from = end + 1;
    }
    return made + line.substr(from);
}

}  // namespace

std::vector<script_line> read_script(const platform_config& platform) {
    std::vector<script_line> lines;
    if (platform.program.empty()) return lines;
    std::ifstream in(platform.program);
    if (!in) throw config_error(platform.program, fmt::format("cannot be read: {}", std::strerror(errno)));
    for (std::string line; std::getline(in, line);) {
        const auto number = static_cast<std::uint32_t>(lines.size() + 1);
        lines.push_back({number, substituted(line, number, platform)});
    }
    return lines;
}

}  // namespace weir::platforms
