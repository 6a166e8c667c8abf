// SPDX-License-Identifier: Apache-2.0
// How long a flow was stopped: only its own priority's pauses, and only while it had something to send.
#include "tests/host/stations.h"

namespace weir::host {
namespace {

using testing::pair_of_stations;

std::uint32_t send_open(pair_of_stations& s, std::uint8_t priority, std::uint64_t frames, picoseconds start) {
    flow_parameters f;
    f.number = s.ledger.add(frames);
    f.priority = priority;
    f.octets = frames * 1024;
    f.frame_payload = 1024;
    f.start = start;
    f.path.source_mac = {2, 0, 0, 0, 0, 1};
    f.path.destination_mac = {2, 0, 0, 0, 0, 2};
    s.a->flows.add(f);
    return f.number;
}

// At 40G a PFC frame (64 octets and 8 of preamble) takes 14.4 ns, and 500 ns of cable: `a` stops 514.4 ns after `b`
// wishes it, and goes on as much after the wish is gone.
TEST(paused, counts_while_there_is_something_to_send) {
    pair_of_stations s({});
    const picoseconds begin = microseconds(20);
    const picoseconds end = microseconds(30);
    const auto through = send_open(s, 3, 400, microseconds(1));  // 88.5 µs of the wire: before, through and after
    const auto other = send_open(s, 4, 10, microseconds(22));    // another priority
    const auto early = send_open(s, 3, 10, microseconds(2));     // 2.2 µs of the wire: over before
    const auto late = send_open(s, 3, 10, begin + microseconds(4));
    const auto connected = s.send(400 * 1024, microseconds(1));
    const auto after = send_open(s, 3, 10, microseconds(40));
    s.b->flow.generator.set_group_priorities(3, 1U << 3);
    s.b->flow.generator.set_enabled(0xff);
    s.run_to(begin);
    s.b->flow.generator.group_wishes(3, true);
    s.run_to(end);
    s.b->flow.generator.group_wishes(3, false);
    s.run_to(microseconds(25) + end);
    EXPECT_EQ(s.ledger[through].shut, never);  // still sending
    s.run_to(microseconds(400));
    EXPECT_EQ(s.a->shut_for(3, microseconds(400)), end - begin);
    EXPECT_EQ(s.ledger[through].shut, end - begin);
    EXPECT_EQ(s.ledger[connected].shut, end - begin);
    EXPECT_EQ(s.ledger[other].shut, picoseconds{0});
    EXPECT_EQ(s.ledger[early].shut, picoseconds{0});
    EXPECT_EQ(s.ledger[after].shut, picoseconds{0});
    EXPECT_EQ(s.ledger[late].shut, end - begin - microseconds(4) + picoseconds{514'400});
}

}  // namespace
}  // namespace weir::host
