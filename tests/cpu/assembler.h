// SPDX-License-Identifier: Apache-2.0
// An assembler for tests: instruction words from the formats of the ISA manual (volume I, section 2.2 and table 24.2).
// Written apart from the hart's decoder, so that one can find the other's mistakes.
#pragma once

#include <cstdint>

namespace weir::cpu::testing {

using word = std::uint32_t;

constexpr word i_format(word major, word funct3, word rd, word rs1, std::int32_t imm) {
    return static_cast<word>(imm) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | major;
}
constexpr word r_format(word major, word funct3, word funct7, word rd, word rs1, word rs2) {
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | major;
}
constexpr word s_format(word funct3, word rs1, word rs2, std::int32_t imm) {
    const word u = static_cast<word>(imm);
    return (u >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (u & 0x1f) << 7 | 0x23;
}
constexpr word b_format(word funct3, word rs1, word rs2, std::int32_t distance) {
    const word u = static_cast<word>(distance);
    return (u >> 12 & 1) << 31 | (u >> 5 & 0x3f) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (u >> 1 & 0xf) << 8 |
           (u >> 11 & 1) << 7 | 0x63;
}

constexpr word lui(word rd, word upper_20) {
    return upper_20 << 12 | rd << 7 | 0x37;
}
constexpr word auipc(word rd, word upper_20) {
    return upper_20 << 12 | rd << 7 | 0x17;
}
constexpr word jal(word rd, std::int32_t distance) {
    const word u = static_cast<word>(distance);
    return (u >> 20 & 1) << 31 | (u >> 1 & 0x3ff) << 21 | (u >> 11 & 1) << 20 | (u >> 12 & 0xff) << 12 | rd << 7 | 0x6f;
}
constexpr word jalr(word rd, word rs1, std::int32_t imm) {
    return i_format(0x67, 0, rd, rs1, imm);
}
constexpr word beq(word rs1, word rs2, std::int32_t distance) {
    return b_format(0, rs1, rs2, distance);
}
constexpr word bne(word rs1, word rs2, std::int32_t distance) {
    return b_format(1, rs1, rs2, distance);
}
constexpr word blt(word rs1, word rs2, std::int32_t distance) {
    return b_format(4, rs1, rs2, distance);
}
constexpr word addi(word rd, word rs1, std::int32_t imm) {
    return i_format(0x13, 0, rd, rs1, imm);
}
constexpr word andi(word rd, word rs1, std::int32_t imm) {
    return i_format(0x13, 7, rd, rs1, imm);
}
constexpr word add(word rd, word rs1, word rs2) {
    return r_format(0x33, 0, 0, rd, rs1, rs2);
}
constexpr word lb(word rd, word rs1, std::int32_t imm) {
    return i_format(0x03, 0, rd, rs1, imm);
}
constexpr word lh(word rd, word rs1, std::int32_t imm) {
    return i_format(0x03, 1, rd, rs1, imm);
}
constexpr word lw(word rd, word rs1, std::int32_t imm) {
    return i_format(0x03, 2, rd, rs1, imm);
}
constexpr word lbu(word rd, word rs1, std::int32_t imm) {
    return i_format(0x03, 4, rd, rs1, imm);
}
constexpr word lhu(word rd, word rs1, std::int32_t imm) {
    return i_format(0x03, 5, rd, rs1, imm);
}
constexpr word sb(word rs2, word rs1, std::int32_t imm) {
    return s_format(0, rs1, rs2, imm);
}
constexpr word sh(word rs2, word rs1, std::int32_t imm) {
    return s_format(1, rs1, rs2, imm);
}
constexpr word sw(word rs2, word rs1, std::int32_t imm) {
    return s_format(2, rs1, rs2, imm);
}
/// An instruction of the A extension without aq and rl; lr.w has funct5 2 and rs2 0, sc.w 3, amoadd.w 0, amoswap.w 1.
constexpr word amo(word funct5, word rd, word rs2, word rs1) {
    return r_format(0x2f, 2, funct5 << 2, rd, rs1, rs2);
}
constexpr word lr(word rd, word rs1) {
    return amo(2, rd, 0, rs1);
}
constexpr word sc(word rd, word rs2, word rs1) {
    return amo(3, rd, rs2, rs1);
}
/// funct3: 1 csrrw, 2 csrrs, 3 csrrc; 5, 6, 7 the same with `source` as the value.
constexpr word csr(word funct3, word rd, word number, word source) {
    return number << 20 | source << 15 | funct3 << 12 | rd << 7 | 0x73;
}
constexpr word csrr(word rd, word number) {
    return csr(2, rd, number, 0);
}
constexpr word csrw(word number, word rs1) {
    return csr(1, 0, number, rs1);
}

constexpr word nop = 0x00000013;
constexpr word fence = 0x0ff0000f;
constexpr word fence_i = 0x0000100f;
constexpr word ecall = 0x00000073;
constexpr word ebreak = 0x00100073;
constexpr word mret = 0x30200073;
constexpr word wfi = 0x10500073;

// CSR numbers: volume II, table 2.5.
constexpr word mstatus = 0x300, misa = 0x301, mie = 0x304, mtvec = 0x305, mcounteren = 0x306, mcountinhibit = 0x320;
constexpr word mscratch = 0x340, mepc = 0x341, mcause = 0x342, mtval = 0x343, mip = 0x344;
constexpr word mcycle = 0xb00, minstret = 0xb02, mcycleh = 0xb80, minstreth = 0xb82;

}  // namespace weir::cpu::testing
