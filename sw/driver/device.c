// SPDX-License-Identifier: Apache-2.0
// Bring-up: from power to a device that other calls may use. Each step has its own failure.
//
//   wait ► soft reset ► id, map ► scratch ► clock ► memories ► core ► masks, stickies ► capabilities ► defaults
#include "sw/include/weir/device.h"

#include <string.h>

#include "sw/driver/access.h"
#include "sw/driver/device.h"

enum { DEVICE_ID = 0x5745 };

void weir_device_timing_defaults(struct weir_timing* t) {
    if (t->before_reset == 0) t->before_reset = 10000;
    if (t->reset == 0) t->reset = 10000000;
    if (t->init == 0) t->init = 100000000;
    if (t->table == 0) t->table = 1000000;
    if (t->flush == 0) t->flush = 10000000;
    if (t->cpu == 0) t->cpu = 1000000;
    if (t->poll_interval == 0) t->poll_interval = 1000;
}

static weir_status reset(struct weir_dev* dev) {
    weir_delay(dev, dev->timing.before_reset);
    WEIR_TRY(weir_write(dev, weir_reg_global_sw_reset(), WEIR_GLOBAL_SW_RESET_SOFT_MASK));
    weir_status status =
        weir_poll(dev, weir_reg_global_sw_reset(), WEIR_GLOBAL_SW_RESET_SOFT_MASK, 0, dev->timing.reset, NULL);
    if (status == WEIR_E_TIMEOUT) return weir_fail(dev, WEIR_E_RESET_TIMEOUT, "sw_reset.soft stays 1");
    return status;
}

weir_status weir_device_identify(struct weir_dev* dev) {
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_global_dev_id(), &word));
    uint32_t id = weir_global_dev_id_id_get(word);
    if (id != DEVICE_ID)
        return weir_fail(dev, WEIR_E_DEVICE, "device id 0x%x: this driver knows 0x%x", id, (uint32_t)DEVICE_ID);
    WEIR_TRY(weir_read(dev, weir_reg_global_rev(), &word));
    dev->caps.map_major = weir_global_rev_major_get(word);
    dev->caps.map_minor = weir_global_rev_minor_get(word);
    dev->caps.map_hash = weir_global_rev_map_hash_get(word);
    if (dev->caps.map_major != WEIR_MAP_MAJOR || dev->caps.map_hash != WEIR_MAP_HASH)
        return weir_fail(dev, WEIR_E_VERSION,
                         "device has map %u.%u hash 0x%x, the driver was built for %u.%u hash 0x%x",
                         dev->caps.map_major, dev->caps.map_minor, dev->caps.map_hash, WEIR_MAP_MAJOR, WEIR_MAP_MINOR,
                         WEIR_MAP_HASH);
    return WEIR_OK;
}

static weir_status try_scratch(struct weir_dev* dev, uint32_t pattern) {
    uint32_t back = 0;
    WEIR_TRY(weir_write(dev, weir_reg_global_scratch(), pattern));
    WEIR_TRY(weir_read(dev, weir_reg_global_scratch(), &back));
    if (back == pattern) return WEIR_OK;
    return weir_fail(dev, WEIR_E_SCRATCH, "scratch: wrote 0x%x, read 0x%x", pattern, back);
}

static weir_status walk_scratch(struct weir_dev* dev) {
    for (uint32_t bit = 0; bit < 32; ++bit) WEIR_TRY(try_scratch(dev, 1u << bit));
    WEIR_TRY(try_scratch(dev, 0x01020304u));
    WEIR_TRY(try_scratch(dev, 0xffffffffu));
    return try_scratch(dev, 0);
}

