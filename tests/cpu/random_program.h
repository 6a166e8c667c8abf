// SPDX-License-Identifier: Apache-2.0
// Random programs for the comparison with QEMU: bare images for RAM at 0x80000000 that end in a loop to itself.
//
//   start: registers, mtvec ──► units, one after the other ──► stop: QEMU's test device, then a loop
//   trap: steps over what trapped; an interrupt is switched off at its source
//   data: 4 KiB around x31, so that every 12-bit offset is inside
//
// A unit is a few instructions that cannot go astray whatever the registers hold: x24 to x31 are the program's own, all
// others are free. Left out is what two right harts may do differently: misaligned loads (QEMU does them), sfence.vma
// (QEMU does it without S-mode), counters, atomics on the bus, identification registers, mstatus.MPP (QEMU keeps U in a
// hart without it), wfi.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "models/timeline/random_stream.h"
#include "tests/cpu/assembler.h"

namespace weir::cpu::testing {

class random_program {
public:
    static constexpr std::uint32_t base = 0x80000000;
    static constexpr std::uint32_t data = base + 0x40000;
    static constexpr std::uint32_t nobody = 0x00800000;  ///< nothing is there, in QEMU's virt machine as here
    static constexpr std::uint32_t msip = 0x02000000;    ///< the software interrupt's register (CLINT)
    static constexpr std::uint32_t finisher = 0x00100000;

    random_program(std::uint64_t seed, unsigned units) : random_(seed, "cpu.random_program") {
        put_start();
        for (unsigned i = 0; i < units; ++i) put_unit();
        put_end();
    }

    [[nodiscard]] const std::vector<std::uint8_t>& image() const { return image_; }
    /// Address of the loop at the end.
    [[nodiscard]] std::uint32_t end() const { return end_; }

private:
    static constexpr word trap_1 = 24, trap_2 = 25, address = 26, own = 27, spare = 28, link = 29, data_pointer = 31;

    word below(word limit) { return random_.next() % limit; }
    word pick(const std::vector<word>& from) { return from[below(static_cast<word>(from.size()))]; }
    word any() { return below(32); }
    word free_register() { return below(24); }
    std::int32_t immediate() { return static_cast<std::int32_t>(below(4096)) - 2048; }
    word interesting() {
        return below(2) == 0 ? random_.next()
                             : pick({0, 1, 2, 31, 32, ~0U, ~1U, 0x80000000, 0x80000001, 0x7fffffff, 0xffff, 0x8000});
    }

    [[nodiscard]] std::uint32_t here() const { return base + static_cast<std::uint32_t>(image_.size()); }
    void put_half(word h) {
        image_.push_back(static_cast<std::uint8_t>(h));
        image_.push_back(static_cast<std::uint8_t>(h >> 8));
    }
    void put(word w) {
        put_half(w);
        put_half(w >> 16);
    }
    /// li: lui and addi, whose immediate is signed.
    void put_constant(word rd, word value) {
        put(lui(rd, (value + 0x800) >> 12));
        put(addi(rd, rd, static_cast<std::int32_t>(value << 20) >> 20));
    }

    void put_start() {
        put(jal(0, 0x100));
        while (here() != base + 0x80) put_half(0);
        put_handler();
        while (here() != base + 0x100) put_half(0);
        put_constant(spare, base + 0x80);
        put(csrw(mtvec, spare));
        put_constant(spare, 0x1800);
        put(csrw(mstatus, spare));
        put_constant(data_pointer, data + 0x800);
        for (word r = 1; r < 24; ++r) put_constant(r, interesting());
    }

