// SPDX-License-Identifier: Apache-2.0
#include "models/pfc/registers.h"

#include <string>

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
    });
    on_write(b, "map.priority_queues.queues", at, [](flow_control& f, const index& i, std::uint64_t which) {
        f.receiver.set_priority_queues(static_cast<std::uint8_t>(i[1]), static_cast<bitmap>(which));
    });
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
                          const timeline& time, registers::bank& bank, std::function<void()> on_hit) {
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
            if (f.on_escape) f.on_escape(queue);
        };
    }
}

void bind_registers(const std::function<flow_control*(std::uint32_t)>& at, const timeline& time,
                    registers::bank& bank) {
    bind_programming(bank, at);
    bind_state(bank, at, time);
    bind_counters(bank, at);
}

}  // namespace weir::pfc
