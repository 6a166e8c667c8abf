// SPDX-License-Identifier: Apache-2.0
// Text files line by line, cut into fields that know their line and column.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::platforms {

/// A piece of a line and where it stands.
struct text_field {
    std::string text;
    std::string where;  ///< "file:line:column"
};

class line_reader {
public:
    /// Throws config_error when the file cannot be read.
    explicit line_reader(const std::string& path);
    /// The same of a text; `name` is what messages call it.
    line_reader(std::string name, std::string_view text);

    /// The fields of the next line that is neither blank nor a comment (#): between commas, or, with ' ' as separator,
    /// between runs of blanks. Nothing at the end of the file.
    std::optional<std::vector<text_field>> next(char separator);

    /// "file:line:column" of the line last given, at its first field; of the end when there was none.
    [[nodiscard]] std::string here() const;

private:
    /// Throws config_error when the line is no text of a reasonable length.
    void check(const std::string& line) const;

    std::string path_;
    std::unique_ptr<std::istream> in_;
    std::uint32_t line_{0};
    std::uint32_t column_{1};
};

}  // namespace weir::platforms
