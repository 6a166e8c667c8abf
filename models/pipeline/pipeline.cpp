// SPDX-License-Identifier: Apache-2.0
#include "models/pipeline/pipeline.h"

namespace weir::pipeline {

pipeline::pipeline(sc_core::sc_module_name name, std::uint16_t ports)
    : sc_module(name), maps_(ports), lost_on_cable_(ports), open_(ports, false), watched_(ports, false) {
    arrivals.init(ports - 1U);
    ingress.bind(*this);
}

class_and_colour pipeline::classify(const ethernet::frame& f, const port_maps& m) {
    const ethernet::header_view& h = f.headers;
    if (m.trusted == trust::dscp && h.network != ethernet::network_protocol::none) return m.dscp[h.dscp];
    // A frame without IP on a port that trusts DSCP falls back on its tag, if it has one.
    if (m.trusted != trust::port_default && h.tagged) return m.pcp[static_cast<std::size_t>(h.pcp * 2 + h.dei)];
    return m.fallback;
}

mmu::drop_reason pipeline::take(ethernet::frame& f, std::uint16_t ingress_port, picoseconds now) {
    if (watched_[ingress_port]) arrivals[ingress_port]->arrived(classify(f, maps_[ingress_port]).traffic_class, now);
    if (tables.learning.enabled) tables.learn(f, ingress_port);
    bool routed = false;
    const destination to = tables.look_up(f, routed);
    if (to.kind == forward::drop) return mmu::drop_reason::no_route;
    // What software is given has come to its end.
    f.routed = routed && to.kind != forward::cpu;
    if (f.routed && f.hop_limit().value_or(0) <= 1) return mmu::drop_reason::ttl;
    return take_to(f, ingress_port, to.kind == forward::cpu ? cpu_port() : to.target);
}

mmu::drop_reason pipeline::take_to(ethernet::frame& f, std::uint16_t ingress_port, std::uint16_t egress_port) {
    if (!enabled_ || egress_port >= maps_.size() || !open_[egress_port]) return mmu::drop_reason::port_disabled;
    const port_maps& in = maps_[ingress_port];
    const class_and_colour c = classify(f, in);
    return memory->admit({f, ingress_port, egress_port, in.class_group[c.traffic_class],
                          maps_[egress_port].class_queue[c.traffic_class], c.drop_precedence});
}

}  // namespace weir::pipeline
