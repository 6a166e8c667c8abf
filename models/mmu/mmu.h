// SPDX-License-Identifier: Apache-2.0
// The memory management unit: admits frames into cells, keeps the accounts of groups, queues and pools, and tells each
// port's flow control when one of its groups wants the peer to stop.
//
//   admit:   physical cell → priority group → egress queue → WRED/ECN → charge both accounts → enqueue
//   depart:  mark at dequeue → return the cells, at the start of transmission or at its end (R7)
//   after either: judge the group that changed, and whoever a dynamic limit carried over a threshold (R4)
//
// Rules R1 to R13 of docs/mmu.md.
#pragma once

#include <algorithm>
#include <systemc>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "models/mmu/indexed_heap.h"
#include "models/mmu/mmu_if.h"
#include "models/mmu/priority_group.h"
#include "models/mmu/queue_account.h"
#include "models/mmu/service_pool.h"
#include "models/mmu/tap.h"
#include "models/mmu/wred.h"
#include "models/pfc/pfc_if.h"
#include "models/scheduler/scheduler_if.h"
#include "models/timeline/fifo.h"
#include "models/timeline/timeline.h"

namespace weir::mmu {

constexpr std::size_t groups_per_port = 8;
constexpr std::size_t queues_per_port = 8;
constexpr std::size_t pool_count = 16;
constexpr std::size_t wred_profile_count = 16;

/// What the memory is; fixed in the hardware.
struct geometry {
    std::uint16_t ports{0};  ///< the CPU port included
    cells total{0};
    std::uint32_t cell_octets{256};
    std::uint32_t frame_overhead{0};  ///< octets added to every frame before it is cut into cells (R1)
};

/// What frames met at one group or queue. Frames and octets count what was admitted (groups) or sent (queues).
struct frame_counters {
    std::uint64_t frames{0};
    std::uint64_t octets{0};
    std::uint64_t drop_frames{0};
    std::uint64_t drop_octets{0};
};

/// How far the programmed sizes exceed the memory, a direction (R9). Zero: they fit.
struct budget {
    std::int64_t programmed{0};
    std::int64_t total{0};
    [[nodiscard]] std::int64_t excess() const { return programmed > total ? programmed - total : 0; }
};

class mmu : public sc_core::sc_module, public admission_if, public departure_if, private actor {
public:
    mmu(sc_core::sc_module_name name, timeline& time, const geometry& g, std::uint64_t seed);

    sc_core::sc_export<admission_if> admission{"admission"};
    sc_core::sc_export<departure_if> departure{"departure"};
    /// One a port, the CPU port included.
    sc_core::sc_vector<sc_core::sc_port<scheduler::enqueue_if>> queues_out{"queues_out"};
    /// One a front port: the CPU port has nobody to pause.
    sc_core::sc_vector<sc_core::sc_port<pfc::pause_wish_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND>> wishes{"wishes"};

    drop_reason admit(const arrival& a) override;
    void depart(std::uint16_t port, std::uint8_t queue, const queued_frame& f, picoseconds end) override;
    void discard(std::uint16_t port, std::uint8_t queue, const queued_frame& f, drop_reason why) override;

    /// Cells of a frame of that length (R1).
    [[nodiscard]] cells cells_of(std::uint32_t octets) const {
        const std::uint32_t size = octets + geometry_.frame_overhead + geometry_.cell_octets - 1;
        return static_cast<cells>(cell_shift_ != 0 ? size >> cell_shift_ : size / geometry_.cell_octets);
    }

    // Programming. Each takes effect at once and moves no cell, but for a changed pool (R13).
    void set_group_profile(std::uint16_t port, std::uint8_t group, const group_profile& p);
    void set_queue_profile(std::uint16_t port, std::uint8_t queue, const queue_profile& p);
    void set_pool(std::uint8_t pool, direction side, cells size, cells headroom);
    void set_wred_curve(std::uint8_t profile, colour c, const wred_curve& curve);
    void set_return_at_end(bool at_end) { return_at_end_ = at_end; }
    /// The port's link went down or its transmit side was disabled: nobody is paused any more (R13).
    void forget_pauses(std::uint16_t port);
    /// The watchdog discards what comes in for a group, or for a queue (R3, G12).
    void set_discarding_group(std::uint16_t port, std::uint8_t group, bool on);
    void set_discarding_queue(std::uint16_t port, std::uint8_t queue, bool on);
    void clear_counters();
    /// Every watermark restarts at the present occupancy (R10).
    void restart_watermarks();
    /// Called when a frame takes a group, or a queue, to its threshold or beyond.
    using threshold_hook = std::function<void(bool is_queue, std::uint16_t port, std::uint8_t which)>;
    void on_threshold(threshold_hook hook) { on_threshold_ = std::move(hook); }
    /// One more who watches, until it is forgotten.
    void observe(tap& t) { taps_.push_back(&t); }
    void forget(tap& t) { taps_.erase(std::remove(taps_.begin(), taps_.end(), &t), taps_.end()); }
    /// Looks at a port's groups again, after a link came up.
    void judge_port(std::uint16_t port);

