// SPDX-License-Identifier: Apache-2.0
// What single instructions do: I, M, A and C. Numbers from the ISA manual, volume I (20191213), sections as given; the
// words of compressed instructions from GNU as.
#include <gtest/gtest.h>

#include <cstdint>

#include "models/cpu/decode.h"
#include "tests/cpu/machine.h"

namespace weir::cpu::testing {
namespace {

constexpr word op_1_2_to_3(word funct3, word funct7) {
    return r_format(0x33, funct3, funct7, 3, 1, 2);
}

// 2.4: shifts take the low five bits of rs2; comparisons give 1 or 0; sub wraps.
TEST(hart, computes_with_registers) {
    machine m;
    EXPECT_EQ(m.result(op_1_2_to_3(0, 0x00), 0xffffffff, 2), 1U) << "add";
    EXPECT_EQ(m.result(op_1_2_to_3(0, 0x20), 0, 1), 0xffffffffU) << "sub";
    EXPECT_EQ(m.result(op_1_2_to_3(1, 0x00), 1, 33), 2U) << "sll";
    EXPECT_EQ(m.result(op_1_2_to_3(2, 0x00), 0xffffffff, 0), 1U) << "slt";
    EXPECT_EQ(m.result(op_1_2_to_3(3, 0x00), 0xffffffff, 0), 0U) << "sltu";
    EXPECT_EQ(m.result(op_1_2_to_3(4, 0x00), 0xff00, 0x0ff0), 0xf0f0U) << "xor";
    EXPECT_EQ(m.result(op_1_2_to_3(5, 0x00), 0x80000000, 31), 1U) << "srl";
    EXPECT_EQ(m.result(op_1_2_to_3(5, 0x20), 0x80000000, 31), 0xffffffffU) << "sra";
    EXPECT_EQ(m.result(op_1_2_to_3(6, 0x00), 0xf0, 0x0f), 0xffU) << "or";
    EXPECT_EQ(m.result(op_1_2_to_3(7, 0x00), 0xff, 0x0f), 0x0fU) << "and";
}

// 2.4: 12-bit immediates are sign-extended, sltiu's too; lui and auipc give bits 31 to 12.
TEST(hart, computes_with_immediates) {
    machine m;
    EXPECT_EQ(m.result(addi(3, 1, -2048), 0, 0), 0xfffff800U);
    EXPECT_EQ(m.result(i_format(0x13, 2, 3, 1, -1), 0xfffffffe, 0), 1U) << "slti";
    EXPECT_EQ(m.result(i_format(0x13, 3, 3, 1, -1), 0xfffffffe, 0), 1U) << "sltiu: below 0xffffffff";
    EXPECT_EQ(m.result(i_format(0x13, 3, 3, 1, -1), 0xffffffff, 0), 0U) << "sltiu";
    EXPECT_EQ(m.result(i_format(0x13, 4, 3, 1, -1), 0x0000ffff, 0), 0xffff0000U) << "xori";
    EXPECT_EQ(m.result(i_format(0x13, 6, 3, 1, 0x7ff), 0x80000000, 0), 0x800007ffU) << "ori";
    EXPECT_EQ(m.result(andi(3, 1, -16), 0x12345678, 0), 0x12345670U);
    EXPECT_EQ(m.result(i_format(0x13, 1, 3, 1, 31), 3, 0), 0x80000000U) << "slli";
    EXPECT_EQ(m.result(i_format(0x13, 5, 3, 1, 4), 0x80000000, 0), 0x08000000U) << "srli";
    EXPECT_EQ(m.result(i_format(0x13, 5, 3, 1, 0x404), 0x80000000, 0), 0xf8000000U) << "srai";
    EXPECT_EQ(m.result(lui(3, 0xabcde), 0, 0), 0xabcde000U);
    EXPECT_EQ(m.result(auipc(3, 0x80000), 0, 0), 0x00000000U) << "0x80000000 + 0x80000000";
}

// 2.1: x0 is zero whatever is written to it.
TEST(hart, keeps_x0_zero) {
    machine m;
    m.execute({addi(0, 0, 5), lui(0, 1), add(3, 0, 0)});
    EXPECT_EQ(m.x(0), 0U);
    EXPECT_EQ(m.x(3), 0U);
}

// 7.2, table 7.1: division by zero gives -1 and the dividend, overflow gives the dividend and 0.
TEST(hart, divides_as_the_manual_defines_the_corner_cases) {
    machine m;
    constexpr word lowest = 0x80000000;
    EXPECT_EQ(m.result(op_1_2_to_3(4, 1), 7, 0), 0xffffffffU) << "div by 0";
    EXPECT_EQ(m.result(op_1_2_to_3(5, 1), 7, 0), 0xffffffffU) << "divu by 0";
    EXPECT_EQ(m.result(op_1_2_to_3(6, 1), 7, 0), 7U) << "rem by 0";
    EXPECT_EQ(m.result(op_1_2_to_3(7, 1), 7, 0), 7U) << "remu by 0";
    EXPECT_EQ(m.result(op_1_2_to_3(4, 1), lowest, 0xffffffff), lowest) << "div overflow";
    EXPECT_EQ(m.result(op_1_2_to_3(6, 1), lowest, 0xffffffff), 0U) << "rem overflow";
    EXPECT_EQ(m.result(op_1_2_to_3(4, 1), 0xfffffff9, 2), 0xfffffffdU) << "-7 / 2 = -3: towards zero";
    EXPECT_EQ(m.result(op_1_2_to_3(6, 1), 0xfffffff9, 2), 0xffffffffU) << "-7 rem 2 = -1: the dividend's sign";
    EXPECT_EQ(m.result(op_1_2_to_3(5, 1), 0xfffffff9, 2), 0x7ffffffcU) << "divu";
    EXPECT_EQ(m.result(op_1_2_to_3(7, 1), 0xfffffff9, 2), 1U) << "remu";
}

// 7.1. By hand: -1 * -1 = 1; as unsigned (2^32 - 1)^2 = 2^64 - 2^33 + 1; signed times unsigned -(2^32 - 1) = -2^32 + 1.
TEST(hart, multiplies_into_lower_and_upper_halves) {
    machine m;
    EXPECT_EQ(m.result(op_1_2_to_3(0, 1), 0xffffffff, 0xffffffff), 1U) << "mul";
    EXPECT_EQ(m.result(op_1_2_to_3(1, 1), 0xffffffff, 0xffffffff), 0U) << "mulh";
    EXPECT_EQ(m.result(op_1_2_to_3(2, 1), 0xffffffff, 0xffffffff), 0xffffffffU) << "mulhsu";
    EXPECT_EQ(m.result(op_1_2_to_3(3, 1), 0xffffffff, 0xffffffff), 0xfffffffeU) << "mulhu";
    EXPECT_EQ(m.result(op_1_2_to_3(1, 1), 0x80000000, 0x80000000), 0x40000000U) << "mulh: 2^62";
}

// 2.6: lb and lh extend the sign, lbu and lhu zeros; memory is little-endian.
TEST(hart, loads_and_stores_octets_halfwords_and_words) {
    machine m;
    m.set(1, machine::data);
    m.set(2, 0x80f1e2d3);
    m.execute({sw(2, 1, 0), lb(3, 1, 3), lbu(4, 1, 3), lh(5, 1, 2), lhu(6, 1, 2), lw(7, 1, 0), lb(8, 1, 0), sb(2, 1, 5),
               sh(2, 1, 6)});
    EXPECT_EQ(m.x(3), 0xffffff80U);
    EXPECT_EQ(m.x(4), 0x80U);
    EXPECT_EQ(m.x(5), 0xffff80f1U);
    EXPECT_EQ(m.x(6), 0x80f1U);
    EXPECT_EQ(m.x(7), 0x80f1e2d3U);
    EXPECT_EQ(m.x(8), 0xffffffd3U);
    EXPECT_EQ(m.word_at(machine::data + 4), 0xe2d3d300U);
}

// 2.6, on the bus: one access of the right size, with the octets in the low places.
TEST(hart, loads_and_stores_on_the_bus_what_memory_does_not_have) {
    machine m;
    m.set(1, recording_bus::device);
    m.set(2, 0xa1b2c3d4);
    m.bus.values[recording_bus::device + 8] = 0x80;
    m.bus.values[recording_bus::device + 10] = 0x8000;
    m.execute(
        {sb(2, 1, 1), sh(2, 1, 2), sw(2, 1, 4), lb(3, 1, 8), lbu(4, 1, 8), lh(5, 1, 10), lhu(6, 1, 10), lw(7, 1, 4)});
    EXPECT_EQ(m.x(3), 0xffffff80U);
    EXPECT_EQ(m.x(4), 0x80U);
    EXPECT_EQ(m.x(5), 0xffff8000U);
    EXPECT_EQ(m.x(6), 0x8000U);
    EXPECT_EQ(m.x(7), 0xa1b2c3d4U);
    const std::vector<bus_access> expected{
        {true, recording_bus::device + 1, 1, 0xd4},       {true, recording_bus::device + 2, 2, 0xc3d4},
        {true, recording_bus::device + 4, 4, 0xa1b2c3d4}, {false, recording_bus::device + 8, 1, 0x80},
        {false, recording_bus::device + 8, 1, 0x80},      {false, recording_bus::device + 10, 2, 0x8000},
        {false, recording_bus::device + 10, 2, 0x8000},   {false, recording_bus::device + 4, 4, 0xa1b2c3d4}};
    EXPECT_EQ(m.bus.accesses, expected);
}

// 2.5: a taken branch goes to pc + distance, another to pc + 4; the comparisons are signed but for bltu and bgeu.
TEST(hart, branches_by_comparison) {
    const auto taken = [](word funct3, word a, word b) {
        machine m;
        m.set(1, a);
        m.set(2, b);
        m.execute({b_format(funct3, 1, 2, 0x20)});
        return m.core.pc() == machine::base + 0x20;
    };
    EXPECT_TRUE(taken(0, 5, 5));
    EXPECT_FALSE(taken(0, 5, 6));
    EXPECT_TRUE(taken(1, 5, 6));
    EXPECT_FALSE(taken(1, 5, 5));
    EXPECT_TRUE(taken(4, 0xffffffff, 0));
    EXPECT_FALSE(taken(4, 0, 0));
    EXPECT_TRUE(taken(5, 0, 0));
    EXPECT_FALSE(taken(5, 0xffffffff, 0));
    EXPECT_TRUE(taken(6, 0, 0xffffffff));
    EXPECT_FALSE(taken(6, 0xffffffff, 0));
    EXPECT_TRUE(taken(7, 0xffffffff, 0));
    EXPECT_FALSE(taken(7, 0, 0xffffffff));
}

// 2.5: jal and jalr put pc + 4 into rd; jalr clears bit 0 of the target and reads rs1 before it writes rd.
TEST(hart, jumps_and_links) {
    machine m;
    m.execute({jal(1, 8)});
    EXPECT_EQ(m.core.pc(), machine::base + 8);
    EXPECT_EQ(m.x(1), machine::base + 4);

    m.restart();
    m.set(5, machine::base + 0x101);
    m.execute({jalr(5, 5, 4)});
    EXPECT_EQ(m.core.pc(), machine::base + 0x104);
    EXPECT_EQ(m.x(5), machine::base + 4);
}

// 8.4: rd gets the old value, memory the result.
TEST(hart, modifies_memory_atomically) {
    struct amo_case {
        const char* name;
        word funct5, before, operand, after;
    };
    for (const auto& c : {amo_case{"amoadd", 0, 5, 0xffffffff, 4}, amo_case{"amoswap", 1, 5, 9, 9},
                          amo_case{"amoxor", 4, 0xff, 0x0f, 0xf0}, amo_case{"amoor", 8, 0xf0, 0x0f, 0xff},
                          amo_case{"amoand", 12, 0xff, 0x0f, 0x0f}, amo_case{"amomin", 16, 1, 0xffffffff, 0xffffffff},
                          amo_case{"amomax", 20, 1, 0xffffffff, 1}, amo_case{"amominu", 24, 1, 0xffffffff, 1},
                          amo_case{"amomaxu", 28, 1, 0xffffffff, 0xffffffff}}) {
        machine m;
        m.put(machine::data, {c.before});
        m.set(1, machine::data);
        m.set(2, c.operand);
        m.execute({amo(c.funct5, 3, 2, 1)});
        EXPECT_EQ(m.x(3), c.before) << c.name;
        EXPECT_EQ(m.word_at(machine::data), c.after) << c.name;
    }
}

// 8.4 with the bus: a load, then a store.
TEST(hart, does_an_amo_on_the_bus_as_load_and_store) {
    machine m;
    m.bus.values[recording_bus::device] = 40;
    m.set(1, recording_bus::device);
    m.set(2, 2);
    m.execute({amo(0, 3, 2, 1)});
    EXPECT_EQ(m.x(3), 40U);
    const std::vector<bus_access> expected{{false, recording_bus::device, 4, 40}, {true, recording_bus::device, 4, 42}};
    EXPECT_EQ(m.bus.accesses, expected);
}

// 8.2: sc.w writes 0 and the word if the reservation stands, else 1 and nothing; it ends the reservation either way.
TEST(hart, stores_conditionally_only_with_a_reservation) {
    machine m;
    m.put(machine::data, {7, 8});
    m.set(1, machine::data);
    m.set(2, 99);
    m.execute({lr(3, 1), sc(4, 2, 1), sc(5, 2, 1)});
    EXPECT_EQ(m.x(3), 7U);
    EXPECT_EQ(m.x(4), 0U);
    EXPECT_EQ(m.x(5), 1U) << "the first sc.w ended the reservation";
    EXPECT_EQ(m.word_at(machine::data), 99U);

    m.restart();
    m.set(1, machine::data);
    m.set(2, 55);
    m.execute({lr(3, 1), addi(1, 1, 4), sc(4, 2, 1)});
    EXPECT_EQ(m.x(4), 1U) << "another address";
    EXPECT_EQ(m.word_at(machine::data + 4), 8U);
}

// 8.2: another's write to the reserved word ends the reservation.
TEST(hart, loses_its_reservation_to_a_write_from_outside) {
    machine m;
    m.set(1, machine::data);
    m.put(machine::base, {lr(3, 1), sc(4, 2, 1)});
    m.core.run(1);
    m.put(machine::data, {1});
    m.core.run(1);
    EXPECT_EQ(m.x(4), 1U);
}

// Chapter 16: each compressed instruction is another way to write a 32-bit one. Words by GNU as 2.40, first and last
// immediates of their ranges.
TEST(decoding, expands_compressed_instructions) {
    struct pair {
        word compressed, expanded;
    };
    for (const auto& p : {
             pair{0x1fe8, 0x3fc10513},  // c.addi4spn a0,sp,1020
             pair{0x0040, 0x00410413},  // c.addi4spn s0,sp,4
             pair{0x5cfc, 0x07c4a783},  // c.lw a5,124(s1)
             pair{0x4140, 0x00452403},  // c.lw s0,4(a0)
             pair{0xc2b8, 0x04e6a023},  // c.sw a4,64(a3)
             pair{0x0001, 0x00000013},  // c.nop
             pair{0x1f81, 0xfe0f8f93},  // c.addi t6,-32
             pair{0x057d, 0x01f50513},  // c.addi a0,31
             pair{0x3001, 0x801ff0ef},  // c.jal .-2048
             pair{0x2ffd, 0x7fe000ef},  // c.jal .+2046
             pair{0x52fd, 0xfff00293},  // c.li t0,-1
             pair{0x48fd, 0x01f00893},  // c.li a7,31
             pair{0x7101, 0xe0010113},  // c.addi16sp sp,-512
             pair{0x617d, 0x1f010113},  // c.addi16sp sp,496
             pair{0x6085, 0x000010b7},  // c.lui ra,1
             pair{0x7d81, 0xfffe0db7},  // c.lui s11,0xfffe0
             pair{0x807d, 0x01f45413},  // c.srli s0,31
             pair{0x8785, 0x4017d793},  // c.srai a5,1
             pair{0x9a01, 0xfe067613},  // c.andi a2,-32
             pair{0x8c1d, 0x40f40433},  // c.sub s0,a5
             pair{0x8d25, 0x00954533},  // c.xor a0,s1
             pair{0x8dd1, 0x00c5e5b3},  // c.or a1,a2
             pair{0x8ef9, 0x00e6f6b3},  // c.and a3,a4
             pair{0xaffd, 0x7fe0006f},  // c.j .+2046
             pair{0xb001, 0x801ff06f},  // c.j .-2048
             pair{0xcd7d, 0x0e050f63},  // c.beqz a0,.+254
             pair{0xd081, 0xf00480e3},  // c.beqz s1,.-256
             pair{0xfffd, 0xfe079fe3},  // c.bnez a5,.-2
             pair{0x0ffe, 0x01ff9f93},  // c.slli t6,31
             pair{0x5ffe, 0x0fc12f83},  // c.lwsp t6,252(sp)
             pair{0x4092, 0x00412083},  // c.lwsp ra,4(sp)
             pair{0x8502, 0x00050067},  // c.jr a0
             pair{0x8972, 0x01c00933},  // c.mv s2,t3
             pair{0x9002, 0x00100073},  // c.ebreak
             pair{0x9302, 0x000300e7},  // c.jalr t1
             pair{0x9faa, 0x00af8fb3},  // c.add t6,a0
             pair{0xdfaa, 0x0ea12e23},  // c.swsp a0,252(sp)
             pair{0xc0fe, 0x05f12023}   // c.swsp t6,64(sp)
         }) {
        EXPECT_EQ(expand(p.compressed), p.expanded) << std::hex << p.compressed;
    }
}

// Tables 16.5 to 16.7: reserved, RV64's and floating point are illegal, and so is 0.
TEST(decoding, refuses_compressed_instructions_that_are_not_there) {
    for (const word h : {0x0000U,           // all zeros
                         0x0004U,           // c.addi4spn with immediate 0
                         0x2000U, 0x6000U,  // c.fld, c.flw
                         0x8000U,           // reserved
                         0xa000U, 0xe000U,  // c.fsd, c.fsw
                         0x6081U, 0x6101U,  // c.lui and c.addi16sp with immediate 0
                         0x9001U, 0x9401U,  // c.srli and c.srai by 32 and more
                         0x9c01U, 0x9c21U,  // c.subw, c.addw
                         0x9c41U, 0x9c61U,  // reserved
                         0x1082U,           // c.slli by 32 and more
                         0x4002U,           // c.lwsp to x0
                         0x8002U,           // c.jr x0
                         0x2002U, 0x6002U, 0xa002U, 0xe002U}) {
        EXPECT_EQ(expand(h), 0U) << std::hex << h;
    }
}

// 16.2: compressed and others mix freely; c.jal and c.jalr link to pc + 2.
TEST(hart, executes_compressed_code_between_other_code) {
    machine m;
    // c.li x8, 5; addi x9, x8, 1 over a word's end; c.jal +4; (skipped c.li x8, 0); c.nop
    m.put_halfwords(machine::base, {0x4415, 0x0493, 0x0014, 0x2011, 0x4401, 0x0001});
    ASSERT_EQ(m.core.run(4), stop::budget);
    EXPECT_EQ(m.x(8), 5U);
    EXPECT_EQ(m.x(9), 6U);
    EXPECT_EQ(m.x(1), machine::base + 8);
    EXPECT_EQ(m.core.pc(), machine::base + 12);
}

}  // namespace
}  // namespace weir::cpu::testing
