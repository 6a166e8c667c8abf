// SPDX-License-Identifier: Apache-2.0
// From register fields to what they mean.
#include "vp/check/programmed.h"

#include <cmath>

namespace weir::vp {
namespace {

constexpr std::uint64_t alpha_of_one = 7;  // pg.mode.alpha: 2^(index − 7)

double alpha(std::uint64_t index) {
    return std::ldexp(1.0, static_cast<int>(index) - static_cast<int>(alpha_of_one));
}

cell_limit limit_of(const register_snapshot& r, std::string_view name, const registers::index& at) {
    if (r.all_ones(name, at)) return std::nullopt;
    return r.value(name, at);
}

programmed_group read_group(const register_snapshot& r, const registers::index& at) {
    programmed_group g;
    g.enabled = r.value("pg.mode.enable", at) != 0;
    g.lossless = r.value("pg.mode.lossless", at) != 0;
    g.dynamic = r.value("pg.mode.dynamic", at) != 0;
    g.alpha = alpha(r.value("pg.mode.alpha", at));
    g.pool = static_cast<std::uint32_t>(r.value("pg.mode.pool", at));
    g.service_after_xoff = r.value("pg.mode.service_after_xoff", at) != 0;
    g.shared_headroom = r.value("pg.mode.shared_headroom", at) != 0;
    g.guaranteed = r.value("pg.guaranteed.cells", at);
    g.limit = limit_of(r, "pg.limit.cells", at);
    g.xoff = limit_of(r, "pg.xoff.cells", at);
    g.xon_offset = r.value("pg.xon_offset.cells", at);
    g.headroom = r.value("pg.headroom.cells", at);
    g.priorities = static_cast<std::uint8_t>(r.value("map.group_priorities.priorities", at));
    return g;
}

programmed_queue read_queue(const register_snapshot& r, const registers::index& at) {
    programmed_queue q;
    q.enabled = r.value("queue.mode.enable", at) != 0;
    q.lossless = r.value("queue.mode.lossless", at) != 0;
    q.dynamic = r.value("queue.mode.dynamic", at) != 0;
    q.alpha = alpha(r.value("queue.mode.alpha", at));
    q.pool = static_cast<std::uint32_t>(r.value("queue.mode.pool", at));
    q.guaranteed = r.value("queue.guaranteed.cells", at);
    q.limit = limit_of(r, "queue.limit.cells", at);
    q.ecn = r.value("wred.queue_mode.ecn_enable", at) != 0;
    const auto profile = static_cast<std::uint32_t>(r.value("wred.queue_mode.profile", at));
    q.kmin = r.value("wred.profile_min.cells", {profile, 0, 0});
    q.kmax = r.value("wred.profile_max.cells", {profile, 0, 0});
    return q;
}

}  // namespace

programmed_state read_programmed_state(const std::string& name, const register_snapshot& r) {
    programmed_state state;
    state.name = name;
    const auto pools = static_cast<std::uint32_t>(r.value("bm.cap_pools.pools"));
    for (std::uint32_t pool = 0; pool < pools; ++pool) {
        programmed_pool p;
        p.egress = r.value("bm.pool_mode.egress", {pool}) != 0;
        p.size = r.value("bm.pool_size.cells", {pool});
        p.shared_headroom = r.value("bm.pool_headroom.cells", {pool});
        state.pools.push_back(p);
    }
    for (std::uint32_t port = 0; port < r.front_ports(); ++port) {
        programmed_port p;
        for (std::uint32_t i = 0; i < 8; ++i) {
            p.groups[i] = read_group(r, {port, i, 0});
            p.queues[i] = read_queue(r, {port, i, 0});
        }
        p.pfc_tx_enable = static_cast<std::uint8_t>(r.value("pfc.tx_enable.priorities", {port}));
        p.quanta = static_cast<std::uint32_t>(r.value("pfc.quanta.quanta", {port}));
        p.refresh = static_cast<std::uint32_t>(r.value("pfc.refresh.quanta", {port}));
        state.ports.push_back(p);
    }
    state.overcommit_ingress = r.value("bm.overcommit.cells", {0});
    state.overcommit_egress = r.value("bm.overcommit.cells", {1});
    return state;
}

}  // namespace weir::vp
