// SPDX-License-Identifier: Apache-2.0
// A CSV file of whole numbers, row by row, quickly: a recording has millions.
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::vp::report {

class number_rows {
public:
    /// Throws config_error when the file cannot be read or its header names other columns.
    number_rows(std::string path, const std::vector<std::string_view>& columns);

    /// The next row; null at the end. Throws config_error with the line when it is none, or its end is missing.
    [[nodiscard]] const std::vector<std::int64_t>* next();

    /// Throws config_error about the row last given.
    [[noreturn]] void complain(const std::string& what, const std::string& right) const;

private:
    std::string path_;
    std::ifstream in_;
    std::string header_;
    std::string text_;
    std::vector<std::int64_t> row_;
    std::uint64_t line_{1};
};

}  // namespace weir::vp::report
