// SPDX-License-Identifier: Apache-2.0
// Changes while the switch runs, and corners of the registers, as a NOS acceptance suite and a register-level bench see
// them: T054 to T059 and T126 to T140.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "sw/include/weir/nos.h"
#include "sw/include/weir/wred.h"
#include "tests/acceptance/lab.h"
#include "tests/conformance/conformance.h"

namespace weir::acceptance {
namespace {

using conformance::row;

constexpr thresholds running{100, 20, 40, 8, 200};

weir_group_config group_config(lab& l, std::uint32_t port, std::uint32_t group) {
    weir_group_config c{};
    l.drive([&](weir_dev* d) { return weir_group_get(d, port, group, &c); });
    return c;
}

/// The status of a call on the CPU, whatever it is.
weir_status outcome_of(lab& l, const std::function<weir_status(weir_dev*)>& call) {
    weir_status status = WEIR_OK;
    l.drive([&](weir_dev* d) {
        status = call(d);
        return WEIR_OK;
    });
    return status;
}

// T126: XON at or above XOFF is refused by the driver, nothing changes.
TEST(runtime, xon_not_below_xoff_is_refused) {
    lab l({}, usual_script(running));
    weir_group_config c = group_config(l, 0, 3);
    c.xon_offset = c.xoff;
    const weir_status status = outcome_of(l, [&](weir_dev* d) { return weir_group_set(d, 0, 3, &c); });
    EXPECT_EQ(status, WEIR_E_THRESHOLD);
    EXPECT_EQ(group_config(l, 0, 3).xon_offset, 20U);
    row("T126", "refused; XON stays 20",
        fmt::format("status {}; {}", weir_status_text(status), group_config(l, 0, 3).xon_offset));
}

// T127: an offset of 0 counts as one cell: a pause and a resume with every cell.
TEST(runtime, an_offset_of_zero_chatters) {
    lab l({}, usual_script(running));
    l.shell("interface 0\npfc resume-threshold 0\ninterface 1-2\nqueue 3 dequeue off");
    l.send(0, 1, 107);
    for (std::uint64_t round = 1; round <= 4; ++round) {
        l.send(0, 2, 1);
        EXPECT_EQ(l.pfc_counters(0, 3).tx_transitions, round - 1);
        EXPECT_TRUE(l.group_usage(0, 3).paused);
        l.shell("interface 2\nqueue 3 dequeue on");
        l.settle();
        EXPECT_FALSE(l.group_usage(0, 3).paused);
        l.shell("interface 2\nqueue 3 dequeue off");
    }
    const weir_pfc_counters c = l.pfc_counters(0, 3);
    EXPECT_EQ(c.tx_transitions, 4U);
    for (const char* id : {"T127", "S42"}) {
        row(id, "a pause and a resume with each of 4 frames", fmt::format("{} resumes", c.tx_transitions));
    }
}

// T128: alpha lowered while occupied: XOFF without an arrival; raised: resume without a departure.
TEST(runtime, a_changed_alpha_moves_the_limit_under_what_is_there) {
    lab l({}, usual_script(running));
    l.shell("interface 0\npg 3 xoff unlimited dynamic 1\ninterface 1\nqueue 3 dequeue off");
    l.send(0, 1, 300);
    const bool before = l.group_usage(0, 3).paused;
    l.shell("interface 0\npg 3 dynamic 1/16");
    const bool lowered = l.group_usage(0, 3).paused;
    l.shell("interface 0\npg 3 dynamic 1");
    const bool raised = l.group_usage(0, 3).paused;
    EXPECT_FALSE(before);
    EXPECT_TRUE(lowered);
    EXPECT_FALSE(raised);
    row("T128", "292 cells: alpha 1 runs, 1/16 (limit 169) pauses, 1 runs",
        fmt::format("paused {} {} {}", before, lowered, raised));
}

// T129: a queue's profile swapped for one of no cells with frames queued, and back: the frames stay and leave.
TEST(runtime, a_profile_swapped_with_frames_queued) {
    lab l({}, usual_script(running));
    l.shell("interface 1\nqueue 0 dequeue off");
    l.send(0, 1, 50, 0);
    l.shell("interface 1\nqueue 0 limit 0");
    l.send(0, 1, 10, 0);
    const std::uint64_t refused = l.queue(1, 0).drop_frames;
    weir_queue_usage u{};
    l.drive([&](weir_dev* d) { return weir_queue_usage_get(d, 1, 0, &u); });
    EXPECT_EQ(refused, 10U);
    EXPECT_EQ(u.used, 50U);
    l.shell("interface 1\nqueue 0 limit 200\nqueue 0 dequeue on");
    l.send(0, 1, 10, 0);
    EXPECT_EQ(l.received(1), 60U);
    row("T129", "50 queued stay, 10 refused, then 60 delivered",
        fmt::format("{}, {}, {}", u.used, refused, l.received(1)));
}

// T130: every alpha: the limit that is read is floor(2^n · free).
TEST(runtime, every_alpha_is_a_power_of_two) {
    lab l({}, usual_script(running));
    std::string limits;
    for (std::uint32_t index = WEIR_ALPHA_1_128; index <= WEIR_ALPHA_8; ++index) {
        weir_group_config c = group_config(l, 0, 3);
        c.dynamic = true;
        c.alpha = index;
        c.xoff = WEIR_CELLS_UNLIMITED;
        l.drive([&](weir_dev* d) { return weir_group_set(d, 0, 3, &c); });
        const std::uint32_t limit = l.group_usage(0, 3).limit;
        EXPECT_EQ(limit, index >= 7 ? 3000U << (index - 7) : 3000U >> (7 - index));
        limits += fmt::format("{} ", limit);
    }
    row("T130", "3000 free: 23 46 93 187 375 750 1500 3000 6000 12000 24000", limits);
}

// T134: a refresh slower than the quanta: the peer restarts in between, and the headroom pays.
TEST(runtime, a_refresh_slower_than_the_quanta_lets_the_peer_restart) {
    lab_options o;
    o.obey = true;
    lab slow(o, usual_script(running));
    // 100 quanta at 100G are 512 ns. The driver refuses a refresh behind the end of the pause, so it is switched off.
    slow.shell("interface 0\npfc quanta 100\npfc refresh never\ninterface 1\nqueue 3 dequeue off");
    slow.start(0, 1, 400);
    slow.settle(microseconds(300));
    const std::uint64_t lost = slow.group(0, 3).drop_frames;
    EXPECT_GT(lost, 0U);
    const weir_status status = outcome_of(slow, [&](weir_dev* d) { return weir_pfc_timer_set(d, 0, 100, 200); });
    EXPECT_NE(status, WEIR_OK);
    row("T134",
        "without refresh the peer restarts after 512 ns: frames lost; a refresh of 200 for 100 quanta is refused",
        fmt::format("{} lost; {}", lost > 0 ? "frames" : "none", weir_status_text(status)));
    row("M10", "lost refreshes: the peer resumes within the granted quanta",
        fmt::format("{} expiries at the peer",
                    slow.machine().host(0).flow.receiver.counters.expiries[3] > 0 ? "some" : "no"));
    EXPECT_GT(slow.machine().host(0).flow.receiver.counters.expiries[3], 0U);
}

// T136: WRED's minimum above its maximum is refused; on the way from one pair to another it never is.
TEST(runtime, wred_thresholds_never_cross) {
    lab l({}, usual_script(running));
    weir_wred_curve c{};
    c.enabled = true;
    c.min = 500;
    c.max = 400;
    c.probability = 100;
    const weir_status status = outcome_of(l, [&](weir_dev* d) { return weir_wred_curve_set(d, 1, WEIR_GREEN, &c); });
    EXPECT_EQ(status, WEIR_E_THRESHOLD);
    c.min = 100;
    l.drive([&](weir_dev* d) { return weir_wred_curve_set(d, 1, WEIR_GREEN, &c); });
    c.min = 900;
    c.max = 1000;
    l.drive([&](weir_dev* d) { return weir_wred_curve_set(d, 1, WEIR_GREEN, &c); });
    row("T136", "min 500 max 400: refused", weir_status_text(status));
}

// T137: a pool beyond the buffer: refused by the driver before it is written, and sticky in the device when it is
// written all the same.
TEST(runtime, an_overcommitted_pool_is_refused_and_told) {
    lab l({}, usual_script(running));
    weir_pool_config c{};
    l.drive([&](weir_dev* d) { return weir_pool_get(d, 0, &c); });
    const std::uint32_t before = c.cells;
    c.cells = 8192;
    const weir_status status = outcome_of(l, [&](weir_dev* d) { return weir_pool_set(d, 0, &c); });
    EXPECT_EQ(status, WEIR_E_BUDGET);
    l.drive([&](weir_dev* d) { return weir_pool_get(d, 0, &c); });
    EXPECT_EQ(c.cells, before);
    // Past the driver: 8192 + 2000 lossy + 4 ports of 8 guaranteed and 40 headroom; the buffer has 8192.
    auto& bank = l.machine().chip(0).bank();
    (void)bank.write(bank.address_of("bm.pool_size", {0}), 8192);
    std::uint32_t errors = 0;
    std::uint32_t excess[2] = {0, 0};
    l.drive([&](weir_dev* d) { return weir_buffer_errors_take(d, &errors, excess); });
    EXPECT_EQ(errors, static_cast<std::uint32_t>(WEIR_BUFFER_OVERCOMMIT_INGRESS));
    EXPECT_EQ(excess[0], 2000U + 4 * 48);
    row("T137", "refused, pool unchanged; written all the same: sticky, by 2192 cells",
        fmt::format("{}, {} cells; {} cells", weir_status_text(status), c.cells, excess[0]));
}

// T138: a port flushed with a paused queue: nothing leaks, the port comes back.
TEST(runtime, a_port_goes_down_with_a_paused_queue) {
    lab l({}, usual_script(running));
    l.inject(1, {lab::pfc(0x08, {0, 0, 0, 0xffff, 0, 0, 0, 0})});
    l.send(0, 1, 50);
    EXPECT_EQ(l.group_usage(0, 3).used, 50U);
    l.shell("interface 1\nshutdown");
    l.settle();
    const std::int64_t left = l.machine().chip(0).memory().used();
    EXPECT_EQ(left, 0);
    l.shell("interface 1\nno shutdown");
    l.settle();
    l.send(0, 1, 5);
    EXPECT_EQ(l.received(1), 5U);
    row("T138", "50 cells paused, port down: 0 cells left; up again: 5 of 5 delivered",
        fmt::format("{}; {}", left, l.received(1)));
}

// T139, T140: a reset in mid-traffic leaves no cell, and what went in came out or was dropped.
TEST(runtime, a_reset_in_mid_traffic_leaves_nothing) {
    lab l({}, usual_script(running));
    l.start(0, 1, 2000);
    l.start(2, 1, 2000);
    l.settle(microseconds(5));
    EXPECT_GT(l.machine().chip(0).memory().used(), 0);
    l.drive([](weir_dev* d) {
        const weir_hal hal = d->hal;
        return weir_device_start(d, &hal);
    });
    l.settle(microseconds(100));
    const std::int64_t used = l.machine().chip(0).memory().used();
    EXPECT_EQ(used, 0);
    EXPECT_EQ(l.machine().chip(0).memory().conservation_error(), "");
    EXPECT_EQ(l.machine().frames_under_way(), 0U);
    row("T139", "reset with cells in use: 0 cells, 0 frames left",
        fmt::format("{}, {}", used, l.machine().frames_under_way()));
}

TEST(runtime, cells_in_less_cells_out_are_the_cells_in_use) {
    lab l({}, usual_script(running));
    l.shell("interface 1\nqueue 0 dequeue off");
    l.send(0, 1, 30, 0);
    l.send(0, 2, 40, 0);
    const auto in = l.group(0, 0).frames;
    const auto out = l.queue(1, 0).frames + l.queue(2, 0).frames;
    std::uint32_t free = 0;
    std::uint32_t used = 0;
    l.drive([&](weir_dev* d) { return weir_buffer_usage_get(d, &free, &used); });
    EXPECT_EQ(in - out, used);
    EXPECT_EQ(free + used, 8192U);
    for (const char* id : {"T140", "closed.invariants", "C12"}) {
        row(id, "70 in, 40 out: 30 in use, 8162 free", fmt::format("{} in, {} out: {}, {}", in, out, used, free));
    }
}

// T133: a watermark register and a counter at their width: 64-bit counters do not wrap in any run; 24-bit cell counts
// cannot be exceeded by a memory of 2^24 cells. T132: the two halves of a counter belong together.
TEST(runtime, counters_are_read_whole) {
    lab l({}, usual_script(running));
    // Low halves latch the high half: a counter read while frames arrive never goes back.
    l.start(0, 1, 3000, 0);
    std::uint64_t last = 0;
    bool monotone = true;
    for (int i = 0; i < 200; ++i) {
        const std::uint64_t now = l.port(0).rx_octets;
        monotone = monotone && now >= last;
        last = now;
    }
    EXPECT_TRUE(monotone);
    EXPECT_GT(last, 0U);
    row("T132", "200 readings under traffic: never backwards", monotone ? "monotone" : "torn");
}

// T133: a counter at the end of its 64 bits goes on from 0, and so does the driver's difference of two readings.
TEST(runtime, counters_wrap_at_their_width) {
    lab l({}, usual_script(running));
    l.machine().chip(0).port(0).mac.counters.rx_frames = ~std::uint64_t{0} - 4;
    const std::uint64_t before = l.port(0).rx_frames;
    EXPECT_EQ(before, 0xfffffffffffffffbU);
    l.send(0, 1, 10, 0);
    const std::uint64_t after = l.port(0).rx_frames;
    EXPECT_EQ(after, 5U);
    EXPECT_EQ(after - before, 10U);
    row("T133", "2^64 - 5 and 10 frames: 5, difference 10", fmt::format("{}, difference {}", after, after - before));
}

// T054: another speed or largest frame while running; T058: down and up: the programming stays, traffic goes on.
TEST(runtime, speed_and_mtu_change_under_a_profile) {
    lab l({}, usual_script(running));
    const weir_group_config before = group_config(l, 0, 3);
    l.shell("interface 0\nspeed 25G");
    l.settle();
    l.send(0, 1, 10);
    l.shell("interface 0\nspeed 100G\nmtu 9216");
    l.settle();
    l.send(0, 1, 10);
    EXPECT_EQ(l.received(1), 20U);
    const weir_group_config after = group_config(l, 0, 3);
    EXPECT_EQ(before.headroom, after.headroom);
    l.shell("interface 0\npfc headroom 55 cells");  // what the NOS does for the new speed
    EXPECT_EQ(group_config(l, 0, 3).headroom, 55U);
    row("T054", "25G, 100G, MTU 9216: 20 of 20 delivered, profile kept until the NOS binds another: 40, then 55 cells",
        fmt::format("{}, {}, then {}", l.received(1), after.headroom, group_config(l, 0, 3).headroom));
    l.shell("interface 0\nshutdown");
    l.settle();
    l.shell("interface 0\nno shutdown");
    l.settle();
    l.send(0, 1, 10);
    EXPECT_EQ(l.received(1), 30U);
    EXPECT_EQ(group_config(l, 0, 3).headroom, 55U);
    row("T058", "down and up: 10 more delivered, profile restored",
        fmt::format("{}, {} cells", l.received(1) - 20, group_config(l, 0, 3).headroom));
}

/// The NOS view of the lab's chip.
struct nos_view {
    explicit nos_view(lab& l) : bench(l) {
        l.drive([&](weir_dev* d) {
            weir_nos_init(nos.get(), d);
            return WEIR_OK;
        });
    }
    weir_oid make(weir_object_type type, const std::vector<weir_attribute>& attributes) {
        weir_oid oid = WEIR_NULL_OID;
        bench.drive([&](weir_dev*) {
            return weir_nos_create(nos.get(), type, attributes.data(), static_cast<std::uint32_t>(attributes.size()),
                                   &oid);
        });
        return oid;
    }
    weir_status set(weir_oid oid, std::uint32_t id, std::uint64_t value) {
        const weir_attribute a{id, value, nullptr, 0};
        return outcome_of(bench, [&](weir_dev*) { return weir_nos_set(nos.get(), oid, &a); });
    }
    std::uint64_t get(weir_oid oid, std::uint32_t id) {
        weir_attribute a{id, 0, nullptr, 0};
        bench.drive([&](weir_dev*) { return weir_nos_get(nos.get(), oid, &a); });
        return a.value;
    }
    weir_status remove(weir_oid oid) {
        return outcome_of(bench, [&](weir_dev*) { return weir_nos_remove(nos.get(), oid); });
    }
    lab& bench;
    std::unique_ptr<weir_nos> nos{std::make_unique<weir_nos>()};
};

constexpr const char* bare = R"(interface all
  no shutdown
exit)";

// T055, T059: lossless profiles bound and unbound; a profile in use cannot go; what is read back is the profile's row.
TEST(runtime, lossless_groups_come_and_go) {
    lab l({}, bare);
    nos_view nos(l);
    const weir_oid pool = nos.make(WEIR_POOL, {{WEIR_POOL_TYPE, 0, nullptr, 0}, {WEIR_POOL_SIZE, 1 << 20, nullptr, 0}});
    const std::uint64_t shared = nos.get(pool, WEIR_POOL_SHARED_SIZE);
    const weir_oid profile = nos.make(WEIR_PROFILE, {{WEIR_PROFILE_POOL, pool, nullptr, 0},
                                                     {WEIR_PROFILE_RESERVED, 1518, nullptr, 0},
                                                     {WEIR_PROFILE_DYNAMIC_TH, 1, nullptr, 0},
                                                     {WEIR_PROFILE_XOFF_TH, 147'072, nullptr, 0},
                                                     {WEIR_PROFILE_XON_OFFSET_TH, 13'824, nullptr, 0}});
    for (std::uint32_t port = 0; port < 2; ++port) {
        EXPECT_EQ(nos.set(weir_nos_group(nos.nos.get(), port, 3), WEIR_GROUP_PROFILE, profile), WEIR_OK);
    }
    const weir_group_config c = group_config(l, 1, 3);
    EXPECT_EQ(c.guaranteed, 6U);
    EXPECT_EQ(c.headroom, 575U);
    EXPECT_EQ(c.xon_offset, 54U);
    EXPECT_EQ(c.alpha, 8U);
    row("T059", "1518/147072/n=1/13824 octets: 6, 575 cells, alpha 2, 54 cells",
        fmt::format("{}, {}, index {}, {}", c.guaranteed, c.headroom, c.alpha, c.xon_offset));
    const weir_status in_use = nos.remove(profile);
    EXPECT_EQ(in_use, WEIR_E_OBJECT_IN_USE);
    EXPECT_EQ(nos.get(pool, WEIR_POOL_SHARED_SIZE), shared - 2 * 581 * 256);
    for (std::uint32_t port = 0; port < 2; ++port) {
        EXPECT_EQ(nos.set(weir_nos_group(nos.nos.get(), port, 3), WEIR_GROUP_PROFILE, WEIR_NULL_OID), WEIR_OK);
    }
    EXPECT_EQ(nos.get(pool, WEIR_POOL_SHARED_SIZE), shared);
    EXPECT_EQ(nos.remove(profile), WEIR_OK);
    row("T055", "in use: not removable; unbound: removed, the pool whole again",
        fmt::format("{}; {} octets", weir_status_text(in_use), nos.get(pool, WEIR_POOL_SHARED_SIZE)));
}

// T056: shared headroom switched on, resized, off: the pool's shared part gives and takes; T057: more headroom than the
// port or the buffer has is refused, and the old stays.
TEST(runtime, shared_headroom_and_its_limits) {
    lab l({}, bare);
    nos_view nos(l);
    const weir_oid pool =
        nos.make(WEIR_POOL, {{WEIR_POOL_TYPE, 0, nullptr, 0}, {WEIR_POOL_SIZE, 4000 * 256, nullptr, 0}});
    std::string sizes;
    for (const std::uint64_t cells : {500U, 1000U, 0U}) {
        EXPECT_EQ(nos.set(pool, WEIR_POOL_XOFF_SIZE, cells * 256), WEIR_OK);
        EXPECT_EQ(nos.get(pool, WEIR_POOL_SHARED_SIZE), (4000 - cells) * 256);
        sizes += fmt::format("{} ", nos.get(pool, WEIR_POOL_SHARED_SIZE) / 256);
    }
    row("T056", "shared headroom 500, 1000, 0 of 4000 cells leaves 3500 3000 4000", sizes);
    weir_group_config c = group_config(l, 0, 3);
    c.lossless = true;
    c.headroom = 9000;
    const weir_status status = outcome_of(l, [&](weir_dev* d) { return weir_group_set(d, 0, 3, &c); });
    EXPECT_EQ(status, WEIR_E_BUDGET);
    EXPECT_EQ(group_config(l, 0, 3).headroom, 0U);
    row("T057", "9000 cells of headroom on 8192: refused, old value kept",
        fmt::format("{}, {}", weir_status_text(status), group_config(l, 0, 3).headroom));
}

}  // namespace
}  // namespace weir::acceptance
