// SPDX-License-Identifier: Apache-2.0
#include "models/pfc/registers.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

namespace weir::pfc {
namespace {

using registers::bank;
using registers::index;
using access = std::function<flow_control*(std::uint32_t)>;

void on_write(bank& b, const char* field, const access& at, void (*set)(flow_control&, const index&, std::uint64_t)) {
    b.on_write(field, [at, set](const index& i, std::uint64_t value) {
        if (flow_control* f = at(i[0]); f != nullptr) set(*f, i, value);
    });
}

void drive(bank& b, const char* field, const access& at, std::uint64_t (*get)(const flow_control&, const index&)) {
    b.drive(field, [at, get](const index& i) -> std::uint64_t {
        const flow_control* f = at(i[0]);
        return f != nullptr ? get(*f, i) : 0;
    });
}

void bind_programming(bank& b, const access& at) {
    on_write(b, "pfc.mode.complete_state", at,
             [](flow_control& f, const index&, std::uint64_t on) { f.receiver.set_complete_state(on != 0); });
    on_write(b, "pfc.mode.ignore_tagged", at,
             [](flow_control& f, const index&, std::uint64_t on) { f.receiver.set_ignore_tagged(on != 0); });
    on_write(b, "pfc.mode.pause_rx_enable", at,
             [](flow_control& f, const index&, std::uint64_t on) { f.receiver.set_pause_enabled(on != 0); });
    on_write(b, "pfc.mode.pause_tx_enable", at,
             [](flow_control& f, const index&, std::uint64_t on) { f.generator.set_whole_link(on != 0); });
    on_write(b, "pfc.mode.exclusive", at,
             [](flow_control& f, const index&, std::uint64_t on) { f.receiver.set_exclusive(on != 0); });
    on_write(b, "pfc.mode.truncated_quanta", at,
             [](flow_control& f, const index&, std::uint64_t on) { f.receiver.set_truncated_quanta(on != 0); });
    on_write(b, "pfc.mode.commit_short", at,
             [](flow_control& f, const index&, std::uint64_t on) { f.receiver.set_commit_short(on != 0); });
    on_write(b, "pfc.mode.timer_from_stop", at,
             [](flow_control& f, const index&, std::uint64_t on) { f.receiver.set_timer_from_stop(on != 0); });
    on_write(b, "pfc.clock.megahertz", at, [](flow_control& f, const index&, std::uint64_t megahertz) {
        f.receiver.set_clock(static_cast<std::uint32_t>(megahertz));
    });
    on_write(b, "pfc.tx_enable.priorities", at, [](flow_control& f, const index&, std::uint64_t which) {
        f.generator.set_enabled(static_cast<bitmap>(which));
    });
    on_write(b, "pfc.rx_enable.priorities", at, [](flow_control& f, const index&, std::uint64_t which) {
        f.receiver.set_enabled(static_cast<bitmap>(which));
    });
    on_write(b, "pfc.quanta.quanta", at, [](flow_control& f, const index&, std::uint64_t quanta) {
        f.generator.set_quanta(static_cast<std::uint16_t>(quanta));
    });
    on_write(b, "pfc.refresh.quanta", at, [](flow_control& f, const index&, std::uint64_t quanta) {
        f.generator.set_refresh(static_cast<std::uint16_t>(quanta));
    });
    on_write(b, "pfc.force.priorities", at, [](flow_control& f, const index&, std::uint64_t which) {
        f.generator.set_forced(static_cast<bitmap>(which));
    });
    on_write(b, "map.group_priorities.priorities", at, [](flow_control& f, const index& i, std::uint64_t which) {
        f.generator.set_group_priorities(static_cast<std::uint8_t>(i[1]), static_cast<bitmap>(which));
        f.monitor.set_group_priorities(static_cast<std::uint8_t>(i[1]), static_cast<bitmap>(which));
    });
    on_write(b, "map.priority_queues.queues", at, [](flow_control& f, const index& i, std::uint64_t which) {
        f.receiver.set_priority_queues(static_cast<std::uint8_t>(i[1]), static_cast<bitmap>(which));
    });
}

/// Whether a port's thresholds can keep what PFC promises, from registers alone: it is wrong from the moment it is
/// programmed, not from the first drop.
class feasibility {
public:
    feasibility(bank& b, access at)
        : bank_(b),
          at_(std::move(at)),
          dead_time_(b.field("pfc.dead_time.time")),
          truncated_(b.field("pfc.mode.truncated_headroom")),
          cell_(b.field("bm.cap_cell.octets")),
          lossless_(b.field("pg.mode.lossless")),
          absolute_(b.field("pg.mode.xon_absolute")),
          headroom_(b.field("pg.headroom.cells")),
          xoff_(b.field("pg.xoff.cells")),
          xon_(b.field("pg.xon_offset.cells")) {}

