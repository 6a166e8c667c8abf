// SPDX-License-Identifier: Apache-2.0
#include "vp/remote/register_port.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace weir::vp::remote {
namespace {

constexpr std::size_t input_octets = 16 * 1024;
/// Replies and pushed messages that a client may leave unread.
constexpr std::size_t most_unread = 256 * 1024;
/// How long, in ms, a client that does not read may keep the simulation waiting.
constexpr int patience_for_readers = 5000;
/// After RUN, simulated time between two looks at the client.
constexpr picoseconds rest_interval = microseconds(10);
/// Requests between two looks at the other doors.
constexpr std::uint32_t attention_interval = 256;
// For a new client, in ms: another door's turn may have let it in meanwhile.
constexpr int glance = 20;
/// Nothing may be asked to happen later than this.
constexpr picoseconds last_time{9'000'000'000'000'000'000};

picoseconds from_ns(std::uint64_t ns) {
    const auto most = static_cast<std::uint64_t>(last_time / nanoseconds(1));
    return nanoseconds(static_cast<std::int64_t>(std::min(ns, most)));
}

std::string printable(std::string_view text) {
    std::string made{text};
    std::replace_if(
        made.begin(), made.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
    return made;
}

}  // namespace

register_port::register_port(const listener& where, run_control& control, platforms::native_initiator& cpu,
                             std::uint32_t map_hash, log_function log)
    : where_(where), control_(control), cpu_(cpu), map_hash_(map_hash), log_(std::move(log)), in_(input_octets) {}

void register_port::waits_for(std::vector<pollfd>& all) const {
    all.push_back({where_.waiting().number(), POLLIN, 0});
    if (resting_ && client_.open()) all.push_back({client_.number(), POLLIN, 0});
}

// Called from whatever lets time pass; the requests themselves are handled by the CPU's thread.
void register_port::serve() {
    take_or_refuse();
    if (resting_ && client_.open() && wait_for(client_, false, 0)) work_.notify(sc_core::SC_ZERO_TIME);
}

void register_port::take_or_refuse() {
    // Who comes right after the last one has gone is no second client.
    if (client_.open() && hung_up(client_)) {
        if (busy_) return;  // noticed when the request is answered
        drop(used_ > taken_ ? "in the middle of a message" : "without a BYE");
    }
    for (descriptor next = where_.accept(); next.open(); next = where_.accept()) {
        if (!client_.open()) {
            client_ = std::move(next);
            used_ = taken_ = 0;
            out_.clear();
            greeted_ = subscribed_ = posted_failed_ = false;
            control_.hold(true);
            control_.keep_steps_short(true);  // until its first message has been seen
            continue;
        }
        port_message no(port_kind::end, 0, 0, false);
        const std::string_view words = no.text("another client is connected: it has to go first").octets();
        std::size_t octets = 0;
        (void)send(next, words.data(), words.size(), octets);
        say("register port: a second client was refused, one is connected");
    }
}

void register_port::serve_client() {
    while (!control_.ended()) {
        if (!client_.open() && !ready_) {
            if (control_.wait_for(where_.waiting(), false, glance)) take_or_refuse();
            continue;
        }
        // A halted run answers nobody; and a client that never pauses does not keep the other doors shut.
        if (control_.halted() || ++requests_ % attention_interval == 0) control_.service();
        port_request request{};
        if (!client_.open() || !next_request(request)) {
            // After RUN, and without a client after READY, time goes on by itself.
            if (client_.open() ? running_ : ready_) rest();
            continue;
        }
        carry_out(request);
    }
}

void register_port::serve_session() {
    for (bool met = false; !control_.ended() && (client_.open() || !met);) {
        port_request request{};
        if (!client_.open()) {
            if (control_.wait_for(where_.waiting(), false, glance)) take_or_refuse();
            met = client_.open();
        } else if (next_request(request)) {
            carry_out(request);
        }
    }
}

void register_port::carry_out(const port_request& request) {
    taken_ += request.octets;
    busy_ = true;
    handle(request);
    busy_ = false;
    flush(true);
}

void register_port::rest() {
    if (client_.open()) {
        // The step of the loop outside may be a long one; and to look at a socket is nothing that happens in the chip,
        // so it is the kernel's clock that this waits by.
        sc_core::wait(to_kernel(rest_interval));
        cpu_.catch_up();
        control_.service();
        return;
    }
    resting_ = true;
    sc_core::wait(work_);
    resting_ = false;
    cpu_.catch_up();
}

// False: there is none now, or the client has gone. In lockstep the simulation stands still until there is one.
bool register_port::next_request(port_request& request) {
    std::string defect;
    do {
        if (const auto found = first_request(in_.data() + taken_, used_ - taken_, defect); found) {
            request = *found;
            return true;
        }
    } while (defect.empty() && fill());
    if (!defect.empty()) dismiss(defect);
    return false;
}

bool register_port::fill() {
    if (taken_ > 0) {
        std::memmove(in_.data(), in_.data() + taken_, used_ - taken_);
        used_ -= taken_;
        taken_ = 0;
    }
    std::size_t octets = 0;
    if (!running_ && !control_.wait_for(client_, false, -1)) return false;
    const transfer got = receive(client_, in_.data() + used_, in_.size() - used_, octets);
    if (got == transfer::gone) drop(used_ > 0 ? "in the middle of a message" : "without a BYE");
    used_ += octets;
    return got == transfer::some;
}

void register_port::handle(const port_request& r) {
    const auto kind = static_cast<port_kind>(r.kind);
    if (!greeted_ && kind != port_kind::hello) {
        dismiss("the first message has to be HELLO");
        return;
    }
    switch (kind) {
        case port_kind::hello:
            say_hello(r);
            return;
        case port_kind::read:
        case port_kind::write:
        case port_kind::posted_write:
            handle_access(r);
            return;
        case port_kind::log:
            log_(static_cast<weir_log_level>(std::min<std::uint32_t>(load32(r.payload), WEIR_LOG_INFO)),
                 printable({reinterpret_cast<const char*>(r.payload) + 4, r.payload_octets - 4}));
            return;
        case port_kind::ready:
            get_ready(r);
            return;
        case port_kind::run:
            if (const std::uint32_t mode = load32(r.payload); mode <= 2) {
                set_mode(mode == 1, mode == 0);
                reply(r, port_status::ok);
            } else {
                reply(r, port_status::bad_request, 0, fmt::format("RUN has no mode {}: 0, 1 or 2", mode));
            }
            return;
        case port_kind::subscribe:
            subscribed_ = load32(r.payload) != 0;
            reply(r, port_status::ok);
            return;
        case port_kind::bye:
            reply(r, port_status::ok);
            flush(true);
            drop("");
            return;
        default:
            handle_time(r);
    }
}

void register_port::say_hello(const port_request& r) {
    const std::uint32_t version = load32(r.payload);
    const std::uint32_t hash = load32(r.payload + 4);
    std::string why;
    if (version != port_version) {
        why = fmt::format("the client speaks version {} of the protocol, this is version {}", version, port_version);
    } else if (hash != any_map && hash != map_hash_) {
        why = fmt::format("the client's register map has hash {:#06x}, the chip's {:#06x}: build it against this map",
                          hash, map_hash_);
    }
    if (!why.empty()) {
        reply(r, port_status::refused, port_version, why);
        flush(true);
        drop("refused: " + why);
        return;
    }
    greeted_ = true;
    control_.keep_steps_short(false);
    port_message m(port_kind::hello, r.asic, r.tag, true);
    m.u32(static_cast<std::uint32_t>(port_status::ok)).u32(port_version).u64(now_ns());
    put(m.u32(map_hash_).u32(static_cast<std::uint32_t>(cpu_.chips())).octets());
}

void register_port::handle_access(const port_request& r) {
    const auto kind = static_cast<port_kind>(r.kind);
    const std::uint32_t address = load32(r.payload);
    if (r.asic >= cpu_.chips()) {
        if (kind == port_kind::posted_write) {
            if (!posted_failed_) failed_address_ = address;
            posted_failed_ = true;
            return;
        }
        reply(r, port_status::bad_request, 0,
              fmt::format("there is no ASIC {}: 0 to {}", static_cast<unsigned>(r.asic), cpu_.chips() - 1));
        return;
    }
    std::uint32_t word = 0;
    bool good = false;
    // The bus has the map's octet order, and so has the initiator's word: on the wire it is one number either way.
    if (kind == port_kind::read) {
        good = cpu_.read(address, word, r.asic);
    } else {
        word = load32(r.payload + 4);
        good = cpu_.write(address, word, r.asic);
    }
    if (kind != port_kind::posted_write) {
        reply(r, good ? port_status::ok : port_status::bus_error, kind == port_kind::read ? word : 0);
    } else if (!good && !posted_failed_) {
        posted_failed_ = true;
        failed_address_ = address;
    }
}

// An advance through another door ends on the way, wherever the step of the loop outside does.
void register_port::pass_until(picoseconds time) {
    while (cpu_.local_time() < time && !control_.ended()) {
        cpu_.wait_until(std::min(time, std::max(control_.advance_end(), cpu_.local_time())));
        if (cpu_.local_time() >= control_.advance_end()) control_.service(cpu_.local_time());
    }
}

void register_port::handle_time(const port_request& r) {
    const picoseconds left = last_time - cpu_.local_time();
    switch (static_cast<port_kind>(r.kind)) {
        case port_kind::barrier:
            cpu_.barrier();
            reply(r, posted_failed_ ? port_status::bus_error : port_status::ok, posted_failed_ ? failed_address_ : 0);
            posted_failed_ = false;
            return;
        case port_kind::delay:
            pass_until(cpu_.local_time() + std::min(left, from_ns(load64(r.payload))));
            reply(r, port_status::ok);
            return;
        case port_kind::advance:
            pass_until(from_ns(load64(r.payload)));
            reply(r, port_status::ok);
            return;
        case port_kind::wait_irq:
            if (r.asic >= cpu_.chips()) {
                reply(r, port_status::bad_request, 0,
                      fmt::format("there is no ASIC {}: 0 to {}", static_cast<unsigned>(r.asic), cpu_.chips() - 1));
                return;
            }
            reply(r, cpu_.wait_for_interrupt(std::min(left, from_ns(load64(r.payload))), r.asic)
                         ? port_status::ok
                         : port_status::timeout);
            return;
        default:
            reply(r, port_status::ok);
    }
}

// The loop outside notices that the boot is over, prepares the workload, and says when it begins.
void register_port::get_ready(const port_request& r) {
    if (ready_) {
        reply(r, port_status::bad_request, 0, "READY was said before: the workload has begun");
        return;
    }
    ready_ = true;
    while (workload_at_ == never && !control_.ended()) sc_core::wait(work_);
    if (control_.ended()) {
        reply(r, port_status::ended);
        return;
    }
    cpu_.catch_up();
    cpu_.wait_until(workload_at_);
    reply(r, port_status::ok);
}

void register_port::workload_begins(picoseconds time) {
    workload_at_ = time;
    work_.notify(sc_core::SC_ZERO_TIME);
}

void register_port::set_mode(bool running, bool held) {
    running_ = running;
    control_.hold(held);
    control_.keep_steps_short(false);
}

void register_port::interrupt(std::uint8_t asic, picoseconds time) {
    // A client that does not read misses some; it is found out when a reply does not fit.
    if (!subscribed_ || !client_.open() || out_.size() > most_unread / 2) return;
    port_message m(port_kind::interrupt, asic, 0, false);
    put(m.u64(static_cast<std::uint64_t>(time / nanoseconds(1))).octets());
    flush(false);
}

void register_port::reply(const port_request& r, port_status status, std::uint32_t value, std::string_view text) {
    port_message m(static_cast<port_kind>(r.kind), r.asic, r.tag, true);
    put(m.u32(static_cast<std::uint32_t>(status)).u32(value).u64(now_ns()).text(text).octets());
}

void register_port::put(std::string_view octets) {
    if (out_.size() + octets.size() <= most_unread) {
        out_ += octets;
        return;
    }
    drop("although it had not read its replies");
}

// Inside the CPU's thread the simulation may wait for a slow reader; elsewhere nothing waits.
void register_port::flush(bool inside) {
    while (!out_.empty() && client_.open()) {
        std::size_t octets = 0;
        const transfer done = send(client_, out_.data(), out_.size(), octets);
        if (done == transfer::gone) {
            if (!inside) return;
            drop(busy_ ? "in the middle of a request" : "without a BYE");
            return;
        }
        out_.erase(0, octets);
        if (done == transfer::some) continue;
        if (!inside) return;
        if (!control_.wait_for(client_, true, patience_for_readers)) {
            if (!control_.ended()) drop("although it had not read its replies");
            return;
        }
    }
}

/// Says why, and ends the connection.
void register_port::dismiss(const std::string& why) {
    port_message m(port_kind::end, 0, 0, false);
    put(m.text(why).octets());
    flush(true);
    drop("refused: " + why);
}

void register_port::drop(const std::string& why) {
    if (!client_.open()) return;
    client_.close();
    used_ = taken_ = 0;
    out_.clear();
    subscribed_ = false;
    set_mode(false, false);
    if (why.empty()) return;
    const bool refused = why.substr(0, 8) == "refused:";
    say(fmt::format("register port: the client {}{}{}", refused ? "was " : "left ", why,
                    control_.ended() ? ""
                    : ready_         ? "; the run goes on, another may connect"
                                     : "; the simulation stands still until another connects"));
}

void register_port::finish(const std::string& reason) {
    take_or_refuse();
    if (!client_.open()) return;
    constexpr int patience = 1000;
    port_message m(port_kind::end, 0, 0, false);
    put(m.text(reason).octets());
    flush(false);
    if (client_.open() && !out_.empty() && wait_for(client_, true, patience)) flush(false);
    client_.close();
}

}  // namespace weir::vp::remote
