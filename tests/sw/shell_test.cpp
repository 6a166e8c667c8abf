// SPDX-License-Identifier: Apache-2.0
// The shell's words: what an operator types, which registers it moves, and what a wrong line is answered with.
#include "sw/include/weir/shell.h"

#include <gmock/gmock.h>

#include <sstream>

#include "tests/sw/bank_device.h"

namespace weir::sw {
namespace {

using testing::HasSubstr;

class shell_test : public driver_test {
protected:
    shell_test() {
        weir_shell_init(
            &shell, dev.get(), [](void* ctx, const char* text) { *static_cast<std::string*>(ctx) += text; }, &printed);
    }
    weir_shell shell{};
    std::string printed;

    /// Runs lines; all of them must succeed.
    void run(const std::string& script) {
        std::istringstream in(script);
        for (std::string line; std::getline(in, line);)
            ASSERT_EQ(weir_shell_execute(&shell, line.c_str()), WEIR_OK) << line << "\n" << weir_shell_error(&shell);
    }
    /// Runs one line that must fail with the status; its message. Nothing may have changed.
    std::string refused(const std::string& line, weir_status status) {
        const auto before = device.snapshot();
        EXPECT_EQ(weir_shell_execute(&shell, line.c_str()), status) << line << "\n" << weir_shell_error(&shell);
        EXPECT_EQ(device.snapshot(), before) << line;
        return weir_shell_error(&shell);
    }
};

TEST_F(shell_test, runs_the_bring_up_script_of_one_lossless_priority) {
    run(R"(# Bring-up as an operator would type it. Every line goes through the driver.
pool create lossless ingress size 58880 cells
map dscp 24 tc 3
map tc 3 pg 3
interface 0-7
  pfc enable priority 3
  pfc pause-threshold 6800
  pfc resume-threshold 2048   # an offset
  pfc headroom 768 cells
  no shutdown
)");
    EXPECT_EQ(device.value("bm.pool_size.cells", {0}), 58880u);
    EXPECT_EQ(device.value("bm.pool_mode.egress", {0}), 0u);
    for (std::uint32_t port = 0; port < 8; ++port) {
        EXPECT_EQ(device.value("map.dscp_tc.tc", {port, 24}), 3u);
        EXPECT_EQ(device.value("map.tc_group.group", {port, 3}), 3u);
        EXPECT_EQ(device.value("pg.mode.lossless", {port, 3}), 1u);
        EXPECT_EQ(device.value("pg.mode.enable", {port, 3}), 1u);
        EXPECT_EQ(device.value("pg.xoff.cells", {port, 3}), 6800u);
        EXPECT_EQ(device.value("pg.xon_offset.cells", {port, 3}), 2048u);
        EXPECT_EQ(device.value("pg.headroom.cells", {port, 3}), 768u);
        EXPECT_EQ(device.value("pg.mode.lossless", {port, 0}), 0u);
        EXPECT_EQ(device.value("queue.mode.lossless", {port, 3}), 1u);
        EXPECT_EQ(device.value("map.group_priorities.priorities", {port, 3}), 0x08u);
        EXPECT_EQ(device.value("map.priority_queues.queues", {port, 3}), 0x08u);
        EXPECT_EQ(device.value("pfc.tx_enable.priorities", {port}), 0x08u);
        EXPECT_EQ(device.value("pfc.rx_enable.priorities", {port}), 0x08u);
        EXPECT_EQ(device.value("port.ctrl.admin", {port}), 1u);
    }
}

TEST_F(shell_test, thresholds_may_come_before_or_after_pfc_is_enabled) {
    run("pool create lossless ingress size 10000 cells\nmap tc 3 pg 3\ninterface 0-3\npfc enable priority 3\n"
        "pfc pause-threshold 700\npfc resume-threshold 200\npfc headroom 50\n");
    const auto after = device.snapshot();
    bank_device other;
    ASSERT_EQ(weir_device_start(dev.get(), &other.hal), WEIR_OK);
    weir_shell_init(&shell, dev.get(), nullptr, nullptr);
    run("pool create lossless ingress size 10000 cells\ninterface 0-3\npfc headroom 50\npfc resume-threshold 200\n"
        "pfc pause-threshold 700\npfc enable priority 3\nexit\nmap tc 3 pg 3\n");
    EXPECT_EQ(other.snapshot(), after);
}

TEST_F(shell_test, no_pfc_takes_everything_back) {
    run("map tc 3 pg 3\npool create p ingress size 10000\n");
    const auto before = device.snapshot();
    run("interface all\npfc headroom 20\npfc enable priority 3\nno pfc enable priority 3\n");
    EXPECT_EQ(device.snapshot(), before);
}

// 65536 cells: 8 ports of 768 headroom and a pool of 58880 leave 512; one port's 513 more do not fit.
TEST_F(shell_test, says_by_how_much_the_budget_is_exceeded_and_changes_no_port) {
    run("pool create lossless ingress size 58880 cells\nmap tc 3 pg 3\ninterface 0-7\npfc enable priority 3\n"
        "pfc headroom 768 cells\npg all guaranteed 8 cells\n");
    EXPECT_THAT(refused("pfc headroom 769 cells", WEIR_E_BUDGET), HasSubstr("1 too many"));
    run("interface 0\n");
    EXPECT_THAT(refused("pg 0 guaranteed 9", WEIR_E_BUDGET), HasSubstr("needs 65537 cells of 65536, 1 too many"));
    EXPECT_THAT(refused("pool create more ingress size 1", WEIR_E_BUDGET), HasSubstr("1 too many"));
    run("pg 0 guaranteed 7\npg 1 guaranteed 9\n");
}

TEST_F(shell_test, refuses_xon_that_is_not_below_xoff) {
    run("map tc 3 pg 3\ninterface 2\npfc enable priority 3\npfc pause-threshold 100\npfc resume-threshold 99\n");
    EXPECT_THAT(refused("pfc resume-threshold 100", WEIR_E_THRESHOLD), HasSubstr("XON 100 is not below XOFF 100"));
    EXPECT_THAT(refused("pfc pause-threshold 99", WEIR_E_THRESHOLD), HasSubstr("XON 99 is not below XOFF 99"));
    EXPECT_THAT(refused("pfc pause-threshold 0", WEIR_E_THRESHOLD), HasSubstr("XOFF 0"));
    EXPECT_THAT(refused("pg 3 xoff 99", WEIR_E_THRESHOLD), HasSubstr("port 2 group 3"));
}

TEST_F(shell_test, a_class_that_moves_takes_its_lossless_group_with_it) {
    run("map tc 3 pg 3\ninterface 1\npfc enable priority 3\npfc pause-threshold 500\npfc headroom 60\nmap tc 3 pg 5\n");
    EXPECT_EQ(device.value("map.tc_group.group", {1, 3}), 5u);
    EXPECT_EQ(device.value("pg.mode.lossless", {1, 5}), 1u);
    EXPECT_EQ(device.value("pg.xoff.cells", {1, 5}), 500u);
    EXPECT_EQ(device.value("pg.headroom.cells", {1, 5}), 60u);
    EXPECT_EQ(device.value("map.group_priorities.priorities", {1, 5}), 8u);
    EXPECT_EQ(device.value("pg.mode.lossless", {1, 3}), 0u);
    EXPECT_EQ(device.value("pg.headroom.cells", {1, 3}), 0u);
    EXPECT_EQ(device.value("map.group_priorities.priorities", {1, 3}), 0u);
    run("map tc 3 queue 6\n");
    EXPECT_EQ(device.value("map.priority_queues.queues", {1, 3}), 0x40u);
    EXPECT_EQ(device.value("queue.mode.lossless", {1, 6}), 1u);
    EXPECT_EQ(device.value("queue.mode.lossless", {1, 3}), 0u);
}

TEST_F(shell_test, a_lossless_priority_in_company_of_lossy_classes_is_pointed_out) {
    device.logged.clear();
    run("map tc 3 pg 3\ninterface 1\npfc enable priority 3\n");
    EXPECT_TRUE(device.logged.empty());
    run("pfc enable priority 4\n");
    ASSERT_EQ(device.logged.size(), 1u);
    EXPECT_THAT(device.logged[0], HasSubstr("class 0 is lossy and shares group 0 with lossless priority 4"));
}

TEST_F(shell_test, sets_groups_by_their_own_words) {
    run("pool create lossless ingress size 1000\npool create other ingress size 500 headroom 40\ninterface 0,2-3\n"
        "pg 1,4-5 pool other guaranteed 8 cells dynamic 1/8 xoff 300 xon 100 xon-floor 5 headroom 20 "
        "shared-headroom on lossless\n");
    for (const std::uint32_t port : {0u, 2u, 3u})
        for (const std::uint32_t group : {1u, 4u, 5u}) {
            EXPECT_EQ(device.value("pg.mode.pool", {port, group}), 1u);
            EXPECT_EQ(device.value("pg.guaranteed.cells", {port, group}), 8u);
            EXPECT_EQ(device.value("pg.mode.dynamic", {port, group}), 1u);
            EXPECT_EQ(device.value("pg.mode.alpha", {port, group}), 4u);
            EXPECT_EQ(device.value("pg.xoff.cells", {port, group}), 300u);
            EXPECT_EQ(device.value("pg.xon_offset.cells", {port, group}), 100u);
            EXPECT_EQ(device.value("pg.xon_floor.cells", {port, group}), 5u);
            EXPECT_EQ(device.value("pg.headroom.cells", {port, group}), 20u);
            EXPECT_EQ(device.value("pg.mode.shared_headroom", {port, group}), 1u);
        }
    EXPECT_EQ(device.value("pg.guaranteed.cells", {1, 1}), 0u);
    EXPECT_EQ(dev->budget[0].headroom, 0u);
    EXPECT_EQ(dev->budget[0].shared_headroom, 40u);
    run("pg 1 limit 77 service-after-xoff on\npg 4 xoff unlimited limit unlimited\n");
    EXPECT_EQ(device.value("pg.mode.dynamic", {0, 1}), 0u);
    EXPECT_EQ(device.value("pg.limit.cells", {0, 1}), 77u);
    EXPECT_EQ(device.value("pg.xoff.cells", {0, 4}), device.chip.all_ones(device.chip.field("pg.xoff.cells")));
}

TEST_F(shell_test, octets_round_up_for_quotas_and_down_for_pools) {
    run("pool create p ingress size 1023 octets\ninterface 0\npg 0 guaranteed 257 octets\n");
    EXPECT_EQ(device.value("bm.pool_size.cells", {0}), 3u);
    EXPECT_EQ(device.value("pg.guaranteed.cells", {0, 0}), 2u);
}

TEST_F(shell_test, sets_queues_schedulers_shapers_and_wred) {
    run("mtu 9216\nwred profile 2 green min 500 cells max 2800 cells probability 5%\ninterface 4\n"
        "queue 1 scheduler dwrr 14 shaper 10G burst 20000 octets\nqueue 2 scheduler wrr 3 limit 90 dequeue off\n"
        "queue 3 wred profile 2 ecn\nqueue 7 scheduler strict\nshaper 1.6G burst 9216\n");
    EXPECT_EQ(device.value("sched.queue_mode.mode", {4, 1}), 1u);
    EXPECT_EQ(device.value("sched.queue_mode.weight", {4, 1}), 14u);
    EXPECT_EQ(device.value("sched.queue_rate.kbps", {4, 1}), 10'000'000u);
    EXPECT_EQ(device.value("sched.queue_burst.octets", {4, 1}), 20000u);
    EXPECT_EQ(device.value("sched.queue_mode.mode", {4, 2}), 2u);
    EXPECT_EQ(device.value("queue.limit.cells", {4, 2}), 90u);
    EXPECT_EQ(device.value("queue.mode.dequeue_enable", {4, 2}), 0u);
    EXPECT_EQ(device.value("sched.queue_mode.mode", {4, 7}), 0u);
    EXPECT_EQ(device.value("sched.port_rate.kbps", {4}), 1'600'000u);
    EXPECT_EQ(device.value("wred.queue_mode.profile", {4, 3}), 2u);
    EXPECT_EQ(device.value("wred.queue_mode.ecn_enable", {4, 3}), 1u);
    EXPECT_EQ(device.value("wred.queue_mode.wred_enable", {4, 3}), 0u);
    EXPECT_EQ(device.value("wred.profile_min.cells", {2, 0}), 500u);
    EXPECT_EQ(device.value("wred.profile_max.cells", {2, 0}), 2800u);
    EXPECT_EQ(device.value("wred.profile_prob.probability", {2, 0}), 3277u);  // 0.05 * 65535 = 3276.75
    EXPECT_EQ(device.value("wred.profile_enable.green", {2}), 1u);
    EXPECT_EQ(device.value("wred.profile_enable.red", {2}), 0u);
    EXPECT_THAT(refused("queue 1 shaper 1G burst 9215", WEIR_E_BURST), HasSubstr("frames of 9216"));
    EXPECT_THAT(refused("wred profile 2 green min 9 max 8 probability 1%", WEIR_E_THRESHOLD), HasSubstr("above max 8"));
}

TEST_F(shell_test, sets_maps_trust_and_pause) {
    run("map pcp 5 tc 4\nmap dscp 8-15 tc 2 colour yellow\nmap default tc 1\ntrust pcp\ninterface 6\ntrust dscp\n"
        "map pg 2 priority 4\nmap priority 4 queue 1,5\npause both\n");
    EXPECT_EQ(device.value("map.pcp_tc.tc", {0, 10}), 4u);
    EXPECT_EQ(device.value("map.pcp_tc.tc", {8, 11}), 4u);
    EXPECT_EQ(device.value("map.dscp_tc.tc", {3, 7}), 0u);
    EXPECT_EQ(device.value("map.dscp_tc.tc", {3, 8}), 2u);
    EXPECT_EQ(device.value("map.dscp_tc.colour", {3, 15}), 1u);
    EXPECT_EQ(device.value("map.dscp_tc.tc", {3, 16}), 0u);
    EXPECT_EQ(device.value("map.trust.default_tc", {1}), 1u);
    EXPECT_EQ(device.value("map.trust.mode", {5}), 1u);
    EXPECT_EQ(device.value("map.trust.mode", {6}), 2u);
    EXPECT_EQ(device.value("map.group_priorities.priorities", {6, 2}), 0x10u);
    EXPECT_EQ(device.value("map.priority_queues.queues", {6, 4}), 0x22u);
    EXPECT_EQ(device.value("pfc.mode.pause_rx_enable", {6}), 1u);
    EXPECT_EQ(device.value("pfc.mode.pause_tx_enable", {6}), 1u);
}

TEST_F(shell_test, sets_pfc_timers_and_directions) {
    run("interface 1\npfc quanta 1000\n");
    EXPECT_EQ(device.value("pfc.quanta.quanta", {1}), 1000u);
    EXPECT_EQ(device.value("pfc.refresh.quanta", {1}), 500u);
    run("pfc refresh 999\npfc tx 3,4\npfc rx all\npfc force 6\npfc receiver complete-state ignore-tagged\n");
    EXPECT_EQ(device.value("pfc.refresh.quanta", {1}), 999u);
    EXPECT_EQ(device.value("pfc.tx_enable.priorities", {1}), 0x18u);
    EXPECT_EQ(device.value("pfc.rx_enable.priorities", {1}), 0xffu);
    EXPECT_EQ(device.value("pfc.force.priorities", {1}), 0x40u);
    EXPECT_EQ(device.value("pfc.mode.complete_state", {1}), 1u);
    EXPECT_EQ(device.value("pfc.mode.ignore_tagged", {1}), 1u);
    EXPECT_THAT(refused("pfc refresh 1000", WEIR_E_THRESHOLD), HasSubstr("at most 999"));
    run("pfc refresh never\n");
    EXPECT_EQ(device.value("pfc.refresh.quanta", {1}), 0u);
    run("pfc clock 322\npfc receiver chapter-window truncated-headroom truncated-quanta commit-short from-stop\n");
    EXPECT_EQ(device.value("pfc.clock.megahertz", {1}), 322u);
    for (const char* bit : {"truncated_quanta", "commit_short", "timer_from_stop", "exclusive"})
        EXPECT_EQ(device.value(std::string("pfc.mode.") + bit, {1}), 1u) << bit;
    EXPECT_EQ(device.value("pfc.mode.complete_state", {1}), 0u);
    EXPECT_EQ(device.value("pfc.mode.chapter_window", {1}), 1u);
    EXPECT_EQ(device.value("pfc.mode.truncated_headroom", {1}), 1u);
    EXPECT_THAT(refused("pfc receiver", WEIR_E_SYNTAX), HasSubstr("standard, or some of"));
}

TEST_F(shell_test, divides_a_budget_by_the_dead_time) {
    run("pool create lossless ingress size 30000 cells\ninterface 1\npfc enable priority 3\n");
    EXPECT_THAT(refused("pfc budget 512 hysteresis 64", WEIR_E_THRESHOLD), HasSubstr("no dead time"));
    EXPECT_THAT(refused("pfc dead-time 4294968 ns", WEIR_E_RANGE), HasSubstr("0 (off) to 4294967295"));
    EXPECT_THAT(refused("pfc dead-time 5", WEIR_E_SYNTAX), HasSubstr("ps, ns or us"));
    run("pfc dead-time 13316 ns\n");
    EXPECT_EQ(device.value("pfc.dead_time.time", {1}), 13'316'000u);
    device.set("pfc.headroom_need.cells", {1}, 14);
    run("pfc budget 512 cells hysteresis 64\n");
    EXPECT_EQ(device.value("pg.headroom.cells", {1, 0}), 14u);
    EXPECT_EQ(device.value("pg.xoff.cells", {1, 0}), 498u);
    EXPECT_EQ(device.value("pg.xon_offset.cells", {1, 0}), 64u);
    EXPECT_THAT(refused("pfc budget 14 hysteresis 0", WEIR_E_THRESHOLD), HasSubstr("1 cells are missing"));
    run("pfc budget 15 hysteresis 0\n");
    EXPECT_THAT(refused("pfc budget 78 hysteresis 64", WEIR_E_THRESHOLD), HasSubstr("at most 63"));
    device.set("pfc.fault.late", {1}, 1);
    device.set("pfc.fault_time.time", {1, 1}, 1234);
    printed.clear();
    run("show interface 1 conformance\nclear conformance\n");
    EXPECT_THAT(printed, HasSubstr("NOT CONFORMANT; dead time 13316000 ps needs 14 cells of headroom"));
    EXPECT_THAT(printed, HasSubstr("since 1234 ns"));
    EXPECT_EQ(device.value("pfc.fault.late", {1}), 0u);
}

TEST_F(shell_test, sets_forwarding) {
    run("mac-table add 02:00:00:00:00:09 port 3\nroute add 10.1.0.0/16 ecmp 2\nroute add 2001:db8::/32 cpu\n"
        "ecmp 2 members 1,2,2\necmp seed 77\nno route 10.1.0.0/16\n");
    EXPECT_EQ(device.value("fwd.ecmp_seed.seed"), 77u);
    run("mac-table learning on control-frames\n");
    EXPECT_EQ(device.value("fwd.learning.enable"), 1u);
    EXPECT_EQ(device.value("fwd.learning.control"), 1u);
    run("show mac-table\n");
    EXPECT_THAT(printed, HasSubstr("1 of 4 entries; learning on, from control frames too: learned 0, moved 0"));
    run("mac-table learning on\n");
    EXPECT_EQ(device.value("fwd.learning.control"), 0u);
    run("mac-table learning off\n");
    EXPECT_EQ(device.value("fwd.learning.enable"), 0u);
    EXPECT_THAT(refused("mac-table learning perhaps", WEIR_E_SYNTAX), HasSubstr("on or off"));
    EXPECT_THAT(refused("mac-table grow", WEIR_E_SYNTAX), HasSubstr("add or learning"));
    EXPECT_THAT(refused("no route 10.1.0.0/16", WEIR_E_NOT_FOUND), HasSubstr("no such entry"));
    EXPECT_THAT(refused("route add 10.1.0.1/16 port 1", WEIR_E_RANGE), HasSubstr("beyond its length"));
    EXPECT_THAT(refused("route add 10.1.0.256/16 port 1", WEIR_E_SYNTAX), HasSubstr("expected a prefix"));
    EXPECT_THAT(refused("route add 2001:db8:::/32 port 1", WEIR_E_SYNTAX), HasSubstr("expected a prefix"));
    EXPECT_THAT(refused("ecmp 2 members 1,8", WEIR_E_RANGE), HasSubstr("port 8 does not exist: 0 to 7"));
    EXPECT_THAT(refused("mac-table add 02:00:00:00:00 port 3", WEIR_E_SYNTAX), HasSubstr("02:00:00:00:00:01"));
}

TEST_F(shell_test, the_first_egress_pool_takes_the_place_of_the_default) {
    EXPECT_EQ(device.value("bm.pool_size.cells", {7}), bank_device::cells);
    run("pool create out egress size 60000 cells\npool create side egress size 5536 cells\ninterface 0\n"
        "queue 2 pool side\n");
    EXPECT_EQ(device.value("bm.pool_size.cells", {7}), 60000u);
    EXPECT_EQ(device.value("bm.pool_size.cells", {6}), 5536u);
    EXPECT_EQ(device.value("bm.pool_mode.egress", {6}), 1u);
    EXPECT_EQ(device.value("queue.mode.pool", {0, 1}), 7u);
    EXPECT_EQ(device.value("queue.mode.pool", {0, 2}), 6u);
    EXPECT_THAT(refused("pg 2 pool side", WEIR_E_POOL), HasSubstr("egress pool"));
    EXPECT_THAT(refused("pool create side egress size 1", WEIR_E_POOL), HasSubstr("already"));
    EXPECT_THAT(refused("pg 2 pool elsewhere", WEIR_E_POOL), HasSubstr("no pool \"elsewhere\""));
}

TEST_F(shell_test, the_default_egress_pool_makes_room_for_guarantees) {
    run("interface 0\nqueue 1 guaranteed 100\n");
    EXPECT_EQ(device.value("bm.pool_size.cells", {7}), bank_device::cells - 100);
    run("queue 1 guaranteed 40\n");
    EXPECT_EQ(device.value("bm.pool_size.cells", {7}), bank_device::cells - 40);
}

TEST_F(shell_test, knows_the_mmu_words_of_other_shells) {
    run("pool create p ingress size 1000\ninterface 3\npg 2 dynamic 1 service-after-xoff on\n"
        "mmu queue-guarantee 8 cells\nmmu queue-guarantee queue 1 4\nmmu queue-threshold pg 5 200 cells\n"
        "mmu queue-threshold queue 6 dynamic 1/2\n");
    EXPECT_EQ(device.value("pg.guaranteed.cells", {3, 0}), 8u);
    EXPECT_EQ(device.value("pg.guaranteed.cells", {3, 7}), 8u);
    EXPECT_EQ(device.value("queue.guaranteed.cells", {3, 1}), 4u);
    EXPECT_EQ(device.value("pg.limit.cells", {3, 5}), 200u);
    EXPECT_EQ(device.value("queue.mode.dynamic", {3, 6}), 1u);
    EXPECT_EQ(device.value("queue.mode.alpha", {3, 6}), 6u);
    run("mmu buffer-mode flowctrl-enhance\n");
    EXPECT_EQ(device.value("pg.mode.dynamic", {3, 2}), 0u);
    EXPECT_EQ(device.value("pg.mode.service_after_xoff", {3, 2}), 0u);
}

TEST_F(shell_test, ports_change_speed_and_addresses) {
    run("interface 2-3\nno shutdown\nspeed 200G\nmac 02:00:00:00:00:ff\n");
    EXPECT_EQ(device.value("port.speed.megabits", {2}), 200'000u);
    EXPECT_EQ(device.value("port.ctrl.admin", {2}), 1u);
    EXPECT_EQ(device.value("port.mac_low.address", {2}), 0xffu);
    EXPECT_EQ(device.value("port.mac_low.address", {3}), 0x100u);
    EXPECT_EQ(device.value("port.mac_high.address", {3}), 0x200u);
    EXPECT_THAT(refused("speed 401G", WEIR_E_RATE), HasSubstr("one of: 1G 10G"));
    EXPECT_THAT(refused("speed 800G", WEIR_E_RATE), HasSubstr("400000 Mb/s at most"));
    run("shutdown\n");
    EXPECT_EQ(device.value("port.ctrl.admin", {2}), 0u);
}

TEST_F(shell_test, wrong_lines_are_answered_with_what_would_be_right) {
    EXPECT_THAT(refused("pcf enable", WEIR_E_SYNTAX), HasSubstr("unknown command \"pcf\"; one of: interface"));
    EXPECT_THAT(refused("pfc enable priority 3", WEIR_E_CONTEXT), HasSubstr("say `interface 0-7` first"));
    EXPECT_THAT(refused("interface 8", WEIR_E_RANGE), HasSubstr("port 8 does not exist: 0 to 7"));
    EXPECT_THAT(refused("interface 3-2", WEIR_E_RANGE), HasSubstr("ports 3-2 run backwards"));
    EXPECT_THAT(refused("interface a", WEIR_E_SYNTAX), HasSubstr("3, 0-7, 0,2-4, all or cpu"));
    EXPECT_THAT(refused("interface 0,", WEIR_E_SYNTAX), HasSubstr("are no ports"));
    EXPECT_THAT(refused("exit", WEIR_E_CONTEXT), HasSubstr("none to leave"));
    run("interface all\n");
    EXPECT_THAT(refused("pfc enable priority 8", WEIR_E_RANGE), HasSubstr("priority 8 does not exist: 0 to 7"));
    EXPECT_THAT(refused("pfc pause-threshold many", WEIR_E_SYNTAX), HasSubstr("found \"many\""));
    EXPECT_THAT(refused("pfc pause-threshold 16777216", WEIR_E_RANGE), HasSubstr("at most"));
    EXPECT_THAT(refused("pfc headroom 5 cells more", WEIR_E_SYNTAX), HasSubstr("expected the end of the line"));
    EXPECT_THAT(refused("pfc headroom -5", WEIR_E_SYNTAX), HasSubstr("found \"-5\""));
    EXPECT_THAT(refused("queue 9 lossless", WEIR_E_RANGE), HasSubstr("queue 9 does not exist"));
    EXPECT_THAT(refused("pg 3 dynamic 1/3", WEIR_E_SYNTAX), HasSubstr("1/128"));
    EXPECT_THAT(refused("map dscp 64 tc 1", WEIR_E_SYNTAX), HasSubstr("0 to 63"));
    EXPECT_THAT(refused("map tc 8 pg 1", WEIR_E_RANGE), HasSubstr("class 8 does not exist"));
    EXPECT_THAT(refused("mtu 63", WEIR_E_RANGE), HasSubstr("64 to"));
    EXPECT_THAT(refused("show me", WEIR_E_SYNTAX), HasSubstr("mmu, mac-table, buffer pg"));
    EXPECT_THAT(refused(std::string(600, 'x'), WEIR_E_SYNTAX), HasSubstr("600 octets"));
}

TEST_F(shell_test, comments_and_empty_lines_do_nothing) {
    run("\n   \n# pool create x ingress size 1\n\t# y\n");
    EXPECT_TRUE(device.writes().empty());
}

TEST_F(shell_test, shows_the_buffer_the_groups_and_the_ports) {
    run("pool create lossless ingress size 58880 cells\nmap tc 3 pg 3\ninterface 0\npfc enable priority 3\n"
        "pfc pause-threshold 6800\n");
    device.set("pg.used.cells", {0, 3}, 4321);
    device.set("pfc.tx_transitions.times", {0, 3}, 77);
    device.set("port.drops.frames", {0, 8}, 5);
    run("show mmu\nshow buffer pg\nshow interface 0 pfc\nshow interface\nshow counters\nshow queue\n");
    EXPECT_THAT(printed, HasSubstr("65536 cells of 256 octets"));
    EXPECT_THAT(printed, HasSubstr("lossless                ingress       58880"));
    EXPECT_THAT(printed, HasSubstr("4321"));
    EXPECT_THAT(printed, HasSubstr("may pause 3, obeys 3"));
    EXPECT_THAT(printed, HasSubstr("77"));
    EXPECT_THAT(printed, HasSubstr("dropped 5 (headroom)"));
    EXPECT_THAT(printed, HasSubstr("400G"));
}

}  // namespace
}  // namespace weir::sw
