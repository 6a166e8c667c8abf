// SPDX-License-Identifier: Apache-2.0
// The firmware that the build made, as an ELF file in memory.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

extern const unsigned char weir_firmware_image[];
extern const unsigned char weir_firmware_image_end[];

#ifdef __cplusplus
}
#endif
