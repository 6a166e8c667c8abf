// SPDX-License-Identifier: Apache-2.0
// From the stub's words to the hart's.
#include "vp/remote/hart_gdb_target.h"

#include "vp/remote/gdb_description.h"

namespace weir::vp::remote {

namespace {

cpu::watchpoint as_watchpoint(const gdb_point& p) {
    return {p.address, p.octets, p.kind != gdb_point_kind::store, p.kind != gdb_point_kind::load};
}

bool is_breakpoint(const gdb_point& p) {
    return p.kind == gdb_point_kind::software || p.kind == gdb_point_kind::hardware;
}

}  // namespace

std::uint32_t hart_gdb_target::read_register(unsigned number) {
    const auto s = core_.state();
    return number == gdb_pc ? s.pc : s.x.at(number);
}

void hart_gdb_target::write_register(unsigned number, std::uint32_t value) {
    auto s = core_.state();
    if (number == gdb_pc) {
        s.pc = value;
        s.waiting = false;  // whoever moves pc wants the core to go on there
    } else {
        s.x.at(number) = value;
    }
    core_.restore(s);
}

bool hart_gdb_target::insert(const gdb_point& point) {
    if (is_breakpoint(point)) {
        core_.set_breakpoint(point.address);
    } else {
        core_.set_watchpoint(as_watchpoint(point));
    }
    return true;
}

void hart_gdb_target::remove(const gdb_point& point) {
    if (is_breakpoint(point)) {
        core_.clear_breakpoint(point.address);
    } else {
        core_.clear_watchpoint(as_watchpoint(point));
    }
}

std::optional<gdb_stop> hart_gdb_target::step() {
    return stop_of(core_.run(1));
}

gdb_stop hart_gdb_target::stop_of(cpu::stop why) const {
    gdb_stop s;
    if (why == cpu::stop::breakpoint) s.reason = gdb_stop_reason::breakpoint;
    if (why == cpu::stop::watchpoint) {
        s.reason = gdb_stop_reason::watchpoint;
        s.address = core_.watched().address;
        s.store = core_.watched().store;
    }
    return s;
}

std::string hart_gdb_target::monitor(const std::string& text) {
    return access_.monitor ? access_.monitor(text) : "unknown command: " + text + "\n";
}

}  // namespace weir::vp::remote
