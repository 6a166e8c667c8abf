// SPDX-License-Identifier: Apache-2.0
#include "platforms/host_dcbx.h"

#include <charconv>

#include "platforms/text.h"

namespace weir::platforms {

std::optional<ethernet::ets_table> ets_of(std::string_view words) {
    ethernet::ets_table t;
    const auto each = split(words, ',');
    if (each.size() != t.percent.size()) return std::nullopt;
    unsigned sum = 0;
    bool any = false;
    for (std::size_t c = 0; c < each.size(); ++c) {
        t.priority_class[c] = static_cast<std::uint8_t>(c);
        if (each[c] == "strict") continue;
        unsigned percent = 0;
        const char* end = each[c].data() + each[c].size();
        const auto [stopped, error] = std::from_chars(each[c].data(), end, percent);
        if (error != std::errc{} || stopped != end || percent > 100) return std::nullopt;
        t.selection[c] = ethernet::transmission_selection::ets;
        t.percent[c] = static_cast<std::uint8_t>(percent);
        sum += percent;
        any = true;
    }
    if (any && sum != 100) return std::nullopt;
    return t;
}

ethernet::dcbx_message dcbx_of(const host_config& host) {
    ethernet::dcbx_message m;
    ethernet::pfc_configuration pfc;
    pfc.willing = host.dcbx_willing;
    pfc.capability = static_cast<std::uint8_t>(host.dcbx_pfc_capability);
    pfc.enabled = static_cast<std::uint8_t>(host.dcbx_pfc);
    m.pfc = pfc;
    if (const auto table = ets_of(host.dcbx_ets)) {
        ethernet::ets_configuration ets;
        ets.willing = host.dcbx_willing;
        ets.table = *table;
        m.ets = ets;
    }
    return m;
}

}  // namespace weir::platforms
