// SPDX-License-Identifier: Apache-2.0
// SimAI's workload files: who runs which collective with whom, behind what, and what is wrong with a file.
#include "platforms/simai.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/platforms/support.h"

namespace weir::platforms {
namespace {

using testing::error_of;
using testing::temporary_folder;

constexpr const char* eight_hosts = "[[switch.s0.ports]]\ncount=8\nrate='100G'\n";

class simai : public ::testing::Test {
protected:
    std::vector<flow> read(const std::string& text, const std::string& platform = eight_hosts) {
        return read_simai(folder_.write("w.txt", text), testing::parsed(platform));
    }
    std::string error(const std::string& text, const std::string& platform = eight_hosts) {
        const std::string message = error_of([&] { (void)read(text, platform); });
        const std::string folder = folder_.path();
        return message.rfind(folder, 0) == 0 ? message.substr(folder.size()) : message;
    }
    static std::string header(int tensor, int expert, int ranks) {
        return "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: " + std::to_string(tensor) +
               " ep: " + std::to_string(expert) + " pp: 1 all_gpus: " + std::to_string(ranks) + " checkpoints: 0\n";
    }
    temporary_folder folder_;
};

std::set<std::pair<std::uint32_t, std::uint32_t>> pairs(const std::vector<flow>& flows) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> made;
    for (const flow& f : flows) made.emplace(f.source, f.destination);
    return made;
}

TEST_F(simai, compute_time_comes_before_a_collective) {
    const auto flows = read(header(8, 1, 8) + "1\nl -1 556000 ALLREDUCE 8000 1 NONE 0 1 NONE 0 1\n");
    ASSERT_EQ(flows.size(), 8U * 14);
    for (const flow& f : flows) {
        EXPECT_EQ(f.octets, 1000U);
        EXPECT_EQ(f.start, f.after.empty() ? microseconds(556) : picoseconds{0});
        EXPECT_EQ(f.delay, picoseconds{0});
    }
}

// Forward, then backward: 7 ns are between the forward collective's end and the input gradient's, and 2 + 3 + 5 ns
// between that of layer b and that of layer a: b's weight gradient, and a's input gradient.
TEST_F(simai, a_rank_goes_on_when_its_collective_is_over) {
    const auto flows = read(header(2, 1, 2) +
                            "2\na -1 1 NONE 0 5 ALLGATHER 200 1 NONE 0 1\n"
                            "b -1 1 ALLGATHER 100 7 ALLGATHER 300 5 NONE 0 1\n");
    ASSERT_EQ(flows.size(), 6U);
    EXPECT_EQ(flows[0].start, nanoseconds(2));
    EXPECT_EQ(flows[0].octets, 50U);
    EXPECT_EQ(flows[2].octets, 150U);
    EXPECT_EQ(flows[2].delay, nanoseconds(7));
    EXPECT_EQ(flows[2].after, std::vector<std::uint32_t>{1});  // what rank 0 got from rank 1
    EXPECT_EQ(flows[3].after, std::vector<std::uint32_t>{0});
    EXPECT_EQ(flows[4].octets, 100U);
    EXPECT_EQ(flows[4].delay, nanoseconds(10));
    EXPECT_EQ(flows[4].after, std::vector<std::uint32_t>{3});
}

// The next layer does not wait for the collective of the weight gradient: both hang on the same message.
TEST_F(simai, weight_gradients_are_exchanged_beside) {
    const auto flows = read(header(1, 1, 2) +
                            "2\na -1 0 NONE 0 9 NONE 0 4 ALLGATHER 2 1\n"
                            "b -1 0 NONE 0 6 NONE 0 5 ALLGATHER 2 1\n");
    ASSERT_EQ(flows.size(), 4U);
    EXPECT_EQ(flows[0].start, nanoseconds(6 + 5));
    EXPECT_EQ(flows[2].start, nanoseconds(6 + 5 + 9 + 4));
    EXPECT_TRUE(flows[2].after.empty());
}

TEST_F(simai, groups_are_those_of_the_header) {
    // Eight ranks in tensor groups of two: {0,1} {2,3} …; data groups {0,2,4,6} and {1,3,5,7}.
    const std::string two = header(2, 2, 8);
    EXPECT_EQ(pairs(read(two + "1\nl -1 0 ALLTOALL 2 0 NONE 0 0 NONE 0 0\n")),
              (std::set<std::pair<std::uint32_t, std::uint32_t>>{
                  {0, 1}, {1, 0}, {2, 3}, {3, 2}, {4, 5}, {5, 4}, {6, 7}, {7, 6}}));
    EXPECT_EQ(pairs(read(two + "1\nl -1 0 NONE 0 0 NONE 0 0 ALLGATHER 4 0\n")),
              (std::set<std::pair<std::uint32_t, std::uint32_t>>{
                  {0, 2}, {2, 4}, {4, 6}, {6, 0}, {1, 3}, {3, 5}, {5, 7}, {7, 1}}));
    // Expert groups of two data neighbours: {0,2} {1,3} {4,6} {5,7}; the others with the same place: {0,4} {1,5} …
    EXPECT_EQ(pairs(read(two + "1\nl -1 0 ALLTOALL_EP 2 0 NONE 0 0 NONE 0 0\n")),
              (std::set<std::pair<std::uint32_t, std::uint32_t>>{
                  {0, 2}, {2, 0}, {1, 3}, {3, 1}, {4, 6}, {6, 4}, {5, 7}, {7, 5}}));
    EXPECT_EQ(pairs(read(two + "1\nl -1 0 NONE 0 0 NONE 0 0 ALLREDUCE_DP_EP 2 0\n")),
              (std::set<std::pair<std::uint32_t, std::uint32_t>>{
                  {0, 4}, {4, 0}, {2, 6}, {6, 2}, {1, 5}, {5, 1}, {3, 7}, {7, 3}}));
}

TEST_F(simai, a_collective_of_one_rank_takes_no_time) {
    const auto flows = read(header(1, 1, 2) + "1\nl -1 10 ALLREDUCE 100 20 ALLREDUCE 100 30 REDUCESCATTER 100 1\n");
    ASSERT_EQ(flows.size(), 2U);
    EXPECT_EQ(flows[0].start, nanoseconds(60));
}

TEST_F(simai, says_what_is_wrong) {
    const std::string good = header(2, 1, 2);
    EXPECT_EQ(error("MICRO\n"), "w.txt:1:1: \"MICRO\" cannot be modelled\n  wanted: HYBRID_TRANSFORMER_FWD_IN_BCKWD");
    EXPECT_EQ(error("HYBRID_TRANSFORMER_FWD_IN_BCKWD all_gpus 8\n"),
              "w.txt:1:33: \"all_gpus\" is no \"name: number\"\n  for example: all_gpus: 8");
    EXPECT_EQ(error("HYBRID_TRANSFORMER_FWD_IN_BCKWD all_gpus: 8 pp: 2\n"),
              "w.txt:1:49: pipeline parallelism cannot be modelled\n  wanted: pp: 1");
    EXPECT_EQ(error("HYBRID_TRANSFORMER_FWD_IN_BCKWD all_gpus: 8 checkpoints: 2\n"),
              "w.txt:1:58: checkpoints cannot be modelled\n  wanted: 0");
    EXPECT_EQ(error("HYBRID_TRANSFORMER_FWD_IN_BCKWD all_gpus: 8\n"),
              "w.txt:1:1: model_parallel_NPU_group is missing\n  model_parallel_NPU_group: 8");
    EXPECT_EQ(
        error(header(3, 1, 8)),
        "w.txt:1:83: 8 ranks are no whole number of groups of 3\n  a multiple of model_parallel_NPU_group times ep");
    EXPECT_EQ(error(header(16, 1, 16) + "1\n"),
              "w.txt:1:1: 16 ranks for 8 hosts\n  as many in workload.ranks, or none there and hosts enough");
    EXPECT_EQ(error(good), "w.txt:2:1: the file ends too early\n  wanted here: the number of layers");
    EXPECT_EQ(error(good + "1\nl -1 10 ALLREDUCE 100\n"),
              "w.txt:3:1: 5 fields where 12 belong\n"
              "  wanted: name dependency forward_ns COLL octets input_grad_ns COLL octets weight_grad_ns COLL octets "
              "update_ns");
    EXPECT_EQ(error(good + "1\nl -1 10 BROADCAST 100 1 NONE 0 1 NONE 0 1\n"),
              "w.txt:3:9: collective \"BROADCAST\" is unknown\n"
              "  one of: NONE ALLREDUCE ALLGATHER REDUCESCATTER ALLTOALL, with _EP or _DP_EP behind it");
    EXPECT_EQ(error(good + "1\nl -1 -10 NONE 0 1 NONE 0 1 NONE 0 1\n"),
              "w.txt:3:6: time \"-10\" is no whole number from 0 to 86400000000000");
    EXPECT_EQ(error(good + "1\nl -1 1 ALLREDUCE 1 1 NONE 0 1 NONE 0 1\n"),
              "w.txt:3:18: octets 1 are too few for 2 ranks\n  at least 1 for each, or 0");
    EXPECT_EQ(error(good + "1\nl -1 1 NONE 0 1 NONE 0 1 NONE 0 1\nl\n"), "w.txt:4:1: more than 1 layers follow");
}

}  // namespace
}  // namespace weir::platforms
