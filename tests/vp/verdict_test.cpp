// SPDX-License-Identifier: Apache-2.0
// What a run says of what is still under way, of deadlocks and of marks, when it is cut in the middle.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/vp/run_weir.h"
#include "tests/vp/support.h"

namespace weir::vp {
namespace {

using platforms::testing::temporary_folder;
using ::testing::HasSubstr;
using ::testing::Not;
using json = nlohmann::ordered_json;

class verdict_test : public ::testing::Test {
protected:
    program_outcome run(const std::string& arguments) const {
        return run_weir(fmt::format("run {}/platforms/{} --out {}", WEIR_SOURCE_DIR, arguments, folder.path("out")));
    }
    [[nodiscard]] json result() const {
        std::ifstream file(folder.path("out/result.json"));
        return json::parse(file);
    }
    /// Lost frames as the flows count them, and as the switches do.
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> losses() const {
        std::uint64_t of_flows = 0;
        std::uint64_t of_switches = 0;
        const json r = result();
        for (const json& flow : r["flows"]) of_flows += flow["lost_frames"].get<std::uint64_t>();
        for (const json& loss : r["losses"]) of_switches += loss["frames"].get<std::uint64_t>();
        return {of_flows, of_switches};
    }
    temporary_folder folder;
};

// Seven senders fill the memory of a lossless class: frames stand in it and on the cables when the run is cut.
TEST_F(verdict_test, does_not_take_frames_under_way_for_lost) {
    ASSERT_EQ(run("one_switch_8x400g --until 100us").code, 0);
    EXPECT_FALSE(result()["run"]["drained"].get<bool>());
    EXPECT_EQ(losses(), std::pair(std::uint64_t{0}, std::uint64_t{0}));
}

// Where frames are lost, what the flows miss is what the switches threw away, whatever is under way beside it.
TEST_F(verdict_test, counts_the_same_losses_by_flow_and_by_switch_at_any_time) {
    for (const char* until : {"45us", "50us", "77us"}) {
        ASSERT_EQ(run(fmt::format("one_switch_8x400g --set headroom=8 --until {}", until)).code, 1);
        const auto [of_flows, of_switches] = losses();
        EXPECT_GT(of_switches, 0U);
        EXPECT_EQ(of_flows, of_switches) << until;
    }
}

TEST_F(verdict_test, is_bad_when_a_circle_of_waits_stands_at_the_end) {
    const auto frozen = run("ring3 --observe --until 2ms");
    EXPECT_EQ(frozen.code, 1);
    EXPECT_THAT(frozen.text, HasSubstr("  FAILED\n    deadlock since "));
    EXPECT_FALSE(result()["verdict"]["passed"].get<bool>());
    const auto before = run("ring3 --observe --until 100us");
    EXPECT_EQ(before.code, 0);
    EXPECT_THAT(before.text, Not(HasSubstr("deadlock")));
}

// Nobody reacts to marks here, so the frames of both runs come and go at the same times, and some have CE in one alone.
TEST_F(verdict_test, digests_tell_marked_frames_from_unmarked_ones) {
    std::ofstream(folder.path("p.cfg")) << R"(pool create all ingress size 60000 cells
wred profile 1 green min ${kmin} max ${kmax} probability 100%
interface all
queue 0 wred profile 1 ecn
no shutdown
exit
mac-table add 02:00:00:00:00:00 port 0
mac-table add 02:00:00:00:00:01 port 1
mac-table add 02:00:00:00:00:02 port 2
)";
    std::ofstream(folder.path("p.toml")) << "[platform]\nprogram='p.cfg'\n[program]\nkmin=0\nkmax=1\n[switch.s0]\n"
                                            "[[switch.s0.ports]]\ncount=3\nrate='100G'\n[workload]\nkind='incast'\n"
                                            "octets='100kB'\npriority=0\necn='ect0'\n";
    std::string digests[3];
    std::uint64_t marked[3] = {};
    int at = 0;
    for (const char* thresholds :
         {"--set kmin=40000 --set kmax=50000", "--set kmin=45000 --set kmax=50000", "--set kmin=10 --set kmax=20"}) {
        const auto got =
            run_weir(fmt::format("run {} {} --out {}", folder.path("p.toml"), thresholds, folder.path("out")));
        ASSERT_EQ(got.code, 0) << got.text.substr(0, 500);
        const json r = result();
        digests[at] = r["digest"];
        for (const json& flow : r["flows"]) marked[at] += flow["marked_frames"].get<std::uint64_t>();
        ++at;
    }
    EXPECT_EQ(marked[0], 0U);
    EXPECT_EQ(marked[1], 0U);
    EXPECT_GT(marked[2], 0U);
    EXPECT_EQ(digests[0], digests[1]);
    EXPECT_NE(digests[0], digests[2]);
}

}  // namespace
}  // namespace weir::vp
