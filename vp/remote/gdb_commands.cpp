// SPDX-License-Identifier: Apache-2.0
// What the packets of a gdb client ask for. An answer of no octets says that a packet is not known; E01: its arguments
// are wrong; E02: it is not possible.
#include <algorithm>
#include <array>
#include <optional>

#include "fmt/format.h"
#include "vp/remote/gdb_description.h"
#include "vp/remote/gdb_stub.h"

namespace weir::vp::remote {

namespace {

constexpr const char* wrong = "E01";
constexpr const char* impossible = "E02";

bool starts_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

/// Cuts `text` at the first `sign`, which goes; all of it if there is none.
std::string_view cut_off(std::string_view& text, char sign) {
    const auto at = text.find(sign);
    const auto first = text.substr(0, at);
    text = at == std::string_view::npos ? std::string_view{} : text.substr(at + 1);
    return first;
}

struct memory_range {
    std::uint32_t address{0};
    std::uint32_t octets{0};
};

/// "address,length" in hexadecimal. It has to end before address 2^32.
std::optional<memory_range> range_of(std::string_view text) {
    const auto address = number_from_hex(cut_off(text, ','));
    const auto octets = number_from_hex(text);
    if (!address || !octets || std::uint64_t{*address} + *octets > std::uint64_t{1} << 32) return std::nullopt;
    return memory_range{*address, *octets};
}

bool same_point(const gdb_point& a, const gdb_point& b) {
    return a.kind == b.kind && a.address == b.address && a.octets == b.octets;
}

}  // namespace

void gdb_stub::handle(std::string_view packet) {
    if (packet.empty()) return reply("");
    const auto rest = packet.substr(1);
    switch (packet.front()) {
        case '?':
            return report();
        case 'g':
        case 'G':
        case 'p':
        case 'P':
            return handle_registers(packet);
        case 'm':
            return handle_memory_read(rest);
        case 'M':
            return handle_memory_write(rest, false);
        case 'X':
            return handle_memory_write(rest, true);
        case 'Z':
        case 'z':
            return handle_point(packet);
        case 'c':
        case 's':
        case 'C':
        case 'S':
        case 'v':
            return handle_action(packet);
        case 'q':
        case 'Q':
            return handle_query(packet);
        case 'H':
        case 'T':
            return reply("OK");  // there is one thread
        case 'D':
            reply("OK");
            return farewell("the debugger has let go");
        case 'k':
            return farewell("the debugger has ended its session");
        default:
            return reply("");
    }
}

void gdb_stub::handle_query(std::string_view packet) {
    constexpr std::string_view transfer = "qXfer:features:read:target.xml:";
    constexpr std::string_view monitor = "qRcmd,";
    if (starts_with(packet, "qSupported")) {
        tells_swbreak_ = packet.find("swbreak+") != std::string_view::npos;
        tells_hwbreak_ = packet.find("hwbreak+") != std::string_view::npos;
        return reply(
            fmt::format("PacketSize={:x};qXfer:features:read+;swbreak+;hwbreak+;vContSupported+;QStartNoAckMode+",
                        largest_payload));
    }
    if (packet == "QStartNoAckMode") {
        reply("OK");
        acknowledging_ = false;
        unframer_.check(false);
        return;
    }
    if (starts_with(packet, transfer)) return handle_transfer(packet.substr(transfer.size()));
    if (starts_with(packet, monitor)) return handle_monitor(packet.substr(monitor.size()));
    if (starts_with(packet, "qAttached")) return reply("1");
    if (packet == "qC") return reply("QC1");
    if (packet == "qfThreadInfo") return reply("m1");
    if (packet == "qsThreadInfo") return reply("l");
    reply("");
}

void gdb_stub::handle_transfer(std::string_view range) {
    const auto offset = number_from_hex(cut_off(range, ','));
    const auto length = number_from_hex(range);
    if (!offset || !length) return reply(wrong);
    const std::string all = gdb_description(target_);
    if (*offset >= all.size()) return reply("l");
    // Escaping may double it.
    const std::string part = all.substr(*offset, std::min<std::size_t>(*length, largest_payload / 2 - 1));
    reply((*offset + part.size() < all.size() ? "m" : "l") + part);
}

void gdb_stub::handle_monitor(std::string_view digits) {
    const auto text = from_hex(digits);
    if (!text) return reply(wrong);
    const std::string answer = target_.monitor(*text);
    constexpr std::size_t chunk = largest_payload / 2 - 1;
    for (std::size_t at = 0; at < answer.size(); at += chunk) {
        reply("O" + to_hex(std::string_view{answer}.substr(at, chunk)));
    }
    reply("OK");
}

void gdb_stub::handle_registers(std::string_view packet) {
    auto rest = packet.substr(1);
    if (packet.front() == 'g') {
        std::string all;
        for (unsigned i = 0; i <= gdb_pc; ++i) all += word_to_hex(target_.read_register(i));
        return reply(all);
    }
    if (packet.front() == 'G') {
        std::array<std::uint32_t, gdb_pc + 1> values{};
        if (rest.size() != 8 * values.size()) return reply(wrong);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto value = word_from_hex(rest.substr(8 * i, 8));
            if (!value) return reply(wrong);
            values[i] = *value;
        }
        for (unsigned i = 0; i <= gdb_pc; ++i) target_.write_register(i, values[i]);
        return reply("OK");
    }
    const auto number = number_from_hex(cut_off(rest, '='));
    if (!number || *number >= gdb_registers) return reply(wrong);
    const bool csr = *number >= gdb_first_csr;
    if (!csr && *number > gdb_pc) return reply(wrong);
    if (packet.front() == 'p') {
        std::uint32_t value = 0;
        if (!csr) {
            value = target_.read_register(*number);
        } else if (!target_.read_csr(*number - gdb_first_csr, value)) {
            return reply(impossible);
        }
        return reply(word_to_hex(value));
    }
    const auto value = word_from_hex(rest);
    if (!value) return reply(wrong);
    if (csr) return reply(target_.write_csr(*number - gdb_first_csr, *value) ? "OK" : impossible);
    target_.write_register(*number, *value);
    reply("OK");
}

