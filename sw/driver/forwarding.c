// SPDX-License-Identifier: Apache-2.0
// The forwarding tables: key, result, START, bounded wait for DONE or NACK, acknowledge.
#include "sw/include/weir/forwarding.h"

#include "sw/driver/access.h"

enum { KEY_WORDS = 8, LENGTH_WORD = 4 };

static weir_status refused(struct weir_dev* dev, uint32_t reason) {
    switch (reason) {
        case WEIR_FWD_STATUS_REASON_NOT_FOUND:
            return weir_fail(dev, WEIR_E_NOT_FOUND, "no such entry");
        case WEIR_FWD_STATUS_REASON_FULL:
            return weir_fail(dev, WEIR_E_TABLE_FULL, "the table is full");
        case WEIR_FWD_STATUS_REASON_BAD_KEY:
            return weir_fail(dev, WEIR_E_BAD_KEY, "the device refused the key");
        case WEIR_FWD_STATUS_REASON_ECC:
            return weir_fail(dev, WEIR_E_ECC, "the entry has a bit error that cannot be corrected: write it again");
        default:
            return weir_fail(dev, WEIR_E_BUSY, "the forwarding unit is busy");
    }
}

static weir_status command(struct weir_dev* dev, uint32_t op, uint32_t table) {
    const uint32_t over = WEIR_FWD_STATUS_DONE_MASK | WEIR_FWD_STATUS_NACK_MASK;
    WEIR_TRY(weir_write(dev, weir_reg_fwd_status(), over));
    uint32_t word = weir_fwd_command_start_set(0, 1);
    word = weir_fwd_command_table_set(weir_fwd_command_op_set(word, op), table);
    WEIR_TRY(weir_write(dev, weir_reg_fwd_command(), word));
    uint32_t status = 0;
    weir_status polled =
        weir_poll(dev, weir_reg_fwd_status(), WEIR_FWD_STATUS_BUSY_MASK, 0, dev->timing.table, &status);
    if (polled == WEIR_E_TIMEOUT) return weir_fail(dev, WEIR_E_TIMEOUT, "a table command did not end in time");
    WEIR_TRY(polled);
    WEIR_TRY(weir_write(dev, weir_reg_fwd_status(), status & over));
    if ((status & WEIR_FWD_STATUS_NACK_MASK) != 0) return refused(dev, weir_fwd_status_reason_get(status));
    if ((status & WEIR_FWD_STATUS_DONE_MASK) != 0) return WEIR_OK;
    return weir_fail(dev, WEIR_E_TIMEOUT, "a table command ended without done or nack");
}

weir_status weir_table_errors_take(struct weir_dev* dev, uint8_t* corrected, uint8_t* lost) {
    WEIR_TRY(weir_check_started(dev));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_fwd_ecc(), &word));
    *corrected = (uint8_t)weir_fwd_ecc_single_get(word);
    *lost = (uint8_t)weir_fwd_ecc_double_get(word);
    return word == 0 ? WEIR_OK : weir_write(dev, weir_reg_fwd_ecc(), word);
}

static weir_status write_key(struct weir_dev* dev, const uint32_t key[KEY_WORDS]) {
    for (uint32_t i = 0; i <= LENGTH_WORD; ++i) WEIR_TRY(weir_write(dev, weir_reg_fwd_key(i), key[i]));
    return WEIR_OK;
}

static weir_status check_target(struct weir_dev* dev, struct weir_target target) {
    switch (target.kind) {
        case WEIR_TARGET_PORT:
            return weir_check_index(dev, "port", target.index, dev->caps.ports);
        case WEIR_TARGET_ECMP:
            if (!dev->caps.ecmp) return weir_fail(dev, WEIR_E_UNSUPPORTED, "this chip has no ECMP");
            return weir_check_index(dev, "ECMP group", target.index, WEIR_FWD_RESULT_TARGET_MAX + 1);
        case WEIR_TARGET_CPU:
            if (!dev->caps.cpu) return weir_fail(dev, WEIR_E_UNSUPPORTED, "this chip has no CPU port");
            return WEIR_OK;
        case WEIR_TARGET_DROP:
            return WEIR_OK;
    }
    return weir_fail(dev, WEIR_E_RANGE, "a target is drop, port, ecmp or cpu");
}

