// SPDX-License-Identifier: Apache-2.0
#include "models/observer/observer.h"

#include <algorithm>
#include <utility>

#include "models/mmu/mmu.h"

namespace weir::observer {

struct observer::chip_state : public mmu::tap {
    chip_state(observer& o, std::uint32_t number, std::size_t ports)
        : owner(o), chip(number), cells(ports), groups(ports), gates(ports), stopped(ports, 0) {}

    void admitted(const mmu::arrival& a, mmu::cells size) override { owner.admitted(chip, a, size); }
    void departed(std::uint16_t port, std::uint8_t queue, const mmu::queued_frame& f) override {
        owner.departed(chip, port, queue, f);
    }
    void judged(std::uint16_t port, std::uint8_t group, bool paused) override {
        owner.judged(chip, port, group, paused);
    }

    /// Since when, and where.
    struct waiting_frame {
        picoseconds since;
        std::uint16_t port;
        std::uint8_t queue;
    };

    observer& owner;
    std::uint32_t chip;
    held_cells cells;
    std::unordered_map<const ethernet::frame*, waiting_frame> waiting;
    std::vector<std::array<pause_record, mmu::groups_per_port>> groups;
    std::vector<std::array<gate, queues>> gates;
    std::vector<pfc::bitmap> stopped;
};

observer::observer(timeline& time, fabric network, const host::flow_ledger& ledger, std::vector<watched_flow> flows)
    : time_(time),
      network_(std::move(network)),
      ledger_(ledger),
      flows_(std::move(flows)),
      flows_of_host_(network_.hosts.size()),
      hosts_(network_.hosts.size()),
      lost_(flows_.size()) {
    for (std::uint32_t f = 0; f < flows_.size(); ++f) flows_of_host_[flows_[f].source].push_back(f);
    for (std::uint32_t s = 0; s < network_.chips.size(); ++s) {
        asic::switch_asic& chip = *network_.chips[s];
        // The CPU port is one more.
        chips_.push_back(std::make_unique<chip_state>(*this, s, chip.ports() + 1));
        chip.memory().observe(*chips_.back());
        for (std::uint32_t p = 0; p < chip.ports(); ++p) {
            chip.port(p).flow.on_gate(this, [this, s, p](pfc::bitmap stopped) { gates_moved({s, p}, stopped); });
        }
    }
    for (std::uint32_t h = 0; h < network_.hosts.size(); ++h) {
        network_.hosts[h]->flow.on_gate(this, [this, h](pfc::bitmap stopped) { host_gates_moved(h, stopped); });
    }
}

observer::~observer() {
    for (std::size_t s = 0; s < network_.chips.size(); ++s) {
        asic::switch_asic& chip = *network_.chips[s];
        chip.memory().forget(*chips_[s]);
        for (std::size_t p = 0; p < chip.ports(); ++p) chip.port(p).flow.forget_gate(this);
    }
    for (host::end_station* host : network_.hosts) host->flow.forget_gate(this);
}

void observer::admitted(std::uint32_t chip, const mmu::arrival& a, mmu::cells size) {
    chip_state& state = *chips_[chip];
    const picoseconds now = time_.now();
    // Behind a gate that is shut, a group's first frame makes those who wait for the group wait for that queue too.
    const waiting_queue into{{chip, a.egress_port}, a.queue};
    gate& g = state.gates[a.egress_port][a.queue];
    const bool may_close =
        g.shut && !state.cells.holds(a.ingress_port, a.group, a.egress_port, a.queue) && circle_of(into).empty();
    state.cells.add(a.ingress_port, a.group, a.egress_port, a.queue, size, now);
    state.waiting[&a.frame] = {now, a.egress_port, a.queue};
    ++g.waiting;
    if (may_close) look_for_circle(into);
    if (a.frame.flow < lost_.size()) lost_.passed(a.frame.flow, {chip, a.egress_port}, a.queue);
    pause_record& record = state.groups[a.ingress_port][a.group];
    if (record.lasting) record.most = std::max(record.most, state.cells.held(a.ingress_port, a.group));
}

void observer::departed(std::uint32_t chip, std::uint16_t port, std::uint8_t queue, const mmu::queued_frame& f) {
    chip_state& state = *chips_[chip];
    const auto found = state.waiting.find(f.frame);
    if (found == state.waiting.end()) return;  // it was there before the observer
    const picoseconds since = found->second.since;
    state.waiting.erase(found);
    state.cells.remove(f.ingress_port, f.group, port, queue, f.size);
    gate& g = state.gates[port][queue];
    count_waiting(f.frame->flow, g, since);
    --g.waiting;
    g.last_departure = time_.now();
    // Frames leave a queue in the order in which they came.
    while (!g.past.empty() && (g.waiting == 0 || g.past.front().end <= since)) g.past.pop_front();
}

void observer::count_waiting(std::uint32_t flow, gate& g, picoseconds admitted) {
    if (flow >= lost_.size()) return;
    for (const shut_interval& i : g.past) {
        if (i.cause.node == no_node) continue;
        lost_.waited(flow, std::max(i.begin, admitted), i.end, tree_.root_of(i.cause.node));
    }
    if (g.shut && g.cause.node != no_node) {
        lost_.waited(flow, std::max(g.since, admitted), time_.now(), tree_.root_of(g.cause.node));
    }
}

void observer::judged(std::uint32_t chip, std::uint16_t port, std::uint8_t group, bool paused) {
    chip_state& state = *chips_[chip];
    if (port >= network_.chips[chip]->ports()) return;
    pause_record& record = state.groups[port][group];
    if (record.lasting == paused) return;
    record.lasting = paused;
    if (paused) {
        record.since = time_.now();
        record.number = ++pauses_;
        record.cause = cause_of_pause({chip, port}, group);
        record.node = tree_.pause({chip, port}, group, record.cause.node);
        record.most = state.cells.held(port, group);
        pause_node& node = tree_[record.node];
        if (++node.times == 1) node.first = record.since;
        ++active_roots_[tree_.root_of(record.node)];
    } else {
        pause_ended({chip, port}, group, record, false);
        const auto root = active_roots_.find(tree_.root_of(record.node));
        if (--root->second == 0) active_roots_.erase(root);
    }
    note_spread();
}

// The queue for which the group holds most. Its own peer is the cause when it stopped that queue while the oldest of
// those frames waited; else the queue gets more than it can send.
pause_reason observer::cause_of_pause(const place& at, std::uint8_t group) {
    const egress_share* most = chips_[at.chip]->cells.largest(static_cast<std::uint16_t>(at.port), group);
    if (most == nullptr) return {tree_.root(pause_node::kind::unknown, at, group)};
    const gate& g = chips_[at.chip]->gates[most->port][most->queue];
    if (g.shut && g.cause.node != no_node) return g.cause;
    if (g.last.cause.node != no_node && g.last.end >= most->since.front()) return g.last.cause;
    return {tree_.root(pause_node::kind::congestion, {at.chip, most->port}, most->queue)};
}

pause_reason observer::cause_of_stop(const peer& by, const pfc::flow_control& stopped, std::uint8_t queue) {
    if (by.what == peer::kind::host) return {tree_.root(pause_node::kind::host, {0, by.host}, queue)};
    if (by.what == peer::kind::none) return {};
    const pfc::bitmap groups = network_.groups_that_stop(by.at, stopped, queue);
    const auto& records = chips_[by.at.chip]->groups[by.at.port];
    pause_reason over;  // the pause whose end is still on its way
    for (std::size_t g = 0; g < records.size(); ++g) {
        if ((groups >> g & 1U) == 0 || records[g].node == no_node) continue;
        over = {records[g].node, records[g].number};
        if (records[g].lasting) return over;
    }
    if (over.node == no_node) over.node = tree_.root(pause_node::kind::unknown, by.at, queue);
    return over;
}

void observer::gates_moved(const place& at, pfc::bitmap stopped) {
    chip_state& state = *chips_[at.chip];
    const pfc::bitmap before = std::exchange(state.stopped[at.port], stopped);
    const auto changed = static_cast<pfc::bitmap>(before ^ stopped);
    if (changed == 0) return;
    const peer& by = network_.peers[at.chip][at.port];
    const picoseconds now = time_.now();
    for (std::uint8_t q = 0; q < queues; ++q) {
        if ((changed >> q & 1U) == 0) continue;
        gate& g = state.gates[at.port][q];
        if ((stopped >> q & 1U) == 0) {
            g.open(now);
            continue;
        }
        g.close(now, cause_of_stop(by, network_.flow(at), q));
        if (by.what == peer::kind::chip) look_for_circle({at, q});
    }
    if (by.what == peer::kind::chip) {
        if (before == 0) ++stopped_links_;
        if (stopped == 0) --stopped_links_;
    }
    note_spread();
}

void observer::host_gates_moved(std::uint32_t host, pfc::bitmap stopped) {
    host_state& state = hosts_[host];
    const pfc::bitmap before = std::exchange(state.stopped, stopped);
    const auto changed = static_cast<pfc::bitmap>(before ^ stopped);
    if (changed == 0) return;
    const peer by{peer::kind::chip, network_.host_places[host], 0};
    for (std::uint8_t q = 0; q < queues; ++q) {
        if ((changed >> q & 1U) == 0) continue;
        gate& g = state.gates[q];
        if ((stopped >> q & 1U) != 0) {
            g.close(time_.now(), cause_of_stop(by, network_.hosts[host]->flow, q));
        } else {
            count_at_source(host, q, g);
            g.open(time_.now());
        }
    }
    if (before == 0) ++stopped_hosts_;
    if (stopped == 0) --stopped_hosts_;
    note_spread();
}

// While the gate was shut nothing was sent: what is not sent now was not sent then.
void observer::count_at_source(std::uint32_t host, std::uint8_t priority, const gate& g) {
    if (g.cause.node == no_node) return;
    const node_number root = tree_.root_of(g.cause.node);
    for (const std::uint32_t f : flows_of_host_[host]) {
        const host::flow_record& record = ledger_[f];
        if (flows_[f].priority != priority || record.frames_sent >= record.frames || record.started == never) continue;
        lost_.waited(f, std::max(g.since, record.started), time_.now(), root);
    }
}

std::vector<waiting_queue> observer::waits_for_now(const waiting_queue& q) const {
    const gate& g = chips_[q.at.chip]->gates[q.at.port][q.queue];
    const peer& by = network_.peers[q.at.chip][q.at.port];
    std::vector<waiting_queue> others;
    if (!g.shut || g.waiting == 0 || by.what != peer::kind::chip) return others;
    const chip_state& there = *chips_[by.at.chip];
    const pfc::bitmap groups = network_.groups_that_stop(by.at, network_.flow(q.at), q.queue);
    for (std::uint8_t group = 0; group < mmu::groups_per_port; ++group) {
        if ((groups >> group & 1U) == 0) continue;
        for (const egress_share& s : there.cells.shares(static_cast<std::uint16_t>(by.at.port), group)) {
            if (there.gates[s.port][s.queue].shut) others.push_back({{by.at.chip, s.port}, s.queue});
        }
    }
    return others;
}

circle observer::circle_of(const waiting_queue& q) const {
    return find_circle(q, [this](const waiting_queue& each) { return waits_for_now(each); });
}

void observer::look_for_circle(const waiting_queue& from) {
    const circle found = circle_of(from);
    if (found.empty()) return;
    seen_circle& seen = circles_[found];
    if (seen.times++ == 0) seen.first = time_.now();
}

void observer::pause_ended(const place& at, std::uint8_t group, const pause_record& record, bool lasting) {
    pause_node& node = tree_[record.node];
    node.time += time_.now() - record.since;
    node.most = std::max(node.most, record.most);
    if (!on_pause_) return;
    on_pause_({record.number, record.cause, at, group, record.since, time_.now(), lasting, record.most,
               tree_.root_of(record.node)});
}

void observer::note_spread() {
    const spread now{time_.now(), stopped_links_, stopped_hosts_, static_cast<std::uint32_t>(active_roots_.size())};
    if (!spread_.empty()) {
        spread& last = spread_.back();
        if (last.links == now.links && last.hosts == now.hosts && last.roots == now.roots) return;
        if (last.time / microseconds(1) == now.time / microseconds(1)) {
            last = now;
            return;
        }
    }
    spread_.push_back(now);
}

bool observer::has_part_in(std::uint32_t flow, node_number root) const {
    const pause_node& n = tree_.nodes()[root];
    if (n.what == pause_node::kind::host) return flows_[flow].destination == n.at.port;
    return lost_.of(flow).path.count({n.at.chip, n.at.port, n.which}) != 0;
}

void observer::finish() {
    for (auto& [members, seen] : circles_) {
        if (!stands(members, [this](const waiting_queue& q) { return waits_for_now(q); })) continue;
        seen.standing = true;
        for (const waiting_queue& q : members) {
            seen.since = std::max(seen.since, chips_[q.at.chip]->gates[q.at.port][q.queue].last_departure);
        }
    }
    for (const auto& state : chips_) {
        for (std::uint32_t port = 0; port < state->groups.size(); ++port) {
            for (std::uint8_t g = 0; g < mmu::groups_per_port; ++g) {
                pause_record& record = state->groups[port][g];
                if (std::exchange(record.lasting, false)) pause_ended({state->chip, port}, g, record, true);
            }
        }
    }
    for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
        for (std::uint8_t q = 0; q < queues; ++q) {
            if (hosts_[h].gates[q].shut) count_at_source(h, q, hosts_[h].gates[q]);
        }
    }
    for (auto& state : chips_) {
        std::vector<std::pair<chip_state::waiting_frame, std::uint32_t>> left;
        for (const auto& [frame, waits] : state->waiting) left.emplace_back(waits, frame->flow);
        std::sort(left.begin(), left.end(), [](const auto& a, const auto& b) {
            return std::pair(a.first.since, a.second) < std::pair(b.first.since, b.second);
        });
        for (const auto& [waits, flow] : left) count_waiting(flow, state->gates[waits.port][waits.queue], waits.since);
    }
}

}  // namespace weir::observer
