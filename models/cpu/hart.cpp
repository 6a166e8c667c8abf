// SPDX-License-Identifier: Apache-2.0
// The hart's loop, its runs and its traps.
//
//   run ──► look: stops, wfi, interrupts ──► execute: op after op ──► budget, attention, or pc elsewhere ──┐
//        ▲                                                                                                 │
//        └─────────────────────────────────────────────────────────────────────────────────────────────────┘
//
// The loop checks nothing but the countdown. Whatever may change more than a register and memory without decoded code
// (the bus, CSRs, traps) goes through `execute_slowly`, after which the loop finds its place anew: the bus may have
// changed the memories, the lines and the decoded code meanwhile.
#include "models/cpu/hart.h"

#include <cstring>
#include <limits>

#include "models/cpu/hart_implementation.h"

namespace weir::cpu {

namespace {

using word = std::uint32_t;
using signed_word = std::int32_t;

constexpr signed_word as_signed(word value) { return static_cast<signed_word>(value); }

/// Rotates the low bits to the top: a misaligned offset becomes larger than any size.
constexpr word rotated(word offset, unsigned bits) { return offset >> bits | offset << (32 - bits); }

/// Volume I, section 7.2 and table 7.1.
constexpr word divide(word a, word b) {
    if (b == 0) return ~0U;
    if (a == 0x80000000U && b == ~0U) return a;
    return static_cast<word>(as_signed(a) / as_signed(b));
}

constexpr word remainder_of(word a, word b) {
    if (b == 0) return a;
    if (a == 0x80000000U && b == ~0U) return 0;
    return static_cast<word>(as_signed(a) % as_signed(b));
}

constexpr word upper(std::uint64_t product) { return static_cast<word>(product >> 32); }
constexpr std::uint64_t extended_64(word value) { return static_cast<std::uint64_t>(std::int64_t{as_signed(value)}); }

/// What loads and stores reach without asking: a copy of the data memory's bounds that lives in registers.
struct data_window {
    explicit data_window(const memory_region* r) {
        if (r == nullptr) return;
        base = r->base();
        size = r->size();
        octets = r->octets();
        code_pages = r->code_pages();
    }
    template <typename T>
    [[nodiscard]] bool can_load(word offset) const {
        if constexpr (sizeof(T) == 1) return offset < size;
        return rotated(offset, sizeof(T) / 2) < size / sizeof(T);
    }
    template <typename T>
    [[nodiscard]] bool can_store(word offset) const {
        return can_load<T>(offset) && code_pages[offset >> 12] == 0;
    }
    template <typename T>
    [[nodiscard]] T get(word offset) const {
        T value;
        std::memcpy(&value, octets + offset, sizeof value);
        return value;
    }
    template <typename T>
    void put(word offset, T value) const {
        std::memcpy(octets + offset, &value, sizeof value);
    }
    word base{0};
    word size{0};
    std::uint8_t* octets{nullptr};
    const std::uint8_t* code_pages{nullptr};
};

/// Where the loop fetches from.
struct code_window {
    explicit code_window(const memory_region* r) {
        if (r == nullptr) return;
        base = r->base();
        size = r->size();
        ops = r->at(base);
    }
    [[nodiscard]] bool contains(word pc) const { return pc - base < size; }
    [[nodiscard]] const op* at(word pc) const { return ops + ((pc - base) >> 1); }
    word base{0};
    word size{0};
    const op* ops{nullptr};
};

}  // namespace

void hart::implementation::execute(const op* o, const memory_region* code) {
    word* const r = x.data();
    std::uint64_t budget = left;
    data_window d{data};
    code_window c{code};
    word offset = 0;
    word target = 0;
    for (;;) {
        if (budget == 0) {
            s.pc = code != nullptr ? code->address_of(o) : o->pc;
            break;
        }
        --budget;
        switch (o->code) {
            case opcode::constant: r[o->rd] = static_cast<word>(o->immediate); break;
            case opcode::addi: r[o->rd] = r[o->rs1] + static_cast<word>(o->immediate); break;
            case opcode::slti: r[o->rd] = as_signed(r[o->rs1]) < o->immediate ? 1 : 0; break;
            case opcode::sltiu: r[o->rd] = r[o->rs1] < static_cast<word>(o->immediate) ? 1 : 0; break;
            case opcode::xori: r[o->rd] = r[o->rs1] ^ static_cast<word>(o->immediate); break;
            case opcode::ori: r[o->rd] = r[o->rs1] | static_cast<word>(o->immediate); break;
            case opcode::andi: r[o->rd] = r[o->rs1] & static_cast<word>(o->immediate); break;
            case opcode::slli: r[o->rd] = r[o->rs1] << o->immediate; break;
            case opcode::srli: r[o->rd] = r[o->rs1] >> o->immediate; break;
            case opcode::srai: r[o->rd] = static_cast<word>(as_signed(r[o->rs1]) >> o->immediate); break;
            case opcode::add: r[o->rd] = r[o->rs1] + r[o->rs2]; break;
            case opcode::sub: r[o->rd] = r[o->rs1] - r[o->rs2]; break;
            case opcode::sll: r[o->rd] = r[o->rs1] << (r[o->rs2] & 31); break;
            case opcode::slt: r[o->rd] = as_signed(r[o->rs1]) < as_signed(r[o->rs2]) ? 1 : 0; break;
            case opcode::sltu: r[o->rd] = r[o->rs1] < r[o->rs2] ? 1 : 0; break;
            case opcode::xor_: r[o->rd] = r[o->rs1] ^ r[o->rs2]; break;
            case opcode::srl: r[o->rd] = r[o->rs1] >> (r[o->rs2] & 31); break;
            case opcode::sra: r[o->rd] = static_cast<word>(as_signed(r[o->rs1]) >> (r[o->rs2] & 31)); break;
            case opcode::or_: r[o->rd] = r[o->rs1] | r[o->rs2]; break;
            case opcode::and_: r[o->rd] = r[o->rs1] & r[o->rs2]; break;
            case opcode::mul: r[o->rd] = r[o->rs1] * r[o->rs2]; break;
            case opcode::mulh: r[o->rd] = upper(extended_64(r[o->rs1]) * extended_64(r[o->rs2])); break;
            case opcode::mulhsu: r[o->rd] = upper(extended_64(r[o->rs1]) * r[o->rs2]); break;
            case opcode::mulhu: r[o->rd] = upper(std::uint64_t{r[o->rs1]} * r[o->rs2]); break;
            case opcode::div: r[o->rd] = divide(r[o->rs1], r[o->rs2]); break;
            case opcode::divu: r[o->rd] = r[o->rs2] == 0 ? ~0U : r[o->rs1] / r[o->rs2]; break;
            case opcode::rem: r[o->rd] = remainder_of(r[o->rs1], r[o->rs2]); break;
            case opcode::remu: r[o->rd] = r[o->rs2] == 0 ? r[o->rs1] : r[o->rs1] % r[o->rs2]; break;

            case opcode::lb:
                offset = r[o->rs1] + static_cast<word>(o->immediate) - d.base;
                if (!d.can_load<std::int8_t>(offset)) goto slowly;
                r[o->rd] = static_cast<word>(d.get<std::int8_t>(offset));
                break;
            case opcode::lbu:
                offset = r[o->rs1] + static_cast<word>(o->immediate) - d.base;
                if (!d.can_load<std::uint8_t>(offset)) goto slowly;
                r[o->rd] = d.get<std::uint8_t>(offset);
                break;
            case opcode::lh:
                offset = r[o->rs1] + static_cast<word>(o->immediate) - d.base;
                if (!d.can_load<std::int16_t>(offset)) goto slowly;
                r[o->rd] = static_cast<word>(d.get<std::int16_t>(offset));
                break;
            case opcode::lhu:
                offset = r[o->rs1] + static_cast<word>(o->immediate) - d.base;
                if (!d.can_load<std::uint16_t>(offset)) goto slowly;
                r[o->rd] = d.get<std::uint16_t>(offset);
                break;
            case opcode::lw:
                offset = r[o->rs1] + static_cast<word>(o->immediate) - d.base;
                if (!d.can_load<word>(offset)) goto slowly;
                r[o->rd] = d.get<word>(offset);
                break;
            case opcode::sb:
                offset = r[o->rs1] + static_cast<word>(o->immediate) - d.base;
                if (!d.can_store<std::uint8_t>(offset)) goto slowly;
                d.put(offset, static_cast<std::uint8_t>(r[o->rs2]));
                break;
            case opcode::sh:
                offset = r[o->rs1] + static_cast<word>(o->immediate) - d.base;
                if (!d.can_store<std::uint16_t>(offset)) goto slowly;
                d.put(offset, static_cast<std::uint16_t>(r[o->rs2]));
                break;
            case opcode::sw:
                offset = r[o->rs1] + static_cast<word>(o->immediate) - d.base;
                if (!d.can_store<word>(offset)) goto slowly;
                d.put(offset, r[o->rs2]);
                break;

            case opcode::jal:
                r[o->rd] = o->pc + 2U * o->length;
                o += o->immediate;
                continue;
            case opcode::beq:
                o += r[o->rs1] == r[o->rs2] ? o->immediate : o->length;
                continue;
            case opcode::bne:
                o += r[o->rs1] != r[o->rs2] ? o->immediate : o->length;
                continue;
            case opcode::blt:
                o += as_signed(r[o->rs1]) < as_signed(r[o->rs2]) ? o->immediate : o->length;
                continue;
            case opcode::bge:
                o += as_signed(r[o->rs1]) >= as_signed(r[o->rs2]) ? o->immediate : o->length;
                continue;
            case opcode::bltu:
                o += r[o->rs1] < r[o->rs2] ? o->immediate : o->length;
                continue;
            case opcode::bgeu:
                o += r[o->rs1] >= r[o->rs2] ? o->immediate : o->length;
                continue;
            case opcode::jalr:
                target = (r[o->rs1] + static_cast<word>(o->immediate)) & ~1U;
                r[o->rd] = o->pc + 2U * o->length;
                if (!c.contains(target)) goto elsewhere;
                o = c.at(target);
                continue;

            case opcode::jal_far: r[o->rd] = o->pc + 2U * o->length; goto far;
            case opcode::beq_far:
                if (r[o->rs1] == r[o->rs2]) goto far;
                break;
            case opcode::bne_far:
                if (r[o->rs1] != r[o->rs2]) goto far;
                break;
            case opcode::blt_far:
                if (as_signed(r[o->rs1]) < as_signed(r[o->rs2])) goto far;
                break;
            case opcode::bge_far:
                if (as_signed(r[o->rs1]) >= as_signed(r[o->rs2])) goto far;
                break;
            case opcode::bltu_far:
                if (r[o->rs1] < r[o->rs2]) goto far;
                break;
            case opcode::bgeu_far:
                if (r[o->rs1] >= r[o->rs2]) goto far;
                break;

            case opcode::fence: break;  // one hart, in order: there is nothing to wait for
            case opcode::undecoded: {
                ++budget;
                // In place only where `code` is: scratch ops are decoded before they come here.
                memory_region* const here = memory.find(code->address_of(o));
                s.pc = code->address_of(o);
                if (!decode_in_place(*here, s.pc)) goto leave;
                continue;
            }
            case opcode::outside:
                ++budget;
                target = code->address_of(o);
                goto elsewhere;
            case opcode::breakpoint:
                ++budget;
                s.pc = code->address_of(o);
                broke = true;
                goto leave;
            default: goto slowly;
        }
        o += o->length;
        continue;

    slowly:
        left = budget + 1;
        if (!execute_slowly(*o)) {
            ++budget;
            goto leave;
        }
        if (attention) goto leave;
        d = data_window{data};
        target = s.pc;
        goto elsewhere;
    far:
        target = o->pc + static_cast<word>(o->immediate);
    elsewhere:
        s.pc = target;
        code = memory.find(target);
        if (code == nullptr) goto leave;
        c = code_window{code};
        o = c.at(target);
    }
leave:
    left = budget;
}

bool hart::implementation::decode_in_place(memory_region& code, std::uint32_t pc) {
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
    if (!step_over && at_breakpoint(s.pc)) {
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
            step_over = false;
        }
        memory_region* const code = memory.find(s.pc);
        const bool in_place = code != nullptr && s.pc - code->base() + 2 < code->size();
        if (in_place && !step_over) {
            execute(code->at(s.pc), code);
        } else {
            execute_one();
        }
        step_over = false;
    }
    step_over = why == stop::breakpoint && at_breakpoint(s.pc);
    count();
    return why;
}

