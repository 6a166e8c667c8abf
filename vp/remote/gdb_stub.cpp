// SPDX-License-Identifier: Apache-2.0
// The stub's comings and goings: connection, input, stop replies. What packets ask for is in gdb_commands.cpp.
#include "vp/remote/gdb_stub.h"

#include <algorithm>

#include "fmt/format.h"
#include "vp/remote/gdb_description.h"

namespace weir::vp::remote {

namespace {

constexpr int give_up_every_ms = 200;
/// More than this while the core runs is no debugger's.
constexpr std::size_t most_waiting = 4 * largest_payload;

}  // namespace

gdb_stub::gdb_stub(gdb_target& target, settings s)
    : target_(target), settings_(std::move(s)), connection_(settings_.endpoint) {
    if (!settings_.log) settings_.log = [](const std::string&) {};
}

gdb_stub::~gdb_stub() {
    if (connected()) remove_points();
}

bool gdb_stub::wait_for_client() {
    settings_.log(fmt::format("gdb: waiting for a debugger at {}", address()));
    while (!connected()) {
        if (settings_.give_up && settings_.give_up()) return false;
        connection_.wait(give_up_every_ms);
        greet();
    }
    return true;
}

bool gdb_stub::poll() {
    greet();
    if (connected() && !halted_) {
        take_input();
        if (unframer_.take_interrupt()) stopped({gdb_stop_reason::interrupted});
        if (unframer_.waiting() > most_waiting) farewell("the debugger sends without being asked");
    }
    return halted_;
}

void gdb_stub::stopped(const gdb_stop& why) {
    last_stop_ = why;
    if (!connected() || halted_) return;
    halted_ = true;
    report();
}

void gdb_stub::serve_until_resumed() {
    std::string packet;
    while (halted_) {
        switch (unframer_.next(packet)) {
            case gdb_event::none:
                if (settings_.give_up && settings_.give_up()) {
                    farewell("the run ends under the debugger");
                    break;
                }
                connection_.wait(give_up_every_ms);
                greet();
                take_input();
                break;
            case gdb_event::packet:
                if (acknowledging_ && !connection_.send("+")) farewell("the debugger does not listen");
                handle(packet);
                break;
            case gdb_event::bad:
                if (!connection_.send("-")) farewell("the debugger does not listen");
                break;
            case gdb_event::oversized:
                if (acknowledging_ && !connection_.send("+")) farewell("the debugger does not listen");
                reply("E01");
                break;
            case gdb_event::again:
                if (!last_frame_.empty() && !connection_.send(last_frame_)) farewell("the debugger does not listen");
                break;
            case gdb_event::interrupt:
                break;  // it stands still already
        }
    }
}

/// Takes who has come. A new client finds the core standing still.
void gdb_stub::greet() {
    switch (connection_.accept()) {
        case gdb_connection::accepted::nobody:
            return;
        case gdb_connection::accepted::refused:
            settings_.log("gdb: a second debugger is refused; one at a time can be connected");
            return;
        case gdb_connection::accepted::client:
            break;
    }
    settings_.log(fmt::format("gdb: a debugger is connected at {}; the core is halted", address()));
    unframer_.clear();
    last_frame_.clear();
    last_stop_ = {};
    acknowledging_ = true;
    tells_swbreak_ = tells_hwbreak_ = false;
    halted_ = true;
}

void gdb_stub::farewell(const std::string& why) {
    if (!connected()) return;
    settings_.log(fmt::format("gdb: {}; its breakpoints are removed and the core runs", why));
    remove_points();
    connection_.drop();
    resume();
}

void gdb_stub::take_input() {
    if (!connected()) return;
    std::string octets;
    if (!connection_.receive(octets)) {
        farewell("the debugger is gone");
        return;
    }
    unframer_.add(octets);
}

void gdb_stub::reply(std::string_view payload) {
    if (!connected()) return;
    last_frame_ = gdb_frame(payload);
    if (!connection_.send(last_frame_)) farewell("the debugger does not listen");
}

/// The stop reply for `last_stop_`, E.3: signal 5 is SIGTRAP, 2 SIGINT.
void gdb_stub::report() {
    const auto watched = [&](const gdb_point& p) {
        const bool load_too = p.kind == gdb_point_kind::load || p.kind == gdb_point_kind::access;
        const bool store_too = p.kind == gdb_point_kind::store || p.kind == gdb_point_kind::access;
        return last_stop_.address - p.address < p.octets && (last_stop_.store ? store_too : load_too);
    };
    const auto at_pc = [&](const gdb_point& p) {
        return p.kind == gdb_point_kind::hardware && p.address == target_.read_register(gdb_pc);
    };
    const bool hardware = std::any_of(points_.begin(), points_.end(), at_pc);
    std::string text = "T05";
    switch (last_stop_.reason) {
        case gdb_stop_reason::stepped:
            break;
        case gdb_stop_reason::interrupted:
            text = "T02";
            break;
        case gdb_stop_reason::ended:
            return reply(fmt::format("W{:02x}", last_stop_.exit_code));
        case gdb_stop_reason::breakpoint:
            if (hardware && tells_hwbreak_) text += "hwbreak:;";
            if (!hardware && tells_swbreak_) text += "swbreak:;";
            break;
        case gdb_stop_reason::watchpoint: {
            const auto p = std::find_if(points_.begin(), points_.end(), watched);
            if (p == points_.end()) break;
            const char* const name = p->kind == gdb_point_kind::access ? "awatch"
                                     : p->kind == gdb_point_kind::load ? "rwatch"
                                                                       : "watch";
            text += fmt::format("{}:{:x};", name, last_stop_.address);
            break;
        }
    }
    reply(text + "thread:1;");
}

}  // namespace weir::vp::remote