/// As many octets as are there; an error if the first is not.
void gdb_stub::handle_memory_read(std::string_view arguments) {
    const auto range = range_of(arguments);
    if (!range) return reply(wrong);
    const std::uint32_t count = std::min<std::uint32_t>(range->octets, largest_payload / 2);
    std::string octets;
    std::uint8_t octet = 0;
    while (octets.size() < count && target_.peek(range->address + static_cast<std::uint32_t>(octets.size()), octet)) {
        octets += static_cast<char>(octet);
    }
    reply(octets.empty() && count != 0 ? impossible : to_hex(octets));
}

void gdb_stub::handle_memory_write(std::string_view arguments, bool binary) {
    const auto range = range_of(cut_off(arguments, ':'));
    const auto octets = binary ? std::optional<std::string>{arguments} : from_hex(arguments);
    if (!range || !octets || octets->size() != range->octets) return reply(wrong);
    if (octets->empty()) return reply("OK");
    const auto* const data = reinterpret_cast<const std::uint8_t*>(octets->data());
    reply(target_.poke(range->address, data, range->octets) ? "OK" : impossible);
}

/// Z and z: kind, address, size. Doing either twice is doing it once (E.2).
void gdb_stub::handle_point(std::string_view packet) {
    auto rest = packet.substr(1);
    const auto kind = number_from_hex(cut_off(rest, ','));
    const auto range = range_of(rest);
    if (!kind || !range || range->octets == 0) return reply(wrong);
    if (*kind > 4) return reply("");
    const gdb_point point{static_cast<gdb_point_kind>(*kind), range->address, range->octets};
    const auto there =
        std::find_if(points_.begin(), points_.end(), [&](const gdb_point& p) { return same_point(p, point); });
    if (packet.front() == 'z') {
        if (there != points_.end()) {
            points_.erase(there);
            target_.remove(point);
            // A target need not tell two breakpoints at one place apart.
            for (const auto& p : points_) {
                if (p.address == point.address) target_.insert(p);
            }
        }
        return reply("OK");
    }
    if (there == points_.end()) {
        if (!target_.insert(point)) return reply(impossible);
        points_.push_back(point);
    }
    reply("OK");
}

/// c, s and vCont, with and without a signal, which no core knows what to do with.
void gdb_stub::handle_action(std::string_view packet) {
    if (packet == "vCont?") return reply("vCont;c;C;s;S");
    std::string_view at = packet.substr(1);
    char action = packet.front();
    if (action == 'v') {
        if (!starts_with(packet, "vCont;")) return reply("");
        at = {};
        action = packet.size() > 6 ? packet[6] : '?';  // the first action; there is one thread
    } else if (action == 'C' || action == 'S') {
        cut_off(at, ';');
    }
    switch (action) {
        case 'c':
        case 'C':
            if (move_pc(at)) resume();
            return;
        case 's':
        case 'S':
            return step(at);
        default:
            return reply(wrong);
    }
}

/// For c and s with an address to go on at. False: it is none, and that has been said.
bool gdb_stub::move_pc(std::string_view at) {
    if (at.empty()) return true;
    const auto address = number_from_hex(at);
    if (!address) {
        reply(wrong);
        return false;
    }
    target_.write_register(gdb_pc, *address);
    return true;
}

void gdb_stub::step(std::string_view at) {
    if (!move_pc(at)) return;
    const auto done = target_.step();
    if (!done) {
        halted_ = false;
        return;
    }
    last_stop_ = *done;
    report();
}

void gdb_stub::resume() {
    halted_ = false;
    target_.resume();
}

void gdb_stub::remove_points() {
    for (const auto& p : points_) target_.remove(p);
    points_.clear();
}

}  // namespace weir::vp::remote
