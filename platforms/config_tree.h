// SPDX-License-Identifier: Apache-2.0
// A configuration file as a tree whose every node knows where it came from, whether from TOML or from --hw.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace weir::platforms {

struct config_node {
    using table = std::vector<std::pair<std::string, config_node>>;
    using array = std::vector<config_node>;
    std::variant<std::monostate, bool, std::int64_t, double, std::string, array, table> value;
    std::string where;      ///< of the value: "file:line:column" or "--hw KEY=VALUE"
    std::string key_where;  ///< of its key

    [[nodiscard]] const table* as_table() const { return std::get_if<table>(&value); }
    [[nodiscard]] const array* as_array() const { return std::get_if<array>(&value); }
    /// The child of that name; null when there is none or this is no table.
    [[nodiscard]] const config_node* find(std::string_view name) const;
    [[nodiscard]] config_node* find(std::string_view name);
    /// "text ("many")", "a list": for messages.
    [[nodiscard]] std::string description() const;
};

/// Parses TOML; config_error with line and column when it is none.
[[nodiscard]] config_node parse_toml(std::string_view text, const std::string& file);

/// Applies KEY=VALUE. KEY walks the tables by name; at an array of tables a number chooses one, anything else means all
/// of them. The value may be written as on a command line: 4096, true, 100m.
void override_node(config_node& root, const std::string& assignment);

}  // namespace weir::platforms