static weir_status initialise(struct weir_dev* dev) {
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_global_core_clock(), &word));
    dev->caps.core_khz = weir_global_core_clock_khz_get(word);
    if (dev->caps.core_khz == 0) return weir_fail(dev, WEIR_E_CLOCK, "core_clock reads 0 kHz");

    WEIR_TRY(weir_write(dev, weir_reg_global_init(), WEIR_GLOBAL_INIT_RAM_MASK));
    weir_status status = weir_poll(dev, weir_reg_global_init_status(), WEIR_GLOBAL_INIT_STATUS_RAM_DONE_MASK,
                                   WEIR_GLOBAL_INIT_STATUS_RAM_DONE_MASK, dev->timing.init, NULL);
    if (status == WEIR_E_TIMEOUT) return weir_fail(dev, WEIR_E_INIT_TIMEOUT, "init_status.ram_done stays 0");
    WEIR_TRY(status);
    WEIR_TRY(weir_write(dev, weir_reg_global_init(), WEIR_GLOBAL_INIT_CORE_ENABLE_MASK));
    status = weir_poll(dev, weir_reg_global_init_status(), WEIR_GLOBAL_INIT_STATUS_READY_MASK,
                       WEIR_GLOBAL_INIT_STATUS_READY_MASK, dev->timing.init, NULL);
    if (status == WEIR_E_TIMEOUT) return weir_fail(dev, WEIR_E_INIT_TIMEOUT, "init_status.ready stays 0");
    return status;
}

static weir_status quieten(struct weir_dev* dev) {
    WEIR_TRY(weir_write(dev, weir_reg_global_int_mask(), 0));
    WEIR_TRY(weir_write(dev, weir_reg_bm_error(), UINT32_MAX));
    WEIR_TRY(weir_write(dev, weir_reg_global_access_error(), UINT32_MAX));
    return weir_write(dev, weir_reg_global_int_status(), UINT32_MAX);
}

weir_status weir_device_capabilities(struct weir_dev* dev) {
    struct weir_capabilities* c = &dev->caps;
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_global_features(), &word));
    c->dynamic_limits = weir_global_features_dynamic_limits_get(word) != 0;
    c->shared_headroom = weir_global_features_shared_headroom_get(word) != 0;
    c->wred = weir_global_features_wred_get(word) != 0;
    c->ecn = weir_global_features_ecn_get(word) != 0;
    c->pause = weir_global_features_pause_get(word) != 0;
    c->ecmp = weir_global_features_ecmp_get(word) != 0;
    c->pfc_watchdog = weir_global_features_pfc_watchdog_get(word) != 0;
    c->cpu = weir_global_features_cpu_port_get(word) != 0;
    WEIR_TRY(weir_read(dev, weir_reg_global_cap_ports(), &word));
    c->ports = weir_global_cap_ports_front_get(word);
    c->cpu_port = weir_global_cap_ports_cpu_port_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_global_cap_queues(), &word));
    c->groups = weir_global_cap_queues_groups_get(word);
    c->queues = weir_global_cap_queues_queues_get(word);
    c->priorities = weir_global_cap_queues_priorities_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_bm_cap_cells(), &word));
    c->cells = weir_bm_cap_cells_cells_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_bm_cap_cell(), &word));
    c->cell_octets = weir_bm_cap_cell_octets_get(word);
    c->frame_overhead = weir_bm_cap_cell_frame_overhead_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_bm_cap_pools(), &word));
    c->pools = weir_bm_cap_pools_pools_get(word);
    c->wred_profiles = weir_bm_cap_pools_wred_profiles_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_bm_cap_headroom(), &word));
    c->max_port_headroom = weir_bm_cap_headroom_cells_get(word);

    if (c->ports + 1 > WEIR_DIM_PORTS || c->ports + 1 > WEIR_MAX_PORTS || c->ports == 0 || c->cpu_port != c->ports)
        return weir_fail(dev, WEIR_E_RANGE, "the chip says %u front ports, CPU port %u: the map has room for %u",
                         c->ports, c->cpu_port, (uint32_t)WEIR_DIM_PORTS);
    if (c->groups > WEIR_MAX_GROUPS || c->queues > WEIR_MAX_GROUPS || c->priorities > WEIR_MAX_GROUPS)
        return weir_fail(dev, WEIR_E_RANGE, "the chip says more than %u groups or queues", (uint32_t)WEIR_MAX_GROUPS);
    if (c->cells == 0 || c->cell_octets == 0 || c->pools < 2)
        return weir_fail(dev, WEIR_E_RANGE, "the chip says %u cells of %u octets and %u pools", c->cells,
                         c->cell_octets, c->pools);
    return WEIR_OK;
}

