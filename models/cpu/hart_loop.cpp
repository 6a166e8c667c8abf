// SPDX-License-Identifier: Apache-2.0
// The hart's loop: op after op, as long as nothing but registers and plain memory is concerned.
//
// It checks nothing but the countdown. Whatever may change more (the bus, CSRs, traps, stores to decoded places) goes
// through `execute_slowly`, after which the loop finds its place anew: the memories, the lines and the decoded code may
// have changed meanwhile.
//
// The loop is threaded: each handler ends with a jump of its own to the next one, so that the host predicts it by what
// usually follows, and the two lengths of an instruction are a predicted branch, not a number to wait for. Against one
// switch that makes twice the speed. It takes labels as values, which the standard does not have, and macros, because
// no function can jump to another's labels.
#include <cstring>

#include "models/cpu/hart_implementation.h"

#pragma GCC diagnostic ignored "-Wpedantic"

namespace weir::cpu {

namespace {

using word = std::uint32_t;
using signed_word = std::int32_t;

constexpr signed_word as_signed(word value) {
    return static_cast<signed_word>(value);
}

/// Rotates the low bits to the top: a misaligned offset becomes larger than any size.
constexpr word rotated(word offset, unsigned bits) {
    return offset >> bits | offset << (32 - bits);
}

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

constexpr word upper_word(std::uint64_t product) {
    return static_cast<word>(product >> 32);
}
constexpr std::uint64_t extended_64(word value) {
    return static_cast<std::uint64_t>(std::int64_t{as_signed(value)});
}

/// What loads and stores reach without asking: a copy of the data memory's bounds that lives in registers.
struct data_window {
    explicit data_window(const memory_region* r) {
        if (r == nullptr) return;
        base = r->base();
        size = r->size();
        octets = r->octets();
        code_lines = r->code_lines();
    }
    /// False: not here, or misaligned.
    template <typename T>
    [[nodiscard]] bool contains(word offset) const {
        if constexpr (sizeof(T) == 1) return offset < size;
        return rotated(offset, sizeof(T) / 2) < size / sizeof(T);
    }
    /// Both do nothing and say so unless the place is here, and for a store free of decoded code.
    template <typename T>
    bool load(word address, word& to) const {
        const word offset = address - base;
        if (!contains<T>(offset)) return false;
        T value;
        std::memcpy(&value, octets + offset, sizeof value);
        // Signed types extend their sign.
        to = static_cast<word>(std::int64_t{value});
        return true;
    }
    template <typename T>
    bool store(word address, word value) const {
        const word offset = address - base;
        if (!contains<T>(offset) || code_lines[offset >> line_bits] != 0) return false;
        const auto stored = static_cast<T>(value);
        std::memcpy(octets + offset, &stored, sizeof stored);
        return true;
    }
    word base{0};
    word size{0};
    std::uint8_t* octets{nullptr};
    const std::uint8_t* code_lines{nullptr};
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

// NOLINTBEGIN(bugprone-macro-parentheses): a statement has none
#define WEIR_DISPATCH()                                    \
    do {                                                   \
        if (budget == 0) goto done;                        \
        --budget;                                          \
        goto* places[static_cast<std::uint16_t>(o->code)]; \
    } while (false)
#define WEIR_NEXT()           \
    do {                      \
        if (o->length == 2) { \
            o += 2;           \
            WEIR_DISPATCH();  \
        }                     \
        o += 1;               \
        WEIR_DISPATCH();      \
    } while (false)
#define WEIR_JUMP()        \
    do {                   \
        o += o->immediate; \
        WEIR_DISPATCH();   \
    } while (false)
#define WEIR_OP(name, statement) \
    name:                        \
    statement;                   \
    WEIR_NEXT()
// NOLINTEND(bugprone-macro-parentheses)

void hart::implementation::execute(const op* o, const memory_region* code) {
    // In the order of `opcode`.
    static const void* const places[] = {
        &&undecoded, &&outside, &&breakpoint, &&slowly,  &&constant, &&addi,    &&slti,    &&sltiu,    &&xori,
        &&ori,       &&andi,    &&slli,       &&srli,    &&srai,     &&add,     &&sub,     &&sll,      &&slt,
        &&sltu,      &&xor_,    &&srl,        &&sra,     &&or_,      &&and_,    &&mul,     &&mulh,     &&mulhsu,
        &&mulhu,     &&div,     &&divu,       &&rem,     &&remu,     &&lb,      &&lh,      &&lw,       &&lbu,
        &&lhu,       &&sb,      &&sh,         &&sw,      &&jal,      &&beq,     &&bne,     &&blt,      &&bge,
        &&bltu,      &&bgeu,    &&jal_far,    &&beq_far, &&bne_far,  &&blt_far, &&bge_far, &&bltu_far, &&bgeu_far,
        &&jalr,      &&fence,   &&slowly,     &&slowly,  &&slowly,   &&slowly,  &&slowly,  &&slowly,   &&slowly,
        &&slowly,    &&slowly,  &&slowly};
    static_assert(sizeof(places) / sizeof(places[0]) == static_cast<std::size_t>(opcode::wfi) + 1);
    word* const r = x.data();
    std::uint64_t budget = left;
    data_window d{data};
    code_window c{code};
    word target = 0;
    WEIR_DISPATCH();

    WEIR_OP(constant, r[o->rd] = static_cast<word>(o->immediate));
    WEIR_OP(addi, r[o->rd] = r[o->rs1] + static_cast<word>(o->immediate));
    WEIR_OP(slti, r[o->rd] = as_signed(r[o->rs1]) < o->immediate ? 1 : 0);
    WEIR_OP(sltiu, r[o->rd] = r[o->rs1] < static_cast<word>(o->immediate) ? 1 : 0);
    WEIR_OP(xori, r[o->rd] = r[o->rs1] ^ static_cast<word>(o->immediate));
    WEIR_OP(ori, r[o->rd] = r[o->rs1] | static_cast<word>(o->immediate));
    WEIR_OP(andi, r[o->rd] = r[o->rs1] & static_cast<word>(o->immediate));
    WEIR_OP(slli, r[o->rd] = r[o->rs1] << o->immediate);
    WEIR_OP(srli, r[o->rd] = r[o->rs1] >> o->immediate);
    WEIR_OP(srai, r[o->rd] = static_cast<word>(as_signed(r[o->rs1]) >> o->immediate));
    WEIR_OP(add, r[o->rd] = r[o->rs1] + r[o->rs2]);
    WEIR_OP(sub, r[o->rd] = r[o->rs1] - r[o->rs2]);
    WEIR_OP(sll, r[o->rd] = r[o->rs1] << (r[o->rs2] & 31));
    WEIR_OP(slt, r[o->rd] = as_signed(r[o->rs1]) < as_signed(r[o->rs2]) ? 1 : 0);
    WEIR_OP(sltu, r[o->rd] = r[o->rs1] < r[o->rs2] ? 1 : 0);
    WEIR_OP(xor_, r[o->rd] = r[o->rs1] ^ r[o->rs2]);
    WEIR_OP(srl, r[o->rd] = r[o->rs1] >> (r[o->rs2] & 31));
    WEIR_OP(sra, r[o->rd] = static_cast<word>(as_signed(r[o->rs1]) >> (r[o->rs2] & 31)));
    WEIR_OP(or_, r[o->rd] = r[o->rs1] | r[o->rs2]);
    WEIR_OP(and_, r[o->rd] = r[o->rs1] & r[o->rs2]);
    WEIR_OP(mul, r[o->rd] = r[o->rs1] * r[o->rs2]);
    WEIR_OP(mulh, r[o->rd] = upper_word(extended_64(r[o->rs1]) * extended_64(r[o->rs2])));
    WEIR_OP(mulhsu, r[o->rd] = upper_word(extended_64(r[o->rs1]) * r[o->rs2]));
    WEIR_OP(mulhu, r[o->rd] = upper_word(std::uint64_t{r[o->rs1]} * r[o->rs2]));
    WEIR_OP(div, r[o->rd] = divide(r[o->rs1], r[o->rs2]));
    WEIR_OP(divu, r[o->rd] = r[o->rs2] == 0 ? ~0U : r[o->rs1] / r[o->rs2]);
    WEIR_OP(rem, r[o->rd] = remainder_of(r[o->rs1], r[o->rs2]));
    WEIR_OP(remu, r[o->rd] = r[o->rs2] == 0 ? r[o->rs1] : r[o->rs1] % r[o->rs2]);

lb:
    if (!d.load<std::int8_t>(r[o->rs1] + static_cast<word>(o->immediate), r[o->rd])) goto slowly;
    WEIR_NEXT();
lbu:
    if (!d.load<std::uint8_t>(r[o->rs1] + static_cast<word>(o->immediate), r[o->rd])) goto slowly;
    WEIR_NEXT();
lh:
    if (!d.load<std::int16_t>(r[o->rs1] + static_cast<word>(o->immediate), r[o->rd])) goto slowly;
    WEIR_NEXT();
lhu:
    if (!d.load<std::uint16_t>(r[o->rs1] + static_cast<word>(o->immediate), r[o->rd])) goto slowly;
    WEIR_NEXT();
lw:
    if (!d.load<word>(r[o->rs1] + static_cast<word>(o->immediate), r[o->rd])) goto slowly;
    WEIR_NEXT();
sb:
    if (!d.store<std::uint8_t>(r[o->rs1] + static_cast<word>(o->immediate), r[o->rs2])) goto slowly;
    WEIR_NEXT();
sh:
    if (!d.store<std::uint16_t>(r[o->rs1] + static_cast<word>(o->immediate), r[o->rs2])) goto slowly;
    WEIR_NEXT();
sw:
    if (!d.store<word>(r[o->rs1] + static_cast<word>(o->immediate), r[o->rs2])) goto slowly;
    WEIR_NEXT();

jal:
    r[o->rd] = o->pc + 2U * o->length;
    WEIR_JUMP();
beq:
    if (r[o->rs1] == r[o->rs2]) WEIR_JUMP();
    WEIR_NEXT();
bne:
    if (r[o->rs1] != r[o->rs2]) WEIR_JUMP();
    WEIR_NEXT();
blt:
    if (as_signed(r[o->rs1]) < as_signed(r[o->rs2])) WEIR_JUMP();
    WEIR_NEXT();
bge:
    if (as_signed(r[o->rs1]) >= as_signed(r[o->rs2])) WEIR_JUMP();
    WEIR_NEXT();
bltu:
    if (r[o->rs1] < r[o->rs2]) WEIR_JUMP();
    WEIR_NEXT();
bgeu:
    if (r[o->rs1] >= r[o->rs2]) WEIR_JUMP();
    WEIR_NEXT();
jalr:
    target = (r[o->rs1] + static_cast<word>(o->immediate)) & ~1U;
    r[o->rd] = o->pc + 2U * o->length;
    if (!c.contains(target)) goto elsewhere;
    o = c.at(target);
    WEIR_DISPATCH();

jal_far:
    r[o->rd] = o->pc + 2U * o->length;
    goto far;
beq_far:
    if (r[o->rs1] == r[o->rs2]) goto far;
    WEIR_NEXT();
bne_far:
    if (r[o->rs1] != r[o->rs2]) goto far;
    WEIR_NEXT();
blt_far:
    if (as_signed(r[o->rs1]) < as_signed(r[o->rs2])) goto far;
    WEIR_NEXT();
bge_far:
    if (as_signed(r[o->rs1]) >= as_signed(r[o->rs2])) goto far;
    WEIR_NEXT();
bltu_far:
    if (r[o->rs1] < r[o->rs2]) goto far;
    WEIR_NEXT();
bgeu_far:
    if (r[o->rs1] >= r[o->rs2]) goto far;
    WEIR_NEXT();

fence:
    WEIR_NEXT();  // one hart, in order: there is nothing to wait for
undecoded:
    ++budget;
    s.pc = code->address_of(o);  // `code` is there: scratch ops come decoded
    if (!decode_in_place(s.pc)) goto leave;
    WEIR_DISPATCH();
outside:
    ++budget;
    target = code->address_of(o);
    goto elsewhere;
breakpoint:
    ++budget;
    s.pc = code->address_of(o);
    broke = true;
    goto leave;

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
    WEIR_DISPATCH();
done:
    s.pc = code != nullptr ? code->address_of(o) : o->pc;
leave:
    left = budget;
}

#undef WEIR_DISPATCH
#undef WEIR_NEXT
#undef WEIR_JUMP
#undef WEIR_OP

}  // namespace weir::cpu
