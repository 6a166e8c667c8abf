// SPDX-License-Identifier: Apache-2.0
// What the hart reaches and what reaches the hart: memory and bus, mapping, lines, CSRs, break- and watchpoints.
#include <algorithm>
#include <cstring>

#include "models/cpu/hart_implementation.h"

namespace weir::cpu {

namespace {

constexpr std::uint32_t low_octets(std::uint32_t value, unsigned octets) {
    return octets == 4 ? value : value & ((1U << (8 * octets)) - 1);
}

/// What an AMO stores, by its funct5 (volume I, section 8.4).
std::uint32_t amo_result(std::uint8_t funct5, std::uint32_t old, std::uint32_t operand) {
    const auto a = static_cast<std::int32_t>(old);
    const auto b = static_cast<std::int32_t>(operand);
    switch (funct5) {
        case 0x00:
            return old + operand;
        case 0x01:
            return operand;
        case 0x04:
            return old ^ operand;
        case 0x08:
            return old | operand;
        case 0x0c:
            return old & operand;
        case 0x10:
            return a < b ? old : operand;
        case 0x14:
            return a < b ? operand : old;
        case 0x18:
            return std::min(old, operand);
        default:
            return std::max(old, operand);
    }
}

constexpr std::uint32_t no_reservation = 1;

bool same(const watchpoint& a, const watchpoint& b) {
    return a.address == b.address && a.octets == b.octets && a.on_load == b.on_load && a.on_store == b.on_store;
}

}  // namespace

bool hart::implementation::load(std::uint32_t address, unsigned octets, std::uint32_t& value) {
    if (address % octets != 0) {
        trap(cause::load_misaligned, address);
        return false;
    }
    if (memory_region* const r = memory.find(address)) {
        value = 0;
        std::memcpy(&value, r->octets() + (address - r->base()), octets);
        if (watchpoints.empty()) data = r;
    } else {
        if (!bus.load(address, octets, value)) {
            trap(cause::load_access, address);
            return false;
        }
        value = low_octets(value, octets);
    }
    if (!watches_before) watch(address, octets, false);
    return true;
}

bool hart::implementation::store(std::uint32_t address, unsigned octets, std::uint32_t value) {
    if (address % octets != 0) {
        trap(cause::store_misaligned, address);
        return false;
    }
    if (memory_region* const r = memory.find(address)) {
        write_memory(*r, address, octets, value);
        if (watchpoints.empty()) data = r;
    } else if (!bus.store(address, octets, low_octets(value, octets))) {
        trap(cause::store_access, address);
        return false;
    }
    if (!watches_before) watch(address, octets, true);
    return true;
}

void hart::implementation::write_memory(memory_region& r, std::uint32_t address, unsigned octets, std::uint32_t value) {
    std::memcpy(r.octets() + (address - r.base()), &value, octets);
    r.forget(address, octets);
}

bool hart::implementation::load_reserved(const op& o) {
    const std::uint32_t address = x[o.rs1];
    if (address % 4 == 0 && memory.find(address) == nullptr) {
        trap(cause::load_access, address);
        return false;
    }
    std::uint32_t value = 0;
    if (!load(address, 4, value)) return false;
    x[o.rd] = value;
    s.reservation = address;
    return true;
}

bool hart::implementation::store_conditional(const op& o) {
    const std::uint32_t address = x[o.rs1];
    if (address % 4 == 0 && memory.find(address) == nullptr) {
        trap(cause::store_access, address);
        return false;
    }
    // A failing sc.w may trap all the same (volume I, section 8.2): a misaligned one always does.
    const bool success = s.reservation == address;
    if ((success || address % 4 != 0) && !store(address, 4, x[o.rs2])) return false;
    s.reservation = no_reservation;
    x[o.rd] = success ? 0 : 1;
    return true;
}

bool hart::implementation::atomic(const op& o) {
    const std::uint32_t address = x[o.rs1];
    const std::uint32_t operand = x[o.rs2];
    if (address % 4 != 0) {
        trap(cause::store_misaligned, address);
        return false;
    }
    std::uint32_t old = 0;
    if (memory.find(address) == nullptr && !bus.load(address, 4, old)) {
        trap(cause::store_access, address);  // an AMO's faults are a store's, those of its load too (volume II, 3.1.15)
        return false;
    }
    // The bus may have changed the memories, so they are asked again.
    if (memory_region* const r = memory.find(address)) {
        std::memcpy(&old, r->octets() + (address - r->base()), 4);
        write_memory(*r, address, 4, amo_result(o.function, old, operand));
    } else if (!bus.store(address, 4, amo_result(o.function, old, operand))) {
        trap(cause::store_access, address);
        return false;
    }
    if (!watches_before) {
        watch(address, 4, false);
        watch(address, 4, true);
    }
    x[o.rd] = old;
    return true;
}

bool hart::implementation::fetch_halfword(std::uint32_t address, std::uint32_t& halfword) {
    halfword = 0;
    if (memory_region* const r = memory.find(address)) {
        std::memcpy(&halfword, r->octets() + (address - r->base()), 2);
        return true;
    }
    if (!bus.load(address, 2, halfword)) {
        trap(cause::fetch_access, address);  // mtval: the part of the instruction that is not there
        return false;
    }
    halfword = low_octets(halfword, 2);
    return true;
}

bool hart::implementation::fetch(std::uint32_t& instruction) {
    const std::uint32_t pc = s.pc;
    std::uint32_t second = 0;
    if (!fetch_halfword(pc, instruction)) return false;
    if (is_long(instruction) && !fetch_halfword(pc + 2, second)) return false;
    instruction |= second << 16;
    return true;
}

void hart::implementation::watch(std::uint32_t address, unsigned octets, bool is_store) {
    for (const auto& w : watchpoints) {
        if (!(is_store ? w.on_store : w.on_load) || w.octets == 0) continue;
        const bool overlap = address - w.address < w.octets || w.address - address < octets;
        if (!overlap) continue;
        hit = {address - w.address < w.octets ? address : w.address, is_store};
        touched = attention = true;
    }
}

bool hart::implementation::will_touch(const op& o) {
    if (watchpoints.empty()) return false;
    const auto between = [&](opcode first, opcode last) { return o.code >= first && o.code <= last; };
    const bool atomic_one = between(opcode::lr, opcode::amo);
    if (!atomic_one && !between(opcode::lb, opcode::sw)) return false;
    const std::uint32_t address = x[o.rs1] + (atomic_one ? 0 : static_cast<std::uint32_t>(o.immediate));
    const bool one = o.code == opcode::lb || o.code == opcode::lbu || o.code == opcode::sb;
    const bool two = o.code == opcode::lh || o.code == opcode::lhu || o.code == opcode::sh;
    const unsigned octets = one ? 1 : two ? 2 : 4;
    if (address % octets != 0 || (o.code == opcode::sc && s.reservation != address)) return false;
    const bool stores = between(opcode::sb, opcode::sw) || o.code == opcode::sc || o.code == opcode::amo;
    if (!stores || o.code == opcode::amo) watch(address, octets, false);
    if (stores) watch(address, octets, true);
    return touched;
}

bool hart::implementation::at_breakpoint(std::uint32_t pc) const {
    return std::find(breakpoints.begin(), breakpoints.end(), pc) != breakpoints.end();
}

hart_state hart::implementation::state() const {
    hart_state copy = s;
    std::copy_n(x.begin(), copy.x.size(), copy.x.begin());
    count(copy);
    return copy;
}

hart::hart(bus_if& bus, std::uint32_t hart_id) : self_(std::make_unique<implementation>(bus, hart_id)) {
    reset(0);
}
hart::~hart() = default;

void hart::map_memory(std::uint32_t base, std::uint8_t* octets, std::uint32_t size) {
    self_->memory.add(base, octets, size);
}

void hart::unmap_memory(std::uint32_t base, std::uint32_t size) {
    self_->data = nullptr;
    self_->memory.remove(base, size);
}

void hart::memory_changed(std::uint32_t base, std::uint32_t size) {
    self_->memory.forget(base, size);
    // Another's write ends a reservation (volume I, section 8.2).
    if (self_->s.reservation - base < size) self_->s.reservation = no_reservation;
}

void hart::reset(std::uint32_t pc) {
    hart_state fresh;
    fresh.pc = pc;
    fresh.mip = self_->s.mip;  // lines belong to those who drive them
    restore(fresh);
}

stop hart::run(std::uint64_t instructions) {
    return self_->run(instructions);
}

std::uint64_t hart::executed() const {
    return self_->executed();
}

void hart::request_stop() {
    self_->stop_requested = self_->attention = true;
}

void hart::set_line(interrupt_line line, bool asserted) {
    const std::uint32_t bit = 1U << static_cast<unsigned>(line);
    self_->s.mip = asserted ? self_->s.mip | bit : self_->s.mip & ~bit;
    self_->attention = true;
}

bool hart::interrupt_pending() const {
    return self_->pending();
}

hart_state hart::state() const {
    return self_->state();
}

void hart::restore(const hart_state& s) {
    auto& self = *self_;
    self.s = s;
    legalise(self.s);
    std::copy(s.x.begin(), s.x.end(), self.x.begin());
    self.x[0] = 0;
    self.counted = self.executed();
    self.break_told = self.watch_told = false;
    self.attention = true;
}

std::uint32_t hart::pc() const {
    return self_->s.pc;
}

bool hart::read_csr(std::uint32_t number, std::uint32_t& value) const {
    return csr_read(self_->state(), self_->hart_id, number, value);
}

bool hart::write_csr(std::uint32_t number, std::uint32_t value) {
    self_->count();
    self_->attention = true;
    return csr_write(self_->s, number, value);
}

void hart::set_breakpoint(std::uint32_t address) {
    if (!self_->at_breakpoint(address)) self_->breakpoints.push_back(address);
    self_->memory.forget(address, 1);
}

void hart::clear_breakpoint(std::uint32_t address) {
    auto& all = self_->breakpoints;
    all.erase(std::remove(all.begin(), all.end(), address), all.end());
    self_->memory.forget(address, 1);
}

void hart::set_watchpoint(const watchpoint& w) {
    self_->watchpoints.push_back(w);
    self_->data = nullptr;
}

void hart::clear_watchpoint(const watchpoint& w) {
    auto& all = self_->watchpoints;
    const auto found = std::find_if(all.begin(), all.end(), [&](const watchpoint& other) { return same(w, other); });
    if (found != all.end()) all.erase(found);
}

const watch_hit& hart::watched() const {
    return self_->hit;
}

void hart::stop_before_watched(bool on) {
    self_->watches_before = on;
}

void hart::stop_at_ebreak(bool on) {
    self_->ebreak_stops = on;
}

}  // namespace weir::cpu