static weir_status program_defaults(struct weir_dev* dev) {
    const struct weir_capabilities* c = &dev->caps;
    const uint32_t egress = c->pools - 1;
    WEIR_TRY(weir_write(dev, weir_reg_bm_pool_mode(egress), WEIR_BM_POOL_MODE_EGRESS_MASK));
    WEIR_TRY(weir_write(dev, weir_reg_bm_pool_size(egress), weir_bm_pool_size_cells_set(0, c->cells)));
    dev->budget[1].pools = c->cells;
    dev->default_egress = true;
    uint32_t queue_mode = weir_queue_mode_enable_set(0, 1);
    queue_mode = weir_queue_mode_dequeue_enable_set(queue_mode, 1);
    queue_mode = weir_queue_mode_pool_set(queue_mode, egress);
    for (uint32_t port = 0; port <= c->ports; ++port) {
        for (uint32_t n = 0; n < c->groups; ++n)
            WEIR_TRY(weir_write(dev, weir_reg_pg_mode(port, n), weir_pg_mode_enable_set(0, 1)));
        for (uint32_t n = 0; n < c->queues; ++n) {
            WEIR_TRY(weir_write(dev, weir_reg_queue_mode(port, n), queue_mode));
            WEIR_TRY(weir_write(dev, weir_reg_map_tc_queue(port, n), weir_map_tc_queue_queue_set(0, n)));
        }
        for (uint32_t n = 0; n < c->priorities; ++n) {
            uint32_t word = weir_map_priority_queues_queues_set(0, 1u << n);
            WEIR_TRY(weir_write(dev, weir_reg_map_priority_queues(port, n),
                                weir_map_priority_queues_masked(word, WEIR_MAP_PRIORITY_QUEUES_QUEUES_MASK)));
        }
        WEIR_TRY(weir_write(dev, weir_reg_map_trust(port), weir_map_trust_mode_set(0, WEIR_MAP_TRUST_MODE_DSCP)));
        memset(&dev->ports[port], 0, sizeof dev->ports[port]);
        dev->ports[port].dequeue = (uint8_t)((1u << c->queues) - 1);
    }
    return WEIR_OK;
}

weir_status weir_device_start(struct weir_dev* dev, const struct weir_hal* hal) {
    const struct weir_timing timing = dev->timing;
    memset(dev, 0, sizeof *dev);
    dev->timing = timing;
    dev->hal = *hal;
    weir_device_timing_defaults(&dev->timing);
    WEIR_TRY(reset(dev));
    WEIR_TRY(weir_device_identify(dev));
    WEIR_TRY(walk_scratch(dev));
    WEIR_TRY(initialise(dev));
    WEIR_TRY(quieten(dev));
    WEIR_TRY(weir_device_capabilities(dev));
    WEIR_TRY(program_defaults(dev));
    if (dev->hal.barrier != NULL) dev->hal.barrier(dev->hal.ctx);
    dev->started = true;
    weir_note(dev, WEIR_LOG_INFO, "device up: %u ports, %u cells of %u octets, %u pools", dev->caps.ports,
              dev->caps.cells, dev->caps.cell_octets, dev->caps.pools);
    return WEIR_OK;
}

const char* weir_device_message(const struct weir_dev* dev, weir_status status) {
    return status != WEIR_OK && dev->message[0] != '\0' ? dev->message : weir_status_text(status);
}

