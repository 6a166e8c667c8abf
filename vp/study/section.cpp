// SPDX-License-Identifier: Apache-2.0
#include "vp/study/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "platforms/config.h"
#include "platforms/text.h"

namespace weir::vp::reading {

using platforms::config_error;
using platforms::config_node;

section::section(const config_node& node, std::string name, const std::vector<std::string>& known)
    : node_(node), name_(std::move(name)) {
    if (node.as_table() == nullptr)
        throw config_error(node.where, fmt::format("{} is {}", name_, node.description()), "wanted: a table");
    for (const auto& [key, child] : *node.as_table()) {
        if (std::find(known.begin(), known.end(), key) != known.end()) continue;
        const auto near = platforms::nearest_name(key, known);
        throw config_error(
            child.key_where, fmt::format("unknown key \"{}\" in {}", key, name_),
            near ? fmt::format("did you mean \"{}\"?", *near) : fmt::format("known here: {}", fmt::join(known, " ")));
    }
}

const config_node& section::needed(std::string_view key, const std::string& example) const {
    const config_node* found = find(key);
    if (found == nullptr) throw config_error(node_.where, fmt::format("{} lacks \"{}\"", name_, key), example);
    return *found;
}

void wrong_kind(const config_node& node, std::string_view key, const std::string& wanted) {
    throw config_error(node.where, fmt::format("{} is {}", key, node.description()), "wanted: " + wanted);
}

std::string text_of(const config_node& node, std::string_view key) {
    const auto* text = std::get_if<std::string>(&node.value);
    if (text == nullptr || text->empty()) wrong_kind(node, key, "text");
    return *text;
}

std::uint64_t count_of(const config_node& node, std::string_view key, std::uint64_t least, std::uint64_t most) {
    const auto* number = std::get_if<std::int64_t>(&node.value);
    if (number == nullptr || *number < static_cast<std::int64_t>(least) || *number > static_cast<std::int64_t>(most))
        wrong_kind(node, key, fmt::format("a whole number, {} to {}", least, most));
    return static_cast<std::uint64_t>(*number);
}

double number_of(const config_node& node, std::string_view key) {
    if (const auto* whole = std::get_if<std::int64_t>(&node.value)) return static_cast<double>(*whole);
    const auto* real = std::get_if<double>(&node.value);
    if (real == nullptr || !std::isfinite(*real)) wrong_kind(node, key, "a number");
    return *real;
}

std::vector<std::string> texts_of(const config_node& node, std::string_view key, const std::string& wanted) {
    const auto* items = node.as_array();
    if (items == nullptr) wrong_kind(node, key, wanted);
    std::vector<std::string> all;
    for (const auto& each : *items) all.push_back(text_of(each, key));
    return all;
}

picoseconds time_of(const config_node& node, std::string_view key) {
    const auto time = platforms::parse_duration(text_of(node, key));
    if (!time) wrong_kind(node, key, "a length of time: \"100ns\", \"3ms\"");
    return *time;
}

}  // namespace weir::vp::reading
