// SPDX-License-Identifier: Apache-2.0
#include "models/mmu/mmu.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::mmu {

static_assert(groups_per_port == queues_per_port, "groups and queues share their index arithmetic");

mmu::mmu(sc_core::sc_module_name module_name, timeline& time, const geometry& g, std::uint64_t seed)
    : sc_module(module_name),
      actor(time, name()),
      time_(time),
      geometry_(g),
      groups_(std::size_t{g.ports} * groups_per_port),
      queues_(std::size_t{g.ports} * queues_per_port),
      wred_(queues_.size()),
      group_counters_(groups_.size()),
      queue_counters_(queues_.size()),
      group_drops_(groups_.size()),
      wred_counters_(queues_.size()),
      discarding_(queues_.size()),
      storm_drops_(queues_.size()),
      returns_(g.ports) {
    queues_out.init(g.ports);
    wishes.init(g.ports - 1U);
    admission.bind(*this);
    departure.bind(*this);
    if ((g.cell_octets & (g.cell_octets - 1)) == 0) {
        while ((1U << cell_shift_) < g.cell_octets) ++cell_shift_;
    }
    pools_[pool_count + static_cast<std::size_t>(direction::egress)].side = direction::egress;
    for (auto& each : groups_) each.pool = &pool_for(direction::ingress, 0);
    for (auto& each : queues_) each.pool = &pool_for(direction::egress, 0);
    for (std::uint16_t port = 0; port < g.ports; ++port) {
        for (std::uint8_t q = 0; q < queues_per_port; ++q) {
            wred_[index(port, q)].profile = &profiles_[0];
            wred_[index(port, q)].random = random_stream(seed, fmt::format("{}.wred.p{}.q{}", name(), port, q));
        }
    }
    for (auto& each : budgets_) each.total = g.total;
    for (std::size_t p = 0; p < pools_.size(); ++p) {
        would_assert_.emplace_back(groups_.size());
        would_resume_.emplace_back(groups_.size());
    }
}

drop_reason mmu::admit(const arrival& a) {
    const std::size_t in = index(a.ingress_port, a.group);
    const std::size_t out = index(a.egress_port, a.queue);
    priority_group& group = groups_[in];
    queue_account& queue = queues_[out];
    const cells size = cells_of(a.frame.length);

    const auto overflow = [&] {
        if (group.profile.lossless && a.ingress_port < wishes.size() && wishes[a.ingress_port].size() > 0)
            wishes[a.ingress_port]->group_overflowed(a.group);
    };
    const auto refuse = [&](drop_reason why, frame_counters& where) {
        ++where.drop_frames;
        where.drop_octets += a.frame.length;
        ++group_drops_[in][static_cast<std::size_t>(why)];
        a.frame.note = {static_cast<std::uint8_t>(why), a.ingress_port, a.group, a.queue, false};
        return why;
    };
    if (((discarding_[in] & group_bit) | (discarding_[out] & queue_bit)) != 0) {
        const bool for_queue = (discarding_[out] & queue_bit) != 0;
        ++(for_queue ? storm_drops_[out].of_queue : storm_drops_[in].of_group);
        ++group_drops_[in][static_cast<std::size_t>(drop_reason::watchdog)];
        a.frame.note = {static_cast<std::uint8_t>(drop_reason::watchdog), a.ingress_port, a.group, a.queue, false};
        return drop_reason::watchdog;
    }
    if (size > free()) {
        overflow();
        return refuse(drop_reason::no_cell, group_counters_[in]);
    }
    if (!group.profile.enabled) return refuse(drop_reason::group_limit, group_counters_[in]);
    const group_charge charge = group.plan(size);
    if (charge.refused != drop_reason::none) {
        if (charge.refused == drop_reason::headroom) overflow();
        return refuse(charge.refused, group_counters_[in]);
    }
    if (const drop_reason why = queue.check(size); why != drop_reason::none) {
        // A queue of the CPU port fills when software does not fetch: that says more than its limit does.
        const bool for_software = why == drop_reason::queue_limit && a.egress_port == geometry_.ports - 1;
        return refuse(for_software ? drop_reason::cpu_full : why, queue_counters_[out]);
    }
    a.frame.note = {0, a.ingress_port, a.group, a.queue, false};
    wred_queue& wred = wred_[out];
    if (wred.active() && !wred.at_dequeue) {
        switch (wred.judge(queue.used(), a.drop_precedence, a.frame.headers.congestion, queue.profile.lossless)) {
            case wred_verdict::drop:
                ++wred_counters_[out].dropped;
                return refuse(drop_reason::wred, queue_counters_[out]);
            case wred_verdict::mark:
                mark(a.frame, a.egress_port, a.queue);
                break;
            case wred_verdict::pass:
                break;
        }
    }

    group.commit(charge);
    queue.charge(size);
    used_ += size;
    max_used = std::max(max_used, used_);
    ++group_counters_[in].frames;
    group_counters_[in].octets += a.frame.length;
    if (group.used() >= group.threshold) on_threshold_(false, a.ingress_port, a.group);
    if (queue.used() >= queue.threshold) on_threshold_(true, a.egress_port, a.queue);
    for (tap* t : taps_) t->admitted(a, size);
    judge(in);
    rejudge(number_of(group.pool));
    queues_out[a.egress_port]->enqueue(
        a.queue, {&a.frame, a.ingress_port, a.group, static_cast<std::uint8_t>(a.drop_precedence), size});
    if (check_always_) check();
    return drop_reason::none;
}

