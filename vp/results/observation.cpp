// SPDX-License-Identifier: Apache-2.0
// From the observer's numbers to names.
#include "vp/results/observation.h"

#include <fmt/format.h>

#include <algorithm>

#include "vp/headroom/port_loop.h"
#include "vp/results/observed_names.h"

namespace weir::vp {
namespace {

using observer::node_number;
using observer::pause_node;
using observer::peer;
using platforms::machine;

std::vector<wait_circle> circles_of(const observer::observer& seen, const observed_names& names, picoseconds origin) {
    std::vector<wait_circle> all;
    for (const auto& [members, about] : seen.circles()) {
        wait_circle c;
        for (const auto& q : members) c.members.push_back({names.chip(q.at.chip), q.at.port, names.priority_of(q)});
        c.first = about.first - origin;
        c.times = about.times;
        if (about.standing) c.stands_since = about.since - origin;
        all.push_back(std::move(c));
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return all;
}

/// Depth first, the greatest time first.
class tree_writer {
public:
    tree_writer(const observer::observer& seen, machine& m, const observed_names& names, picoseconds origin)
        : nodes_(seen.causes().nodes()),
          machine_(m),
          names_(names),
          origin_(origin),
          below_(nodes_.size()),
          made_(nodes_.size()) {
        std::vector<node_number> roots;
        for (node_number n = 0; n < nodes_.size(); ++n) made_[n] = line(nodes_[n]);
        // A node is made after its parent.
        for (node_number n = static_cast<node_number>(nodes_.size()); n-- > 0;) {
            const node_number parent = nodes_[n].parent;
            (parent == observer::no_node ? roots : below_[parent]).push_back(n);
        }
        for (node_number n = 0; n < nodes_.size(); ++n) {
            if (nodes_[n].parent != observer::no_node) add_to_root(n, seen.causes().root_of(n));
        }
        sort(roots);
        for (const node_number root : roots) {
            if (made_[root].times > 0) write(root, 0);
        }
    }
    [[nodiscard]] std::vector<pause_cause> take() { return std::move(lines_); }

private:
    [[nodiscard]] pause_cause line(const pause_node& n) const {
        pause_cause c;
        c.port = n.at.port;
        c.which = n.which;
        c.circular = n.circular;
        switch (n.what) {
            case pause_node::kind::host:
                c.what = "host";
                c.chip = names_.host(n.at.port);
                return c;
            case pause_node::kind::congestion:
                c.what = "congestion";
                break;
            case pause_node::kind::unknown:
                c.what = "forced";
                break;
            case pause_node::kind::pause:
                c.what = "pause";
                c.stops = names_.stopped_by(n.at);
                c.times = n.times;
                c.first = n.first - origin_;
                c.time = n.time;
                c.octets = static_cast<std::uint64_t>(n.most) * machine_.config().switches[n.at.chip].cell_octets;
                break;
        }
        c.chip = names_.chip(n.at.chip);
        return c;
    }
    void add_to_root(node_number n, node_number root) {
        made_[root].times += made_[n].times;
        made_[root].time += made_[n].time;
        made_[root].octets += made_[n].octets;
    }
    void sort(std::vector<node_number>& numbers) const {
        std::sort(numbers.begin(), numbers.end(), [this](node_number a, node_number b) {
            return std::pair(made_[b].time, a) < std::pair(made_[a].time, b);
        });
    }
    void write(node_number n, std::uint32_t depth) {
        lines_.push_back(made_[n]);
        lines_.back().depth = depth;
        sort(below_[n]);
        for (const node_number child : below_[n]) write(child, depth + 1);
    }

    const std::vector<pause_node>& nodes_;
    machine& machine_;
    const observed_names& names_;
    picoseconds origin_;
    std::vector<std::vector<node_number>> below_;
    std::vector<pause_cause> made_;
    std::vector<pause_cause> lines_;
};

std::vector<flow_loss> flow_losses_of(const observer::observer& seen, const observed_names& names) {
    std::vector<flow_loss> all;
    for (std::uint32_t f = 0; f < seen.flows().size(); ++f) {
        flow_loss l;
        l.flow = f;
        l.source = names.host(seen.flows()[f].source);
        l.destination = names.host(seen.flows()[f].destination);
        l.priority = seen.flows()[f].priority;
        picoseconds worst{0};
        for (const auto& [root, time] : seen.lost().of(f).by_root) {
            l.lost += time;
            if (seen.has_part_in(f, root)) continue;
            l.foreign += time;
            if (time > worst) {
                worst = time;
                l.worst = names.root(root);
            }
        }
        if (l.lost > picoseconds{0}) all.push_back(std::move(l));
    }
    std::stable_sort(all.begin(), all.end(), [](const flow_loss& a, const flow_loss& b) {
        return std::pair(a.foreign, a.lost) > std::pair(b.foreign, b.lost);
    });
    return all;
}

std::vector<headroom_use> headroom_of(machine& m) {
    std::vector<headroom_use> all;
    const std::uint32_t frame = workload_frame(m.config());
    for (std::uint32_t s = 0; s < m.switches(); ++s) {
        const auto& bank = m.chip(s).bank();
        for (std::uint32_t port = 0; port < m.chip(s).ports(); ++port) {
            for (std::uint32_t group = 0; group < mmu::groups_per_port; ++group) {
                const registers::index at{port, group, 0};
                if (bank.get(bank.field("pg.mode.lossless"), at) == 0) continue;
                headroom_use u;
                u.used = bank.get(bank.field("pg.headroom_max.cells"), at);
                if (u.used == 0) continue;
                u.chip = m.config().switches[s].name;
                u.port = port;
                u.group = group;
                u.programmed = bank.get(bank.field("pg.headroom.cells"), at);
                u.needed = exact_headroom(port_loop(m.config(), s, port, frame), frame,
                                          bank.get(bank.field("pg.mode.service_after_xoff"), at) == 0);
                all.push_back(std::move(u));
            }
        }
    }
    return all;
}

}  // namespace

observer::fabric fabric_of(machine& m) {
    observer::fabric made;
    const auto& config = m.config();
    for (std::size_t s = 0; s < m.switches(); ++s) {
        made.chips.push_back(&m.chip(s));
        made.peers.emplace_back(m.chip(s).ports());
    }
    for (std::uint32_t h = 0; h < m.hosts(); ++h) {
        made.hosts.push_back(&m.host(h));
        const observer::place at{config.hosts[h].switch_index, config.hosts[h].port};
        made.host_places.push_back(at);
        made.peers[at.chip][at.port] = {peer::kind::host, {}, h};
    }
    for (const auto& link : config.links) {
        const observer::place a{link.a.switch_index, link.a.port};
        const observer::place b{link.b.switch_index, link.b.port};
        made.peers[a.chip][a.port] = {peer::kind::chip, b, 0};
        made.peers[b.chip][b.port] = {peer::kind::chip, a, 0};
    }
    return made;
}

observation make_observation(const observer::observer& seen, machine& m, picoseconds origin) {
    const observed_names names(seen, m);
    observation made;
    made.circles = circles_of(seen, names, origin);
    made.causes = tree_writer(seen, m, names, origin).take();
    made.losses = flow_losses_of(seen, names);
    made.spread = seen.timeline_of_spread();
    for (auto& row : made.spread) row.time -= origin;
    made.headroom = headroom_of(m);
    return made;
}

}  // namespace weir::vp
