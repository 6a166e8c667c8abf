// SPDX-License-Identifier: Apache-2.0
// A driver of one's own on the prototype's CPU: what the README shows.
#include <cinttypes>
#include <cstdio>
#include <exception>

#include "platforms/config.h"
#include "platforms/machine.h"
#include "weir_registers.h"

// Your code. It may be C; all that it knows of the world is the HAL.
static weir_status bring_up(const weir_hal* hal, uint32_t* id) {
    const weir_status status = hal->read32(hal->ctx, weir_reg_global_dev_id(), id);
    if (status != WEIR_OK) return status;
    return hal->write32(hal->ctx, weir_reg_global_scratch(), 0x5eed);
}

int sc_main(int count, char** words) try {
    if (count != 2) return 2;
    weir::platforms::machine board(weir::platforms::load_platform(words[1]), 1);
    weir::platforms::native_initiator& cpu = board.cpu(0);
    weir_status status = WEIR_E_TIMEOUT;
    uint32_t id = 0;
    cpu.program([&] { status = bring_up(&cpu.hal(), &id); });
    board.run_programs();
    std::printf("device 0x%" PRIx32 ", status %d, up after %" PRId64 " ns\n", id, static_cast<int>(status),
                cpu.local_time() / weir::nanoseconds(1));
    return status == WEIR_OK ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
}
