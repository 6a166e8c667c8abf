// SPDX-License-Identifier: Apache-2.0
#include "platforms/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "platforms/config.h"
#include "platforms/known_sizes.h"
#include "platforms/line_reader.h"
#include "platforms/text.h"

namespace weir::platforms {
namespace {

__extension__ using wide_count = unsigned __int128;

constexpr std::uint64_t billion = 1'000'000'000;
constexpr std::size_t most_decimals = 9;
constexpr std::uint64_t largest_flow = 1'000'000'000'000'000;

const std::array<std::pair<std::string_view, const std::string_view*>, 5> known{
    {{"web_search", &known_sizes::web_search},
     {"fb_hadoop", &known_sizes::fb_hadoop},
     {"ali_storage", &known_sizes::ali_storage},
     {"google_rpc", &known_sizes::google_rpc},
     {"solar", &known_sizes::solar}}};

/// "22.93" in billionths; nothing for anything but digits with up to nine decimals, up to 100.
std::optional<std::uint64_t> parse_billionths(std::string_view text) {
    const std::size_t dot = text.find('.');
    const auto whole = parse_number(text.substr(0, dot));
    if (!whole || *whole > 100) return std::nullopt;
    std::uint64_t fraction = 0;
    if (dot != std::string_view::npos) {
        std::string digits{text.substr(dot + 1)};
        if (digits.empty() || digits.size() > most_decimals) return std::nullopt;
        digits.resize(most_decimals, '0');
        const auto parsed = parse_number(digits);
        if (!parsed) return std::nullopt;
        fraction = *parsed;
    }
    const std::uint64_t value = *whole * billion + fraction;
    return value <= 100 * billion ? std::optional{value} : std::nullopt;
}

}  // namespace

size_distribution::size_distribution(line_reader& lines) {
    while (const auto fields = lines.next(' ')) {
        if (fields->size() != 2) {
            throw config_error(lines.here(), fmt::format("{} fields where 2 belong", fields->size()),
                               "wanted: octets cumulative, for example: 10000 15");
        }
        const auto octets = parse_number((*fields)[0].text);
        if (!octets || *octets > largest_flow) {
            throw config_error((*fields)[0].where, fmt::format("\"{}\" is no flow's length", (*fields)[0].text),
                               fmt::format("octets: 0 to {}", largest_flow));
        }
        const auto cumulative = parse_billionths((*fields)[1].text);
        if (!cumulative) {
            throw config_error((*fields)[1].where, fmt::format("\"{}\" is no share of flows", (*fields)[1].text),
                               "0 to 100, or 0 to 1, with up to 9 decimals");
        }
        if (!points_.empty() && *octets < points_.back().octets) {
            throw config_error((*fields)[0].where, fmt::format("{} octets after {}", *octets, points_.back().octets),
                               "lengths ascend");
        }
        if (!points_.empty() && *cumulative < points_.back().cumulative) {
            throw config_error((*fields)[1].where, fmt::format("the share falls to {}", (*fields)[1].text),
                               "shares of flows up to a length ascend");
        }
        points_.push_back({*octets, *cumulative});
    }
    const std::uint64_t total = points_.empty() ? 0 : points_.back().cumulative;
    if (total != billion && total != 100 * billion) {
        throw config_error(lines.here(), "the distribution does not end with all flows", "a last share of 100, or 1");
    }
    if (points_.back().octets == 0) throw config_error(lines.here(), "no flow has octets", "a length above 0");
}

std::uint64_t size_distribution::draw(random_stream& random) const {
    const auto drawn =
        static_cast<std::uint64_t>(static_cast<wide_count>(random.next()) * points_.back().cumulative >> 32);
    const auto end =
        std::find_if(points_.begin(), points_.end(), [drawn](const point& p) { return p.cumulative > drawn; });
    if (end == points_.begin()) return std::max<std::uint64_t>(end->octets, 1);
    const point& low = *(end - 1);
    const auto part = static_cast<wide_count>(end->octets - low.octets) * (drawn - low.cumulative);
    const std::uint64_t octets = low.octets + static_cast<std::uint64_t>(part / (end->cumulative - low.cumulative));
    return std::max<std::uint64_t>(octets, 1);
}

std::uint64_t size_distribution::mean_thousandths() const {
    wide_count twice = static_cast<wide_count>(2 * points_.front().octets) * points_.front().cumulative;
    for (std::size_t i = 1; i < points_.size(); ++i) {
        twice += static_cast<wide_count>(points_[i - 1].octets + points_[i].octets) *
                 (points_[i].cumulative - points_[i - 1].cumulative);
    }
    return static_cast<std::uint64_t>(twice * 500 / points_.back().cumulative);
}

std::string_view known_size_names() {
    return "web_search fb_hadoop ali_storage google_rpc solar";
}

bool is_known_size_name(std::string_view name) {
    return std::any_of(known.begin(), known.end(), [name](const auto& each) { return each.first == name; });
}

size_distribution load_sizes(const std::string& name_or_file) {
    for (const auto& [name, text] : known) {
        if (name != name_or_file) continue;
        line_reader lines(fmt::format("traces/sizes/{}.txt", name), *text);
        return size_distribution(lines);
    }
    line_reader lines(name_or_file);
    return size_distribution(lines);
}

}  // namespace weir::platforms
