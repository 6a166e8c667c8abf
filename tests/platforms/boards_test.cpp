// SPDX-License-Identifier: Apache-2.0
// The platforms that come with Weir: each is read, boots with its script, and its programming has no errors.
#include <gmock/gmock.h>

#include "platforms/boot.h"
#include "platforms/machine.h"
#include "tests/platforms/support.h"
#include "vp/check/check.h"

namespace weir::platforms {
namespace {

using testing::error_of;

/// Boots the board and checks it as `weir check` does.
vp::check_report check_board(const std::string& name) {
    const platform_config platform = load_platform(WEIR_SOURCE_DIR "/platforms/" + name);
    EXPECT_EQ(platform.name, name);
    EXPECT_FALSE(make_flows(platform).empty());
    machine board(platform, 1);
    switch_driver driver(board.cpu(0));
    driver.program(read_script(platform.program, platform.program_values));
    EXPECT_TRUE(board.run_programs());
    EXPECT_EQ(driver.error(), "");
    const vp::register_snapshot registers(registers::weir_map(),
                                          [&](std::uint64_t address) { return board.chip(0).bank().peek(address); });
    return vp::make_check_report(platform, {vp::read_programmed_state("s0", registers)});
}

TEST(boards, one_switch_8x400g_is_programmed_as_it_says) {
    const auto report = check_board("one_switch_8x400g");
    EXPECT_THAT(report.errors, ::testing::IsEmpty()) << report.whole();
    EXPECT_THAT(report.text, ::testing::HasSubstr("65 536"));
}

TEST(boards, two_rates_400g_200g_is_programmed_as_it_says) {
    const auto report = check_board("two_rates_400g_200g");
    EXPECT_THAT(report.errors, ::testing::IsEmpty()) << report.whole();
}

TEST(boards, one_switch_32x100g_is_programmed_as_it_says) {
    const auto report = check_board("one_switch_32x100g");
    EXPECT_THAT(report.errors, ::testing::IsEmpty()) << report.whole();
}

TEST(script, puts_values_in_and_leaves_comments_out) {
    const auto lines = parse_script("# ${nothing}\npfc headroom ${headroom} cells # ${x}\n\nx ${a}${a}\n", "b.cfg",
                                    {{"headroom", "8"}, {"a", "yz"}});
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].text, "pfc headroom 8 cells ");
    EXPECT_EQ(lines[0].where, "b.cfg:2");
    EXPECT_EQ(lines[1].text, "x yzyz");
    EXPECT_EQ(lines[1].where, "b.cfg:4");
}

TEST(script, is_text) {
    const std::string nul{"interface all\nshut\0down\n", 24};
    EXPECT_EQ(error_of([&] { (void)parse_script(nul, "s.cfg", {}); }),
              "s.cfg:2:5: octet 0x00 is no text\n  wanted: a text file of shell commands");
    EXPECT_EQ(parse_script("interface all\r\n\tshutdown\r\n", "s.cfg", {}).size(), 2U);
    EXPECT_EQ(error_of([] { (void)parse_script("pool ${}\n", "s.cfg", {}); }),
              "s.cfg:1:6: ${} names no value\n  ${name}");
}

TEST(script, says_which_name_has_no_value) {
    const auto message = [](const std::string& text) {
        return error_of([&] { (void)parse_script(text, "b.cfg", {{"headroom", "8"}}); });
    };
    EXPECT_EQ(message("a\npfc headroom ${hedroom}\n"),
              "b.cfg:2:14: ${hedroom} has no value\n"
              "  give one: --set hedroom=VALUE, or hedroom = VALUE under [program]; known: headroom");
    EXPECT_EQ(message("pfc headroom ${headroom\n"), "b.cfg:1:14: \"${\" without its \"}\"\n  ${name}");
}

}  // namespace
}  // namespace weir::platforms