void mmu::depart(std::uint16_t port, std::uint8_t queue, const queued_frame& f, picoseconds end) {
    const std::size_t out = index(port, queue);
    wred_queue& wred = wred_[out];
    if (wred.active() && wred.at_dequeue) {
        // The queue that the frame leaves behind. A frame that is on its way out is not dropped any more.
        const cells behind = queues_[out].used() - f.size;
        const auto precedence = static_cast<colour>(f.drop_precedence);
        if (wred.judge(behind, precedence, f.frame->headers.congestion, true) == wred_verdict::mark) {
            mark(*f.frame, port, queue);
        }
    }
    for (tap* t : taps_) t->departed(port, queue, f);
    if (f.frame->routed) {
        f.frame->decrement_hop_limit();
        f.frame->routed = false;
    }
    ++queue_counters_[out].frames;
    queue_counters_[out].octets += f.frame->length;
    if (!return_at_end_) {
        release(port, queue, f);
        return;
    }
    returns_[port].push({queue, f});
    time_.at(end, phase::cell_return, *this, port);
}

void mmu::due(std::uint32_t port) {
    const pending_return r = returns_[port].pop();
    release(static_cast<std::uint16_t>(port), r.queue, r.frame);
}

void mmu::discard(std::uint16_t port, std::uint8_t queue, const queued_frame& f, drop_reason why) {
    frame_counters& counters = queue_counters_[index(port, queue)];
    ++counters.drop_frames;
    counters.drop_octets += f.frame->length;
    if (why == drop_reason::watchdog) ++storm_drops_[index(port, queue)].of_queue;
    ++group_drops_[index(f.ingress_port, f.group)][static_cast<std::size_t>(why)];
    f.frame->note.drop_reason = static_cast<std::uint8_t>(why);
    for (tap* t : taps_) t->departed(port, queue, f);
    release(port, queue, f);
}

void mmu::release(std::uint16_t port, std::uint8_t queue, const queued_frame& f) {
    const std::size_t in = index(f.ingress_port, f.group);
    queues_[index(port, queue)].release(f.size);
    groups_[in].release(f.size);
    used_ -= f.size;
    for (tap* t : taps_) t->released(port, queue, f);
    judge(in);
    rejudge(number_of(groups_[in].pool));
    if (check_always_) check();
}

void mmu::mark(ethernet::frame& f, std::uint16_t port, std::uint8_t queue) {
    f.mark_congestion_experienced();
    f.note.marked = true;
    ++wred_counters_[index(port, queue)].marked;
    for (tap* t : taps_) t->marked(port, queue);
}

