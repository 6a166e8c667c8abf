// SPDX-License-Identifier: Apache-2.0
// Instruction words of RV32IMAC, Zicsr and Zifencei, turned into what the interpreter's loop dispatches on.
//
//   16 bits ──expand──► 32 bits ──decode──► op {code, registers, immediate, address}
//
// Everything that can be known without the registers' values is worked out here, once: immediates are assembled, auipc
// becomes a constant, a branch inside the same memory becomes a distance between ops. Sources: ISA manual volume I
// (20191213), chapters 2, 7, 8, 9, 16 and 24; volume II (20211203), chapter 3.3.
#pragma once

#include <cstdint>

namespace weir::cpu {

/// What the loop does. `undecoded` is 0, so that fresh memory of ops is a table of places to decode.
enum class opcode : std::uint16_t {
    undecoded = 0,
    outside,     ///< past the end of the mapped memory
    breakpoint,  ///< a debugger wants to stop here
    illegal,
    constant,  // lui, auipc
    addi,
    slti,
    sltiu,
    xori,
    ori,
    andi,
    slli,
    srli,
    srai,
    add,
    sub,
    sll,
    slt,
    sltu,
    xor_,
    srl,
    sra,
    or_,
    and_,
    mul,
    mulh,
    mulhsu,
    mulhu,
    div,
    divu,
    rem,
    remu,
    lb,
    lh,
    lw,
    lbu,
    lhu,
    sb,
    sh,
    sw,
    jal,
    beq,
    bne,
    blt,
    bge,
    bltu,
    bgeu,  // target in the same memory
    jal_far,
    beq_far,
    bne_far,
    blt_far,
    bge_far,
    bltu_far,
    bgeu_far,  // target anywhere
    jalr,
    fence,
    fence_i,
    lr,
    sc,
    amo,
    csr,
    csr_immediate,
    ecall,
    ebreak,
    mret,
    wfi
};

/// One decoded instruction. A halfword of mapped memory has one op, so `length` halfwords on is the next.
struct op {
    opcode code{opcode::undecoded};
    std::uint8_t rd{0};         ///< 32 in place of x0, where nobody reads
    std::uint8_t rs1{0};        ///< in csr_immediate the immediate itself
    std::uint8_t rs2{0};        ///< in CSR instructions: whether they write
    std::uint8_t length{0};     ///< in halfwords
    std::uint8_t function{0};   ///< funct3 of a CSR instruction, funct5 of an AMO
    std::int32_t immediate{0};  ///< near jumps: distance in halfwords; CSR: its number; illegal: the instruction word
    std::uint32_t pc{0};
};
static_assert(sizeof(op) == 16, "ops are found by shifting");

/// Register number that takes the results which x0 ignores.
constexpr std::uint8_t nowhere = 32;

/// True if an instruction that starts with these 16 bits has 32 of them (or more, which RV32IMAC does not have).
constexpr bool is_long(std::uint32_t halfword) {
    return (halfword & 3) == 3;
}

/// The 32-bit instruction that a compressed one stands for; 0, which is illegal, if there is none.
std::uint32_t expand(std::uint32_t halfword);

/// Decodes the instruction `word` at `pc`; of a compressed one the upper half is 0. Jumps to [near_base,
/// near_base + near_size) become near; with near_size 0 none does.
op decode(std::uint32_t word, std::uint32_t pc, std::uint32_t near_base, std::uint32_t near_size);

}  // namespace weir::cpu
