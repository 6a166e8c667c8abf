// SPDX-License-Identifier: Apache-2.0
// Text of tables and of the numbers in them.
#include "vp/output/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace weir::vp {
namespace {

/// Characters, not octets: UTF-8 continuation octets take no place.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

table::table(std::vector<std::string> titles) : titles_(std::move(titles)) {
    for (auto& title : titles_) {
        right_.push_back(!title.empty() && title.front() == '>');
        if (right_.back()) title.erase(0, 1);
    }
}

table& table::row(std::vector<std::string> cells) {
    cells.resize(titles_.size());
    rows_.push_back(std::move(cells));
    return *this;
}

std::string table::text(std::size_t indent) const {
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < titles_.size(); ++c) {
        widths.push_back(width(titles_[c]));
        for (const auto& cells : rows_) widths[c] = std::max(widths[c], width(cells[c]));
    }
    std::string all;
    const auto line = [&](const std::vector<std::string>& cells) {
        std::string made(indent, ' ');
        for (std::size_t c = 0; c < cells.size(); ++c) {
            const std::string gap(widths[c] - width(cells[c]), ' ');
            made += right_[c] ? gap + cells[c] : cells[c] + gap;
            made += "  ";
        }
        made.erase(made.find_last_not_of(' ') + 1);
        all += made + "\n";
    };
    line(titles_);
    for (const auto& cells : rows_) line(cells);
    return all;
}

std::string us(picoseconds time) {
    return fmt::format("{:.3f}", static_cast<double>(time.count()) / 1e6);
}

std::string grouped(std::uint64_t number) {
    std::string digits = fmt::format("{}", number);
    for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, " ");
    return digits;
}

}  // namespace weir::vp
