// SPDX-License-Identifier: Apache-2.0
// How a port reads frames, what its peer is allowed, and what went wrong: options, dead time, faults.
#include "sw/driver/lossless.h"
#include "sw/include/weir/pfc.h"

weir_status weir_pfc_options_set(struct weir_dev* dev, uint32_t port, const struct weir_pfc_options* options) {
    WEIR_TRY(weir_check_port(dev, port, false));
    const struct weir_port_state* state = &dev->ports[port];
    if (!options->pause_too && (state->pause_rx || state->pause_tx) && (state->pfc_rx | state->pfc_tx) != 0)
        return weir_fail(dev, WEIR_E_CONFLICT,
                         "port %u has PAUSE and PFC: switch one off before they exclude each other", port);
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_pfc_mode(port), &word));
    word = weir_pfc_mode_complete_state_set(word, options->complete_state ? 1 : 0);
    word = weir_pfc_mode_ignore_tagged_set(word, options->ignore_tagged ? 1 : 0);
    word = weir_pfc_mode_exclusive_set(word, options->pause_too ? 0 : 1);
    word = weir_pfc_mode_timer_from_stop_set(word, options->timer_from_stop ? 1 : 0);
    word = weir_pfc_mode_truncated_quanta_set(word, options->truncated_quanta ? 1 : 0);
    word = weir_pfc_mode_commit_short_set(word, options->commit_short ? 1 : 0);
    word = weir_pfc_mode_chapter_window_set(word, options->chapter_window ? 1 : 0);
    word = weir_pfc_mode_truncated_headroom_set(word, options->truncated_headroom ? 1 : 0);
    return weir_set(dev, weir_reg_pfc_mode(port), word);
}

weir_status weir_pfc_options_get(struct weir_dev* dev, uint32_t port, struct weir_pfc_options* options) {
    WEIR_TRY(weir_check_port(dev, port, false));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_pfc_mode(port), &word));
    options->complete_state = weir_pfc_mode_complete_state_get(word) != 0;
    options->ignore_tagged = weir_pfc_mode_ignore_tagged_get(word) != 0;
    options->pause_too = weir_pfc_mode_exclusive_get(word) == 0;
    options->timer_from_stop = weir_pfc_mode_timer_from_stop_get(word) != 0;
    options->truncated_quanta = weir_pfc_mode_truncated_quanta_get(word) != 0;
    options->commit_short = weir_pfc_mode_commit_short_get(word) != 0;
    options->chapter_window = weir_pfc_mode_chapter_window_get(word) != 0;
    options->truncated_headroom = weir_pfc_mode_truncated_headroom_get(word) != 0;
    return WEIR_OK;
}

weir_status weir_pfc_exclusive_check(struct weir_dev* dev, uint32_t port, bool pause, bool pfc) {
    if (!pause || !pfc) return WEIR_OK;
    struct weir_pfc_options options;
    WEIR_TRY(weir_pfc_options_get(dev, port, &options));
    if (options.pause_too) return WEIR_OK;
    return weir_fail(dev, WEIR_E_CONFLICT,
                     "port %u: PAUSE and PFC exclude each other; `pfc receiver with-pause` allows both", port);
}

weir_status weir_pfc_clock_set(struct weir_dev* dev, uint32_t port, uint32_t megahertz) {
    WEIR_TRY(weir_check_port(dev, port, false));
    if (megahertz == 0 || megahertz > WEIR_PFC_CLOCK_MEGAHERTZ_MAX)
        return weir_fail(dev, WEIR_E_RANGE, "port clock of %u MHz: 1 to %u", megahertz,
                         (uint32_t)WEIR_PFC_CLOCK_MEGAHERTZ_MAX);
    return weir_set(dev, weir_reg_pfc_clock(port), weir_pfc_clock_megahertz_set(0, megahertz));
}

weir_status weir_pfc_dead_time_set(struct weir_dev* dev, uint32_t port, uint64_t ps) {
    WEIR_TRY(weir_check_port(dev, port, false));
    if (ps > WEIR_PFC_DEAD_TIME_TIME_MAX)
        return weir_fail(dev, WEIR_E_RANGE, "dead time of %U ps: 0 (off) to %U", ps,
                         (uint64_t)WEIR_PFC_DEAD_TIME_TIME_MAX);
    return weir_set(dev, weir_reg_pfc_dead_time(port), weir_pfc_dead_time_time_set(0, (uint32_t)ps));
}

weir_status weir_pfc_dead_time_get(struct weir_dev* dev, uint32_t port, uint64_t* ps) {
    WEIR_TRY(weir_check_port(dev, port, false));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_pfc_dead_time(port), &word));
    *ps = weir_pfc_dead_time_time_get(word);
    return WEIR_OK;
}

