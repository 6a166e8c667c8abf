// SPDX-License-Identifier: Apache-2.0
// `weir show DIR pg|queue|pfc|flows|drops`.
#include "vp/results/stored_tables.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/vp/run_weir.h"
#include "tests/vp/support.h"

namespace weir::vp {
namespace {

using platforms::testing::temporary_folder;
using ::testing::HasSubstr;
using testing::sample_result;
using testing::small_chip;
using ::testing::StartsWith;

nlohmann::ordered_json stored(const run_result& result) {
    return nlohmann::ordered_json::parse(result_json(result));
}

TEST(stored_tables, groups_have_a_row_where_a_frame_was_seen) {
    small_chip chip;
    chip.set("pg.mode.lossless", {1, 3}, 1);
    chip.set("pg.frames.frames", {1, 3}, 28'672);
    chip.set("pg.octets.octets", {1, 3}, 119'218'176);
    chip.set("pg.used.cells", {1, 3}, 17);
    chip.set("pg.max.cells", {1, 3}, 7344);
    chip.set("pg.guaranteed.cells", {1, 3}, 8);
    chip.set("pg.service_max.cells", {1, 3}, 6800);
    chip.set("pg.xoff.cells", {1, 3}, 6799);
    chip.set("pg.headroom_max.cells", {1, 3}, 536);
    chip.set("pg.headroom.cells", {1, 3}, 768);
    chip.set("pg.drop_frames.frames", {2, 0}, 5);
    chip.set("pg.drop_octets.octets", {2, 0}, 320);
    EXPECT_EQ(
        stored_table(stored(sample_result(chip)), "pg"),
        "port  PG  mode      frames       octets  cells   peak  guaranteed  service peak   xoff  headroom peak   "
        "of  drop frames  drop octets\n"
        "s0.1   3  lossless  28 672  119 218 176     17  7 344           8         6 800  6 799            536  "
        "768            0            0\n"
        "s0.2   0  lossy          0            0      0      0           0             0      -              -    "
        "-            5          320\n");
}

TEST(stored_tables, queues_tell_marks_and_drops) {
    small_chip chip;
    chip.set("queue.frames.frames", {0, 7}, 1'000);
    chip.set("queue.octets.octets", {0, 7}, 64'000);
    chip.set("queue.used.cells", {0, 7}, 1);
    chip.set("queue.max.cells", {0, 7}, 90);
    chip.set("wred.ce_marked.frames", {0, 7}, 11);
    chip.set("wred.wred_drops.frames", {3, 1}, 2);
    chip.set("queue.mode.lossless", {3, 1}, 1);
    chip.set("queue.drop_frames.frames", {3, 1}, 3);
    chip.set("queue.drop_octets.octets", {3, 1}, 192);
    EXPECT_EQ(stored_table(stored(sample_result(chip)), "queue"),
              "port  queue  mode      frames  octets  cells  peak  CE marked  WRED drops  drop frames  drop octets\n"
              "s0.0      7  lossy      1 000  64 000      1    90         11           0            0            0\n"
              "s0.3      1  lossless       0       0      0     0          0           2            3          192\n");
}

// A pause is counted by the registers where it ends: one that stands has begun as well.
TEST(stored_tables, pauses_that_stand_count) {
    small_chip chip;
    chip.set("pfc.tx_requests.frames", {1, 3}, 9);
    chip.set("pfc.tx_transitions.times", {1, 3}, 4);
    chip.set("pfc.tx_paused.priorities", {1}, 0x08);
    chip.set("pfc.tx_paused_ns.time", {1, 3}, 12'345);
    chip.set("pfc.rx_frames.frames", {2, 4}, 6);
    chip.set("pfc.rx_transitions.times", {2, 4}, 3);
    chip.set("pfc.rx_paused_ns.time", {2, 4}, 1'500);
    EXPECT_EQ(stored_table(stored(sample_result(chip)), "pfc"),
              "port  priority  sent  pauses      us  asking  received  pauses     us  stopped\n"
              "s0.1         3     9       5  12.345  yes            0       0  0.000  no\n"
              "s0.2         4     0       0   0.000  no             6       3  1.500  no\n");
}

TEST(stored_tables, flows_say_what_became_of_them) {
    const small_chip chip;
    run_result result = sample_result(chip);
    result.flows[0].id = "a";
    result.flows[0].ideal = microseconds(125);
    result.flows[1].finish.reset();
    result.flows[1].given_up = microseconds(300);
    result.flows[1].lost_frames = 1'000;
    result.flows[2].finish.reset();
    result.flows[2].start.reset();
    result.flows[2].paused = nanoseconds(1'500);
    EXPECT_EQ(
        stored_table(stored(result), "flows"),
        "flow  id  source  destination  priority     octets  start us  finish us  slowdown  delivered  lost frames  "
        "CE  sent again  paused us\n"
        "   0  a   h1      h0                  3  1 048 576     0.000    250.000      2.00  1 048 576            0   "
        "0           0      0.000\n"
        "   1      h2      h0                  3  1 048 576     0.000   given up            1 048 576        1 000   "
        "0           0      0.000\n"
        "   2      h3      h0                  3  1 048 576     never      never            1 048 576            0   "
        "0           0      1.500\n");
}

TEST(stored_tables, drops_of_lossless_classes_come_first) {
    const small_chip chip;
    run_result result = sample_result(chip);
    result.losses = {{0, 2, 0, false, "wred", 5}, {0, 1, 3, true, "headroom", 1'200}};
    EXPECT_EQ(stored_table(stored(result), "drops"),
              "port  PG  class     reason    frames\n"
              "s0.1   3  lossless  headroom   1 200\n"
              "s0.2   0  lossy     wred           5\n");
}

TEST(stored_tables, where_there_is_nothing_it_says_so) {
    const small_chip chip;
    run_result result = sample_result(chip);
    result.flows.clear();
    const auto empty = stored(result);
    EXPECT_EQ(stored_table(empty, "pg"), "no priority group saw a frame\n");
    EXPECT_EQ(stored_table(empty, "queue"), "no queue saw a frame\n");
    EXPECT_EQ(stored_table(empty, "pfc"), "no priority was paused\n");
    EXPECT_EQ(stored_table(empty, "flows"), "the run had no flows\n");
    EXPECT_EQ(stored_table(empty, "drops"), "no frame was dropped\n");
    EXPECT_EQ(stored_table(empty, "mmu"), std::nullopt);
}

// The same words at the program, and the shell's beside them.
TEST(stored_tables, the_program_shows_them_of_a_run_s_folder) {
    const temporary_folder folder;
    const std::string out = folder.path("out");
    ASSERT_EQ(
        run_weir("run " WEIR_SOURCE_DIR "/platforms/one_switch_8x400g --hw workload.octets=64KiB --out " + out).code,
        0);
    // 7 flows of 64 KiB in frames of 4096 octets of payload.
    EXPECT_THAT(run_weir("show " + out + " pg").text, HasSubstr("\ns0.7   3  lossless  "));
    EXPECT_THAT(run_weir("show " + out + " queue").text, HasSubstr("\ns0.0      3  lossless     112 "));
    EXPECT_THAT(run_weir("show " + out + " flows").text, HasSubstr("\n   6      h7      h0 "));
    EXPECT_EQ(run_weir("show " + out + " drops").text, "no frame was dropped\n");
    EXPECT_EQ(run_weir("show " + out + " pfc").text, "no priority was paused\n");
    EXPECT_THAT(run_weir("show " + out + " diagnose").text, StartsWith("interface 0: "));
    const program_outcome unknown = run_weir("show " + out + " pgs");
    EXPECT_EQ(unknown.code, 2);
    EXPECT_THAT(unknown.text, HasSubstr("pg, queue, pfc, flows, drops, or the shell's show words of docs/driver.md\n"));
    const program_outcome none = run_weir("show " + folder.path("none") + " pg");
    EXPECT_EQ(none.code, 2);
    EXPECT_EQ(none.text, folder.path("none") + "/result.json: cannot be read\n  a folder that weir run --out left\n");
    std::ofstream(out + "/result.json") << "{\"schema\":\"weir-result\",\"schema_version\":1}";
    const program_outcome damaged = run_weir("show " + out + " drops");
    EXPECT_EQ(damaged.code, 2);
    EXPECT_THAT(damaged.text, StartsWith(out + "/result.json: lacks what every result has\n"));
}

}  // namespace
}  // namespace weir::vp