    [[nodiscard]] const geometry& shape() const { return geometry_; }
    [[nodiscard]] priority_group& group(std::uint16_t port, std::uint8_t g) { return groups_[index(port, g)]; }
    [[nodiscard]] queue_account& queue(std::uint16_t port, std::uint8_t q) { return queues_[index(port, q)]; }
    [[nodiscard]] service_pool& pool(std::uint8_t p) { return pools_[p]; }
    [[nodiscard]] wred_queue& wred(std::uint16_t port, std::uint8_t q) { return wred_[index(port, q)]; }
    [[nodiscard]] const wred_curve& curve(std::uint8_t profile, colour c) const {
        return profiles_[profile][static_cast<std::size_t>(c)];
    }
    [[nodiscard]] const wred_profile& wred_profile_at(std::uint8_t profile) const { return profiles_[profile]; }
    [[nodiscard]] frame_counters& group_counters(std::uint16_t port, std::uint8_t g) {
        return group_counters_[index(port, g)];
    }
    [[nodiscard]] frame_counters& queue_counters(std::uint16_t port, std::uint8_t q) {
        return queue_counters_[index(port, q)];
    }
    /// Frames of a group that the MMU dropped, by reason: the simulator's view, finer than the registers'.
    using reason_counts = std::array<std::uint64_t, drop_reasons>;
    [[nodiscard]] const reason_counts& drops_of_group(std::uint16_t port, std::uint8_t g) const {
        return group_drops_[index(port, g)];
    }
    /// What the watchdog discarded: frames into a group; frames for a queue, those that it held among them.
    [[nodiscard]] std::uint64_t storm_drops_of_group(std::uint16_t port, std::uint8_t g) const {
        return storm_drops_[index(port, g)].of_group;
    }
    [[nodiscard]] std::uint64_t storm_drops_of_queue(std::uint16_t port, std::uint8_t q) const {
        return storm_drops_[index(port, q)].of_queue;
    }
    struct wred_counters {
        std::uint64_t marked{0};
        std::uint64_t dropped{0};
    };
    [[nodiscard]] wred_counters& wred_counts(std::uint16_t port, std::uint8_t q) {
        return wred_counters_[index(port, q)];
    }
    [[nodiscard]] cells used() const { return used_; }
    [[nodiscard]] cells free() const { return geometry_.total - used_; }
    [[nodiscard]] budget& programmed(direction side) { return budgets_[static_cast<std::size_t>(side)]; }
    [[nodiscard]] const budget& programmed(direction side) const { return budgets_[static_cast<std::size_t>(side)]; }

    cells max_used{0};  ///< watermark of the whole memory (R10)

    /// Checks R8 by adding up every account. Empty: it holds; otherwise what does not.
    [[nodiscard]] std::string conservation_error() const;
    /// Checks R8 after every event from now on and stops the simulation when it breaks. For tests: it costs a sum over
    /// all accounts an event.
    void check_always(bool on) { check_always_ = on; }

private:
    struct storm_drops {
        std::uint64_t of_group{0};
        std::uint64_t of_queue{0};
    };
    // Bits of discarding_, which groups and queues of one number share.
    static constexpr std::uint8_t group_bit = 1;
    static constexpr std::uint8_t queue_bit = 2;
    struct pending_return {
        std::uint8_t queue;
        queued_frame frame;
    };

    void due(std::uint32_t port) override;  // a frame's transmission has ended
    void release(std::uint16_t port, std::uint8_t queue, const queued_frame& f);
    void mark(ethernet::frame& f, std::uint16_t port, std::uint8_t queue);
    void judge(std::size_t group);
    void rejudge(std::size_t pool);
    void place(std::size_t group);
    void changed(std::size_t group);
    void check() const;
    void bind_group(std::size_t group, const group_profile& p);
    void bind_queue(std::size_t queue, const queue_profile& p);
    /// The pool of that number, or, when it serves the other direction, one without cells: who is bound to a pool of
    /// the other direction has no Service.
    [[nodiscard]] service_pool& pool_for(direction side, std::uint8_t number) {
        return pools_[number].side == side ? pools_[number] : pools_[pool_count + static_cast<std::size_t>(side)];
    }
    [[nodiscard]] std::size_t number_of(const service_pool* p) const {
        return static_cast<std::size_t>(p - pools_.data());
    }
    [[nodiscard]] static std::size_t index(std::uint16_t port, std::uint8_t which) {
        return std::size_t{port} * groups_per_port + which;
    }

    timeline& time_;
    std::vector<tap*> taps_;
    geometry geometry_;
    unsigned cell_shift_{0};
    cells used_{0};
    bool return_at_end_{false};
    bool check_always_{false};
    threshold_hook on_threshold_;
    std::array<service_pool, pool_count + 2> pools_;
    std::array<wred_profile, wred_profile_count> profiles_;
    std::array<budget, 2> budgets_;
    std::vector<priority_group> groups_;
    std::vector<queue_account> queues_;
    std::vector<wred_queue> wred_;
    std::vector<frame_counters> group_counters_;
    std::vector<frame_counters> queue_counters_;
    std::vector<reason_counts> group_drops_;
    std::vector<wred_counters> wred_counters_;
    std::vector<std::uint8_t> discarding_;
    std::vector<storm_drops> storm_drops_;
    std::vector<fifo<pending_return>> returns_;  // a port: transmissions under way whose cells return at the end
    // A pool's dynamic lossless groups that hold cells, by the free count at which they would change their mind.
    std::vector<indexed_heap> would_assert_;  // least key first: the key is minus the free count
    std::vector<indexed_heap> would_resume_;
};

}  // namespace weir::mmu
