// SPDX-License-Identifier: Apache-2.0
// WRED and ECN: profiles a colour, and what a queue does with one (R12).
#pragma once

#include "sw/include/weir/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WEIR_GREEN = 0, WEIR_YELLOW = 1, WEIR_RED = 2, WEIR_COLOURS = 3, WEIR_PROBABILITY_ONE = 65535 };

struct weir_wred_curve {
    bool enabled;
    uint32_t min, max;     ///< Kmin, Kmax in cells; min <= max
    uint32_t probability;  ///< at Kmax, in 1/65535
};
weir_status weir_wred_curve_set(struct weir_dev* dev, uint32_t profile, uint32_t colour,
                                const struct weir_wred_curve* curve);
weir_status weir_wred_curve_get(struct weir_dev* dev, uint32_t profile, uint32_t colour, struct weir_wred_curve* curve);

struct weir_wred_queue {
    bool drop;        ///< Not-ECT frames are dropped; a lossless queue only marks
    bool ecn;         ///< ECT frames are marked instead of dropped
    bool at_dequeue;  ///< decides as the frame leaves
    uint32_t profile;
    uint32_t ewma;  ///< 0: the length as it is; w: averaged with weight 2^-w
};
weir_status weir_wred_queue_set(struct weir_dev* dev, uint32_t port, uint32_t queue, const struct weir_wred_queue* use);
weir_status weir_wred_queue_get(struct weir_dev* dev, uint32_t port, uint32_t queue, struct weir_wred_queue* use);

#ifdef __cplusplus
}
#endif
