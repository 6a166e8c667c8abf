// SPDX-License-Identifier: Apache-2.0
#include "vp/report/rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "platforms/config.h"

namespace weir::vp::report {

using platforms::config_error;

number_rows::number_rows(std::string path, const std::vector<std::string_view>& columns)
    : path_(std::move(path)), in_(path_), header_(fmt::format("{}", fmt::join(columns, ","))), row_(columns.size()) {
    if (!in_) throw config_error(path_, "cannot be read", "a file that weir run left");
    std::getline(in_, text_);
    if (text_ != header_) complain("the header is another", header_);
}

const std::vector<std::int64_t>* number_rows::next() {
    if (!std::getline(in_, text_)) return nullptr;
    ++line_;
    if (in_.eof()) complain("the line has no end: the file was cut off", "run it again");
    const char* at = text_.data();
    const char* const end = at + text_.size();
    for (std::size_t column = 0; column < row_.size(); ++column) {
        const auto [stop, error] = std::from_chars(at, end, row_[column]);
        const bool last = column + 1 == row_.size();
        if (error != std::errc{} || (last ? stop != end : stop == end || *stop != ',')) {
            complain("is no row of whole numbers", header_);
        }
        at = stop + 1;
    }
    return &row_;
}

void number_rows::complain(const std::string& what, const std::string& right) const {
    throw config_error(fmt::format("{}:{}", path_, line_), what, right);
}

}  // namespace weir::vp::report