void mmu::judge(std::size_t group) {
    if (groups_[group].judge()) changed(group);
    if (groups_[group].profile.dynamic) place(group);
}

// Takes over whoever the pool's free count has carried over a threshold. Each turn flips one group, and a flip moves no
// cell, so it ends.
void mmu::rejudge(std::size_t pool) {
    const std::int64_t free = pools_[pool].free();
    indexed_heap& assert_heap = would_assert_[pool];
    while (!assert_heap.empty() && -assert_heap.least_key() >= free) judge(assert_heap.least());
    indexed_heap& resume_heap = would_resume_[pool];
    while (!resume_heap.empty() && resume_heap.least_key() <= free) judge(resume_heap.least());
}

void mmu::place(std::size_t at) {
    const priority_group& group = groups_[at];
    const auto item = static_cast<std::uint32_t>(at);
    indexed_heap& assert_heap = would_assert_[number_of(group.pool)];
    indexed_heap& resume_heap = would_resume_[number_of(group.pool)];
    const bool watched = group.profile.enabled && group.profile.lossless && group.profile.dynamic && group.used() > 0;
    if (watched && !group.paused()) {
        assert_heap.set(item, -group.asserts_at_free());
        resume_heap.remove(item);
        return;
    }
    assert_heap.remove(item);
    const auto free = watched ? group.resumes_at_free() : std::nullopt;
    if (free) {
        resume_heap.set(item, *free);
    } else {
        resume_heap.remove(item);
    }
}

void mmu::changed(std::size_t group) {
    const auto port = group / groups_per_port;
    for (tap* t : taps_) {
        t->judged(static_cast<std::uint16_t>(port), static_cast<std::uint8_t>(group % groups_per_port),
                  groups_[group].paused());
    }
    if (port < wishes.size() && wishes[port].size() > 0) {
        wishes[port]->group_wishes(static_cast<std::uint8_t>(group % groups_per_port), groups_[group].paused());
    }
}

void mmu::set_group_profile(std::uint16_t port, std::uint8_t g, const group_profile& p) {
    const std::size_t at = index(port, g);
    priority_group& group = groups_[at];
    const auto owned = [](const group_profile& x) {
        return std::int64_t{x.guaranteed} + (x.shared_headroom ? 0 : x.headroom);
    };
    programmed(direction::ingress).programmed += owned(p) - owned(group.profile);
    const std::size_t old_pool = number_of(group.pool);
    bind_group(at, p);
    group.profile = p;
    place(at);
    judge(at);
    rejudge(old_pool);
    rejudge(number_of(group.pool));
}

void mmu::bind_group(std::size_t at, const group_profile& p) {
    priority_group& group = groups_[at];
    service_pool& to = pool_for(direction::ingress, p.pool);
    if (&to == group.pool && p.shared_headroom == group.profile.shared_headroom) return;
    would_assert_[number_of(group.pool)].remove(static_cast<std::uint32_t>(at));
    would_resume_[number_of(group.pool)].remove(static_cast<std::uint32_t>(at));
    group.rebind(to, p.shared_headroom);
}

void mmu::bind_queue(std::size_t at, const queue_profile& p) {
    service_pool& to = pool_for(direction::egress, p.pool);
    if (&to != queues_[at].pool) queues_[at].rebind(to);
}

void mmu::set_queue_profile(std::uint16_t port, std::uint8_t q, const queue_profile& p) {
    queue_account& queue = queues_[index(port, q)];
    programmed(direction::egress).programmed += std::int64_t{p.guaranteed} - queue.profile.guaranteed;
    bind_queue(index(port, q), p);
    queue.profile = p;
}