static uint32_t to_register(uint32_t causes) {
    uint32_t word = weir_global_int_mask_access_error_set(0, causes & WEIR_INT_ACCESS_ERROR ? 1 : 0);
    word = weir_global_int_mask_config_error_set(word, causes & WEIR_INT_CONFIG_ERROR ? 1 : 0);
    word = weir_global_int_mask_link_set(word, causes & WEIR_INT_LINK ? 1 : 0);
    word = weir_global_int_mask_cpu_rx_set(word, causes & WEIR_INT_CPU_RX ? 1 : 0);
    word = weir_global_int_mask_fault_set(word, causes & WEIR_INT_FAULT ? 1 : 0);
    word = weir_global_int_mask_threshold_set(word, causes & WEIR_INT_THRESHOLD ? 1 : 0);
    word = weir_global_int_mask_conformance_set(word, causes & WEIR_INT_CONFORMANCE ? 1 : 0);
    word = weir_global_int_mask_watchdog_set(word, causes & WEIR_INT_WATCHDOG ? 1 : 0);
    word = weir_global_int_mask_stall_set(word, causes & WEIR_INT_STALL ? 1 : 0);
    return weir_global_int_mask_ecc_set(word, causes & WEIR_INT_ECC ? 1 : 0);
}

weir_status weir_interrupts_enable(struct weir_dev* dev, uint32_t causes) {
    WEIR_TRY(weir_check_started(dev));
    return weir_write(dev, weir_reg_global_int_mask(), to_register(causes));
}

weir_status weir_interrupts_take(struct weir_dev* dev, uint32_t* causes) {
    WEIR_TRY(weir_check_started(dev));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_global_int_status(), &word));
    *causes = (weir_global_int_status_access_error_get(word) ? WEIR_INT_ACCESS_ERROR : 0u) |
              (weir_global_int_status_config_error_get(word) ? WEIR_INT_CONFIG_ERROR : 0u) |
              (weir_global_int_status_link_get(word) ? WEIR_INT_LINK : 0u) |
              (weir_global_int_status_cpu_rx_get(word) ? WEIR_INT_CPU_RX : 0u) |
              (weir_global_int_status_fault_get(word) ? WEIR_INT_FAULT : 0u) |
              (weir_global_int_status_threshold_get(word) ? WEIR_INT_THRESHOLD : 0u) |
              (weir_global_int_status_conformance_get(word) ? WEIR_INT_CONFORMANCE : 0u) |
              (weir_global_int_status_watchdog_get(word) ? WEIR_INT_WATCHDOG : 0u) |
              (weir_global_int_status_stall_get(word) ? WEIR_INT_STALL : 0u) |
              (weir_global_int_status_ecc_get(word) ? WEIR_INT_ECC : 0u);
    return word == 0 ? WEIR_OK : weir_write(dev, weir_reg_global_int_status(), word);
}

weir_status weir_interrupts_wait(struct weir_dev* dev, uint64_t timeout_ns, uint32_t* causes) {
    WEIR_TRY(weir_check_started(dev));
    if (dev->hal.wait_irq == NULL)
        return weir_fail(dev, WEIR_E_UNSUPPORTED, "this platform has no interrupt to wait for");
    weir_status status = dev->hal.wait_irq(dev->hal.ctx, timeout_ns);
    if (status != WEIR_OK) return weir_fail(dev, status, "no interrupt within %U ns", timeout_ns);
    return weir_interrupts_take(dev, causes);
}

weir_status weir_device_time(struct weir_dev* dev, uint64_t* ns) {
    WEIR_TRY(weir_check_started(dev));
    return weir_read64(dev, weir_reg_global_timestamp(), ns);
}

weir_status weir_register_read(struct weir_dev* dev, uint32_t address, uint32_t* value) {
    return weir_read(dev, address, value);
}

weir_status weir_register_write(struct weir_dev* dev, uint32_t address, uint32_t value) {
    return weir_write(dev, address, value);
}
