// SPDX-License-Identifier: Apache-2.0
// The watchdog in software on a device that does nothing by itself: detectors from counters alone, and failures of the
// bus.
#include "sw/include/weir/watchdog.h"

#include <gmock/gmock.h>

#include <memory>

#include "sw/include/weir/buffer.h"
#include "sw/include/weir/pfc.h"
#include "sw/include/weir/shell.h"
#include "tests/sw/bank_device.h"

namespace weir::sw {
namespace {

using testing::HasSubstr;

class watchdog_test : public driver_test {
protected:
    watchdog_test() : wd(std::make_unique<weir_watchdog>()) {
        weir_watchdog_init(wd.get(), dev.get(), nullptr, nullptr);
        EXPECT_EQ(weir_pfc_enable(dev.get(), 2, 3, true), WEIR_OK);
    }
    void start(weir_wd_detector detector, weir_wd_action action = WEIR_WD_DROP) {
        ASSERT_EQ(weir_watchdog_detector_set(wd.get(), detector), WEIR_OK);
        const weir_wd_config c{action, 100, 100};  // one poll decides
        ASSERT_EQ(weir_watchdog_start(wd.get(), 2, &c), WEIR_OK);
    }
    struct seen {
        bool holds, sent, came;
        std::uint64_t paused_ns;
        bool pause_ended{false}, paused{true};
    };
    /// Two polls 100 ms apart with these counters in between; whether the second finds a storm.
    bool storms(const seen& s) {
        device.set("queue.used.cells", {2, 3}, s.holds ? 5 : 0);
        device.set("pfc.rx_paused.priorities", {2}, 0x08);
        EXPECT_EQ(weir_watchdog_poll(wd.get()), WEIR_OK);
        const std::uint64_t began = device.now;
        if (s.sent) bump("queue.frames.frames", 1);
        if (s.came) bump("pfc.rx_frames.frames", 5);
        if (s.pause_ended) bump("pfc.rx_transitions.times", 1);
        bump("pfc.rx_paused_ns.time", s.paused_ns);
        device.set("pfc.rx_paused.priorities", {2}, s.paused ? 0x08 : 0);
        device.now = began + 100'000'000;
        EXPECT_EQ(weir_watchdog_poll(wd.get()), WEIR_OK);
        weir_wd_status status{};
        EXPECT_EQ(weir_watchdog_status_get(wd.get(), 2, 3, &status), WEIR_OK);
        EXPECT_EQ(weir_watchdog_stop(wd.get(), 2), WEIR_OK);
        const weir_wd_config c{WEIR_WD_DROP, 100, 100};
        EXPECT_EQ(weir_watchdog_start(wd.get(), 2, &c), WEIR_OK);
        return status.stormed;
    }
    void bump(const char* field, std::uint64_t by) { device.set(field, {2, 3}, device.value(field, {2, 3}) + by); }
    std::unique_ptr<weir_watchdog> wd;
};

constexpr std::uint64_t ns_a_ms = 1'000'000;

TEST_F(watchdog_test, prestera_asks_for_cells_no_frame_and_pfc) {
    start(WEIR_WD_PRESTERA);
    EXPECT_TRUE(storms({true, false, true, 0}));
    EXPECT_FALSE(storms({false, false, true, 100 * ns_a_ms}));
    EXPECT_FALSE(storms({true, true, true, 100 * ns_a_ms}));
    EXPECT_FALSE(storms({true, false, false, 100 * ns_a_ms}));
}

TEST_F(watchdog_test, teralynx_asks_for_four_fifths_of_the_poll_too) {
    start(WEIR_WD_TERALYNX);
    EXPECT_FALSE(storms({true, false, true, 80 * ns_a_ms}));
    EXPECT_TRUE(storms({true, false, true, 80 * ns_a_ms + 1}));
    EXPECT_FALSE(storms({true, true, true, 90 * ns_a_ms}));
    EXPECT_FALSE(storms({true, false, false, 90 * ns_a_ms}));
    EXPECT_FALSE(storms({false, false, true, 80 * ns_a_ms}));
    EXPECT_TRUE(storms({false, false, true, 80 * ns_a_ms + 1}));
    EXPECT_FALSE(storms({false, false, false, 90 * ns_a_ms}));
}

// The accesses of the first poll take some time too, so its measured length is a little more than 100 ms.
TEST_F(watchdog_test, mellanox_asks_for_all_of_the_measured_poll) {
    start(WEIR_WD_MELLANOX);
    EXPECT_TRUE(storms({true, false, false, 100 * ns_a_ms}));
    EXPECT_FALSE(storms({true, false, false, 99 * ns_a_ms}));
    EXPECT_FALSE(storms({false, false, true, 101 * ns_a_ms}));
    EXPECT_FALSE(storms({true, true, true, 101 * ns_a_ms}));
}

TEST_F(watchdog_test, broadcom_asks_for_pfc_and_a_pause_without_end) {
    start(WEIR_WD_BROADCOM);
    EXPECT_TRUE(storms({false, true, true, 0}));
    EXPECT_FALSE(storms({false, true, false, 0}));
    EXPECT_FALSE(storms({false, true, true, 0, true, true}));
    EXPECT_FALSE(storms({false, true, true, 0, false, false}));
}

TEST_F(watchdog_test, cisco_asks_for_the_pause_at_the_poll) {
    start(WEIR_WD_CISCO);
    EXPECT_TRUE(storms({false, true, false, 0}));
    EXPECT_FALSE(storms({true, false, true, 100 * ns_a_ms, false, false}));
}

// Whatever access of the poll that acts fails, nothing is half-done, and the next poll does it.
TEST_F(watchdog_test, a_poll_that_fails_leaves_everything_as_it_was) {
    for (const weir_wd_action action : {WEIR_WD_DROP, WEIR_WD_FORWARD}) {
        start(WEIR_WD_CISCO, action);
        device.set("pfc.rx_paused.priorities", {2}, 0x08);
        ASSERT_EQ(weir_watchdog_poll(wd.get()), WEIR_OK);
        const auto before = device.snapshot();
        const weir_budget budget = dev->budget[1];
        bool acted = false;
        for (std::uint64_t n = 1; !acted; ++n) {
            device.count = 0;
            device.fail_at = n;
            const weir_status status = weir_watchdog_poll(wd.get());
            device.fail_at = 0;
            acted = status == WEIR_OK;
            if (acted) break;
            ASSERT_EQ(device.snapshot(), before) << n;
            ASSERT_EQ(dev->budget[1].guaranteed, budget.guaranteed) << n;
            ASSERT_EQ(wd->ports[2].swapped_queues, 0) << n;
            ASSERT_LT(n, 500U);
        }
        EXPECT_TRUE(wd->ports[2].watch[3].stormed);
        EXPECT_NE(device.snapshot(), before);
        ASSERT_EQ(weir_watchdog_stop(wd.get(), 2), WEIR_OK);
        EXPECT_EQ(device.snapshot(), before);
        device.set("pfc.rx_paused.priorities", {2}, 0);
    }
}

TEST_F(watchdog_test, events_are_logged_and_told) {
    std::vector<weir_wd_event> told;
    weir_watchdog_init(
        wd.get(), dev.get(),
        [](void* ctx, const weir_wd_event* e) { static_cast<std::vector<weir_wd_event>*>(ctx)->push_back(*e); }, &told);
    start(WEIR_WD_CISCO, WEIR_WD_ALERT);
    device.logged.clear();
    device.set("pfc.rx_paused.priorities", {2}, 0x08);
    for (int i = 0; i < 3; ++i) ASSERT_EQ(weir_watchdog_poll(wd.get()), WEIR_OK);
    ASSERT_EQ(told.size(), 2U);  // stormed at the second poll; no PFC frame came until the third: restored
    EXPECT_EQ(told[0].port, 2U);
    EXPECT_EQ(told[0].priority, 3U);
    EXPECT_TRUE(told[0].stormed);
    EXPECT_FALSE(told[1].stormed);
    EXPECT_THAT(device.logged, testing::Contains(HasSubstr("port 2 priority 3 is stormed, action alert")));
}

TEST_F(watchdog_test, the_shell_says_what_would_be_right) {
    weir_shell shell{};
    std::string printed;
    weir_shell_init(
        &shell, dev.get(), [](void* ctx, const char* text) { *static_cast<std::string*>(ctx) += text; }, &printed);
    const auto refused = [&](const char* line) {
        EXPECT_NE(weir_shell_execute(&shell, line), WEIR_OK) << line;
        return std::string(weir_shell_error(&shell));
    };
    EXPECT_THAT(refused("pfcwd start"), HasSubstr("no watchdog in software"));
    shell.watchdog = wd.get();
    EXPECT_THAT(refused("pfcwd start"), HasSubstr("interface 0-7"));
    EXPECT_THAT(refused("pfcwd"), HasSubstr("start, stop, detector"));
    EXPECT_THAT(refused("pfcwd detector intel"), HasSubstr("prestera, teralynx"));
    EXPECT_THAT(refused("pfcwd interval 99"), HasSubstr("100 to 3000"));
    ASSERT_EQ(weir_shell_execute(&shell, "interface 2"), WEIR_OK);
    EXPECT_THAT(refused("pfcwd start action stop"), HasSubstr("drop, forward or alert"));
    EXPECT_THAT(refused("pfcwd start detection-time 50"), HasSubstr("100 to 5000"));
    EXPECT_THAT(refused("pfcwd start restoration-time 60001"), HasSubstr("100 to 60000"));
    EXPECT_THAT(refused("pfcwd hardware queue 8"), HasSubstr("queue"));
    EXPECT_THAT(refused("pfcwd hardware granularity 5"), HasSubstr("1, 10 or 100"));
    ASSERT_EQ(weir_shell_execute(&shell, "pfcwd start action alert"), WEIR_OK) << weir_shell_error(&shell);
    ASSERT_EQ(weir_shell_execute(&shell, "pfcwd hardware queue 3 detection-time 10 recovery-time 300"), WEIR_OK)
        << weir_shell_error(&shell);
    EXPECT_EQ(device.value("wd.config.detection", {2, 3}), 10U);
    EXPECT_EQ(device.value("wd.config.recovery", {2, 3}), 3U);
    ASSERT_EQ(weir_shell_execute(&shell, "show pfcwd"), WEIR_OK);
    EXPECT_THAT(printed, HasSubstr("detector prestera, a poll every 100 ms"));
    EXPECT_THAT(printed, HasSubstr("operational alert"));
}

}  // namespace
}  // namespace weir::sw