    // Vectored: exceptions come to the first word, the software interrupt to the fourth, the timer's to the eighth;
    // direct: all to the first. All go to one place, which asks mcause.
    void put_handler() {
        const std::uint32_t vector = here();
        put(jal(0, 32));
        while (here() != vector + 12) put(0);
        put(jal(0, 20));
        while (here() != vector + 28) put(0);
        put(jal(0, 4));
        put(csrr(trap_1, mcause));
        put(blt(trap_1, 0, 56));
        put(addi(trap_1, trap_1, -1));
        put(bne(trap_1, 0, 12));
        put(csrw(mepc, link));  // a fetch that faulted: go back to the jump
        put(mret);
        put(csrr(trap_1, mepc));  // else step over the instruction
        put(lhu(trap_2, trap_1, 0));
        put(andi(trap_2, trap_2, 3));
        put(addi(trap_2, trap_2, -3));
        put(addi(trap_1, trap_1, 2));
        put(bne(trap_2, 0, 8));
        put(addi(trap_1, trap_1, 2));
        put(csrw(mepc, trap_1));
        put(mret);
        put(lui(trap_2, msip >> 12));  // an interrupt: both off
        put(sw(0, trap_2, 0));
        put(addi(trap_2, 0, 0x80));
        put(csr(3, 0, mie, trap_2));
        put(mret);
    }

    void put_end() {
        put(lui(spare, finisher >> 12));
        put_constant(address, 0x5555);  // "pass": QEMU ends
        put(sw(address, spare, 0));
        end_ = here();
        put(jal(0, 0));
        image_.resize(data - base);
        for (unsigned i = 0; i < 1024; ++i) put(random_.next());
    }

    void put_unit() {
        switch (below(20)) {
            case 0:
                put_constant(free_register(), interesting());
                break;
            case 1:
            case 2:
            case 3:
                put(arithmetic());
                break;
            case 4:
                put_multiplication();
                break;
            case 5:
            case 6:
                put_memory_access();
                break;
            case 7:
            case 8:
                put_half(compressed_arithmetic());
                break;
            case 9:
                put_compressed_memory();
                break;
            case 10:
                put_atomic();
                break;
            case 11:
                put_reservation();
                break;
            case 12:
                put_csr();
                break;
            case 13:
                put_exception();
                break;
            case 14:
                put_fault();
                break;
            case 15:
            case 16:
                put_branch();
                break;
            case 17:
                put_loop();
                break;
            case 18:
                put_interrupt();
                break;
            default:
                put_self_modification();
                break;
        }
    }

