// SPDX-License-Identifier: Apache-2.0
// How long flows are: a cumulative distribution, from a file or one that comes with the program.
//
// The file: a line a point, "octets cumulative", both ascending; the last cumulative is 100 (percent) or 1. Between two
// points lengths are uniform; two points of the same length are a step. It is the form of HPCC's and ConWeave's files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/timeline/random_stream.h"

namespace weir::platforms {

class line_reader;

class size_distribution {
public:
    /// Throws config_error with line and column.
    explicit size_distribution(line_reader& lines);

    /// The next flow's octets, at least 1. Integers only: the same everywhere.
    [[nodiscard]] std::uint64_t draw(random_stream& random) const;

    /// Thousandths of an octet, rounded down.
    [[nodiscard]] std::uint64_t mean_thousandths() const;

private:
    struct point {
        std::uint64_t octets;
        std::uint64_t cumulative;  // in 1/1 000 000 000 of the file's unit
    };
    std::vector<point> points_;
};

/// Names of the distributions that come with the program, with blanks between.
[[nodiscard]] std::string_view known_size_names();

/// By name, or from a file. Throws config_error.
[[nodiscard]] size_distribution load_sizes(const std::string& name_or_file);

/// Whether it is one of the names.
[[nodiscard]] bool is_known_size_name(std::string_view name);

}  // namespace weir::platforms
