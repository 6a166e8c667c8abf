// SPDX-License-Identifier: Apache-2.0
// A run stops at the instant that was asked for, by time or by event, and is changed there and not before.
//
// At 100G (80 ps an octet) over 3 m (15 ns) a frame of 4158 octets, 17 cells of 256, has arrived 8 + 4158 octets after
// its start, and the next one 4178 octets later. Its cells go back when it leaves, which is at once.
#include "tests/system/fabric.h"
#include "tests/system/in_child.h"

namespace weir::system_test {
namespace {

constexpr std::int64_t first_frame = 4166LL * 80 + 15'000;
constexpr std::int64_t frame_slot = 4178LL * 80;

/// The moment of a run in which two hosts send to a third, in picoseconds; -1: it did not come.
std::int64_t moment(vp::turn_request turn, const std::vector<std::string>& program, int dscp = 24) {
    return in_child([&] {
        const platforms::testing::temporary_folder folder;
        std::int64_t came = -1;
        turn.choose = [&](picoseconds now) {
            came = now.count();
            return vp::turn_choice{};
        };
        vp::run_request request;
        request.turn = turn;
        platforms::load_options options;
        options.program = program;
        const std::string columns = dscp == 24 ? ",3,24\n" : ",0,0\n";
        (void)run(fabric(folder,
                         "[topology]\nkind='star'\nhosts=3\n[routes]\nkind='shortest_path'\n"
                         "[workload]\nkind='flows'\nfile='f.csv'\n",
                         {{"f.csv", "start,source,destination,octets,priority,dscp\n0,h1,h0,64KiB" + columns +
                                        "0,h2,h0,64KiB" + columns}},
                         options),
                  request);
        return came;
    });
}

vp::turn_request on(vp::turn_event event, mmu::cells cells = 0) {
    vp::turn_request turn;
    turn.event = event;
    turn.cells = cells;
    return turn;
}

TEST(turning_point, comes_at_its_time) {
    vp::turn_request turn;
    turn.at = picoseconds{1'234'567};
    EXPECT_EQ(moment(turn, {}), 1'234'567);
    turn.at = microseconds(100'000);
    EXPECT_EQ(moment(turn, {}), -1);
}

// Of 17 cells 8 are Guaranteed, so a frame leaves 9 in Service: with XOFF at 9 the first one pauses. With 10 a second
// one of the same group does, while the first still waits: one of the two senders' frames always does.
TEST(turning_point, comes_with_the_first_xoff) {
    EXPECT_EQ(moment(on(vp::turn_event::first_xoff), {"xoff=9", "xon=2"}), first_frame);
    EXPECT_EQ(moment(on(vp::turn_event::first_xoff), {"xoff=10", "xon=2"}), first_frame + frame_slot);
}

// One of two frames waits, then two of four.
TEST(turning_point, comes_when_a_memory_holds_more) {
    EXPECT_EQ(moment(on(vp::turn_event::occupancy, 33), {}), first_frame);
    EXPECT_EQ(moment(on(vp::turn_event::occupancy, 34), {}), first_frame + frame_slot);
    EXPECT_EQ(moment(on(vp::turn_event::occupancy, 51), {}), first_frame + 2 * frame_slot);
}

// A lossy group that may hold a frame refuses the second one behind it; one that may hold none, the first.
TEST(turning_point, comes_with_the_first_drop) {
    EXPECT_EQ(moment(on(vp::turn_event::first_drop), {"lossy=8"}, 0), first_frame);
    EXPECT_EQ(moment(on(vp::turn_event::first_drop), {"lossy=9"}, 0), first_frame + frame_slot);
    EXPECT_EQ(moment(on(vp::turn_event::first_drop), {}), -1);
}

// XOFF 9 from a millisecond on, after the frames have gone: nothing is paused; at once: it is. One after the other, as
// a user would type them: XON at 100 must make way before XOFF can be 9.
TEST(turning_point, changes_the_program_from_then_on) {
    const auto pauses = [](picoseconds at) {
        return in_child([at] {
            vp::run_request request;
            request.turn.emplace();
            request.turn->at = at;
            request.turn->choose = [](picoseconds) { return vp::turn_choice{{"xon=2", "xoff=9"}, ""}; };
            request.until = microseconds(2'000);
            const auto result = run_fabric(
                "[topology]\nkind='star'\nhosts=3\n[routes]\nkind='shortest_path'\n[workload]\nkind='flows'\n"
                "file='f.csv'\n",
                {{"f.csv", "start,source,destination,octets\n100us,h1,h0,64KiB\n100us,h2,h0,64KiB\n"}}, request);
            EXPECT_TRUE(result.passed());
            return result.hosts[1].pfc_received + result.hosts[2].pfc_received;
        });
    };
    EXPECT_GT(pauses(microseconds(1)), 0U);
    EXPECT_EQ(pauses(microseconds(1'000)), 0U);
}

}  // namespace
}  // namespace weir::system_test
