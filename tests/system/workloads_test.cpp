// SPDX-License-Identifier: Apache-2.0
// Workloads whose flows wait for each other, run to the end and held to closed forms, to the picosecond.
//
// One switch, hosts at 100G (80 ps an octet) on 3 m (15 ns), no latencies. A frame of 1024 octets of payload has 1086
// octets and takes its place on the wire for 1106; it arrives 1094 octets after its start. A message of m frames over
// one switch: the frames behind each other on the first wire, and the last once more on the second:
//   T(m) = (m − 1)·1106·80 + 2·(1094·80 + 15 000) ps
#include <gmock/gmock.h>

#include "tests/system/fabric.h"

namespace weir::system_test {
namespace {

using ::testing::IsEmpty;

constexpr std::int64_t slot = 1106LL * 80;
constexpr std::int64_t hop = 1094LL * 80 + 15'000;
constexpr std::int64_t message(std::int64_t frames) {
    return (frames - 1) * slot + 2 * hop;
}

vp::run_result run_star(int hosts, const std::string& workload, const files& beside = {}) {
    return run_fabric("[topology]\nkind='star'\nhosts=" + std::to_string(hosts) +
                          "\n[routes]\nkind='shortest_path'\n[workload]\nframe=1024\n" + workload,
                      beside);
}

/// When the last flow arrived; all must have.
std::int64_t completion(const vp::run_result& result) {
    EXPECT_THAT(result.failures(), IsEmpty());
    std::int64_t last = 0;
    for (const auto& f : result.flows) {
        EXPECT_TRUE(f.finish);
        if (f.finish) last = std::max(last, f.finish->count());
    }
    return last;
}

// 2(n − 1) steps of S/n: S = 32 frames over four ranks are messages of 8.
TEST(workloads, ring_all_reduce_takes_its_closed_form) {
    const auto result = run_star(4, "kind='ring_all_reduce'\noctets=32768\n");
    EXPECT_EQ(completion(result), 2 * 3 * message(8));
}

// The same of a vector that is large against latency: 2(n − 1)/n·S/B, B being what 1024 octets of payload leave of the
// wire, within a percent.
TEST(workloads, ring_all_reduce_of_much_is_bandwidth) {
    const auto result = run_star(8, "kind='ring_all_reduce'\noctets='8MiB'\n");
    const double bandwidth_term = 2.0 * 7 / 8 * 8 * 1024 * slot;
    EXPECT_NEAR(static_cast<double>(completion(result)), bandwidth_term, 0.01 * bandwidth_term);
}

TEST(workloads, all_gather_takes_half_of_an_all_reduce) {
    EXPECT_EQ(completion(run_star(4, "kind='all_gather'\noctets=32768\n")), 3 * message(8));
}

TEST(workloads, reduce_scatter_takes_half_of_an_all_reduce) {
    EXPECT_EQ(completion(run_star(4, "kind='reduce_scatter'\noctets=32768\nstart='5us'\n")),
              5'000'000 + 3 * message(8));
}

// Each host sends to the others in turn, and the turns do not collide: 3·8 frames without a gap.
TEST(workloads, all_to_all_at_once_fills_every_wire) {
    EXPECT_EQ(completion(run_star(4, "kind='all_to_all'\noctets=32768\n")), message(3 * 8));
}

TEST(workloads, all_to_all_in_steps_takes_a_message_each) {
    EXPECT_EQ(completion(run_star(4, "kind='all_to_all'\nexchange='shifted'\noctets=32768\n")), 3 * message(8));
}

// Two ranks: piece k goes up when piece k − 1 has, and down when it is up and piece k − 1 is down: c + 1 messages.
TEST(workloads, tree_all_reduce_is_a_pipeline_of_pieces) {
    EXPECT_EQ(completion(run_star(2, "kind='tree_all_reduce'\noctets=40960\npieces=5\n")), 6 * message(8));
}

// Three ranks: both children's messages share the root's wire on the way up, and its own on the way down.
TEST(workloads, tree_all_reduce_shares_the_roots_wire) {
    EXPECT_EQ(completion(run_star(3, "kind='tree_all_reduce'\noctets=8192\n")), 2 * message(2 * 8));
}

TEST(workloads, a_flow_starts_when_others_are_delivered) {
    const auto result = run_star(3, "kind='flows'\nfile='f.csv'\n",
                                 {{"f.csv",
                                   "start,source,destination,octets,id,after,delay\n"
                                   ",h1,h2,8192,b,a,2us\n"
                                   "0,h0,h1,8192,a,,\n"
                                   ",h2,h0,1024,c,a;b,\n"
                                   "100us,h2,h1,1024,d,a,\n"
                                   "1us,h0,h2,1024,,c b,1ps\n"}});
    const std::int64_t b = message(8) + 2'000'000;
    const std::int64_t c = b + message(8);
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> times;
    (void)completion(result);
    for (const auto& f : result.flows) times[f.id] = {f.start->count(), f.finish->count()};
    EXPECT_EQ(times["a"], std::pair(std::int64_t{0}, message(8)));
    EXPECT_EQ(times["b"], std::pair(b, c));
    EXPECT_EQ(times["c"], std::pair(c, c + message(1)));
    EXPECT_EQ(times["d"], std::pair(std::int64_t{100'000'000}, 100'000'000 + message(1)));
    EXPECT_EQ(times[""], std::pair(c + message(1) + 1, c + 2 * message(1) + 1));
}

// What has arrived counts, not what has been acknowledged; and flows that begin while others run have queue pairs too.
TEST(workloads, flows_over_reliable_connections_wait_as_well) {
    const auto result = run_fabric(
        "[topology]\nkind='star'\nhosts=4\n[routes]\nkind='shortest_path'\n[hosts]\ntransport='rc'\n"
        "[workload]\nframe=1024\nkind='flows'\nfile='f.csv'\n",
        {{"f.csv",
          "start,source,destination,octets,id,after,delay\n"
          "0,h0,h1,8192,a,,\n,h1,h2,8192,b,a,\n,h3,h1,8192,c,a,10us\n,h2,h1,8192,d,b c,\n"}});
    (void)completion(result);
    std::map<std::string, const vp::flow_result*> flows;
    for (const auto& f : result.flows) flows[f.id] = &f;
    EXPECT_EQ(flows["a"]->finish->count(), message(8));
    EXPECT_EQ(flows["b"]->start, flows["a"]->finish);
    EXPECT_EQ(flows["c"]->start, *flows["a"]->finish + microseconds(10));
    EXPECT_EQ(flows["d"]->start, flows["c"]->finish);
    for (const auto& f : result.flows) EXPECT_GT(f.acknowledged, f.finish);
}

// Two senders fill a wire: PFC stops both, and a flow was stopped as long as its host was, no longer than it took
// beyond its ideal time and a frame for each pause.
TEST(workloads, flows_tell_how_long_they_were_paused) {
    const auto result = run_star(3, "kind='incast'\noctets='8MiB'\n");
    (void)completion(result);
    for (const auto& f : result.flows) {
        const auto host = std::find_if(result.hosts.begin(), result.hosts.end(),
                                       [&](const vp::host_result& h) { return h.name == f.source; });
        EXPECT_GT(f.paused, picoseconds{0});
        EXPECT_LE(f.paused, host->paused[3]);
        const auto frames = picoseconds{slot} * static_cast<std::int64_t>(host->pfc_received);
        EXPECT_LE(f.paused, *f.completion() - *f.ideal + frames);
    }
    EXPECT_EQ(result.flows.size(), 2U);
}

// A lossy flow that loses frames is never delivered whole: what waits for it never starts, and the run ends.
TEST(workloads, what_waits_for_a_lost_flow_never_starts) {
    const auto result = run_fabric(
        "[topology]\nkind='star'\nhosts=3\n[workload]\nkind='flows'\nfile='f.csv'\n[routes]"
        "\nkind='shortest_path'\n",
        {{"f.csv",
          "start,source,destination,octets,priority,id,after\n"
          "0,h1,h0,8MiB,0,a,\n0,h2,h0,8MiB,0,b,\n,h0,h1,1024,3,c,a b\n"}});
    EXPECT_FALSE(result.flows[0].finish && result.flows[1].finish);
    EXPECT_FALSE(result.flows[2].start);
    EXPECT_FALSE(result.flows[2].finish);
    EXPECT_TRUE(result.drained);
}

// Every period its own incast: three senders of 8 frames each into one wire.
TEST(workloads, incast_comes_again_every_period) {
    const auto result = run_star(4, "kind='incast'\noctets=8192\nperiod='50us'\nrepetitions=3\n");
    EXPECT_EQ(completion(result), 100'000'000 + message(3 * 8));
    ASSERT_EQ(result.flows.size(), 9U);
    EXPECT_EQ(result.flows[8].start, microseconds(100));
}

// One layer a pass: forward compute and all-reduce, then the input gradient's. Behind the last message nothing is seen.
TEST(workloads, simai_adds_compute_and_collectives) {
    const auto result = run_star(4, "kind='simai'\nfile='w.txt'\n",
                                 {{"w.txt",
                                   "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 all_gpus: 4\n2\n"
                                   "a -1 3000 ALLREDUCE 32768 1000 ALLREDUCE 65536 700 NONE 0 1\n"
                                   "b -1 4000 NONE 0 2000 ALLGATHER 32768 500 NONE 0 1\n"}});
    EXPECT_EQ(completion(result), 3'000'000 + 6 * message(8) + 4'000'000 + 2'000'000 + 3 * message(8) + 500'000 +
                                      1'000'000 + 6 * message(16));
}

TEST(workloads, poisson_delivers_everything) {
    const auto result = run_star(4, "kind='poisson'\nsizes='solar'\nload=0.3\ncount=60\n");
    (void)completion(result);
    EXPECT_EQ(result.flows.size(), 60U);
}

// Two switches in the files of the HPCC simulator: h0 and h1 at switch 2, h4 at switch 3, 200 m between.
TEST(workloads, hpcc_files_run_as_they_are) {
    const platforms::testing::temporary_folder folder;
    const auto result = run(fabric(folder,
                                   "[topology]\nkind='hpcc'\nfile='t.txt'\n[routes]\nkind='shortest_path'\n"
                                   "[workload]\nkind='hpcc'\nfile='f.txt'\nframe=1024\n",
                                   {{"t.txt",
                                     "5 2 4\n2 3\n0 2 100Gbps 15ns 0\n1 2 100Gbps 15ns 0\n4 3 100Gbps 15ns 0\n"
                                     "2 3 100Gbps 1000ns 0.000000\n"},
                                    {"f.txt", "2\n0 4 3 100 8192 0.000001\n4 1 3 100 1024 0.0001\n"}}));
    EXPECT_THAT(result.failures(), IsEmpty());
    ASSERT_EQ(result.flows.size(), 2U);
    const std::int64_t over_two = 1094LL * 80 + 1'000'000;
    EXPECT_EQ(result.flows[0].finish->count(), 1'000'000 + message(8) + over_two);
    EXPECT_EQ(result.flows[1].finish->count(), 100'000'000 + message(1) + over_two);
    EXPECT_EQ(result.flows[1].destination, "h1");
}

}  // namespace
}  // namespace weir::system_test