static weir_status put(struct weir_dev* dev, uint32_t table, const uint32_t key[KEY_WORDS], struct weir_target target) {
    WEIR_TRY(check_target(dev, target));
    WEIR_TRY(write_key(dev, key));
    uint32_t word = weir_fwd_result_kind_set(0, (uint32_t)target.kind);
    WEIR_TRY(weir_write(dev, weir_reg_fwd_result(), weir_fwd_result_target_set(word, target.index)));
    return command(dev, WEIR_FWD_COMMAND_OP_WRITE, table);
}

static weir_status look_up(struct weir_dev* dev, uint32_t table, const uint32_t key[KEY_WORDS],
                           struct weir_target* target) {
    uint32_t word = 0;
    WEIR_TRY(write_key(dev, key));
    WEIR_TRY(command(dev, WEIR_FWD_COMMAND_OP_READ, table));
    WEIR_TRY(weir_read(dev, weir_reg_fwd_result(), &word));
    target->kind = (weir_target_kind)weir_fwd_result_kind_get(word);
    target->index = weir_fwd_result_target_get(word);
    return WEIR_OK;
}

static weir_status drop(struct weir_dev* dev, uint32_t table, const uint32_t key[KEY_WORDS]) {
    WEIR_TRY(write_key(dev, key));
    return command(dev, WEIR_FWD_COMMAND_OP_DELETE, table);
}

// Several accesses that belong together: nobody else's key may get in between.
static void begin(struct weir_dev* dev) {
    if (dev->hal.lock != NULL) dev->hal.lock(dev->hal.ctx);
}

static weir_status end(struct weir_dev* dev, weir_status status) {
    if (dev->hal.unlock != NULL) dev->hal.unlock(dev->hal.ctx);
    return status;
}

static weir_status mac_key(struct weir_dev* dev, const uint8_t a[6], uint32_t key[KEY_WORDS]) {
    WEIR_TRY(weir_check_started(dev));
    key[0] = ((uint32_t)a[2] << 24) | ((uint32_t)a[3] << 16) | ((uint32_t)a[4] << 8) | a[5];
    key[1] = ((uint32_t)a[0] << 8) | a[1];
    return WEIR_OK;
}

static weir_status prefix_key(struct weir_dev* dev, const uint32_t* words, uint32_t count, uint32_t length,
                              uint32_t key[KEY_WORDS]) {
    WEIR_TRY(weir_check_started(dev));
    if (length > count * 32) return weir_fail(dev, WEIR_E_RANGE, "prefix length %u: 0 to %u", length, count * 32);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t in_word = length <= i * 32 ? 0 : length - i * 32;
        const uint32_t host = in_word >= 32 ? 0 : UINT32_MAX >> in_word;
        if ((words[i] & host) != 0)
            return weir_fail(dev, WEIR_E_RANGE, "the prefix has bits set beyond its length of %u", length);
        key[i] = words[i];
    }
    key[LENGTH_WORD] = length;
    return WEIR_OK;
}

static weir_status ipv6_key(struct weir_dev* dev, const uint8_t a[16], uint32_t length, uint32_t key[KEY_WORDS]) {
    uint32_t words[4];
    for (uint32_t i = 0; i < 4; ++i)
        words[i] =
            ((uint32_t)a[4 * i] << 24) | ((uint32_t)a[4 * i + 1] << 16) | ((uint32_t)a[4 * i + 2] << 8) | a[4 * i + 3];
    return prefix_key(dev, words, 4, length, key);
}

weir_status weir_mac_set(struct weir_dev* dev, const uint8_t address[6], struct weir_target target) {
    uint32_t key[KEY_WORDS] = {0};
    WEIR_TRY(mac_key(dev, address, key));
    begin(dev);
    return end(dev, put(dev, WEIR_FWD_COMMAND_TABLE_MAC, key, target));
}

