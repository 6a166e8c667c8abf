// SPDX-License-Identifier: Apache-2.0
// Strict mode: each kind of finding, what is just not one, and how a run tells of them.
#include "vp/record/strict_checks.h"

#include <gmock/gmock.h>

#include "tests/vp/remote_support.h"

namespace weir::vp {
namespace {

using remote::testing::background;
using remote::testing::board_name;
using remote::testing::raw_client;
using remote::testing::weir_program;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Four ports; a program on its CPU that does with registers as it is told.
class strict_checks_test : public ::testing::Test {
protected:
    using register_list = std::vector<std::string>;

    /// Findings of `actions`, after the chip was brought up when `ready`.
    register_list findings(const std::function<void()>& actions, bool ready = true, bool never_written = false) {
        checks = std::make_unique<strict_checks>(board, never_written,
                                                 [](const char* who) { return std::string("in ") + who; });
        board.cpu(0).program([&] {
            if (ready) {
                write("global.init", {}, 1);
                board.cpu(0).wait_until(board.cpu(0).local_time() + microseconds(1000));
                write("global.init", {}, 2);
            }
            actions();
        });
        EXPECT_TRUE(board.run_programs());
        return checks->findings();
    }
    void write(const char* name, const registers::index& at, std::uint32_t value) {
        (void)board.cpu(0).write(address(name, at), value);
    }
    void read(const char* name, const registers::index& at = {}) {
        std::uint32_t word = 0;
        (void)board.cpu(0).read(address(name, at), word);
    }
    std::uint32_t address(const char* name, const registers::index& at) {
        return static_cast<std::uint32_t>(board.chip(0).bank().address_of(name, at));
    }

