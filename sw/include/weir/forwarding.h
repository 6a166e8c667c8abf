// SPDX-License-Identifier: Apache-2.0
// Forwarding: MAC addresses, IPv4 and IPv6 prefixes, ECMP groups; learning of MAC addresses.
#pragma once

#include "sw/include/weir/device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum weir_target_kind {
    WEIR_TARGET_DROP = 0,
    WEIR_TARGET_PORT = 1,
    WEIR_TARGET_ECMP = 2,
    WEIR_TARGET_CPU = 3
} weir_target_kind;

struct weir_target {
    weir_target_kind kind;
    uint32_t index;  ///< front port or ECMP group
};
enum { WEIR_MAX_MEMBERS = 16 };
typedef enum weir_table {
    WEIR_TABLE_MAC = 0,
    WEIR_TABLE_IPV4 = 1,
    WEIR_TABLE_IPV6 = 2,
    WEIR_TABLE_ECMP = 3
} weir_table;

/// An entry that is there already is replaced. Addresses as on the wire, octet 0 first.
weir_status weir_mac_set(struct weir_dev* dev, const uint8_t address[6], struct weir_target target);
weir_status weir_mac_get(struct weir_dev* dev, const uint8_t address[6], struct weir_target* target);
weir_status weir_mac_remove(struct weir_dev* dev, const uint8_t address[6]);

/// length 0 to 32; host bits must be 0.
weir_status weir_ipv4_set(struct weir_dev* dev, uint32_t address, uint32_t length, struct weir_target target);
weir_status weir_ipv4_get(struct weir_dev* dev, uint32_t address, uint32_t length, struct weir_target* target);
weir_status weir_ipv4_remove(struct weir_dev* dev, uint32_t address, uint32_t length);

/// length 0 to 128; host bits must be 0.
weir_status weir_ipv6_set(struct weir_dev* dev, const uint8_t address[16], uint32_t length, struct weir_target target);
weir_status weir_ipv6_get(struct weir_dev* dev, const uint8_t address[16], uint32_t length, struct weir_target* target);
weir_status weir_ipv6_remove(struct weir_dev* dev, const uint8_t address[16], uint32_t length);

/// 1 to 16 front ports; one may stand there several times, as a weight.
weir_status weir_ecmp_set(struct weir_dev* dev, uint32_t group, const uint32_t* members, uint32_t count);
/// `members` has room for WEIR_MAX_MEMBERS.
weir_status weir_ecmp_get(struct weir_dev* dev, uint32_t group, uint32_t* members, uint32_t* count);
weir_status weir_ecmp_remove(struct weir_dev* dev, uint32_t group);
weir_status weir_ecmp_seed_set(struct weir_dev* dev, uint32_t seed);

/// Whether source addresses are entered into the MAC table, and MAC Control frames' too. Entries of software stay as
/// they are. Off after reset.
weir_status weir_learning_set(struct weir_dev* dev, bool on, bool control_frames);
weir_status weir_learning_get(struct weir_dev* dev, bool* on, bool* control_frames);

struct weir_learning_counters {
    uint64_t learned;      ///< addresses entered
    uint64_t moved;        ///< times that one came in by another port than before
    uint64_t not_learned;  ///< frames whose address found no room
};
weir_status weir_learning_counters_get(struct weir_dev* dev, struct weir_learning_counters* counters);

weir_status weir_table_usage_get(struct weir_dev* dev, weir_table table, uint32_t* used, uint32_t* capacity);

/// Tables whose memories had bit errors since this was called last, bit n for table n: corrected, and not. What was not
/// is WEIR_E_ECC to whoever reads the entry, until it is written again. Interrupt cause: WEIR_INT_ECC.
weir_status weir_table_errors_take(struct weir_dev* dev, uint8_t* corrected, uint8_t* lost);

#ifdef __cplusplus
}
#endif
