// SPDX-License-Identifier: Apache-2.0
// Reading a study's TOML: tables whose keys are all known, and values of the kind that is wanted. Whatever is wrong
// throws config_error with its place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/timeline/time.h"
#include "platforms/config_tree.h"

namespace weir::vp::reading {

/// A table of the file.
class section {
public:
    /// `name`: what messages call it. Keeps a reference to the node.
    section(const platforms::config_node& node, std::string name, const std::vector<std::string>& known);

    /// Null when the key is not given.
    [[nodiscard]] const platforms::config_node* find(std::string_view key) const { return node_.find(key); }
    /// `example`: what would be right where it is missing.
    [[nodiscard]] const platforms::config_node& needed(std::string_view key, const std::string& example) const;

private:
    const platforms::config_node& node_;
    std::string name_;
};

[[noreturn]] void wrong_kind(const platforms::config_node& node, std::string_view key, const std::string& wanted);

/// Text that is not empty.
[[nodiscard]] std::string text_of(const platforms::config_node& node, std::string_view key);
/// A whole number within a range.
[[nodiscard]] std::uint64_t count_of(const platforms::config_node& node, std::string_view key, std::uint64_t least,
                                     std::uint64_t most);
[[nodiscard]] double number_of(const platforms::config_node& node, std::string_view key);
[[nodiscard]] std::vector<std::string> texts_of(const platforms::config_node& node, std::string_view key,
                                                const std::string& wanted);
[[nodiscard]] picoseconds time_of(const platforms::config_node& node, std::string_view key);

}  // namespace weir::vp::reading
