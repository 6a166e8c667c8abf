# SPDX-License-Identifier: Apache-2.0
# Waits for the switch's interrupt in one of three ways, which the test writes into `way`: 0 asleep, 1 in the tightest
# loop, 2 busy with stores and no device. The handler counts, clears all causes of the switch, and completes.
    .section .text.start, "ax"
    .globl _start
_start:
    la      t0, handler
    csrw    mtvec, t0
    la      sp, _stack_top
    li      t0, 0x0c000004         # PLIC: priority of source 1
    li      t1, 1
    sw      t1, 0(t0)
    li      t0, 0x0c002000         # enable source 1
    li      t1, 2
    sw      t1, 0(t0)
    li      t0, 0x800              # mie.MEIE
    csrw    mie, t0
    csrsi   mstatus, 8
    la      t0, way
    lw      t0, 0(t0)
    li      t1, 1
    beq     t0, t1, tight
    bgtu    t0, t1, busy
asleep:
    wfi
    j       asleep
tight:
    j       tight
busy:
    la      t2, scratch
1:  addi    t3, t3, 1
    mul     t4, t3, t3
    sw      t4, 0(t2)
    j       1b

    .align 2
    .globl  handler
handler:
    la      t5, count
    lw      t6, 0(t5)
    addi    t6, t6, 1
    sw      t6, 0(t5)
    li      t5, 0x0c200004         # claim
    lw      t6, 0(t5)
    la      s2, cleared_register   # where the switch's int_status is
    lw      s2, 0(s2)
    li      s3, -1
    sw      s3, 0(s2)
    sw      t6, 0(t5)              # complete
    mret

    .section .data
    .globl  way, count, cleared_register
    .align 2
way:              .word 0
count:            .word 0
cleared_register: .word 0
scratch:          .word 0
