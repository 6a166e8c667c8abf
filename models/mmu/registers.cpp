// SPDX-License-Identifier: Apache-2.0
#include "models/mmu/registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace weir::mmu {
namespace {

using registers::bank;
using registers::index;
using field_ref = bank::field_ref;

std::uint16_t port_of(const index& at) {
    return static_cast<std::uint16_t>(at[0]);
}
std::uint8_t second(const index& at) {
    return static_cast<std::uint8_t>(at[1]);
}

// Maps differ in the width of a size; its all-ones always means "unlimited".
cells cells_of(const bank& b, field_ref f, const index& at) {
    const std::uint64_t value = b.get(f, at);
    return value == b.all_ones(f) ? unlimited : static_cast<cells>(std::min<std::uint64_t>(value, unlimited - 1));
}

/// The same the other way: what does not fit the field is shown as all-ones.
std::uint64_t shown(std::int64_t value) {
    return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

// What both the groups and the queues have: drives for accounts and counters.
void bind_counters(bank& b, const std::string& block, const std::function<frame_counters&(const index&)>& at) {
    b.drive(block + ".frames.frames", [at](const index& i) { return at(i).frames; });
    b.drive(block + ".octets.octets", [at](const index& i) { return at(i).octets; });
    b.drive(block + ".drop_frames.frames", [at](const index& i) { return at(i).drop_frames; });
    b.drive(block + ".drop_octets.octets", [at](const index& i) { return at(i).drop_octets; });
}

// A watermark and what it restarts at (R10).
template <typename Watermark, typename Present>
void bind_watermark(bank& b, const std::string& field, Watermark watermark, Present present) {
    b.drive(field, [watermark](const index& i) { return shown(watermark(i)); });
    b.on_read(field, [watermark, present](const index& i) { watermark(i) = present(i); });
}

struct group_fields {
    explicit group_fields(const bank& b)
        : enable(b.field("pg.mode.enable")),
          lossless(b.field("pg.mode.lossless")),
          dynamic(b.field("pg.mode.dynamic")),
          service_after_xoff(b.field("pg.mode.service_after_xoff")),
          judge_total(b.field("pg.mode.judge_total")),
          shared_headroom(b.field("pg.mode.shared_headroom")),
          xon_absolute(b.field("pg.mode.xon_absolute")),
          share(b.field("pg.mode.alpha")),
          pool(b.field("pg.mode.pool")),
          guaranteed(b.field("pg.guaranteed.cells")),
          limit(b.field("pg.limit.cells")),
          xoff(b.field("pg.xoff.cells")),
          xon_offset(b.field("pg.xon_offset.cells")),
          xon_floor(b.field("pg.xon_floor.cells")),
          headroom(b.field("pg.headroom.cells")) {}
    field_ref enable, lossless, dynamic, service_after_xoff, judge_total, shared_headroom, xon_absolute, share, pool;
    field_ref guaranteed, limit, xoff, xon_offset, xon_floor, headroom;

    [[nodiscard]] group_profile read(const bank& b, const index& at) const {
        group_profile p;
        p.enabled = b.get(enable, at) != 0;
        p.lossless = b.get(lossless, at) != 0;
        p.dynamic = b.get(dynamic, at) != 0;
        p.service_after_xoff = b.get(service_after_xoff, at) != 0;
        p.judge_total = b.get(judge_total, at) != 0;
        p.shared_headroom = b.get(shared_headroom, at) != 0;
        p.xon_absolute = b.get(xon_absolute, at) != 0;
        p.share.index = static_cast<std::uint8_t>(std::min<std::uint64_t>(b.get(share, at), alpha::highest_index));
        p.pool = static_cast<std::uint8_t>(b.get(pool, at));
        p.guaranteed = cells_of(b, guaranteed, at);
        p.limit = cells_of(b, limit, at);
        p.xoff = cells_of(b, xoff, at);
        p.xon_offset = cells_of(b, xon_offset, at);
        p.xon_floor = cells_of(b, xon_floor, at);
        p.headroom = cells_of(b, headroom, at);
        return p;
    }
};

/// Sticky configuration errors, raised after a write that causes them.
struct error_bits {
    error_bits(bank& b, std::function<void()> event)
        : owner(b),
          overcommit{b.field("bm.error.overcommit_ingress"), b.field("bm.error.overcommit_egress")},
          xon(b.field("bm.error.xon_not_below_xoff")),
          xoff_zero(b.field("bm.error.xoff_zero")),
          on_error(std::move(event)) {}
    bank& owner;
    field_ref overcommit[2];
    field_ref xon;
    field_ref xoff_zero;
    std::function<void()> on_error;

    void raise(field_ref f) const {
        owner.raise(f, {}, 1);
        on_error();
    }
    void judge_budget(const mmu& m) const {
        for (const direction side : {direction::ingress, direction::egress}) {
            if (m.programmed(side).excess() > 0) raise(overcommit[static_cast<std::size_t>(side)]);
        }
    }
    void judge_thresholds(const group_profile& p) const {
        if (p.xoff == 0) raise(xoff_zero);
        if (p.xoff != unlimited && p.xoff != 0 && p.xon_offset >= p.xoff) raise(xon);
    }
};

void bind_groups(mmu& m, bank& b, const std::shared_ptr<error_bits>& errors) {
    const auto fields = std::make_shared<group_fields>(b);
    const auto update = [&m, &b, fields, errors](const index& at, std::uint64_t) {
        const group_profile p = fields->read(b, at);
        m.set_group_profile(port_of(at), second(at), p);
        errors->judge_thresholds(p);
        errors->judge_budget(m);
    };
    // One field a register stands for the whole word: handlers run when it is stored.
    for (const char* field : {"pg.mode.enable", "pg.guaranteed.cells", "pg.limit.cells", "pg.xoff.cells",
                              "pg.xon_offset.cells", "pg.xon_floor.cells", "pg.headroom.cells"}) {
        b.on_write(field, update);
    }
    const auto group = [&m](const index& at) -> priority_group& { return m.group(port_of(at), second(at)); };
    b.drive("pg.used.cells", [group](const index& at) { return shown(group(at).used()); });
    b.drive("pg.guaranteed_used.cells", [group](const index& at) { return shown(group(at).guaranteed_used()); });
    b.drive("pg.service_used.cells", [group](const index& at) { return shown(group(at).service_used()); });
    b.drive("pg.headroom_used.cells", [group](const index& at) { return shown(group(at).headroom_used()); });
    b.drive("pg.effective_limit.cells", [group](const index& at) { return shown(group(at).limit()); });
    b.drive("pg.effective_xoff.cells", [group](const index& at) { return shown(group(at).effective_xoff()); });
    b.drive("pg.state.paused", [group](const index& at) { return group(at).paused() ? 1U : 0U; });
    bind_watermark(
        b, "pg.max.cells", [group](const index& at) -> cells& { return group(at).max_used; },
        [group](const index& at) { return group(at).used(); });
    bind_watermark(
        b, "pg.service_max.cells", [group](const index& at) -> cells& { return group(at).max_service; },
        [group](const index& at) { return group(at).service_used(); });
    bind_watermark(
        b, "pg.headroom_max.cells", [group](const index& at) -> cells& { return group(at).max_headroom; },
        [group](const index& at) { return group(at).headroom_used(); });
    b.drive("wd.rx_drops.frames", [&m](const index& at) { return m.storm_drops_of_group(port_of(at), second(at)); });
    bind_counters(b, "pg",
                  [&m](const index& at) -> frame_counters& { return m.group_counters(port_of(at), second(at)); });
}

void bind_queues(mmu& m, bank& b, const std::shared_ptr<error_bits>& errors) {
    const auto update = [&m, &b, errors, enable = b.field("queue.mode.enable"),
                         lossless = b.field("queue.mode.lossless"), dynamic = b.field("queue.mode.dynamic"),
                         share = b.field("queue.mode.alpha"), pool = b.field("queue.mode.pool"),
                         guaranteed = b.field("queue.guaranteed.cells"),
                         limit = b.field("queue.limit.cells")](const index& at, std::uint64_t) {
        queue_profile p;
        p.enabled = b.get(enable, at) != 0;
        p.lossless = b.get(lossless, at) != 0;
        p.dynamic = b.get(dynamic, at) != 0;
        p.share.index = static_cast<std::uint8_t>(std::min<std::uint64_t>(b.get(share, at), alpha::highest_index));
        p.pool = static_cast<std::uint8_t>(b.get(pool, at));
        p.guaranteed = cells_of(b, guaranteed, at);
        p.limit = cells_of(b, limit, at);
        m.set_queue_profile(port_of(at), second(at), p);
        errors->judge_budget(m);
    };
    for (const char* field : {"queue.mode.enable", "queue.guaranteed.cells", "queue.limit.cells"})
        b.on_write(field, update);
    const auto queue = [&m](const index& at) -> queue_account& { return m.queue(port_of(at), second(at)); };
    b.drive("queue.used.cells", [queue](const index& at) { return shown(queue(at).used()); });
    b.drive("queue.guaranteed_used.cells", [queue](const index& at) { return shown(queue(at).guaranteed_used()); });
    b.drive("queue.service_used.cells", [queue](const index& at) { return shown(queue(at).service_used()); });
    b.drive("queue.effective_limit.cells", [queue](const index& at) { return shown(queue(at).limit()); });
    bind_watermark(
        b, "queue.max.cells", [queue](const index& at) -> cells& { return queue(at).max_used; },
        [queue](const index& at) { return queue(at).used(); });
    bind_watermark(
        b, "queue.service_max.cells", [queue](const index& at) -> cells& { return queue(at).max_service; },
        [queue](const index& at) { return queue(at).service_used(); });
    b.drive("wd.tx_drops.frames", [&m](const index& at) { return m.storm_drops_of_queue(port_of(at), second(at)); });
    bind_counters(b, "queue",
                  [&m](const index& at) -> frame_counters& { return m.queue_counters(port_of(at), second(at)); });
}

void bind_pools(mmu& m, bank& b, const std::shared_ptr<error_bits>& errors) {
    const auto update = [&m, &b, errors, size = b.field("bm.pool_size.cells"), egress = b.field("bm.pool_mode.egress"),
                         headroom = b.field("bm.pool_headroom.cells")](const index& at, std::uint64_t) {
        m.set_pool(static_cast<std::uint8_t>(at[0]), b.get(egress, at) != 0 ? direction::egress : direction::ingress,
                   cells_of(b, size, at), cells_of(b, headroom, at));
        errors->judge_budget(m);
    };
    for (const char* field : {"bm.pool_size.cells", "bm.pool_mode.egress", "bm.pool_headroom.cells"})
        b.on_write(field, update);
    const auto pool = [&m](const index& at) -> service_pool& { return m.pool(static_cast<std::uint8_t>(at[0])); };
    b.drive("bm.pool_used.cells", [pool](const index& at) { return shown(pool(at).used); });
    b.drive("bm.pool_free.cells", [pool](const index& at) { return shown(pool(at).free()); });
    b.drive("bm.pool_headroom_used.cells", [pool](const index& at) { return shown(pool(at).headroom_used); });
    bind_watermark(
        b, "bm.pool_max.cells", [pool](const index& at) -> cells& { return pool(at).max_used; },
        [pool](const index& at) { return pool(at).used; });
    bind_watermark(
        b, "bm.pool_headroom_max.cells", [pool](const index& at) -> cells& { return pool(at).max_headroom_used; },
        [pool](const index& at) { return pool(at).headroom_used; });
}

void bind_memory(mmu& m, bank& b) {
    const geometry& shape = m.shape();
    b.drive("bm.cap_cells.cells", [&shape](const index&) { return shown(shape.total); });
    b.drive("bm.cap_cell.octets", [&shape](const index&) { return shape.cell_octets; });
    b.drive("bm.cap_cell.frame_overhead", [&shape](const index&) { return shape.frame_overhead; });
    b.drive("bm.cap_pools.pools", [&b](const index&) { return b.size_of("pools"); });
    b.drive("bm.cap_pools.wred_profiles", [&b](const index&) { return b.size_of("wred_profiles"); });
    // A port may have all of the memory as Headroom: nothing in this chip stops it earlier.
    b.drive("bm.cap_headroom.cells", [&shape](const index&) { return shown(shape.total); });
    b.drive("bm.free.cells", [&m](const index&) { return shown(m.free()); });
    b.drive("bm.used.cells", [&m](const index&) { return shown(m.used()); });
    bind_watermark(
        b, "bm.max.cells", [&m](const index&) -> cells& { return m.max_used; },
        [&m](const index&) { return m.used(); });
    b.drive("bm.overcommit.cells",
            [&m](const index& at) { return shown(m.programmed(static_cast<direction>(at[0])).excess()); });
    b.on_write("bm.accounting.return_at_end", [&m](const index&, std::uint64_t on) { m.set_return_at_end(on != 0); });
}

void bind_wred(mmu& m, bank& b) {
    const auto curve =
        [&m, &b, minimum = b.field("wred.profile_min.cells"), maximum = b.field("wred.profile_max.cells"),
         probability = b.field("wred.profile_prob.probability")](std::uint8_t profile, colour c, bool enabled) {
            const index at{profile, static_cast<std::uint32_t>(c), 0};
            m.set_wred_curve(profile, c,
                             {enabled, cells_of(b, minimum, at), cells_of(b, maximum, at),
                              static_cast<std::uint16_t>(b.get(probability, at))});
        };
    const auto shape_changed = [&m, curve](const index& at, std::uint64_t) {
        const auto profile = static_cast<std::uint8_t>(at[0]);
        const auto c = static_cast<colour>(at[1]);
        curve(profile, c, m.curve(profile, c).enabled);
    };
    for (const char* field : {"wred.profile_min.cells", "wred.profile_max.cells", "wred.profile_prob.probability"}) {
        b.on_write(field, shape_changed);
    }
    constexpr std::array<const char*, colours> colour_names{"green", "yellow", "red"};
    for (std::size_t c = 0; c < colours; ++c) {
        b.on_write(fmt::format("wred.profile_enable.{}", colour_names[c]),
                   [curve, c](const index& at, std::uint64_t on) {
                       curve(static_cast<std::uint8_t>(at[0]), static_cast<colour>(c), on != 0);
                   });
    }
    const auto update = [&m, &b, wred = b.field("wred.queue_mode.wred_enable"),
                         ecn = b.field("wred.queue_mode.ecn_enable"), dequeue = b.field("wred.queue_mode.at_dequeue"),
                         profile = b.field("wred.queue_mode.profile"),
                         ewma = b.field("wred.queue_mode.ewma")](const index& at, std::uint64_t) {
        wred_queue& q = m.wred(port_of(at), second(at));
        q.wred_enabled = b.get(wred, at) != 0;
        q.ecn_enabled = b.get(ecn, at) != 0;
        q.at_dequeue = b.get(dequeue, at) != 0;
        q.profile = &m.wred_profile_at(static_cast<std::uint8_t>(b.get(profile, at)));
        q.ewma_weight = static_cast<std::uint8_t>(b.get(ewma, at));
        q.forget_average();
    };
    b.on_write("wred.queue_mode.wred_enable", update);
    const auto counts = [&m](const index& at) -> mmu::wred_counters& { return m.wred_counts(port_of(at), second(at)); };
    b.drive("wred.ce_marked.frames", [counts](const index& at) { return counts(at).marked; });
    b.drive("wred.wred_drops.frames", [counts](const index& at) { return counts(at).dropped; });
}

}  // namespace

void bind_registers(mmu& m, bank& bank, std::function<void()> on_error) {
    const auto errors = std::make_shared<error_bits>(bank, std::move(on_error));
    bind_memory(m, bank);
    bind_pools(m, bank, errors);
    bind_groups(m, bank, errors);
    bind_queues(m, bank, errors);
    bind_wred(m, bank);
}

}  // namespace weir::mmu