weir_status weir_mac_get(struct weir_dev* dev, const uint8_t address[6], struct weir_target* target) {
    uint32_t key[KEY_WORDS] = {0};
    WEIR_TRY(mac_key(dev, address, key));
    begin(dev);
    return end(dev, look_up(dev, WEIR_FWD_COMMAND_TABLE_MAC, key, target));
}

weir_status weir_mac_remove(struct weir_dev* dev, const uint8_t address[6]) {
    uint32_t key[KEY_WORDS] = {0};
    WEIR_TRY(mac_key(dev, address, key));
    begin(dev);
    return end(dev, drop(dev, WEIR_FWD_COMMAND_TABLE_MAC, key));
}

weir_status weir_ipv4_set(struct weir_dev* dev, uint32_t address, uint32_t length, struct weir_target target) {
    uint32_t key[KEY_WORDS] = {0};
    WEIR_TRY(prefix_key(dev, &address, 1, length, key));
    begin(dev);
    return end(dev, put(dev, WEIR_FWD_COMMAND_TABLE_IPV4, key, target));
}

weir_status weir_ipv4_get(struct weir_dev* dev, uint32_t address, uint32_t length, struct weir_target* target) {
    uint32_t key[KEY_WORDS] = {0};
    WEIR_TRY(prefix_key(dev, &address, 1, length, key));
    begin(dev);
    return end(dev, look_up(dev, WEIR_FWD_COMMAND_TABLE_IPV4, key, target));
}

weir_status weir_ipv4_remove(struct weir_dev* dev, uint32_t address, uint32_t length) {
    uint32_t key[KEY_WORDS] = {0};
    WEIR_TRY(prefix_key(dev, &address, 1, length, key));
    begin(dev);
    return end(dev, drop(dev, WEIR_FWD_COMMAND_TABLE_IPV4, key));
}

weir_status weir_ipv6_set(struct weir_dev* dev, const uint8_t address[16], uint32_t length, struct weir_target target) {
    uint32_t key[KEY_WORDS] = {0};
    WEIR_TRY(ipv6_key(dev, address, length, key));
    begin(dev);
    return end(dev, put(dev, WEIR_FWD_COMMAND_TABLE_IPV6, key, target));
}

weir_status weir_ipv6_get(struct weir_dev* dev, const uint8_t address[16], uint32_t length,
                          struct weir_target* target) {
    uint32_t key[KEY_WORDS] = {0};
    WEIR_TRY(ipv6_key(dev, address, length, key));
    begin(dev);
    return end(dev, look_up(dev, WEIR_FWD_COMMAND_TABLE_IPV6, key, target));
}

weir_status weir_ipv6_remove(struct weir_dev* dev, const uint8_t address[16], uint32_t length) {
    uint32_t key[KEY_WORDS] = {0};
    WEIR_TRY(ipv6_key(dev, address, length, key));
    begin(dev);
    return end(dev, drop(dev, WEIR_FWD_COMMAND_TABLE_IPV6, key));
}

static weir_status write_members(struct weir_dev* dev, uint32_t group, const uint32_t* members, uint32_t count) {
    const uint32_t key[KEY_WORDS] = {group};
    WEIR_TRY(write_key(dev, key));
    for (uint32_t i = 0; i < count; ++i)
        WEIR_TRY(weir_write(dev, weir_reg_fwd_members(i), weir_fwd_members_port_set(0, members[i])));
    WEIR_TRY(weir_write(dev, weir_reg_fwd_member_count(), weir_fwd_member_count_count_set(0, count)));
    return command(dev, WEIR_FWD_COMMAND_OP_WRITE, WEIR_FWD_COMMAND_TABLE_ECMP);
}

