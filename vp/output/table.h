// SPDX-License-Identifier: Apache-2.0
// Text tables with aligned columns, words to the left, numbers to the right; and how these numbers are written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/timeline/time.h"

namespace weir::vp {

class table {
public:
    /// Column titles; one that begins with '>' is aligned to the right.
    explicit table(std::vector<std::string> titles);
    table& row(std::vector<std::string> cells);
    [[nodiscard]] bool empty() const { return rows_.empty(); }
    /// Every line indented by `indent` blanks and ended.
    [[nodiscard]] std::string text(std::size_t indent = 2) const;

private:
    std::vector<bool> right_;
    std::vector<std::string> titles_;
    std::vector<std::vector<std::string>> rows_;
};

/// Microseconds, to the nanosecond: "12345.678".
[[nodiscard]] std::string us(picoseconds time);
/// "12 345 678": groups of three.
[[nodiscard]] std::string grouped(std::uint64_t number);

}  // namespace weir::vp
