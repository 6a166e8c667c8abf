# SPDX-License-Identifier: Apache-2.0
# A call returns to server_return; anything that traps stops there too.
    .section .text.start, "ax"
    .globl _start
    .globl server_return
_start:
server_return:
    .option push
    .option norvc
    ebreak
    .option pop
