// SPDX-License-Identifier: Apache-2.0
// The view that no device has: it sees every queue, gate and group of a network at once, and changes none.
//
//   memories' taps ─► frames that wait, cells by egress queue ─┐
//   groups' wishes ───────────────────────────────────────────┼─► pause tree, circles, lost time, spread
//   gates of switches and hosts ──────────────────────────────┘
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "models/host/flow_ledger.h"
#include "models/mmu/tap.h"
#include "models/observer/fabric.h"
#include "models/observer/gate.h"
#include "models/observer/held_cells.h"
#include "models/observer/lost_time.h"
#include "models/observer/pause_tree.h"
#include "models/observer/wait_graph.h"
#include "models/timeline/timeline.h"

namespace weir::observer {

/// A flow, by its number in the ledger.
struct watched_flow {
    std::uint32_t source{0};  ///< hosts
    std::uint32_t destination{0};
    std::uint8_t priority{0};
};

/// A circle of waits that closed.
struct seen_circle {
    picoseconds first{0};
    std::uint64_t times{0};
    bool standing{false};  ///< at the end
    picoseconds since{0};  ///< standing: nothing has left any of its queues since
};

/// A pause of a priority group that has ended, or that lasts when the run ends.
struct seen_pause {
    std::uint64_t number{0};
    pause_reason cause;
    place at;  ///< the group's port
    std::uint8_t group{0};
    picoseconds begin{0};
    picoseconds end{0};
    bool lasting{false};
    mmu::cells most{0};  ///< that the group held meanwhile
    node_number root{no_node};
};

/// How far pauses reach at a time.
struct spread {
    picoseconds time{0};
    std::uint32_t links{0};  ///< ports of switches that another switch has stopped, in whole or for a priority
    std::uint32_t hosts{0};  ///< hosts that are stopped
    std::uint32_t roots{0};  ///< causes of the pauses that last
};

class observer {
public:
    /// Watches from now on. `flows` are those of the ledger, in its order.
    observer(timeline& time, fabric network, const host::flow_ledger& ledger, std::vector<watched_flow> flows);
    ~observer();
    observer(const observer&) = delete;
    observer& operator=(const observer&) = delete;

    /// Ends what lasts: pauses, waits. Nothing is seen afterwards.
    void finish();

    /// Called with every pause when it ends, and from `finish` with those that last.
    void on_pause(std::function<void(const seen_pause&)> hook) { on_pause_ = std::move(hook); }

    [[nodiscard]] const pause_tree& causes() const { return tree_; }
    [[nodiscard]] const lost_time& lost() const { return lost_; }
    [[nodiscard]] const std::map<circle, seen_circle>& circles() const { return circles_; }
    /// A row a change, at most one a microsecond.
    [[nodiscard]] const std::vector<spread>& timeline_of_spread() const { return spread_; }
    [[nodiscard]] const std::vector<watched_flow>& flows() const { return flows_; }
    [[nodiscard]] const fabric& network() const { return network_; }
    /// The root is a queue that the flow's frames passed, or the host that they went to.
    [[nodiscard]] bool has_part_in(std::uint32_t flow, node_number root) const;

private:
    static constexpr std::size_t queues = 8;

    /// A pause that lasts, or has lasted last.
    struct pause_record {
        bool lasting{false};
        picoseconds since{0};
        node_number node{no_node};
        std::uint64_t number{0};
        pause_reason cause;
        mmu::cells most{0};
    };
    struct chip_state;
    struct host_state {
        std::array<gate, queues> gates;
        pfc::bitmap stopped{0};
    };

    void admitted(std::uint32_t chip, const mmu::arrival& a, mmu::cells size);
    void departed(std::uint32_t chip, std::uint16_t port, std::uint8_t queue, const mmu::queued_frame& f);
    void judged(std::uint32_t chip, std::uint16_t port, std::uint8_t group, bool paused);
    void gates_moved(const place& at, pfc::bitmap stopped);
    void host_gates_moved(std::uint32_t host, pfc::bitmap stopped);

    [[nodiscard]] pause_reason cause_of_pause(const place& at, std::uint8_t group);
    [[nodiscard]] pause_reason cause_of_stop(const peer& by, const pfc::flow_control& stopped, std::uint8_t queue);
    void count_waiting(std::uint32_t flow, gate& g, picoseconds admitted);
    void count_at_source(std::uint32_t host, std::uint8_t priority, const gate& g);
    [[nodiscard]] std::vector<waiting_queue> waits_for_now(const waiting_queue& q) const;
    /// The circle that it is part of now; empty: there is none.
    [[nodiscard]] circle circle_of(const waiting_queue& q) const;
    /// Called when `from` begins to wait, or to be waited for.
    void look_for_circle(const waiting_queue& from);
    void note_spread();
    void pause_ended(const place& at, std::uint8_t group, const pause_record& record, bool lasting);

    timeline& time_;
    fabric network_;
    const host::flow_ledger& ledger_;
    std::vector<watched_flow> flows_;
    std::vector<std::vector<std::uint32_t>> flows_of_host_;
    std::vector<std::unique_ptr<chip_state>> chips_;
    std::vector<host_state> hosts_;
    pause_tree tree_;
    lost_time lost_;
    std::map<circle, seen_circle> circles_;
    std::vector<spread> spread_;
    std::uint64_t pauses_{0};
    std::function<void(const seen_pause&)> on_pause_;
    std::uint32_t stopped_links_{0};
    std::uint32_t stopped_hosts_{0};
    std::map<node_number, std::uint32_t> active_roots_;
};

}  // namespace weir::observer