void mmu::set_pool(std::uint8_t number, direction side, cells size, cells headroom) {
    service_pool& p = pools_[number];
    programmed(p.side).programmed -= std::int64_t{p.size} + p.headroom_size;
    programmed(side).programmed += std::int64_t{size} + headroom;
    p.size = size;
    p.headroom_size = headroom;
    if (side != p.side) {
        p.side = side;
        for (std::size_t at = 0; at < groups_.size(); ++at) {
            if (groups_[at].profile.pool == number) bind_group(at, groups_[at].profile);
        }
        for (std::size_t at = 0; at < queues_.size(); ++at) {
            if (queues_[at].profile.pool == number) bind_queue(at, queues_[at].profile);
        }
        for (std::size_t at = 0; at < groups_.size(); ++at) {
            if (groups_[at].profile.pool == number) judge(at);
        }
    }
    rejudge(number);
}

void mmu::set_wred_curve(std::uint8_t profile, colour c, const wred_curve& curve) {
    profiles_[profile][static_cast<std::size_t>(c)] = curve;
}

void mmu::forget_pauses(std::uint16_t port) {
    for (std::uint8_t g = 0; g < groups_per_port; ++g) {
        groups_[index(port, g)].forget_pause();
        place(index(port, g));
    }
}

void mmu::set_discarding_group(std::uint16_t port, std::uint8_t group, bool on) {
    std::uint8_t& bits = discarding_[index(port, group)];
    bits = static_cast<std::uint8_t>(on ? bits | group_bit : bits & ~group_bit);
}

void mmu::set_discarding_queue(std::uint16_t port, std::uint8_t queue, bool on) {
    std::uint8_t& bits = discarding_[index(port, queue)];
    bits = static_cast<std::uint8_t>(on ? bits | queue_bit : bits & ~queue_bit);
}

void mmu::judge_port(std::uint16_t port) {
    for (std::uint8_t g = 0; g < groups_per_port; ++g) judge(index(port, g));
}

void mmu::clear_counters() {
    for (auto& each : group_counters_) each = {};
    for (auto& each : queue_counters_) each = {};
    for (auto& each : wred_counters_) each = {};
    for (auto& each : group_drops_) each = {};
    for (auto& each : storm_drops_) each = {};
}

void mmu::restart_watermarks() {
    for (auto& each : groups_) {
        each.max_used = each.used();
        each.max_service = each.service_used();
        each.max_headroom = each.headroom_used();
    }
    for (auto& each : queues_) {
        each.max_used = each.used();
        each.max_service = each.service_used();
    }
    for (auto& each : pools_) {
        each.max_used = each.used;
        each.max_headroom_used = each.headroom_used;
    }
    max_used = used_;
}

std::string mmu::conservation_error() const {
    std::int64_t group_cells = 0;
    std::int64_t queue_cells = 0;
    std::array<std::int64_t, pool_count + 2> service{};
    std::array<std::int64_t, pool_count + 2> headroom{};
    for (const auto& g : groups_) {
        if (g.guaranteed_used() < 0 || g.service_used() < 0 || g.headroom_used() < 0)
            return "a group's count is negative";
        group_cells += g.used();
        service[number_of(g.pool)] += g.service_used();
        if (g.profile.shared_headroom) headroom[number_of(g.pool)] += g.headroom_used();
    }
    for (const auto& q : queues_) {
        if (q.guaranteed_used() < 0 || q.service_used() < 0) return "a queue's count is negative";
        queue_cells += q.used();
        service[number_of(q.pool)] += q.service_used();
    }
    if (group_cells != used_ || queue_cells != used_ || used_ < 0 || used_ > geometry_.total) {
        return fmt::format("groups hold {} cells, queues {}, in use are {} of {}", group_cells, queue_cells, used_,
                           geometry_.total);
    }
    for (std::size_t p = 0; p < pools_.size(); ++p) {
        if (pools_[p].used != service[p] || pools_[p].headroom_used != headroom[p]) {
            return fmt::format("pool {} counts {} + {} cells, its groups and queues {} + {}", p, pools_[p].used,
                               pools_[p].headroom_used, service[p], headroom[p]);
        }
    }
    return {};
}

void mmu::check() const {
    const std::string error = conservation_error();
    if (!error.empty()) SC_REPORT_FATAL("weir/mmu/conservation", error.c_str());
}

}  // namespace weir::mmu
