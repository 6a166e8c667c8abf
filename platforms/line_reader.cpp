// SPDX-License-Identifier: Apache-2.0
// Cutting lines.
#include "platforms/line_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "platforms/config.h"
#include "platforms/text.h"

namespace weir::platforms {
namespace {

// The ids of as many switches as a topology may have, each of six digits.
constexpr std::size_t longest_line = 16'384;

}  // namespace

line_reader::line_reader(const std::string& path) : path_(path), in_(std::make_unique<std::ifstream>(path)) {
    if (!*in_) throw config_error(path, fmt::format("cannot be read: {}", std::strerror(errno)));
}

line_reader::line_reader(std::string name, std::string_view text)
    : path_(std::move(name)), in_(std::make_unique<std::istringstream>(std::string{text})) {}

std::string line_reader::here() const {
    return fmt::format("{}:{}:{}", path_, line_, column_);
}

// A binary file is told from a bad line: quoting it would spoil the terminal.
void line_reader::check(const std::string& line) const {
    const auto control = std::find_if(line.begin(), line.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r';
    });
    if (control != line.end()) {
        throw config_error(fmt::format("{}:{}:{}", path_, line_, control - line.begin() + 1),
                           fmt::format("octet {:#04x} is no text", static_cast<unsigned char>(*control)),
                           "wanted: a text file");
    }
    if (line.size() > longest_line) {
        throw config_error(fmt::format("{}:{}:1", path_, line_), fmt::format("a line of {} octets", line.size()),
                           fmt::format("at most {}", longest_line));
    }
}

std::optional<std::vector<text_field>> line_reader::next(char separator) {
    std::string line;
    while (std::getline(*in_, line)) {
        ++line_;
        if (const auto text = trimmed(line); text.empty() || text.front() == '#') continue;
        column_ = static_cast<std::uint32_t>(line.find_first_not_of(" \t\r")) + 1;
        check(line);
        std::vector<text_field> fields;
        const bool blanks = separator == ' ';
        for (std::size_t at = 0; at <= line.size();) {
            if (blanks) at = line.find_first_not_of(" \t\r", at);
            if (at == std::string::npos) break;
            const std::size_t end =
                std::min(blanks ? line.find_first_of(" \t\r", at) : line.find(separator, at), line.size());
            const std::size_t first = std::min(line.find_first_not_of(" \t\r", at), end);
            fields.push_back({std::string{trimmed(std::string_view{line}.substr(at, end - at))},
                              fmt::format("{}:{}:{}", path_, line_, first + 1)});
            at = end + 1;
        }
        return fields;
    }
    ++line_;
    column_ = 1;
    return std::nullopt;
}

}  // namespace weir::platforms
