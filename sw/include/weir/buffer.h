// SPDX-License-Identifier: Apache-2.0
// Pools, priority groups and queues: who may hold how many cells. All sizes in cells; the budget is checked first (R9).
#pragma once

#include "sw/include/weir/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WEIR_ALPHA_1_128 = 0, WEIR_ALPHA_1 = 7, WEIR_ALPHA_8 = 10 };  ///< index i means 2^(i - 7)

struct weir_pool_config {
    bool egress;
    uint32_t cells;     ///< Service; 0: no such pool
    uint32_t headroom;  ///< shared headroom, besides `cells`; ingress only
};
struct weir_pool_usage {
    uint32_t used, free, headroom_used;
};

/// Direction can change only while the pool has no size. Bring-up gives the whole buffer to the egress pool of the last
/// index; to divide it, set that one and others together (weir_pools_set).
weir_status weir_pool_set(struct weir_dev* dev, uint32_t pool, const struct weir_pool_config* config);
weir_status weir_pool_get(struct weir_dev* dev, uint32_t pool, struct weir_pool_config* config);
weir_status weir_pool_usage_get(struct weir_dev* dev, uint32_t pool, struct weir_pool_usage* usage);
/// Peaks since they were last taken; they restart at the present use (R10). A null pointer leaves that one alone.
weir_status weir_pool_peak_take(struct weir_dev* dev, uint32_t pool, uint32_t* used, uint32_t* headroom);
/// Changes several pools at once, shrinking ones first, so that the budget holds at every step.
weir_status weir_pools_set(struct weir_dev* dev, const uint32_t* pools, const struct weir_pool_config* configs,
                           uint32_t count);

struct weir_group_config {
    bool enabled, lossless, dynamic, service_after_xoff, judge_total, shared_headroom, xon_absolute;
    uint32_t alpha;  ///< index, see WEIR_ALPHA_1; unused unless dynamic
    uint32_t pool;
    uint32_t guaranteed;
    uint32_t limit;       ///< static Service limit, or WEIR_CELLS_UNLIMITED
    uint32_t xoff;        ///< watermark on Service, or WEIR_CELLS_UNLIMITED: the limit alone decides
    uint32_t xon_offset;  ///< below XOFF
    uint32_t xon_floor;
    uint32_t headroom;  ///< private, or this group's part of the pool's
};
struct weir_group_usage {
    uint32_t used, guaranteed, service, headroom;
    uint32_t limit, xoff;  ///< as they are now; WEIR_CELLS_UNLIMITED: none
    bool paused;
};

/// Refuses XON >= XOFF and XOFF 0 of a lossless group, an over-committed budget, a pool of the wrong direction.
weir_status weir_group_set(struct weir_dev* dev, uint32_t port, uint32_t group, const struct weir_group_config* config);
weir_status weir_group_get(struct weir_dev* dev, uint32_t port, uint32_t group, struct weir_group_config* config);
weir_status weir_group_usage_get(struct weir_dev* dev, uint32_t port, uint32_t group, struct weir_group_usage* usage);
/// Peaks since they were last taken: all cells, Service, Headroom. A null pointer leaves that one alone.
weir_status weir_group_peak_take(struct weir_dev* dev, uint32_t port, uint32_t group, uint32_t* used, uint32_t* service,
                                 uint32_t* headroom);

struct weir_queue_config {
    bool enabled, lossless, dynamic;
    bool dequeue;  ///< false: admits and does not send
    uint32_t alpha;
    uint32_t pool;
    uint32_t guaranteed;
    uint32_t limit;  ///< static Service limit, or WEIR_CELLS_UNLIMITED; unused when lossless
};
struct weir_queue_usage {
    uint32_t used, guaranteed, service;
    uint32_t limit;
};

weir_status weir_queue_set(struct weir_dev* dev, uint32_t port, uint32_t queue, const struct weir_queue_config* config);
weir_status weir_queue_get(struct weir_dev* dev, uint32_t port, uint32_t queue, struct weir_queue_config* config);
weir_status weir_queue_usage_get(struct weir_dev* dev, uint32_t port, uint32_t queue, struct weir_queue_usage* usage);
weir_status weir_queue_peak_take(struct weir_dev* dev, uint32_t port, uint32_t queue, uint32_t* used,
                                 uint32_t* service);

/// The whole buffer: cells free and in use.
weir_status weir_buffer_usage_get(struct weir_dev* dev, uint32_t* free_cells, uint32_t* used);
/// Most cells in use since the last call.
weir_status weir_buffer_peak_take(struct weir_dev* dev, uint32_t* used);
/// When cells of a sent frame are free again (R7): as its transmission starts, or as it ends.
weir_status weir_buffer_return_at_end(struct weir_dev* dev, bool at_end);

enum weir_buffer_error {
    WEIR_BUFFER_OVERCOMMIT_INGRESS = 1,
    WEIR_BUFFER_OVERCOMMIT_EGRESS = 2,
    WEIR_BUFFER_XON_NOT_BELOW_XOFF = 4,
    WEIR_BUFFER_XOFF_ZERO = 8,
    WEIR_BUFFER_UNDERFLOW = 16
};
/// Reads and clears what the device found wrong; by how many cells each direction is over-committed (2 numbers).
weir_status weir_buffer_errors_take(struct weir_dev* dev, uint32_t* errors, uint32_t overcommit[2]);

/// Cells that a frame of that many octets takes (R1), FCS counted.
uint32_t weir_cells_of_frame(const struct weir_dev* dev, uint32_t octets);

#ifdef __cplusplus
}
#endif
