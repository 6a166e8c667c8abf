// SPDX-License-Identifier: Apache-2.0
// Decoding, after the opcode maps of the ISA manual: volume I, table 24.2 (RV32IMA, Zicsr) and tables 16.5 to 16.7
// (RVC).
#include "models/cpu/decode.h"

namespace weir::cpu {

namespace {

/// Bits high to low of `word`, shifted to bit `to`.
constexpr std::uint32_t cut(std::uint32_t word, unsigned high, unsigned low, unsigned to = 0) {
    return ((word >> low) & ((2U << (high - low)) - 1U)) << to;
}

constexpr std::uint32_t extended(std::uint32_t value, unsigned bits) {
    const std::uint32_t sign = 1U << (bits - 1);
    return (value ^ sign) - sign;
}

// The formats of volume I, section 2.2, put together.
constexpr std::uint32_t i_type(std::uint32_t imm, std::uint32_t rs1, std::uint32_t funct3, std::uint32_t rd,
                               std::uint32_t major) {
    return imm << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | major;
}

constexpr std::uint32_t s_type(std::uint32_t imm, std::uint32_t rs2, std::uint32_t rs1, std::uint32_t funct3) {
    return cut(imm, 11, 5, 25) | rs2 << 20 | rs1 << 15 | funct3 << 12 | cut(imm, 4, 0, 7) | 0x23U;
}

constexpr std::uint32_t r_type(std::uint32_t funct7, std::uint32_t rs2, std::uint32_t rs1, std::uint32_t funct3,
                               std::uint32_t rd) {
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33U;
}

constexpr std::uint32_t b_type(std::uint32_t imm, std::uint32_t rs1, std::uint32_t funct3) {
    return cut(imm, 12, 12, 31) | cut(imm, 10, 5, 25) | rs1 << 15 | funct3 << 12 | cut(imm, 4, 1, 8) |
           cut(imm, 11, 11, 7) | 0x63U;
}

constexpr std::uint32_t j_type(std::uint32_t imm, std::uint32_t rd) {
    return cut(imm, 20, 20, 31) | cut(imm, 10, 1, 21) | cut(imm, 11, 11, 20) | cut(imm, 19, 12, 12) | rd << 7 | 0x6fU;
}

constexpr std::uint32_t shift_right(std::uint32_t h) {
    return cut(h, 6, 2);
}

std::uint32_t expand_quadrant_0(std::uint32_t h) {
    const std::uint32_t rd = 8 + cut(h, 4, 2);
    const std::uint32_t rs1 = 8 + cut(h, 9, 7);
    const std::uint32_t offset = cut(h, 12, 10, 3) | cut(h, 6, 6, 2) | cut(h, 5, 5, 6);
    switch (cut(h, 15, 13)) {
        case 0: {  // c.addi4spn; immediate 0 is reserved, and the halfword 0 illegal on purpose
            const std::uint32_t imm = cut(h, 12, 11, 4) | cut(h, 10, 7, 6) | cut(h, 6, 6, 2) | cut(h, 5, 5, 3);
            return imm == 0 ? 0 : i_type(imm, 2, 0, rd, 0x13);
        }
        case 2:
            return i_type(offset, rs1, 2, rd, 0x03);  // c.lw
        case 6:
            return s_type(offset, rd, rs1, 2);  // c.sw
        default:
            return 0;  // floating point, which is not there
    }
}

std::uint32_t expand_arithmetic(std::uint32_t h) {
    const std::uint32_t rd = 8 + cut(h, 9, 7);
    const std::uint32_t rs2 = 8 + cut(h, 4, 2);
    const bool bit_12 = cut(h, 12, 12) != 0;
    switch (cut(h, 11, 10)) {
        case 0:
            return bit_12 ? 0 : i_type(shift_right(h), rd, 5, rd, 0x13);  // c.srli
        case 1:
            return bit_12 ? 0 : i_type(0x400 | shift_right(h), rd, 5, rd, 0x13);  // c.srai
        case 2:                                                                   // c.andi
            return i_type(extended(cut(h, 12, 12, 5) | cut(h, 6, 2), 6) & 0xfffU, rd, 7, rd, 0x13);
        default:
            break;
    }
    if (bit_12) return 0;  // c.subw and c.addw are RV64's
    switch (cut(h, 6, 5)) {
        case 0:
            return r_type(0x20, rs2, rd, 0, rd);  // c.sub
        case 1:
            return r_type(0, rs2, rd, 4, rd);  // c.xor
        case 2:
            return r_type(0, rs2, rd, 6, rd);  // c.or
        default:
            return r_type(0, rs2, rd, 7, rd);  // c.and
    }
}

std::uint32_t expand_quadrant_1(std::uint32_t h) {
    const std::uint32_t rd = cut(h, 11, 7);
    const std::uint32_t imm = extended(cut(h, 12, 12, 5) | cut(h, 6, 2), 6);
    const std::uint32_t jump = extended(cut(h, 12, 12, 11) | cut(h, 11, 11, 4) | cut(h, 10, 9, 8) | cut(h, 8, 8, 10) |
                                            cut(h, 7, 7, 6) | cut(h, 6, 6, 7) | cut(h, 5, 3, 1) | cut(h, 2, 2, 5),
                                        12);
    const std::uint32_t branch =
        extended(cut(h, 12, 12, 8) | cut(h, 11, 10, 3) | cut(h, 6, 5, 6) | cut(h, 4, 3, 1) | cut(h, 2, 2, 5), 9);
    switch (cut(h, 15, 13)) {
        case 0:
            return i_type(imm & 0xfffU, rd, 0, rd, 0x13);  // c.addi, c.nop
        case 1:
            return j_type(jump, 1);  // c.jal
        case 2:
            return i_type(imm & 0xfffU, 0, 0, rd, 0x13);  // c.li
        case 3: {
            if (imm == 0) return 0;                                     // reserved, in both
            if (rd != 2) return cut(imm, 19, 0, 12) | rd << 7 | 0x37U;  // c.lui
            const std::uint32_t frame =
                extended(cut(h, 12, 12, 9) | cut(h, 6, 6, 4) | cut(h, 5, 5, 6) | cut(h, 4, 3, 7) | cut(h, 2, 2, 5), 10);
            return i_type(frame & 0xfffU, 2, 0, 2, 0x13);  // c.addi16sp
        }
        case 4:
            return expand_arithmetic(h);
        case 5:
            return j_type(jump, 0);  // c.j
        case 6:
            return b_type(branch, 8 + cut(h, 9, 7), 0);  // c.beqz
        default:
            return b_type(branch, 8 + cut(h, 9, 7), 1);  // c.bnez
    }
}

std::uint32_t expand_quadrant_2(std::uint32_t h) {
    const std::uint32_t rd = cut(h, 11, 7);
    const std::uint32_t rs2 = cut(h, 6, 2);
    const bool bit_12 = cut(h, 12, 12) != 0;
    switch (cut(h, 15, 13)) {
        case 0:
            return bit_12 ? 0 : i_type(rs2, rd, 1, rd, 0x13);  // c.slli
        case 2:                                                // c.lwsp; rd 0 is reserved
            return rd == 0 ? 0 : i_type(cut(h, 12, 12, 5) | cut(h, 6, 4, 2) | cut(h, 3, 2, 6), 2, 2, rd, 0x03);
        case 4:
            if (rs2 != 0) return r_type(0, rs2, bit_12 ? rd : 0, 0, rd);  // c.add, c.mv
            if (rd != 0) return i_type(0, rd, 0, bit_12 ? 1 : 0, 0x67);   // c.jalr, c.jr
            return bit_12 ? 0x00100073 : 0;                               // c.ebreak
        case 6:
            return s_type(cut(h, 12, 9, 2) | cut(h, 8, 7, 6), rs2, 2, 2);  // c.swsp
        default:
            return 0;
    }
}

constexpr opcode op_imm_codes[8] = {opcode::addi, opcode::slli, opcode::slti, opcode::sltiu,
                                    opcode::xori, opcode::srli, opcode::ori,  opcode::andi};
constexpr opcode op_codes[8] = {opcode::add,  opcode::sll, opcode::slt, opcode::sltu,
                                opcode::xor_, opcode::srl, opcode::or_, opcode::and_};
constexpr opcode muldiv_codes[8] = {opcode::mul, opcode::mulh, opcode::mulhsu, opcode::mulhu,
                                    opcode::div, opcode::divu, opcode::rem,    opcode::remu};
constexpr opcode load_codes[8] = {opcode::lb,  opcode::lh,  opcode::lw,      opcode::illegal,
                                  opcode::lbu, opcode::lhu, opcode::illegal, opcode::illegal};
constexpr opcode branch_codes[8] = {opcode::beq, opcode::bne, opcode::illegal, opcode::illegal,
                                    opcode::blt, opcode::bge, opcode::bltu,    opcode::bgeu};

/// A jump's code and distance: near if its target lies in the memory that it is fetched from.
void aim(op& o, std::uint32_t distance, std::uint32_t near_base, std::uint32_t near_size) {
    static_assert(static_cast<int>(opcode::bgeu_far) - static_cast<int>(opcode::jal_far) ==
                  static_cast<int>(opcode::bgeu) - static_cast<int>(opcode::jal));
    if (o.pc + distance - near_base < near_size) {
        o.immediate = static_cast<std::int32_t>(distance) / 2;
        return;
    }
    constexpr auto far = static_cast<std::uint16_t>(opcode::jal_far) - static_cast<std::uint16_t>(opcode::jal);
    o.code = static_cast<opcode>(static_cast<std::uint16_t>(o.code) + far);
    o.immediate = static_cast<std::int32_t>(distance);
}

opcode register_code(std::uint32_t funct7, std::uint32_t funct3) {
    if (funct7 == 0) return op_codes[funct3];
    if (funct7 == 1) return muldiv_codes[funct3];
    if (funct7 == 0x20 && funct3 == 0) return opcode::sub;
    if (funct7 == 0x20 && funct3 == 5) return opcode::sra;
    return opcode::illegal;
}

void decode_immediate_arithmetic(op& o, std::uint32_t w, std::uint32_t funct3) {
    o.code = op_imm_codes[funct3];
    o.immediate = static_cast<std::int32_t>(extended(w >> 20, 12));
    if (funct3 != 1 && funct3 != 5) return;
    o.immediate = static_cast<std::int32_t>(cut(w, 24, 20));
    if (w >> 25 == 0x20 && funct3 == 5) {
        o.code = opcode::srai;
    } else if (w >> 25 != 0) {
        o.code = opcode::illegal;
    }
}

opcode atomic_code(std::uint32_t w, std::uint32_t funct3) {
    if (funct3 != 2) return opcode::illegal;
    switch (w >> 27) {
        case 0x02:
            return cut(w, 24, 20) == 0 ? opcode::lr : opcode::illegal;
        case 0x03:
            return opcode::sc;
        case 0x00:
        case 0x01:
        case 0x04:
        case 0x08:
        case 0x0c:
        case 0x10:
        case 0x14:
        case 0x18:
        case 0x1c:
            return opcode::amo;
        default:
            return opcode::illegal;
    }
}

void decode_system(op& o, std::uint32_t w, std::uint32_t funct3) {
    if (funct3 == 0) {
        o.code = w == 0x00000073   ? opcode::ecall
                 : w == 0x00100073 ? opcode::ebreak
                 : w == 0x30200073 ? opcode::mret
                 : w == 0x10500073 ? opcode::wfi
                                   : opcode::illegal;
        return;
    }
    if (funct3 == 4) {
        o.code = opcode::illegal;
        return;
    }
    o.code = funct3 < 4 ? opcode::csr : opcode::csr_immediate;
    o.function = static_cast<std::uint8_t>(funct3 & 3);
    // csrrs and csrrc of x0 or 0 do not write at all (volume I, section 9.1).
    o.rs2 = o.function == 1 || o.rs1 != 0 ? 1 : 0;
    o.immediate = static_cast<std::int32_t>(w >> 20);
}

}  // namespace

std::uint32_t expand(std::uint32_t halfword) {
    switch (halfword & 3) {
        case 0:
            return expand_quadrant_0(halfword);
        case 1:
            return expand_quadrant_1(halfword);
        case 2:
            return expand_quadrant_2(halfword);
        default:
            return 0;
    }
}

op decode(std::uint32_t word, std::uint32_t pc, std::uint32_t near_base, std::uint32_t near_size) {
    const bool wide = is_long(word);
    const std::uint32_t w = wide ? word : expand(word);
    const std::uint32_t funct3 = cut(w, 14, 12);
    const std::uint32_t rd = cut(w, 11, 7);
    op o;
    o.pc = pc;
    o.length = wide ? 2 : 1;
    o.rd = rd == 0 ? nowhere : static_cast<std::uint8_t>(rd);
    o.rs1 = static_cast<std::uint8_t>(cut(w, 19, 15));
    o.rs2 = static_cast<std::uint8_t>(cut(w, 24, 20));
    o.code = opcode::illegal;
    switch (w & 0x7f) {
        case 0x03:
            o.code = load_codes[funct3];
            o.immediate = static_cast<std::int32_t>(extended(w >> 20, 12));
            break;
        case 0x0f:
            if (funct3 < 2) o.code = funct3 == 0 ? opcode::fence : opcode::fence_i;
            break;
        case 0x13:
            decode_immediate_arithmetic(o, w, funct3);
            break;
        case 0x17:
            o.code = opcode::constant;
            o.immediate = static_cast<std::int32_t>(pc + (w & 0xfffff000U));
            break;
        case 0x23:
            if (funct3 < 3) o.code = funct3 == 0 ? opcode::sb : funct3 == 1 ? opcode::sh : opcode::sw;
            o.immediate = static_cast<std::int32_t>(extended(cut(w, 31, 25, 5) | cut(w, 11, 7), 12));
            break;
        case 0x2f:
            o.code = atomic_code(w, funct3);
            o.function = static_cast<std::uint8_t>(w >> 27);
            break;
        case 0x33:
            o.code = register_code(w >> 25, funct3);
            break;
        case 0x37:
            o.code = opcode::constant;
            o.immediate = static_cast<std::int32_t>(w & 0xfffff000U);
            break;
        case 0x63:
            o.code = branch_codes[funct3];
            if (o.code != opcode::illegal) {
                aim(o, extended(cut(w, 31, 31, 12) | cut(w, 7, 7, 11) | cut(w, 30, 25, 5) | cut(w, 11, 8, 1), 13),
                    near_base, near_size);
            }
            break;
        case 0x67:
            if (funct3 == 0) o.code = opcode::jalr;
            o.immediate = static_cast<std::int32_t>(extended(w >> 20, 12));
            break;
        case 0x6f:
            o.code = opcode::jal;
            aim(o, extended(cut(w, 31, 31, 20) | cut(w, 19, 12, 12) | cut(w, 20, 20, 11) | cut(w, 30, 21, 1), 21),
                near_base, near_size);
            break;
        case 0x73:
            decode_system(o, w, funct3);
            break;
        default:
            break;
    }
    if (o.code == opcode::illegal) o.immediate = static_cast<std::int32_t>(word);
    return o;
}

}  // namespace weir::cpu
