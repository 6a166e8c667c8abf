// SPDX-License-Identifier: Apache-2.0
// The hart's runs, its traps, and the instructions that its loop does not do itself.
//
//   run ──► look: stops, wfi, interrupts ──► execute: op after op ──► budget, attention, or pc elsewhere ──┐
//        ▲                                                                                                 │
//        └─────────────────────────────────────────────────────────────────────────────────────────────────┘
#include "models/cpu/hart.h"

#include <cstring>

#include "models/cpu/hart_implementation.h"

namespace weir::cpu {

bool hart::implementation::decode_in_place(std::uint32_t pc) {
    memory_region& code = *memory.find(pc);
    // The last halfword of a memory: an instruction may reach over its end.
    if (pc - code.base() + 2 >= code.size()) return false;
    std::uint32_t w = 0;
    std::memcpy(&w, code.octets() + (pc - code.base()), 4);
    if (!is_long(w)) w &= 0xffffU;
    op o = decode(w, pc, code.base(), code.size());
    code.mark_code(pc, o.length);
    if (at_breakpoint(pc)) o.code = opcode::breakpoint;
    *code.at(pc) = o;
    return true;
}

void hart::implementation::execute_one() {
    if (!break_told && at_breakpoint(s.pc)) {
        broke = true;
        return;
    }
    std::uint32_t w = 0;
    const std::uint32_t pc = s.pc;
    if (!fetch(w)) {
        --left;
        return;
    }
    scratch[0] = decode(w, pc, 0, 0);
    scratch[1].pc = pc + 2;
    scratch[2].pc = pc + 4;
    reserve = left - 1;
    left = 1;
    execute(scratch.data(), nullptr);
    left += reserve;
    reserve = 0;
}

stop hart::implementation::run(std::uint64_t instructions) {
    total = left = instructions;
    counted = 0;
    stop_requested = broke = touched = false;
    stop why = stop::budget;
    for (;;) {
        attention = false;
        if (touched) {
            why = stop::watchpoint;
            break;
        }
        if (stop_requested) {
            why = stop::requested;
            break;
        }
        if (broke) {
            why = stop::breakpoint;
            break;
        }
        if (s.waiting && !pending()) {
            why = stop::wait;
            break;
        }
        if (left == 0) break;
        s.waiting = false;
        if (interrupted()) {
            enter_interrupt(s);
            break_told = watch_told = false;
        }
        memory_region* const code = memory.find(s.pc);
        const bool in_place = code != nullptr && s.pc - code->base() + 2 < code->size();
        if (in_place && !break_told && !watch_told) {
            execute(code->at(s.pc), code);
        } else {
            execute_one();
        }
        break_told = watch_told = false;
    }
    // Who meets a watchpoint at a breakpoint has been told of that before.
    if (why == stop::watchpoint) watch_told = watches_before;
    if (why == stop::breakpoint || watch_told) break_told = at_breakpoint(s.pc);
    count();
    return why;
}

bool hart::implementation::execute_slowly(const op o) {
    s.pc = o.pc;
    if (watches_before && !watch_told && will_touch(o)) return false;
    const std::uint32_t next = o.pc + 2U * o.length;
    const std::uint32_t address = x[o.rs1] + static_cast<std::uint32_t>(o.immediate);
    std::uint32_t value = 0;
    bool done = true;
    switch (o.code) {
        case opcode::lb:
            done = load(address, 1, value);
            if (done) x[o.rd] = static_cast<std::uint32_t>(std::int32_t{static_cast<std::int8_t>(value)});
            break;
        case opcode::lh:
            done = load(address, 2, value);
            if (done) x[o.rd] = static_cast<std::uint32_t>(std::int32_t{static_cast<std::int16_t>(value)});
            break;
        case opcode::lw:
        case opcode::lhu:
        case opcode::lbu:
            done = load(address, o.code == opcode::lw ? 4 : o.code == opcode::lhu ? 2 : 1, value);
            if (done) x[o.rd] = value;
            break;
        case opcode::sb:
            done = store(address, 1, x[o.rs2]);
            break;
        case opcode::sh:
            done = store(address, 2, x[o.rs2]);
            break;
        case opcode::sw:
            done = store(address, 4, x[o.rs2]);
            break;
        case opcode::lr:
            done = load_reserved(o);
            break;
        case opcode::sc:
            done = store_conditional(o);
            break;
        case opcode::amo:
            done = atomic(o);
            break;
        case opcode::fence_i:
            memory.forget_all();
            break;
        case opcode::csr:
        case opcode::csr_immediate:
            execute_csr(o);
            return true;
        case opcode::ecall:
            trap(cause::ecall_from_m, 0);
            return true;
        case opcode::ebreak:
            if (ebreak_stops) {
                broke = true;
                return false;
            }
            trap(cause::breakpoint, 0);  // mtval: the manual allows pc or 0, and QEMU 7.2 has 0
            return true;
        case opcode::mret:
            leave_trap(s);
            attention = attention || interrupted();
            return true;
        case opcode::wfi:
            s.waiting = !pending();
            attention = attention || s.waiting;
            break;
        default:
            trap(cause::illegal_instruction, static_cast<std::uint32_t>(o.immediate));
            return true;
    }
    if (done) s.pc = next;
    return true;
}

void hart::implementation::execute_csr(const op& o) {
    const auto number = static_cast<std::uint32_t>(o.immediate);
    const bool immediate = o.code == opcode::csr_immediate;
    const bool writes = o.rs2 != 0;
    const std::uint32_t operand = immediate ? o.rs1 : x[o.rs1];
    const bool counter = is_counter(number);
    if (counter) count();
    std::uint32_t old = 0;
    // The upper two bits of a number say 3: read-only (volume II, section 2.1).
    if ((writes && number >> 10 == 3) || !csr_read(s, hart_id, number, old)) {
        const std::uint32_t rd = o.rd == nowhere ? 0 : o.rd;
        const std::uint32_t funct3 = o.function + (immediate ? 4U : 0U);
        trap(cause::illegal_instruction, number << 20 | std::uint32_t{o.rs1} << 15 | funct3 << 12 | rd << 7 | 0x73U);
        return;
    }
    if (writes) {
        // A write happens after the instruction has otherwise completed, counting included (volume I, section 9.1).
        if (counter) count_present(true);
        csr_write(s, number, o.function == 1 ? operand : o.function == 2 ? old | operand : old & ~operand);
        attention = attention || interrupted();
    }
    x[o.rd] = old;
    s.pc = o.pc + 4;
}

void hart::implementation::trap(cause why, std::uint32_t mtval) {
    count();
    count_present(false);
    enter_trap(s, why, mtval);
}

void hart::implementation::count(hart_state& to) const {
    const std::uint64_t more = executed() - counted;
    if ((to.mcountinhibit & 1) == 0) to.mcycle += more;
    if ((to.mcountinhibit & 4) == 0) to.minstret += more;
}

void hart::implementation::count_present(bool retired) {
    if ((s.mcountinhibit & 1) == 0) ++s.mcycle;
    if (retired && (s.mcountinhibit & 4) == 0) ++s.minstret;
    ++counted;
}

}  // namespace weir::cpu