weir_status weir_ecmp_set(struct weir_dev* dev, uint32_t group, const uint32_t* members, uint32_t count) {
    WEIR_TRY(weir_check_started(dev));
    if (!dev->caps.ecmp) return weir_fail(dev, WEIR_E_UNSUPPORTED, "this chip has no ECMP");
    if (count == 0 || count > WEIR_MAX_MEMBERS)
        return weir_fail(dev, WEIR_E_RANGE, "%u members: 1 to %u", count, (uint32_t)WEIR_MAX_MEMBERS);
    for (uint32_t i = 0; i < count; ++i) WEIR_TRY(weir_check_port(dev, members[i], false));
    begin(dev);
    return end(dev, write_members(dev, group, members, count));
}

static weir_status read_members(struct weir_dev* dev, uint32_t group, uint32_t* members, uint32_t* count) {
    const uint32_t key[KEY_WORDS] = {group};
    uint32_t word = 0;
    WEIR_TRY(write_key(dev, key));
    WEIR_TRY(command(dev, WEIR_FWD_COMMAND_OP_READ, WEIR_FWD_COMMAND_TABLE_ECMP));
    WEIR_TRY(weir_read(dev, weir_reg_fwd_member_count(), &word));
    *count = weir_fwd_member_count_count_get(word);
    if (*count > WEIR_MAX_MEMBERS) *count = WEIR_MAX_MEMBERS;
    for (uint32_t i = 0; i < *count; ++i) {
        WEIR_TRY(weir_read(dev, weir_reg_fwd_members(i), &word));
        members[i] = weir_fwd_members_port_get(word);
    }
    return WEIR_OK;
}

weir_status weir_ecmp_get(struct weir_dev* dev, uint32_t group, uint32_t* members, uint32_t* count) {
    WEIR_TRY(weir_check_started(dev));
    begin(dev);
    return end(dev, read_members(dev, group, members, count));
}

weir_status weir_ecmp_remove(struct weir_dev* dev, uint32_t group) {
    WEIR_TRY(weir_check_started(dev));
    const uint32_t key[KEY_WORDS] = {group};
    begin(dev);
    return end(dev, drop(dev, WEIR_FWD_COMMAND_TABLE_ECMP, key));
}

weir_status weir_ecmp_seed_set(struct weir_dev* dev, uint32_t seed) {
    WEIR_TRY(weir_check_started(dev));
    return weir_set(dev, weir_reg_fwd_ecmp_seed(), seed);
}

weir_status weir_learning_set(struct weir_dev* dev, bool on, bool control_frames) {
    WEIR_TRY(weir_check_started(dev));
    const uint32_t word = weir_fwd_learning_enable_set(0, on ? 1 : 0);
    return weir_set(dev, weir_reg_fwd_learning(), weir_fwd_learning_control_set(word, control_frames ? 1 : 0));
}

weir_status weir_learning_get(struct weir_dev* dev, bool* on, bool* control_frames) {
    WEIR_TRY(weir_check_started(dev));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_fwd_learning(), &word));
    *on = weir_fwd_learning_enable_get(word) != 0;
    *control_frames = weir_fwd_learning_control_get(word) != 0;
    return WEIR_OK;
}

weir_status weir_learning_counters_get(struct weir_dev* dev, struct weir_learning_counters* counters) {
    WEIR_TRY(weir_check_started(dev));
    WEIR_TRY(weir_read64(dev, weir_reg_fwd_learned(), &counters->learned));
    WEIR_TRY(weir_read64(dev, weir_reg_fwd_moved(), &counters->moved));
    return weir_read64(dev, weir_reg_fwd_not_learned(), &counters->not_learned);
}

weir_status weir_table_usage_get(struct weir_dev* dev, weir_table table, uint32_t* used, uint32_t* capacity) {
    WEIR_TRY(weir_check_index(dev, "table", (uint32_t)table, WEIR_DIM_TABLES));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_fwd_used((uint32_t)table), &word));
    *used = weir_fwd_used_entries_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_fwd_capacity((uint32_t)table), &word));
    *capacity = weir_fwd_capacity_entries_get(word);
    return WEIR_OK;
}
