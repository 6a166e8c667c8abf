// SPDX-License-Identifier: Apache-2.0
#include "models/pfc/control_checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/ethernet/mac_control.h"
#include "models/timeline/property.h"

namespace weir::pfc {
namespace {

constexpr std::uint32_t longest_frame = 16'000;

std::uint8_t octet_of(const ethernet::frame& f, std::uint32_t at) {
    return at < f.stored ? f.octets()[at] : std::uint8_t{0};
}

std::uint16_t word_of(const ethernet::frame& f, std::uint32_t at) {
    return static_cast<std::uint16_t>(octet_of(f, at) << 8U | octet_of(f, at + 1));
}

bool to_control_address(const ethernet::frame& f) {
    constexpr std::array<std::uint8_t, 6> address{0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};
    for (std::uint32_t i = 0; i < address.size(); ++i) {
        if (octet_of(f, i) != address[i]) return false;
    }
    return true;
}

/// How long what a frame asks for may take to reach the gate: the response, and with truncated quanta a clock more.
picoseconds response_of(const receiver_rules& r) {
    if (!r.truncated) return r.response;
    return r.response + picoseconds{1'000'000 / std::max<std::int64_t>(r.megahertz, 1) + 1};
}

constexpr bool has(std::uint16_t bits, std::size_t n) {
    return (bits >> n & 1U) != 0;
}

}  // namespace

control_checker::control_checker(timeline& time, const std::string& place, control_if& control, gate_if& gate,
                                 const pause_generator& generator, const pause_receiver& receiver)
    : actor(time, place + ".control_checker"),
      time_(time),
      place_(place),
      control_(control),
      gate_(gate),
      generator_(generator),
      receiver_(receiver) {
    shut_until_.fill(picoseconds{-1});
}

void control_checker::broken(const char* property, const std::string& text) const {
    report_property(property, place_, time_.now(), text);
}

control_checker::timers_seen control_checker::look() const {
    timers_seen s;
    s.running = receiver_.running();
    for (std::size_t t = 0; t < s.deadline.size(); ++t) s.deadline[t] = receiver_.deadline(t);
    const receiver_counters& c = receiver_.counters;
    s.seen = c.seen;
    s.refused = c.bad_fcs + c.wrong_da + c.malformed;
    s.interventions = receiver_.rules().interventions;
    s.never_touched = false;
    return s;
}

// The frame's fields by their octets, at the offset of its tag.
control_checker::reading control_checker::read(const ethernet::frame& f, const receiver_rules& r) {
    reading x;
    if (f.headers.type != ethernet::ethertype::mac_control) return x;
    const std::uint32_t at = f.headers.tagged ? 18 : 14;
    const std::uint16_t opcode = word_of(f, at);
    x.matched = opcode == 0x0101;
    x.by_pause = opcode == 0x0001;
    x.good_address = to_control_address(f);
    x.whole = f.length == 64 || (f.headers.tagged && f.length == 68);
    if (x.by_pause) {
        x.quanta[pause_receiver::whole_link] = word_of(f, at + 2);
        if (r.obeys_pause) x.named = 1U << pause_receiver::whole_link;
        return x;
    }
    if (!x.matched || (f.headers.tagged && r.ignore_tagged)) return x;
    const std::uint8_t vector = octet_of(f, at + 3);
    unsigned named = r.complete_state ? 0xffU : vector;
    named &= r.enabled;
    for (std::size_t p = 0; p < 8; ++p) {
        if (has(vector, p)) x.quanta[p] = word_of(f, at + 4 + 2 * static_cast<std::uint32_t>(p));
        // A priority that stops nothing but queues which are to be let go starts no timer.
        const bitmap queues = r.priority_queues[p];
        if (queues != 0 && (queues & ~r.ignored_queues) == 0) named &= ~(1U << p);
    }
    x.named = static_cast<std::uint16_t>(named);
    return x;
}

bool control_checker::receive(const ethernet::frame& f, picoseconds now) {
    between_frames(now);
    const receiver_rules rules = receiver_.rules();
    const reading frame = read(f, rules);
    const bool good = f.fcs_good && frame.good_address && frame.whole && (frame.matched || frame.by_pause);
    const timers_seen before = look();
    if (good) grant(rules, frame.named, frame, now);
    const bool taken = control_.receive(f, now);
    const timers_seen after = look();
    last_ = after;
    if (rules.commit_short && f.length != 64) {
        adopt(now);
        return taken;
    }
    if (!good) judge_refused(f, frame, before, after);
    if (good || frame.matched) judge_counters(frame, before, after, good);
    if (good) judge_written(rules, frame.named, frame, before, after);
    if (rules.truncated) adopt(now);
    watch();
    return taken;
}

// P5, P6: a frame that is not to be obeyed moves nothing.
void control_checker::judge_refused(const ethernet::frame& f, const reading& frame, const timers_seen& before,
                                    const timers_seen& after) const {
    if (before.running == after.running && before.deadline == after.deadline && before.seen == after.seen) return;
    const char* property = "P7";
    const char* why = "that is no whole PFC or PAUSE frame";
    if (!f.fcs_good) {
        property = "P5";
        why = "with a bad FCS";
    } else if (!frame.good_address) {
        property = "P6";
        why = "to another address";
    }
    broken(property,
           fmt::format("a frame {} was honoured: timers {:#05x}, before {:#05x}", why, after.running, before.running));
}

// P7, P8: one commit a frame that is good, and one counter a frame that matches.
void control_checker::judge_counters(const reading& frame, const timers_seen& before, const timers_seen& after,
                                     bool good) const {
    const std::uint64_t commits = after.seen - before.seen;
    const std::uint64_t refusals = after.refused - before.refused;
    if (good && commits > 1) {
        broken("P7", fmt::format("one frame was honoured {} times", commits));
        return;
    }
    if (frame.matched && commits + refusals != 1) {
        broken("P8", fmt::format("one PFC frame moved the counters of seen, bad FCS, wrong address and malformed by {}",
                                 commits + refusals));
    }
}

// P9, P10: who is named is written, nobody else; and what is written lasts as many quanta as it says.
void control_checker::judge_written(const receiver_rules& r, std::uint16_t named, const reading& frame,
                                    const timers_seen& before, const timers_seen& after) const {
    for (std::size_t t = 0; t < pause_receiver::timers; ++t) {
        const bool runs = has(after.running, t);
        if (!has(named, t)) {
            const bool same = runs == has(before.running, t) && (!runs || after.deadline[t] == before.deadline[t]);
            if (!same && !r.truncated) broken("P9", fmt::format("timer {} was written, and no frame named it", t));
            continue;
        }
        if (runs != (frame.quanta[t] != 0)) {
            broken("P9", fmt::format("timer {} {} after {} quanta for it", t, runs ? "runs" : "does not run",
                                     frame.quanta[t]));
        } else if (runs && !r.timer_from_stop) {
            judge_pace(r, t, frame.quanta[t], after.deadline[t], time_.now());
        }
    }
}

void control_checker::judge_pace(const receiver_rules& r, std::size_t timer, std::uint16_t quanta, picoseconds deadline,
                                 picoseconds now) const {
    const auto off = [&](picoseconds least, picoseconds most) {
        broken("P10", fmt::format("timer {} with {} quanta runs {} ps, and should {} to {}", timer, quanta,
                                  (deadline - now).count(), least.count(), most.count()));
    };
    if (!r.truncated) {
        const picoseconds exact = r.rate.quanta(quanta);
        if (deadline != now + exact) off(exact, exact);
        return;
    }
    const std::int64_t clocks = 512 * std::int64_t{r.megahertz} / r.rate.megabits();
    if (clocks == 0) {
        if (deadline != never) broken("P10", fmt::format("timer {} runs out, and there are no ticks", timer));
        return;
    }
    // From a clock edge, more than N - 1 quanta and at most N; a clock on both sides for the edge.
    const std::int64_t clock = 1'000'000 / std::max<std::int64_t>(r.megahertz, 1) + 1;
    const picoseconds least{(quanta - 1) * clocks * 1'000'000 / r.megahertz - clock};
    const picoseconds most{quanta * clocks * 1'000'000 / r.megahertz + clock};
    if (deadline - now < least || deadline - now > most) off(least, most);
}

// What the frame allows: shut at most until the quanta have run out, or until the response lets it be opened.
void control_checker::grant(const receiver_rules& r, std::uint16_t named, const reading& frame, picoseconds now) {
    for (std::size_t t = 0; t < pause_receiver::timers; ++t) {
        if (!has(named, t)) continue;
        const picoseconds obeyed = std::max(now, std::min(shut_until_[t], now + response_of(r)));
        picoseconds granted = now;
        if (frame.quanta[t] != 0) {
            granted = r.truncated ? never : now + r.rate.quanta(frame.quanta[t]);
            if (r.timer_from_stop) granted += r.response + r.rate.octets(longest_frame + wire_overhead_octets);
        }
        shut_until_[t] = std::max(obeyed, granted);
    }
}

// Takes over what the receiver says where this has no opinion of its own.
void control_checker::adopt(picoseconds now) {
    const picoseconds response = response_of(receiver_.rules());
    for (std::size_t t = 0; t < pause_receiver::timers; ++t) {
        const picoseconds obeyed = std::max(now, std::min(shut_until_[t], now + response));
        shut_until_[t] = has(receiver_.running(), t) ? std::max(obeyed, receiver_.deadline(t)) : obeyed;
    }
}

// P11: without a frame a timer keeps its deadline and stops only there.
void control_checker::between_frames(picoseconds now) {
    const timers_seen present = look();
    const timers_seen before = std::exchange(last_, present);
    const receiver_rules r = receiver_.rules();
    const bool judged =
        !before.never_touched && before.interventions == present.interventions && !r.timer_from_stop && !r.truncated;
    if (judged) {
        for (std::size_t t = 0; t < pause_receiver::timers; ++t) {
            const bool was = has(before.running, t);
            const bool is = has(present.running, t);
            const bool ran_out = was && !is && now >= before.deadline[t];
            const bool stable = was == is && (!is || before.deadline[t] == present.deadline[t]);
            if (!stable && !ran_out) broken("P11", fmt::format("timer {} changed, and no frame came", t));
        }
    }
    // Software may have changed how much a quantum is, or how pauses are counted, under a pause.
    if (before.interventions != present.interventions) adopt(now);
    judge_gate(now);
}

// P12, P13: a queue is stopped only while the timer of one of its priorities runs, and no longer than was granted.
void control_checker::judge_gate(picoseconds now) const {
    const bitmap by_pfc = gate_.queues_stopped_by_pfc();
    const bool whole = gate_.link_stopped();
    if (by_pfc == 0 && !whole) return;
    const receiver_rules r = receiver_.rules();
    const std::uint16_t running = receiver_.running();
    const auto judge = [&](std::uint16_t reasons, const std::string& what) {
        bool timed = false;
        bool allowed = false;
        for (std::size_t t = 0; t < pause_receiver::timers; ++t) {
            if (!has(reasons, t)) continue;
            timed = timed || has(running, t);
            allowed = allowed || now <= shut_until_[t];
        }
        if (allowed) return;
        broken(timed ? "P13" : "P12", fmt::format("{} is stopped, and {}", what,
                                                  timed ? "what was granted has run out" : "no timer of it runs"));
    };
    for (std::size_t q = 0; q < 8; ++q) {
        if (!has(by_pfc, q)) continue;
        unsigned reasons = 0;
        for (std::size_t p = 0; p < 8; ++p) {
            if (has(r.priority_queues[p], q)) reasons |= 1U << p;
        }
        judge(static_cast<std::uint16_t>(reasons), fmt::format("queue {}", q));
    }
    if (whole) judge(1U << pause_receiver::whole_link, "the link");
}

bitmap control_checker::stopped_queues() const {
    judge_gate(time_.now());
    return gate_.stopped_queues();
}

bool control_checker::pending() const {
    return link_ && generator_.quanta() != 0 && generator_.wanted() != told_;
}

ethernet::frame* control_checker::next_control_frame(picoseconds now) {
    between_frames(now);
    ethernet::frame* f = control_.next_control_frame(now);
    if (f == nullptr) {
        if (pending()) {
            broken("P4", fmt::format("priorities {:#04x} are wanted stopped, the peer was told {:#04x}, and no frame "
                                     "is sent",
                                     generator_.wanted(), told_));
        }
        return nullptr;
    }
    if (wire_.busy(now)) {
        broken(wire_.data() ? "P21" : "P4", "a control frame starts before the frame in progress has ended");
    }
    wire_.take(now, receiver_.rules().rate, f->length, false);
    judge_frame(*f);
    return f;
}

// P1 to P3 of a frame that leaves.
void control_checker::judge_frame(const ethernet::frame& f) {
    const std::uint16_t opcode = word_of(f, 14);
    if (word_of(f, 12) != 0x8808 || (opcode != 0x0101 && opcode != 0x0001) || !to_control_address(f)) {
        broken("P1", fmt::format("a control frame of type {:#06x} and opcode {:#06x} leaves", word_of(f, 12), opcode));
        return;
    }
    if (f.length != 64) broken("P2", fmt::format("the body has {} octets, not 60", f.length - 4));
    unsigned told = 0;
    if (opcode == 0x0001) {
        told = word_of(f, 16) != 0 ? 0xffU : 0U;
    } else {
        const std::uint8_t vector = octet_of(f, 17);
        for (std::uint32_t p = 0; p < 8; ++p) {
            const std::uint16_t quanta = word_of(f, 18 + 2 * p);
            if (!has(vector, p) && quanta != 0) {
                broken("P3", fmt::format("priority {} is not enabled and has {} quanta", p, quanta));
            }
            if (has(vector, p) && quanta != 0) told |= 1U << p;
        }
    }
    // With quanta of 0 a frame stops nobody, and all the same it has said what there is to say until the next refresh.
    told_ = generator_.quanta() == 0 ? generator_.wanted() : static_cast<bitmap>(told);
    if (told_ != 0 && on_told_) on_told_(told_, time_.now());
}

void control_checker::link_changed(bool up) {
    control_.link_changed(up);
    link_ = up;
    if (!up) {
        told_ = 0;
        shut_until_.fill(time_.now());
    }
    last_ = look();
    if (on_link_) on_link_(up);
}

// Looks again when the next grant has run out, even if nothing else happens at the port by then.
void control_checker::watch() {
    picoseconds next = never;
    for (const picoseconds until : shut_until_) {
        if (until >= time_.now() && until < next) next = until;
    }
    if (next == never || next + picoseconds{1} >= watched_) return;
    watched_ = next + picoseconds{1};
    time_.at(watched_, phase::timer, *this, 0);
}

void control_checker::due(std::uint32_t) {
    if (watched_ != time_.now()) return;
    watched_ = never;
    between_frames(time_.now());
    watch();
}

}  // namespace weir::pfc
