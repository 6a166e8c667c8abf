// SPDX-License-Identifier: Apache-2.0
#include "vp/report/configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/keys.h"

namespace weir::vp::report {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t named_places = 3;

struct place_value {
    std::string value;
    std::size_t count{0};
    std::vector<std::string> where;
};

struct configuration_key {
    std::string path;
    std::vector<place_value> values;
};

std::string value_text(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (!value.is_array()) return value.dump();
    std::string text;
    for (const json& each : value) text += (text.empty() ? "" : " ") + value_text(each);
    return text;
}

/// Walks the tree: a table below "switch" or "host" is named by the user, a list of tables by its numbers.
class walk {
public:
    void into(const json& node, const std::string& path, const std::string& place) {
        if (node.is_object()) {
            const bool named = path == "switch" || path == "host";
            for (const auto& [name, child] : node.items()) {
                into(child, path.empty() ? name : path + (named ? ".*" : "." + name), named ? name : place);
            }
        } else if (node.is_array() && !node.empty() && node.front().is_object()) {
            for (std::size_t i = 0; i < node.size(); ++i) into(node[i], path + "[]", fmt::format("{}[{}]", place, i));
        } else {
            add(path, place, value_text(node));
        }
    }
    [[nodiscard]] const std::vector<configuration_key>& keys() const { return keys_; }

private:
    void add(const std::string& path, const std::string& place, const std::string& value) {
        auto key = std::find_if(keys_.begin(), keys_.end(), [&](const auto& k) { return k.path == path; });
        if (key == keys_.end()) key = keys_.insert(keys_.end(), {path, {}});
        auto& values = key->values;
        auto found = std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.value == value; });
        if (found == values.end()) found = values.insert(values.end(), {value, 0, {}});
        ++found->count;
        if (!place.empty() && found->where.size() < named_places) found->where.push_back(place);
    }

    std::vector<configuration_key> keys_;
};

/// The key as `weir explain` has it; null for a value of the script and for what follows from others.
const platforms::explained_key* explained(const std::string& path) {
    const auto& all = platforms::all_keys();
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.key.path == path; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace

json configuration_rows(const json& configuration) {
    walk all;
    all.into(configuration, "", "");
    json rows = json::array();
    for (const configuration_key& key : all.keys()) {
        const platforms::explained_key* about = explained(key.path);
        const bool of_script = key.path.rfind("program.", 0) == 0;
        if (about == nullptr && !of_script) continue;
        json row{{"key", key.path}};
        bool differs = false;
        for (const place_value& each : key.values) {
            // An empty default stands for one that follows from the place, as a host's address does.
            if (about != nullptr && !about->fallback.empty() && each.value != about->fallback) differs = true;
            row["values"].push_back({{"value", each.value}, {"count", each.count}, {"where", each.where}});
        }
        if (about != nullptr) {
            row["default"] = about->fallback;
            row["meaning"] = std::string{about->key.doc};
            if (about->key.kind != platforms::value_kind::choice) row["unit"] = std::string{about->key.unit};
        }
        row["differs"] = differs;
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace weir::vp::report