    /// Any word of the OP, OP-IMM, LUI and AUIPC majors, the illegal ones too.
    word arithmetic() {
        const word major = pick({0x13, 0x13, 0x33, 0x33, 0x37, 0x17});
        word funct7 = pick({0, 0, 0, 0x20, 0x20, 1, below(128)});
        if (major == 0x13) funct7 = below(4) == 0 ? below(128) : pick({0, 0x20});
        return r_format(major, below(8), funct7, free_register(), any(), any());
    }
    void put_multiplication() {
        if (below(2) == 0) {
            put_constant(1, interesting());
            put_constant(2, pick({0, 1, ~0U, 0x80000000, interesting()}));
        }
        put(r_format(0x33, below(8), 1, free_register(), 1 + below(2), 1 + below(2)));
    }
    void put_memory_access() {
        const bool load = below(2) == 0;
        const word funct3 = load ? pick({0, 1, 2, 4, 5, 3, 6, 7}) : pick({0, 1, 2, 2, 3, 7});
        const std::int32_t offset = immediate() & ~3;
        put(load ? i_format(0x03, funct3, free_register(), data_pointer, offset)
                 : s_format(funct3, data_pointer, any(), offset));
    }
    /// Any halfword, legal or not, that neither jumps nor accesses memory nor writes a register of the program's own.
    word compressed_arithmetic() {
        for (;;) {
            const word h = random_.next() & 0xffff;
            const word quadrant = h & 3;
            const word funct3 = h >> 13;
            const word rd = h >> 7 & 31;
            const bool whole_rd = (quadrant == 1 && funct3 < 4) || quadrant == 2;
            if (quadrant == 3 || (whole_rd && rd >= 24)) continue;
            if (quadrant == 0 && (funct3 == 2 || funct3 == 6)) continue;
            if (quadrant == 1 && (funct3 == 1 || funct3 >= 5)) continue;
            if (quadrant == 2 && (funct3 == 6 || (funct3 == 2 && rd != 0))) continue;
            if (quadrant == 2 && funct3 == 4 && (h >> 2 & 31) == 0 && rd != 0) continue;  // c.jr, c.jalr
            return h;
        }
    }
    void put_compressed_memory() {
        const word r = 8 + below(8);
        put_half(0x8002 | 2U << 7 | data_pointer << 2);  // c.mv x2, x31
        put_half(0x8002 | r << 7 | data_pointer << 2);   // c.mv of it to a register that three bits can name
        const word offset = below(32);                   // in words
        const word other = below(8);
        const word fields =
            (offset >> 1 & 7) << 10 | (r - 8) << 7 | (offset & 1) << 6 | (offset >> 4) << 5 | other << 2;
        put_half((below(2) == 0 ? 0x4000 : 0xc000) | fields);  // c.lw, c.sw
        const word stack = below(64);
        if (below(2) == 0) {
            put_half(0x4002 | (stack >> 3 & 1) << 12 | (1 + below(23)) << 7 | (stack & 7) << 4 |
                     (stack >> 4) << 2);  // c.lwsp
        } else {
            put_half(0xc002 | (stack & 15) << 9 | (stack >> 4) << 7 | any() << 2);  // c.swsp
        }
    }
    void put_atomic() {
        // Misaligned in one case of four: cause 6 (lr.w: 4).
        const std::int32_t offset = below(4) == 0 ? immediate() | 1 : immediate() & ~3;
        put(addi(address, data_pointer, offset));
        const word funct5 = pick({0, 1, 4, 8, 12, 16, 20, 24, 28, below(8) * 4 + 2 + (offset & 1)});
        if (funct5 == 2 || funct5 == 3) return;                              // lr.w and sc.w have a unit of their own
        put(amo(funct5, free_register(), any(), address) | below(4) << 25);  // any aq and rl
    }
    void put_reservation() {
        put(addi(address, data_pointer, immediate() & ~3));
        if (below(2) == 0) put(lr(free_register(), address));
        if (below(2) == 0) put(r_format(0x33, below(8), 0, free_register(), any(), any()));
        if (below(4) == 0) put(addi(address, data_pointer, immediate() & ~3));
        put(sc(free_register(), any(), address));
        if (below(4) == 0) {
            put(addi(address, data_pointer, immediate() | 1));
            put(lr(free_register(), address));
        }
    }
    /// Interrupts off and M in mstatus.MPP, where QEMU may have put U.
    void put_m_in_mpp() {
        put(csr(7, 0, mstatus, 8));
        put_constant(spare, 0x1800);
        put(csr(2, 0, mstatus, spare));
    }
    void put_csr() {
        const word funct3 = pick({1, 2, 3, 5, 6, 7});
        switch (below(6)) {
            case 0:
                put(csr(funct3, free_register(), mscratch, any()));
                break;
            case 1:
                put(csr(funct3, free_register(), pick({mcause, mtval}), any()));
                break;
            case 2:
                put(andi(spare, any(), -2));
                put(csr(pick({1, 2, 3}), free_register(), mepc, spare));
                break;
            case 3:  // reads, and numbers at which there is nothing: floating point, S-mode, satp, time, custom ones
                put(csr(pick({2, 3, 6, 7}), free_register(),
                        pick({misa, 0xf11, 0xf14, mtvec, mip, mie, 0x001, 0x100, 0x105, 0x180, 0x7c0, 0xfff}), 0));
                break;
            case 4:  // not by a register that holds 0: QEMU takes that for not writing
                put(csr(funct3, free_register(), pick({0xf11, 0xf12, 0xf13, 0xf14}), data_pointer));
                break;
            default:
                put_m_in_mpp();
                put(csr(pick({6, 7}), free_register(), mstatus, pick({0, 8})));
                break;
        }
    }
    void put_exception() {
        switch (below(5)) {
            case 0:
                put(ecall);
                break;
            case 1:
                put(ebreak);
                break;
            case 2:
                put_half(0x9002);
                break;  // c.ebreak
            case 3:
                // Majors and minors that RV32IMAC does not have, and sret, uret.
                put(pick({0xffffffff, 0x0000000b, 0x0000007f, 0x00002007, 0x00002027, 0x00000053, 0x0000001b,
                          0x0000003b, 0x00002063, 0x00003063, 0x00001067, 0x0000200f, 0x10200073, 0x00200073,
                          0x00004073, 0x00000057, 0x0000002f, 0x0000302f}));
                break;
            default: {  // mret to what follows
                put_m_in_mpp();
                put(auipc(spare, 0));
                put(addi(spare, spare, 16));
                put(csrw(mepc, spare));
                put(mret);
                break;
            }
        }
    }
    void put_fault() {
        put(lui(address, nobody >> 12));
        switch (below(3)) {
            case 0:
                put(i_format(0x03, pick({0, 1, 2, 4, 5}), free_register(), address, immediate() & ~3));
                break;
            case 1:
                put(s_format(below(3), address, any(), immediate() & ~3));
                break;
            default:
                put(jalr(link, address, immediate() & ~3));
                break;
        }
    }
    void put_skipped() {
        if (below(2) == 0) {
            put_half(0x0001 | (1 + below(23)) << 7 | below(32) << 2);  // c.addi
        } else {
            put(addi(free_register(), any(), immediate()));
        }
    }
    /// Jumps of all kinds over a few instructions.
    void put_branch() {
        const std::size_t jump = image_.size();
        const word kind = below(6);
        if (kind == 0) put(auipc(address, 0));
        const std::size_t last = image_.size();
        put_half(0);
        if (kind < 4) put_half(0);
        const word skipped = 1 + below(3);
        for (word i = 0; i < skipped; ++i) put_skipped();
        const auto distance = static_cast<std::int32_t>(image_.size() - last);
        const word u = static_cast<word>(distance);
        switch (kind) {
            case 0:
                set(last,
                    jalr(free_register(), address,
                         static_cast<std::int32_t>(image_.size() - jump) + (below(2) == 0 ? 1 : 0)),
                    4);
                break;
            case 1:
                set(last, jal(free_register(), distance), 4);
                break;
            case 2:
            case 3:
                set(last, b_format(pick({0, 1, 4, 5, 6, 7}), any(), any(), distance), 4);
                break;
            case 4:  // c.j, c.jal; the distances are short
                set(last, (below(2) == 0 ? 0xa001 : 0x2001) | (u >> 4 & 1) << 11 | (u >> 1 & 7) << 3, 2);
                break;
            default:  // c.beqz, c.bnez
                set(last, (below(2) == 0 ? 0xc001 : 0xe001) | (u >> 3 & 3) << 10 | below(8) << 7 | (u >> 1 & 3) << 3,
                    2);
                break;
        }
    }
    void set(std::size_t at, word value, std::size_t octets) { std::memcpy(&image_[at], &value, octets); }
    void put_loop() {
        put(addi(own, 0, static_cast<std::int32_t>(1 + below(4))));
        const auto top = here();
        const word units = 1 + below(4);
        for (word i = 0; i < units; ++i) put_skipped();
        put(addi(own, own, -1));
        put(bne(own, 0, static_cast<std::int32_t>(top - here())));
    }
    /// Software and timer interrupts, switched on in any order; QEMU's timer is pending from the start.
    void put_interrupt() {
        switch (below(4)) {
            case 0:
                put(addi(spare, 0, static_cast<std::int32_t>(pick({0x08, 0x80, 0x88, 0}))));
                put(csr(pick({1, 2}), free_register(), mie, spare));
                break;
            case 1:
                put(csr(pick({6, 6, 7}), 0, mstatus, 8));
                break;
            case 2:
                put(lui(address, msip >> 12));
                put(addi(spare, 0, static_cast<std::int32_t>(below(2))));
                put(sw(spare, address, 0));
                break;
            default:  // direct or vectored
                put_constant(spare, base + 0x80 + below(2));
                put(csrw(mtvec, spare));
                break;
        }
    }
    /// An instruction that is executed, overwritten with another, and executed again; with fence.i and without.
    void put_self_modification() {
        put(addi(own, 0, 2));
        const auto top = here();
        put(addi(1, 1, 1));  // becomes the other
        put_constant(spare, addi(1 + below(23), any(), immediate()));
        put(auipc(address, 0));
        put(sh(spare, address, -12));
        put(r_format(0x13, 5, 0, spare, spare, 16));  // srli
        put(sh(spare, address, -10));
        if (below(2) == 0) put(fence_i);
        put(addi(own, own, -1));
        put(bne(own, 0, static_cast<std::int32_t>(top - here())));
    }

    random_stream random_;
    std::vector<std::uint8_t> image_;
    std::uint32_t end_{0};
};

}  // namespace weir::cpu::testing