bool hart::implementation::execute_slowly(const op o) {
    s.pc = o.pc;
    const std::uint32_t next = o.pc + 2U * o.length;
    const std::uint32_t address = x[o.rs1] + static_cast<std::uint32_t>(o.immediate);
    std::uint32_t value = 0;
    bool done = true;
    switch (o.code) {
        case opcode::lb:
            done = load(address, 1, value);
            if (done) x[o.rd] = static_cast<word>(static_cast<std::int8_t>(value));
            break;
        case opcode::lh:
            done = load(address, 2, value);
            if (done) x[o.rd] = static_cast<word>(static_cast<std::int16_t>(value));
            break;
        case opcode::lw:
        case opcode::lhu:
        case opcode::lbu:
            done = load(address, o.code == opcode::lw ? 4 : o.code == opcode::lhu ? 2 : 1, value);
            if (done) x[o.rd] = value;
            break;
        case opcode::sb: done = store(address, 1, x[o.rs2]); break;
        case opcode::sh: done = store(address, 2, x[o.rs2]); break;
        case opcode::sw: done = store(address, 4, x[o.rs2]); break;
        case opcode::lr: done = load_reserved(o); break;
        case opcode::sc: done = store_conditional(o); break;
        case opcode::amo: done = atomic(o); break;
        case opcode::fence_i: memory.forget_all(); break;
        case opcode::csr:
        case opcode::csr_immediate: execute_csr(o); return true;
        case opcode::ecall: trap(cause::ecall_from_m, 0); return true;
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
        default: trap(cause::illegal_instruction, static_cast<std::uint32_t>(o.immediate)); return true;
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