    platforms::machine board{platforms::testing::parsed(platforms::testing::four_hosts), 1};
    std::unique_ptr<strict_checks> checks;
};

constexpr std::uint32_t enabled_lossless = 3;  // pg.mode: bits 0 and 1
constexpr std::uint32_t in_pool_1 = 1U << 16U;

TEST_F(strict_checks_test, says_nothing_of_a_good_bring_up) {
    EXPECT_THAT(findings([&] {
                    write("bm.pool_size", {1, 0, 0}, 500);
                    write("pg.xoff", {0, 3, 0}, 100);
                    write("pg.xon_offset", {0, 3, 0}, 50);
                    write("pg.mode", {0, 3, 0}, enabled_lossless | in_pool_1);
                    read("pg.mode", {0, 3, 0});
                    read("pg.limit", {0, 3, 0});        // at its reset value, which the map promises
                    write("bm.error", {}, UINT32_MAX);  // clears all there is
                }),
                IsEmpty());
}

TEST_F(strict_checks_test, tells_once_of_what_was_refused_and_why) {
    EXPECT_THAT(findings(
                    [&] {
                        read("pg.xoff", {0, 0, 0});
                        read("pg.xoff", {1, 0, 0});  // the same again
                        write("pg.limit", {0, 0, 0}, 1);
                        (void)board.cpu(0).write(0xf00000, 1);
                    },
                    false),
                ElementsAre(AllOf(HasSubstr("0.000 us: s0: pg.xoff[0][0]: refused: read was refused, not_ready"),
                                  HasSubstr("global.init_status.ready"), HasSubstr(", at in s0_cpu")),
                            HasSubstr("pg.limit[0][0]: refused: write"),
                            AllOf(HasSubstr("0xf00000: refused"), HasSubstr("unmapped"))));
}

// pg.xoff has bits 23:0.
TEST_F(strict_checks_test, tells_of_ones_in_bits_that_cannot_be_written) {
    EXPECT_THAT(findings([&] {
                    write("pg.xoff", {0, 3, 0}, 0x00ffffff);
                    write("pg.xoff", {0, 3, 0}, 0x01000064);
                }),
                ElementsAre(AllOf(HasSubstr("pg.xoff[0][3]: ro_bits"), HasSubstr("0x01000000 of 0x01000064"))));
}

// R6: XON below XOFF is right, at it is not. A lossy group has neither.
TEST_F(strict_checks_test, tells_of_xon_at_xoff_in_a_lossless_group) {
    EXPECT_THAT(findings([&] {
                    write("bm.pool_size", {1, 0, 0}, 500);
                    write("pg.xoff", {0, 2, 0}, 100);
                    write("pg.xon_offset", {0, 2, 0}, 100);  // lossy
                    write("pg.xoff", {0, 3, 0}, 100);
                    write("pg.mode", {0, 3, 0}, enabled_lossless | in_pool_1);
                    write("pg.xon_offset", {0, 3, 0}, 99);
                    EXPECT_THAT(checks->findings(), IsEmpty());
                    write("pg.xon_offset", {0, 3, 0}, 100);
                }),
                ElementsAre(AllOf(HasSubstr("pg.xon_offset[0][3]: xon_xoff"),
                                  HasSubstr("100 cells is not below XOFF of 100"))));
}

TEST_F(strict_checks_test, tells_of_a_lossless_group_whose_pool_has_no_size) {
    EXPECT_THAT(findings([&] {
                    write("pg.mode", {0, 1, 0}, 1 | in_pool_1);  // lossy: bring-up does that
                    EXPECT_THAT(checks->findings(), IsEmpty());
                    write("pg.mode", {0, 3, 0}, enabled_lossless | in_pool_1);
                }),
                ElementsAre(AllOf(HasSubstr("pg.mode[0][3]: unsized_pool"), HasSubstr("pool 1"))));
}

TEST_F(strict_checks_test, tells_of_a_core_that_is_enabled_too_early) {
    EXPECT_THAT(findings(
                    [&] {
                        write("global.init", {}, 1);
                        write("global.init", {}, 2);  // the memories take microseconds
                    },
                    false),
                ElementsAre(HasSubstr("global.init: order: the core is enabled before")));
}

// wred.profile_min and _max are all-ones after reset: to lower the maximum first puts it below.
TEST_F(strict_checks_test, tells_of_a_wred_minimum_above_its_maximum) {
    EXPECT_THAT(
        findings([&] {
            write("wred.profile_min", {0, 0, 0}, 10);
            write("wred.profile_max", {0, 0, 0}, 10);
            EXPECT_THAT(checks->findings(), IsEmpty());
            write("wred.profile_max", {0, 0, 0}, 9);
        }),
        ElementsAre(AllOf(HasSubstr("wred.profile_max[0][0]: order"), HasSubstr("10 cells, is above its maximum, 9"))));
}

// To read it in order to change it is no finding; nor is it after a write, nor where things change by themselves.
TEST_F(strict_checks_test, tells_of_configuration_that_was_never_written_when_asked_to) {
    EXPECT_THAT(findings(
                    [&] {
                        read("pg.xoff", {0, 0, 0});
                        write("pg.xoff", {0, 0, 0}, 1);
                        read("pg.xoff", {0, 0, 0});
                        read("pg.used", {0, 0, 0});
                        read("global.int_mask");  // global answers always, and drivers look at it first
                        EXPECT_THAT(checks->findings(), IsEmpty());
                        read("pg.limit", {0, 1, 0});
                        read("pg.xoff", {0, 0, 0});
                        EXPECT_THAT(checks->findings(), ElementsAre(HasSubstr("pg.limit[0][1]: never_written")));
                        write("global.sw_reset", {}, 1);  // after a reset nothing has been written
                        board.cpu(0).wait_until(board.cpu(0).local_time() + microseconds(100));
                        write("global.init", {}, 1);
                        board.cpu(0).wait_until(board.cpu(0).local_time() + microseconds(1000));
                        write("global.init", {}, 2);
                        read("pg.xoff", {0, 0, 0});
                    },
                    true, true),
                ElementsAre(HasSubstr("pg.limit[0][1]"), HasSubstr("pg.xoff[0][0]: never_written")));
}

/// Runs the board with that option and an access before initialisation through the JSON door.
std::pair<int, std::string> strict_run(const std::string& option) {
    const platforms::testing::temporary_folder folder;
    background run({weir_program, "run", board_name, option, "--json", "unix:" + folder.path("j"), "--halt"},
                   folder.path("log"));
    raw_client client(folder.path("j"));
    client.send("{\"command\":\"read\",\"arguments\":{\"name\":\"pg.xoff[0][3]\"}}\n{\"command\":\"resume\"}\n");
    const int code = run.wait();
    return {code, run.output()};
}

// The access that the chip refuses (docs/registers.md) is the one finding; our own driver has none.
TEST(strict_run, counts_findings_in_the_summary_and_fails_by_them_when_told_to) {
    const auto [code, text] = strict_run("--strict");
    EXPECT_EQ(code, 0);
    EXPECT_THAT(text, HasSubstr("weir/strict: 0.000 us: s0: pg.xoff[0][3]: refused"));
    EXPECT_THAT(text, HasSubstr("strict: 1 finding\n"));
    const auto [failed, why] = strict_run("--strict=error");
    EXPECT_EQ(failed, 1);
    EXPECT_THAT(why, HasSubstr("strict: 1 finding"));
}

TEST(strict_run, finds_nothing_wrong_with_the_driver_on_the_platforms_that_come_with_weir) {
    for (const char* name : {"one_switch_8x400g", "one_switch_32x100g", "two_rates_400g_200g"}) {
        const platforms::testing::temporary_folder folder;
        background run({weir_program, "run", WEIR_SOURCE_DIR "/platforms/" + std::string(name), "--strict=error",
                        "--until", "10us"},
                       folder.path("log"));
        EXPECT_EQ(run.wait(), 0) << name << run.output();
        EXPECT_THAT(run.output(), HasSubstr("strict: 0 findings"));
    }
}

}  // namespace
}  // namespace weir::vp
