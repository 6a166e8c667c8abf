// SPDX-License-Identifier: Apache-2.0
// The one table of configuration keys: it drives reading, `weir explain`, the echo of defaults and the manual.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "platforms/config.h"
#include "platforms/config_tree.h"

namespace weir::platforms {

enum class value_kind : std::uint8_t {
    whole_number,
    real_number,
    truth,
    text,
    file,
    duration,
    metres,
    octets,
    ethernet_rate,
    bit_rate,
    choice,
    mac,
    ipv4,
    host,
    host_list,
};

/// What people see of a key.
struct key_descriptor {
    std::string_view path;  ///< "switch.*.cells"; * stands for a name, [] for each of an array of tables
    value_kind kind{value_kind::text};
    std::string_view unit;  ///< "cells"; of a choice: its words, separated by blanks
    double low{0};          ///< range of numbers, in the unit; of durations in ns
    double high{0};
    std::string_view doc;

    [[nodiscard]] std::string_view name() const { return path.substr(path.rfind('.') + 1); }
};

/// A key and the member it sets.
template <typename Section>
struct bound_key {
    using member =
        std::variant<std::uint32_t Section::*, std::int32_t Section::*, std::uint64_t Section::*,
                     std::int64_t Section::*, double Section::*, bool Section::*, std::string Section::*,
                     picoseconds Section::*, data_rate Section::*, ethernet::mac_address Section::*,
                     ethernet::ipv4_address Section::*, ethernet::ecn Section::*, access_policy Section::*,
                     workload_kind Section::*, exchange_kind Section::*, queueing_kind Section::*,
                     matching_kind Section::*, cpu_kind Section::*, topology_kind Section::*, routing_kind Section::*,
                     transport_kind Section::*, host::recovery_kind Section::*, host::congestion_control Section::*,
                     dcqcn_preset Section::*, host::dcqcn_order Section::*, host::dcqcn_hyper Section::*,
                     std::vector<std::string> Section::*>;
    key_descriptor key;
    member target;
};

template <typename Section>
const std::vector<bound_key<Section>>& keys_of();

/// Sets the member from a node of the tree; config_error when type, unit or range are wrong.
template <typename Section>
void set_value(Section& section, const bound_key<Section>& key, const config_node& node);

/// One key with its default, as `weir explain` and the manual show it.
struct explained_key {
    key_descriptor key;
    std::string fallback;  ///< the default, as one would write it
};

/// All keys in the order of the manual.
[[nodiscard]] const std::vector<explained_key>& all_keys();

/// "a length of time: 100ns, 1.5us, 3ms": what a value of that kind looks like.
[[nodiscard]] std::string kind_text(const key_descriptor& key);
/// "1 to 16777215 cells"; empty where there is no range.
[[nodiscard]] std::string range_text(const key_descriptor& key);

/// The whole explanation of a key ("switch.s0.cells" as well as "switch.*.cells" or "cells"); several when a short name
/// fits several. config_error with the nearest key when none fits.
[[nodiscard]] std::string explain(std::string_view key);

/// The manual's table of keys, in Markdown.
[[nodiscard]] std::string keys_markdown();

/// The platform with all defaults filled in.
[[nodiscard]] nlohmann::ordered_json to_json(const platform_config& platform);

}  // namespace weir::platforms
