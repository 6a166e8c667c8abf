// SPDX-License-Identifier: Apache-2.0
// The device: bring-up, what the chip has, and how a change is made whole or not at all.
//
//   weir_device_start ─► capabilities ─► block calls (buffer.h, port.h, pfc.h, …), each checked before it writes
#pragma once

#include <stddef.h>

#include "sw/hal/hal.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WEIR_MAX_PORTS = 129,          ///< 128 front ports and the CPU port
    WEIR_MAX_GROUPS = 8,           ///< priority groups, queues, priorities, classes of a port
    WEIR_JOURNAL_ENTRIES = 16384,  ///< register writes that one change can take back
    WEIR_MESSAGE_OCTETS = 256
};

/// In sizes and thresholds: no limit. Written to a register as its field's greatest value.
#define WEIR_CELLS_UNLIMITED UINT32_MAX

/// What the chip says it has. Nothing in the driver assumes a size that is not here.
struct weir_capabilities {
    uint32_t ports;     ///< front ports: 0 to ports - 1
    uint32_t cpu_port;  ///< index of the CPU port
    uint32_t groups, queues, priorities;
    uint32_t cells;  ///< of the packet memory
    uint32_t cell_octets;
    uint32_t frame_overhead;  ///< octets stored besides the frame (R1)
    uint32_t pools, wred_profiles;
    uint32_t max_port_headroom;  ///< cells of private headroom a port; 0: no limit of its own
    uint32_t core_khz;
    uint32_t map_major, map_minor, map_hash;
    bool dynamic_limits, shared_headroom, wred, ecn, pause, ecmp, cpu, pfc_watchdog;
};

/// How much of the packet memory is promised, in cells (R9). Index 0 ingress, 1 egress.
struct weir_budget {
    uint32_t guaranteed;
    uint32_t headroom;         ///< private headroom of all groups
    uint32_t shared_headroom;  ///< of all pools
    uint32_t pools;            ///< Service of all pools
};

/// What an operator wants of a port's lossless groups; applied to every group that PFC is enabled for.
struct weir_pfc_profile {
    bool xoff_given, xon_given, headroom_given;
    uint32_t xoff, xon_offset, headroom;  ///< cells; xon_offset lies below XOFF (R6)
};

/// What the driver remembers of a port besides what registers hold: wishes that a port that is down cannot show.
struct weir_port_state {
    uint8_t pfc_tx, pfc_rx;       ///< priorities wanted
    uint8_t enabled;              ///< priorities enabled as a whole (weir_pfc_enable)
    uint8_t fixed_group;          ///< priorities whose group was set by hand
    uint8_t fixed_queue;          ///< priorities whose queue was set by hand
    uint8_t dequeue;              ///< queues that may send
    uint8_t watchdog;             ///< queues that the hardware watchdog watches
    bool pause_rx, pause_tx, up;  ///< 802.3x wanted; administratively up
    uint32_t headroom;            ///< cells of private headroom in use by the port's groups
    struct weir_pfc_profile profile;
};

/// How long the driver waits, in ns. Set before weir_device_start; zeros become the defaults in brackets.
struct weir_timing {
    uint64_t before_reset;   ///< [10 us] from power to the first access
    uint64_t reset;          ///< [10 ms] for soft reset to end
    uint64_t init;           ///< [100 ms] for memories to clear and for the core to get ready
    uint64_t table;          ///< [1 ms] for a table command
    uint64_t flush;          ///< [10 ms] for a port's queues to empty
    uint64_t cpu;            ///< [1 ms] for the CPU port to take a frame
    uint64_t poll_interval;  ///< [1 us] between two looks; doubles up to 64 times this
};

struct weir_journal_entry {
    uint32_t address;
    uint32_t old;
};

/// One device. The caller provides the memory; nothing is allocated. Fields are for reading only, timing excepted.
struct weir_dev {
    struct weir_hal hal;
    struct weir_timing timing;
    struct weir_capabilities caps;
    struct weir_budget budget[2];
    struct weir_port_state ports[WEIR_MAX_PORTS];
    bool started;
    bool default_egress;                ///< the last pool is still the one that bring-up made
    uint64_t reads, writes;             ///< register accesses since weir_device_start began
    char message[WEIR_MESSAGE_OCTETS];  ///< about the last call that failed: what is wrong and what would be right

    uint32_t depth;  ///< of nested changes
    bool failed;
    uint32_t journal_used;
    struct weir_journal_entry journal[WEIR_JOURNAL_ENTRIES];
    struct weir_budget saved_budget[2];
    struct weir_port_state saved_ports[WEIR_MAX_PORTS];
    bool saved_default_egress;
};

/// Brings the device up: wait, soft reset, identity, map, scratch walk, clock, memories, core, interrupts masked and
/// sticky bits cleared, capabilities, defaults. Counters are zero afterwards. Every wait is bounded.
///
/// Defaults afterwards, all through registers: no ingress pool, all groups enabled, lossy, in pool 0 (the first that an
/// operator makes); one egress pool of the whole buffer (the last index), all queues in it; DSCP trusted; class n uses
/// queue n; PFC priority n stops queue n; PFC off; ports down.
weir_status weir_device_start(struct weir_dev* dev, const struct weir_hal* hal);

/// Takes over a device that somebody has brought up, without touching it: what it is, what it has, how its memory is
/// divided and how its ports are set is read back; nothing is written, cleared or restarted, and traffic goes on.
/// WEIR_E_NOT_STARTED when it is not up. What no register tells is taken as it usually is: of a port that is down,
/// priorities whose groups are lossless are wanted in both directions; the names of the shell's pools are not known.
weir_status weir_device_attach(struct weir_dev* dev, const struct weir_hal* hal);

/// The text of dev->message, or of the status when there is none. Never null.
const char* weir_device_message(const struct weir_dev* dev, weir_status status);

/// Groups several calls into one change: on the first failure everything since the outermost begin is taken back.
/// Returns the status that it was given, so that it can end a function: `return weir_change_end(dev, status)`.
void weir_change_begin(struct weir_dev* dev);
weir_status weir_change_end(struct weir_dev* dev, weir_status status);

/// Interrupt causes, as bits of global.int_status turned into this order.
enum weir_interrupt {
    WEIR_INT_ACCESS_ERROR = 1,
    WEIR_INT_CONFIG_ERROR = 2,
    WEIR_INT_LINK = 4,
    WEIR_INT_CPU_RX = 8,
    WEIR_INT_FAULT = 16,
    WEIR_INT_THRESHOLD = 32,
    WEIR_INT_CONFORMANCE = 64,
    WEIR_INT_WATCHDOG = 128,
    WEIR_INT_STALL = 256,
    WEIR_INT_ECC = 512
};
weir_status weir_interrupts_enable(struct weir_dev* dev, uint32_t causes);
/// Reads and clears the causes that are set.
weir_status weir_interrupts_take(struct weir_dev* dev, uint32_t* causes);
/// Waits for an enabled cause, then takes it. WEIR_E_TIMEOUT when none came, WEIR_E_UNSUPPORTED when the HAL cannot
/// wait.
weir_status weir_interrupts_wait(struct weir_dev* dev, uint64_t timeout_ns, uint32_t* causes);

/// Device time in ns since power-on.
weir_status weir_device_time(struct weir_dev* dev, uint64_t* ns);

/// One register by its address in the map; for bring-up tools. Counted like the driver's own accesses.
weir_status weir_register_read(struct weir_dev* dev, uint32_t address, uint32_t* value);
weir_status weir_register_write(struct weir_dev* dev, uint32_t address, uint32_t value);

#ifdef __cplusplus
}
#endif