static weir_status headroom_need(struct weir_dev* dev, uint32_t port, uint32_t* cells) {
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_pfc_headroom_need(port), &word));
    *cells = weir_pfc_headroom_need_cells_get(word);
    return WEIR_OK;
}

weir_status weir_pfc_budget_set(struct weir_dev* dev, uint32_t port, uint32_t cells, uint32_t hysteresis) {
    uint64_t ps = 0;
    uint32_t need = 0;
    WEIR_TRY(weir_pfc_dead_time_get(dev, port, &ps));
    if (ps == 0) return weir_fail(dev, WEIR_E_THRESHOLD, "port %u has no dead time to divide a budget by", port);
    WEIR_TRY(headroom_need(dev, port, &need));
    if (cells <= need)
        return weir_fail(dev, WEIR_E_THRESHOLD,
                         "port %u: a budget of %u cells and a headroom of %u leave no XOFF, %u cells are missing; "
                         "fewer lossless priorities, a shorter cable or a slower port need less",
                         port, cells, need, need - cells + 1);
    if (cells - need <= hysteresis)
        return weir_fail(dev, WEIR_E_THRESHOLD, "port %u: XOFF would be %u and XON %u below it; at most %u", port,
                         cells - need, hysteresis, cells - need - 1);
    struct weir_pfc_profile profile = dev->ports[port].profile;
    profile.xoff_given = profile.xon_given = profile.headroom_given = true;
    profile.xoff = cells - need;
    profile.xon_offset = hysteresis;
    profile.headroom = need;
    return weir_pfc_profile_set(dev, port, &profile);
}

const char* weir_pfc_fault_text(uint32_t number) {
    static const char* const names[WEIR_PFC_FAULTS] = {"overflow", "late", "lossy_pause", "escape", "tagged"};
    return number < WEIR_PFC_FAULTS ? names[number] : "?";
}

weir_status weir_pfc_conformance_get(struct weir_dev* dev, uint32_t port, struct weir_pfc_conformance* c) {
    WEIR_TRY(weir_check_port(dev, port, false));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_pfc_fault(port), &word));
    c->faults = (uint8_t)((weir_pfc_fault_overflow_get(word) ? WEIR_PFC_OVERFLOW : 0u) |
                          (weir_pfc_fault_late_get(word) ? WEIR_PFC_LATE : 0u) |
                          (weir_pfc_fault_lossy_pause_get(word) ? WEIR_PFC_LOSSY_PAUSE : 0u) |
                          (weir_pfc_fault_escape_get(word) ? WEIR_PFC_ESCAPE : 0u) |
                          (weir_pfc_fault_tagged_get(word) ? WEIR_PFC_TAGGED : 0u));
    WEIR_TRY(weir_read(dev, weir_reg_pfc_conformant(port), &word));
    c->conformant = weir_pfc_conformant_conformant_get(word) != 0;
    WEIR_TRY(weir_read(dev, weir_reg_pfc_infeasible(port), &word));
    c->infeasible = (uint8_t)weir_pfc_infeasible_groups_get(word);
    WEIR_TRY(headroom_need(dev, port, &c->headroom_need));
    for (uint32_t f = 0; f < WEIR_PFC_FAULTS; ++f) {
        WEIR_TRY(weir_read64(dev, weir_reg_pfc_fault_count(port, f), &c->count[f]));
        WEIR_TRY(weir_read64(dev, weir_reg_pfc_fault_time(port, f), &c->first_ns[f]));
    }
    return WEIR_OK;
}

weir_status weir_pfc_faults_clear(struct weir_dev* dev, uint32_t port, uint8_t faults) {
    WEIR_TRY(weir_check_port(dev, port, false));
    uint32_t word = weir_pfc_fault_overflow_set(0, (faults & WEIR_PFC_OVERFLOW) != 0 ? 1 : 0);
    word = weir_pfc_fault_late_set(word, (faults & WEIR_PFC_LATE) != 0 ? 1 : 0);
    word = weir_pfc_fault_lossy_pause_set(word, (faults & WEIR_PFC_LOSSY_PAUSE) != 0 ? 1 : 0);
    word = weir_pfc_fault_escape_set(word, (faults & WEIR_PFC_ESCAPE) != 0 ? 1 : 0);
    word = weir_pfc_fault_tagged_set(word, (faults & WEIR_PFC_TAGGED) != 0 ? 1 : 0);
    return weir_write(dev, weir_reg_pfc_fault(port), word);
}
