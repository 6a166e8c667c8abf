// SPDX-License-Identifier: Apache-2.0
// The platforms that come with Weir: each is read, boots with its script, and its programming has no errors.
#include <gmock/gmock.h>

#include <memory>

#include "platforms/machine.h"
#include "platforms/script.h"
#include "sw/include/weir/shell.h"
#include "tests/platforms/support.h"
#include "vp/check.h"

namespace weir::platforms {
namespace {

using testing::error_of;
using testing::temporary_folder;

/// Boots the board and checks it as `weir check` does.
vp::check_report check_board(const std::string& name) {
    const platform_config platform = load_platform(WEIR_SOURCE_DIR "/platforms/" + name);
    EXPECT_EQ(platform.name, name);
    EXPECT_FALSE(make_flows(platform).empty());
    machine board(platform, 1);
    auto device = std::make_unique<weir_dev>();
    board.cpu(0).program([&] {
        weir_shell shell{};
        ASSERT_EQ(weir_device_start(device.get(), &board.cpu(0).hal()), WEIR_OK);
        weir_shell_init(&shell, device.get(), nullptr, nullptr);
        for (const auto& line : read_script(platform)) {
            EXPECT_EQ(weir_shell_execute(&shell, line.text.c_str()), WEIR_OK)
                << platform.program << ":" << line.number << ": " << line.text << ": " << weir_shell_error(&shell);
        }
    });
    EXPECT_TRUE(board.boot());
    const vp::register_snapshot registers(
        registers::weir_map(), [&](std::uint64_t address) { return board.chip(0).bank().peek(address); });
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

TEST(script, puts_values_in_and_leaves_comments_alone) {
    const temporary_folder folder;
    folder.write("b.cfg", "# ${nothing}\npfc headroom ${headroom} cells # ${x}\n\nx ${a}${a}\n");
    const std::string toml =
        std::string{"[platform]\nprogram='b.cfg'\n[program]\nheadroom=8\na='yz'\n"} + testing::four_hosts;
    const auto lines = read_script(parse_platform(toml, folder.path("p.toml")));
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(lines[0].text, "# ${nothing}");
    EXPECT_EQ(lines[1].text, "pfc headroom 8 cells # ${x}");
    EXPECT_EQ(lines[3].text, "x yzyz");
    EXPECT_EQ(lines[3].number, 4U);
}

TEST(script, says_which_name_has_no_value) {
    const temporary_folder folder;
    const std::string script = folder.write("b.cfg", "a\npfc headroom ${hedroom}\n");
    const std::string toml = std::string{"[platform]\nprogram='b.cfg'\n[program]\nheadroom=8\n"} + testing::four_hosts;
    const auto read = [&] { (void)read_script(parse_platform(toml, folder.path("p.toml"))); };
    EXPECT_EQ(error_of(read), script + ":2:14: ${hedroom} has no value\n  did you mean ${headroom}?");
    folder.write("b.cfg", "pfc headroom ${headroom\n");
    EXPECT_EQ(error_of(read), script + ":1:14: ${ is not closed\n  for example ${headroom}");
}

}  // namespace
}  // namespace weir::platforms
