// SPDX-License-Identifier: Apache-2.0
#include "vp/check/lossless_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace weir::vp {
namespace {

using json = nlohmann::ordered_json;

constexpr std::uint64_t trust_dscp = 2;  // map.trust.mode

/// The lowest DSCP whose frames a port puts into a group; nothing when none is.
std::optional<std::uint32_t> dscp_to(const register_snapshot& r, std::uint32_t port, std::uint32_t group) {
    if (r.value("map.trust.mode", {port}) != trust_dscp) return std::nullopt;
    for (std::uint32_t dscp = 0; dscp < 64; ++dscp) {
        const auto tc = static_cast<std::uint32_t>(r.value("map.dscp_tc.tc", {port, dscp}));
        if (r.value("map.tc_group.group", {port, tc}) == group) return dscp;
    }
    return std::nullopt;
}

std::optional<std::uint32_t> host_at(const platforms::platform_config& platform, std::uint32_t s, std::uint32_t port) {
    for (std::uint32_t h = 0; h < platform.hosts.size(); ++h) {
        if (platform.hosts[h].switch_index == s && platform.hosts[h].port == port) return h;
    }
    return std::nullopt;
}

bool leads_to_switch(const platforms::platform_config& platform, std::uint32_t s, std::uint32_t port) {
    const auto here = [&](const platforms::link_end& end) { return end.switch_index == s && end.port == port; };
    return std::any_of(platform.links.begin(), platform.links.end(),
                       [&](const auto& link) { return here(link.a) || here(link.b); });
}

}  // namespace

lossless_map find_lossless_places(const platforms::platform_config& platform, const programmed_platform& booted) {
    lossless_map map;
    std::map<std::string, std::vector<std::string>> left_out;
    for (std::uint32_t s = 0; s < booted.switches.size(); ++s) {
        const register_snapshot& r = booted.switches[s].registers;
        for (std::uint32_t port = 0; port < r.front_ports(); ++port) {
            for (std::uint32_t group = 0; group < 8; ++group) {
                const registers::index at{port, group, 0};
                if (r.value("pg.mode.enable", at) == 0 || r.value("pg.mode.lossless", at) == 0) continue;
                const auto leave = [&](const char* why) {
                    left_out[why].push_back(fmt::format("{}.{} PG {}", booted.switches[s].name, port, group));
                };
                const std::uint64_t priorities =
                    r.value("map.group_priorities.priorities", at) & r.value("pfc.tx_enable.priorities", {port});
                if (priorities == 0) {
                    leave("pauses no priority");
                    continue;
                }
                const auto host = host_at(platform, s, port);
                if (!host && !leads_to_switch(platform, s, port)) {
                    leave("nothing is behind it");
                    continue;
                }
                const auto dscp = dscp_to(r, port, group);
                if (!dscp) {
                    leave("no DSCP leads to it");
                    continue;
                }
                lossless_place made;
                made.switch_index = s;
                made.port = port;
                made.group = group;
                made.priority = static_cast<std::uint32_t>(__builtin_ctzll(priorities));
                made.dscp = *dscp;
                made.host = host;
                made.max_frame = static_cast<std::uint32_t>(r.value("port.max_frame.octets", {port}));
                made.headroom = r.value("pg.headroom.cells", at);
                made.shared = r.value("pg.mode.shared_headroom", at) != 0;
                made.xoff = r.value("pg.xoff.cells", at) + r.value("pg.guaranteed.cells", at);
                map.places.push_back(made);
            }
        }
    }
    for (const auto& [why, where] : left_out) {
        map.left_out.push_back(where.size() == 1
                                   ? fmt::format("{}: {}", where.front(), why)
                                   : fmt::format("{} and {} more: {}", where.front(), where.size() - 1, why));
    }
    return map;
}

std::string to_text(const lossless_map& map) {
    json out{{"places", json::array()}, {"left_out", map.left_out}};
    for (const lossless_place& p : map.places) {
        out["places"].push_back(
            json::array({p.switch_index, p.port, p.group, p.priority, p.dscp, p.host ? json(*p.host) : json(nullptr),
                         p.max_frame, p.headroom, p.shared ? 1 : 0, p.xoff}));
    }
    return out.dump();
}

std::optional<lossless_map> lossless_map_of(const std::string& text) {
    const json in = json::parse(text, nullptr, false);
    if (!in.is_object() || !in.contains("places")) return std::nullopt;
    lossless_map map;
    map.left_out = in["left_out"].get<std::vector<std::string>>();
    for (const auto& p : in["places"]) {
        std::optional<std::uint32_t> host;
        if (!p[5].is_null()) host = p[5].get<std::uint32_t>();
        map.places.push_back({p[0], p[1], p[2], p[3], p[4], host, p[6], p[7], p[8].get<int>() != 0, p[9]});
    }
    return map;
}

}  // namespace weir::vp
