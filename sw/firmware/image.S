# SPDX-License-Identifier: Apache-2.0
# The firmware as data of the program that runs it.
    .section .rodata
    .globl  weir_firmware_image
    .globl  weir_firmware_image_end
    .balign 16
weir_firmware_image:
    .incbin WEIR_FIRMWARE
weir_firmware_image_end:
    .section .note.GNU-stack, "", @progbits
