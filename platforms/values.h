// SPDX-License-Identifier: Apache-2.0
// Values of keys: from the tree's nodes into members, and from members to text.
#pragma once

#include <string>

#include "platforms/keys.h"

namespace weir::platforms {

/// The member as one would write it in a platform file.
template <typename Section>
std::string value_text(const Section& section, const bound_key<Section>& key);

/// The same as JSON: numbers and truth values as such, the rest as text.
template <typename Section>
nlohmann::ordered_json value_json(const Section& section, const bound_key<Section>& key);

[[nodiscard]] std::string format_mac(const ethernet::mac_address& mac);
[[nodiscard]] std::string format_ipv4(const ethernet::ipv4_address& ip);

}  // namespace weir::platforms
