// SPDX-License-Identifier: Apache-2.0
#include "vp/results/collect.h"

#include <fmt/format.h>

#include <algorithm>
#include <systemc>

namespace weir::vp {

using platforms::machine;

driver_result driver_counts(const booted_machine& m) {
    driver_result all;
    for (const auto& guest : m.guests) all.commands += guest->commands();
    for (std::size_t s = 0; s < m.hardware->switches(); ++s) {
        all.reads += m.hardware->chip(s).target().reads();
        all.writes += m.hardware->chip(s).target().writes();
        const auto& bank = m.hardware->chip(s).bank();
        all.errors += bank.get(bank.field("global.access_error_count.count"));
    }
    return all;
}

std::vector<switch_result> snapshots(const booted_machine& m) {
    std::vector<switch_result> all;
    for (std::size_t s = 0; s < m.hardware->switches(); ++s) {
        const registers::bank& bank = m.hardware->chip(s).bank();
        const auto peek = [&bank](std::uint64_t address) { return bank.peek(address); };
        all.push_back({m.hardware->config().switches[s].name,
                       register_snapshot(bank.layout(), peek,
                                         {"global", "bm", "pg", "queue", "wred", "map", "pfc", "port", "sched"})});
    }
    return all;
}

host_result result_of(machine& m, std::size_t number) {
    const platforms::host_config& config = m.config().hosts[number];
    host::end_station& station = m.host(number);
    const picoseconds now = from_kernel(sc_core::sc_time_stamp());
    host_result r;
    r.name = config.name;
    r.switch_index = config.switch_index;
    r.port = config.port;
    r.rate = station.mac.rate();
    r.tx_frames = station.mac.counters.tx_frames;
    r.tx_octets = station.mac.counters.tx_octets;
    r.rx_frames = station.mac.counters.rx_frames;
    r.rx_octets = station.mac.counters.rx_octets;
    const host::arrivals& arrived = station.arrived();
    r.rx_marked = arrived.marked;
    r.overruns = station.buffer.overruns();
    r.data_frames = arrived.frames;
    r.data_octets = arrived.octets;
    if (arrived.frames > 0) {
        r.first_data = arrived.first;
        r.last_data = arrived.last;
    }
    for (std::uint8_t p = 0; p < 8; ++p) r.paused[p] = station.flow.receiver.paused_for(p, now);
    r.link_paused = station.flow.receiver.link_paused_for(now);
    r.pfc_received = station.flow.receiver.counters.seen;
    r.pause_received = station.flow.receiver.counters.pause;
    r.transport = station.counters;
    return r;
}

namespace {

/// `under_way`: of its frames, those that are in a switch, on a line or in a host at the end.
flow_result result_of(machine& m, const platforms::flow& f, const host::flow_record& record, std::uint64_t under_way,
                      picoseconds origin, platforms::ideal_times& ideal) {
    flow_result r;
    r.source = m.config().hosts[f.source].name;
    r.destination = m.config().hosts[f.destination].name;
    r.priority = f.priority;
    r.dscp = f.dscp;
    r.octets = f.octets;
    r.id = f.id;
    r.start = f.start;
    if (!f.after.empty()) {
        r.start.reset();
        if (record.started != never) r.start = record.started - origin;
    }
    if (record.frames_sent > 0) r.first = record.first_sent - origin;
    r.delivered_octets = std::min(record.frames_received * f.payload, f.octets);
    if (record.delivered != never) r.finish = record.delivered - origin;
    r.lost_frames = record.frames_sent - record.frames_received - record.discarded - under_way;
    r.marked_frames = record.marked;
    r.retransmitted_frames = record.retransmitted;
    if (record.acknowledged != never) r.acknowledged = record.acknowledged - origin;
    if (record.given_up != never) r.given_up = record.given_up - origin;
    r.ideal = ideal.of(f);
    const picoseconds now = from_kernel(sc_core::sc_time_stamp());
    if (record.shut != never) {
        r.paused = record.shut;
    } else if (record.started <= now) {
        r.paused = m.host(f.source).shut_for(f.priority, now) - record.shut_before;
    }
    return r;
}

}  // namespace

std::vector<flow_result> flow_results(machine& m, const std::vector<platforms::flow>& flows, picoseconds origin,
                                      platforms::ideal_times& ideal) {
    std::vector<std::uint64_t> under_way(flows.size(), 0);
    m.frames().each_in_use([&under_way](const ethernet::frame& f) {
        if (f.flow < under_way.size()) ++under_way[f.flow];
    });
    std::vector<flow_result> all;
    for (std::size_t f = 0; f < flows.size(); ++f) {
        all.push_back(result_of(m, flows[f], m.ledger()[f], under_way[f], origin, ideal));
    }
    return all;
}

std::vector<loss> losses_of(machine& m) {
    std::vector<loss> all;
    for (std::size_t s = 0; s < m.switches(); ++s) {
        auto& chip = m.chip(s);
        for (std::uint16_t port = 0; port < chip.ports(); ++port) {
            mmu::mmu::reason_counts outside = chip.port(port).mac.counters.drops;
            for (std::uint8_t g = 0; g < mmu::groups_per_port; ++g) {
                const auto& dropped = chip.memory().drops_of_group(port, g);
                for (std::size_t reason = 1; reason < mmu::drop_reasons; ++reason) {
                    if (dropped[reason] == 0) continue;
                    // These were dropped after the port had let them in.
                    if (reason != static_cast<std::size_t>(mmu::drop_reason::flushed) &&
                        reason != static_cast<std::size_t>(mmu::drop_reason::escape)) {
                        // A port's counters can be cleared by themselves.
                        outside[reason] -= std::min(outside[reason], dropped[reason]);
                    }
                    all.push_back({static_cast<std::uint32_t>(s), port, g,
                                   chip.memory().group(port, g).profile.lossless,
                                   std::string(mmu::drop_reason_names[reason]), dropped[reason]});
                }
            }
            const auto& on_cable = chip.ingress_pipeline().lost_on_cable(port);
            for (std::uint8_t g = 0; g < mmu::groups_per_port; ++g) {
                if (on_cable[g] == 0) continue;
                all.push_back({static_cast<std::uint32_t>(s), port, g, chip.memory().group(port, g).profile.lossless,
                               "link_down", on_cable[g]});
            }
            for (std::size_t reason = 1; reason < mmu::drop_reasons; ++reason) {
                if (outside[reason] == 0) continue;
                all.push_back({static_cast<std::uint32_t>(s), port, 0, false,
                               std::string(mmu::drop_reason_names[reason]), outside[reason]});
            }
        }
    }
    return all;
}

std::vector<std::string> violations_of(machine& m, bool drained) {
    std::vector<std::string> all;
    for (std::size_t s = 0; s < m.switches(); ++s) {
        const std::string error = m.chip(s).memory().conservation_error();
        if (!error.empty()) all.push_back(fmt::format("{}: {}", m.config().switches[s].name, error));
        if (drained && m.chip(s).memory().used() != 0) {
            all.push_back(fmt::format("{}: {} cells are in use although nothing is under way",
                                      m.config().switches[s].name, m.chip(s).memory().used()));
        }
    }
    return all;
}

}  // namespace weir::vp