    /// Cells that arrive in the dead time. At most 2^32 ps times 1.6 million Mb/s: no 64 bits overflow.
    [[nodiscard]] std::uint64_t need(const index& port) const {
        const flow_control* flow = at_(port[0]);
        const std::uint64_t megabits = flow != nullptr ? flow->rate().megabits() : 0;
        const std::uint64_t bits_by_million = bank_.get(dead_time_, port) * megabits;
        const std::uint64_t cell = std::max<std::uint64_t>(bank_.get(cell_), 1);
        constexpr std::uint64_t octet = 8'000'000;
        if (bank_.get(truncated_, port) != 0) return (bits_by_million / octet + cell - 1) / cell;
        return (bits_by_million + octet * cell - 1) / (octet * cell);
    }

    [[nodiscard]] std::uint64_t infeasible(const index& port) const {
        std::uint64_t groups = 0;
        if (bank_.get(dead_time_, port) == 0) return groups;
        const std::uint64_t cells = need(port);
        for (std::uint32_t g = 0; g < 8; ++g) {
            const index at{port[0], g, 0};
            if (bank_.get(lossless_, at) == 0) continue;
            const std::uint64_t xoff = bank_.get(xoff_, at);
            const std::uint64_t xon = bank_.get(xon_, at);
            // Absolute, XON is the resume point itself; else it lies below XOFF.
            const bool no_room =
                bank_.get(absolute_, at) != 0 ? xon >= xoff && xoff != bank_.all_ones(xoff_) : xon >= xoff;
            if (bank_.get(headroom_, at) < cells || xoff == 0 || no_room) groups |= std::uint64_t{1} << g;
        }
        return groups;
    }

private:
    bank& bank_;
    access at_;
    bank::field_ref dead_time_, truncated_, cell_;
    bank::field_ref lossless_, absolute_, headroom_, xoff_, xon_;
};

constexpr std::array<const char*, faults> fault_names{"overflow", "late", "lossy_pause", "escape", "tagged"};

void bind_faults(bank& b, const access& at, const timeline& time, const std::function<void()>& on_fault) {
    std::array<bank::field_ref, faults> bits;
    const auto stamp = b.field("pfc.fault_time.time");
    for (std::uint32_t f = 0; f < faults; ++f) {
        const std::string field = std::string("pfc.fault.") + fault_names[f];
        bits[f] = b.field(field);
        b.on_write(field, [&b, stamp, f](const index& i, std::uint64_t) { b.set(stamp, {i[0], f, 0}, 0); });
    }
    for (std::uint32_t port = 0; port < b.size_of("ports"); ++port) {
        flow_control* flow = at(port);
        if (flow == nullptr) continue;
        flow->monitor.on_fault([&b, &time, bits, stamp, port, on_fault](fault f) {
            const auto n = static_cast<std::uint32_t>(f);
            const index i{port, 0, 0};
            if (b.get(bits[n], i) != 0) return;
            b.raise(bits[n], i, 1);
            b.set(stamp, {port, n, 0}, static_cast<std::uint64_t>(time.now() / nanoseconds(1)));
            on_fault();
        });
    }
    b.drive("pfc.fault_count.times", [at](const index& i) -> std::uint64_t {
        const flow_control* f = at(i[0]);
        return f != nullptr ? f->monitor.count(static_cast<fault>(i[1])) : 0;
    });
    const auto judge = std::make_shared<feasibility>(b, at);
    b.drive("pfc.headroom_need.cells",
            [judge](const index& i) { return std::min<std::uint64_t>(judge->need(i), UINT32_MAX); });
    b.drive("pfc.infeasible.groups", [judge](const index& i) { return judge->infeasible(i); });
    b.drive("pfc.conformant.conformant", [&b, judge, bits](const index& i) -> std::uint64_t {
        for (const auto& bit : bits) {
            if (b.get(bit, i) != 0) return 0;
        }
        return judge->infeasible(i) == 0 ? 1 : 0;
    });
}

void bind_conformance(bank& b, const access& at, const timeline& time, const std::function<void()>& on_fault) {
    on_write(b, "pfc.mode.chapter_window", at,
             [](flow_control& f, const index&, std::uint64_t on) { f.monitor.set_chapter_window(on != 0); });
    on_write(b, "pfc.dead_time.time", at, [](flow_control& f, const index&, std::uint64_t ps) {
        f.monitor.set_dead_time(picoseconds{static_cast<std::int64_t>(ps)});
    });
    on_write(b, "pg.mode.lossless", at, [](flow_control& f, const index& i, std::uint64_t on) {
        f.monitor.set_group_lossless(static_cast<std::uint8_t>(i[1]), on != 0);
    });
    bind_faults(b, at, time, on_fault);
}

void bind_state(bank& b, const access& at, const timeline& time) {
    drive(b, "pfc.rx_paused.priorities", at,
          [](const flow_control& f, const index&) -> std::uint64_t { return f.receiver.paused(); });
    drive(b, "pfc.rx_paused.whole_link", at,
          [](const flow_control& f, const index&) -> std::uint64_t { return f.receiver.whole_link_paused() ? 1 : 0; });
    drive(b, "pfc.tx_paused.priorities", at,
          [](const flow_control& f, const index&) -> std::uint64_t { return f.generator.wanted(); });
    b.drive("pfc.rx_paused_ns.time", [at, &time](const index& i) -> std::uint64_t {
        const flow_control* f = at(i[0]);
        if (f == nullptr) return 0;
        const auto paused = f->receiver.paused_for(static_cast<std::uint8_t>(i[1]), time.now());
        return static_cast<std::uint64_t>(paused / nanoseconds(1));
    });
    b.drive("pfc.tx_paused_ns.time", [at, &time](const index& i) -> std::uint64_t {
        const flow_control* f = at(i[0]);
        if (f == nullptr) return 0;
        const auto paused = f->generator.paused_for(static_cast<std::uint8_t>(i[1]), time.now());
        return static_cast<std::uint64_t>(paused / nanoseconds(1));
    });
}

void bind_counters(bank& b, const access& at) {
    drive(b, "pfc.seen.frames", at, [](const flow_control& f, const index&) { return f.receiver.counters.seen; });
    drive(b, "pfc.bad_fcs.frames", at, [](const flow_control& f, const index&) { return f.receiver.counters.bad_fcs; });
    drive(b, "pfc.wrong_da.frames", at,
          [](const flow_control& f, const index&) { return f.receiver.counters.wrong_da; });
    drive(b, "pfc.malformed.frames", at,
          [](const flow_control& f, const index&) { return f.receiver.counters.malformed; });
    drive(b, "pfc.tagged.frames", at, [](const flow_control& f, const index&) { return f.receiver.counters.tagged; });
    drive(b, "pfc.pause_rx.frames", at, [](const flow_control& f, const index&) { return f.receiver.counters.pause; });
    drive(b, "pfc.rx_ignored.frames", at,
          [](const flow_control& f, const index&) { return f.receiver.counters.ignored; });
    drive(b, "pfc.pause_tx.frames", at,
          [](const flow_control& f, const index&) { return f.generator.counters.pause_frames; });
    drive(b, "pfc.tx_frames.frames", at,
          [](const flow_control& f, const index&) { return f.generator.counters.frames; });
    drive(b, "pfc.rx_frames.frames", at,
          [](const flow_control& f, const index& i) { return f.receiver.counters.frames[i[1]]; });
    drive(b, "pfc.rx_quanta.quanta", at,
          [](const flow_control& f, const index& i) { return f.receiver.counters.quanta[i[1]]; });
    drive(b, "pfc.rx_transitions.times", at,
          [](const flow_control& f, const index& i) { return f.receiver.counters.transitions[i[1]]; });
    drive(b, "pfc.expiries.times", at,
          [](const flow_control& f, const index& i) { return f.receiver.counters.expiries[i[1]]; });
    drive(b, "pfc.releases.times", at,
          [](const flow_control& f, const index& i) { return f.receiver.counters.releases[i[1]]; });
    drive(b, "pfc.tx_requests.frames", at,
          [](const flow_control& f, const index& i) { return f.generator.counters.requests[i[1]]; });
    drive(b, "pfc.tx_transitions.times", at,
          [](const flow_control& f, const index& i) { return f.generator.counters.transitions[i[1]]; });
}

}  // namespace

void bind_stall_registers(const std::function<flow_control*(std::uint32_t)>& at, std::uint32_t ports,
                          const timeline& time, registers::bank& bank, const std::function<void()>& on_hit) {
    bank.on_write("queue.mode.lossless", [at](const index& i, std::uint64_t on) {
        if (flow_control* f = at(i[0]); f != nullptr) f->stall.set_lossless(static_cast<std::uint8_t>(i[1]), on != 0);
    });
    on_write(bank, "stall.limit.quanta", at, [](flow_control& f, const index&, std::uint64_t quanta) {
        f.stall.set_limit(static_cast<std::uint32_t>(quanta));
    });
    on_write(bank, "stall.mode.escape", at,
             [](flow_control& f, const index&, std::uint64_t on) { f.stall.set_escape(on != 0); });
    on_write(bank, "stall.mode.hold", at,
             [](flow_control& f, const index&, std::uint64_t on) { f.stall.set_hold(on != 0); });
    drive(bank, "stall.suspect.queues", at,
          [](const flow_control& f, const index&) -> std::uint64_t { return f.stall.suspect(); });
    drive(bank, "stall.suspects.times", at,
          [](const flow_control& f, const index& i) { return f.stall.counters[i[1]].suspects; });
    drive(bank, "stall.escapes.times", at,
          [](const flow_control& f, const index& i) { return f.stall.counters[i[1]].escapes; });
    drive(bank, "stall.escaped_frames.frames", at,
          [](const flow_control& f, const index& i) { return f.stall.counters[i[1]].escaped_frames; });
    bank.drive("stall.longest.time", [at, &time](const index& i) -> std::uint64_t {
        const flow_control* f = at(i[0]);
        if (f == nullptr) return 0;
        return static_cast<std::uint64_t>(f->stall.longest(static_cast<std::uint8_t>(i[1]), time.now()) /
                                          nanoseconds(1));
    });
    on_write(bank, "stall.longest.time", at, [](flow_control& f, const index& i, std::uint64_t) {
        f.stall.clear_longest(static_cast<std::uint8_t>(i[1]));
    });
    for (std::uint32_t port = 0; port < ports; ++port) {
        flow_control& f = *at(port);
        f.stall.on_suspect = [&bank, port, on_hit, hit = bank.field("stall.hit.suspected")](std::uint8_t queue) {
            bank.raise(hit, {port, 0, 0}, std::uint64_t{1} << queue);
            on_hit();
        };
        f.stall.on_escape = [&bank, &f, port, on_hit, hit = bank.field("stall.hit.escaped")](std::uint8_t queue) {
            bank.raise(hit, {port, 0, 0}, std::uint64_t{1} << queue);
            on_hit();
            f.monitor.escape(queue);
        };
    }
}

void bind_registers(const std::function<flow_control*(std::uint32_t)>& at, const timeline& time, registers::bank& bank,
                    const std::function<void()>& on_fault) {
    bind_conformance(bank, at, time, on_fault);
    bind_programming(bank, at);
    bind_state(bank, at, time);
    bind_counters(bank, at);
}

}  // namespace weir::pfc
