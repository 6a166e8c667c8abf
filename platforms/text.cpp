// SPDX-License-Identifier: Apache-2.0
// Exact decimal arithmetic on quantities, and edit distance on names.
#include "platforms/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace weir::platforms {
namespace {

struct unit {
    std::string_view name;
    std::int64_t factor;
};

constexpr std::array<unit, 5> duration_units{
    {{"ps", 1}, {"ns", 1'000}, {"us", 1'000'000}, {"ms", 1'000'000'000}, {"s", 1'000'000'000'000}}};
constexpr std::array<unit, 9> octet_units{{{"", 1},
                                           {"B", 1},
                                           {"KiB", 1LL << 10},
                                           {"MiB", 1LL << 20},
                                           {"GiB", 1LL << 30},
                                           {"kB", 1'000},
                                           {"KB", 1'000},
                                           {"MB", 1'000'000},
                                           {"GB", 1'000'000'000}}};
constexpr std::array<unit, 2> metre_units{{{"m", 1}, {"km", 1'000}}};
constexpr std::array<unit, 9> rate_units{{{"bps", 1},
                                          {"K", 1'000},
                                          {"M", 1'000'000},
                                          {"G", 1'000'000'000},
                                          {"T", 1'000'000'000'000},
                                          {"Kbps", 1'000},
                                          {"Mbps", 1'000'000},
                                          {"Gbps", 1'000'000'000},
                                          {"Tbps", 1'000'000'000'000}}};

constexpr std::int64_t longest_duration = 100LL * 24 * 3600 * 1'000'000'000'000;

bool digit(char c) {
    return c >= '0' && c <= '9';
}

/// "12.34unit" as a whole number of the smallest unit; nothing when it is none.
template <std::size_t N>
std::optional<std::int64_t> quantity(std::string_view text, const std::array<unit, N>& units) {
    constexpr int most_digits = 18;
    std::int64_t digits = 0;
    int count = 0;
    int decimals = 0;
    bool point = false;
    std::size_t i = 0;
    for (; i < text.size() && (digit(text[i]) || (text[i] == '.' && !point)); ++i) {
        if (text[i] == '.') {
            point = true;
            continue;
        }
        if (++count > most_digits) return std::nullopt;
        digits = digits * 10 + (text[i] - '0');
        if (point) ++decimals;
    }
    if (count == 0 || text[i - 1] == '.') return std::nullopt;
    const std::string_view name = trimmed(text.substr(i));
    const auto found = std::find_if(units.begin(), units.end(), [&](const unit& u) { return u.name == name; });
    if (found == units.end()) return std::nullopt;
    __extension__ using wide = __int128;
    wide value = wide{digits} * found->factor;
    for (; decimals > 0; --decimals) {
        if (value % 10 != 0) return std::nullopt;
        value /= 10;
    }
    if (value > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    return static_cast<std::int64_t>(value);
}

/// `value` in units of `factor`, if that takes at most three decimals.
std::optional<std::string> in_unit(std::int64_t value, std::int64_t factor) {
    if (value < factor || (factor >= 1000 ? value % (factor / 1000) : value % factor) != 0) return std::nullopt;
    std::string text = fmt::format("{}", value / factor);
    if (const std::int64_t rest = value % factor; rest != 0) {
        text += fmt::format(".{:03}", rest / (factor / 1000));
        while (text.back() == '0') text.pop_back();
    }
    return text;
}

}  // namespace

std::optional<picoseconds> parse_duration(std::string_view text) {
    if (text == "0") return picoseconds{0};
    const auto value = quantity(text, duration_units);
    if (!value || *value > longest_duration) return std::nullopt;
    return picoseconds{*value};
}

std::optional<std::uint64_t> parse_octets(std::string_view text) {
    const auto value = quantity(text, octet_units);
    if (!value) return std::nullopt;
    return static_cast<std::uint64_t>(*value);
}

std::optional<std::uint64_t> parse_metres(std::string_view text) {
    const auto value = quantity(text, metre_units);
    if (!value) return std::nullopt;
    return static_cast<std::uint64_t>(*value);
}

std::optional<std::int64_t> parse_bit_rate(std::string_view text) {
    return quantity(text, rate_units);
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
    if (text.empty() || text.size() > 18 || !std::all_of(text.begin(), text.end(), digit)) return std::nullopt;
    std::uint64_t value = 0;
    for (const char c : text) value = value * 10 + static_cast<std::uint64_t>(c - '0');
    return value;
}

std::string format_duration(picoseconds time) {
    if (time.count() == 0) return "0s";
    if (time.count() < 0) return "-" + format_duration(-time);
    for (auto u = duration_units.rbegin(); u != duration_units.rend(); ++u) {
        if (const auto text = in_unit(time.count(), u->factor)) return *text + std::string{u->name};
    }
    return fmt::format("{}ps", time.count());
}

std::string format_octets(std::uint64_t octets) {
    for (const unit& u : {octet_units[4], octet_units[3], octet_units[2]}) {
        const auto factor = static_cast<std::uint64_t>(u.factor);
        if (octets >= factor && octets % factor == 0) return fmt::format("{}{}", octets / factor, u.name);
    }
    return fmt::format("{}", octets);
}

std::string format_bit_rate(std::int64_t bits_per_second) {
    for (const unit& u : {rate_units[4], rate_units[3], rate_units[2], rate_units[1]}) {
        if (const auto text = in_unit(bits_per_second, u.factor)) return *text + std::string{u.name};
    }
    return fmt::format("{}bps", bits_per_second);
}

std::optional<std::string> nearest_name(std::string_view wanted, const std::vector<std::string>& candidates) {
    std::optional<std::string> best;
    std::size_t fewest = std::max<std::size_t>(2, wanted.size() / 3) + 1;
    std::vector<std::size_t> row;
    for (const std::string& candidate : candidates) {
        row.resize(candidate.size() + 1);
        for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
        for (std::size_t i = 1; i <= wanted.size(); ++i) {
            std::size_t diagonal = row[0];
            row[0] = i;
            for (std::size_t j = 1; j < row.size(); ++j) {
                const std::size_t change = diagonal + (wanted[i - 1] == candidate[j - 1] ? 0 : 1);
                diagonal = row[j];
                row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
            }
        }
        if (row.back() < fewest) {
            fewest = row.back();
            best = candidate;
        }
    }
    return best;
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = text.find(separator);
        parts.push_back(trimmed(text.substr(0, end)));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

}  // namespace weir::platforms
