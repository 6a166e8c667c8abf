// SPDX-License-Identifier: Apache-2.0
// The PFC RTL chapter's attribution with a destination's state that arrives late, and Weir's, which sees it at once.
#include "models/scheduler/attribution.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <random>

#include "tests/conformance/conformance.h"

namespace weir::chapter {
namespace {

using conformance::row;
using scheduler::wait_cause;

// One head that waits for 20 000 ns behind frames of its own queue, while its destination's link is stopped and let go
// at random. The chapter's counters look at a copy of the destination's state of `latency` ns ago: each change is
// charged to the wrong cause for that long and no longer.
TEST(chapter_attribution, a_stale_state_of_the_destination_is_a_bounded_error) {
    constexpr int duration = 20'000;
    constexpr int latency = 5;
    std::mt19937 random(3);
    scheduler::attribution weir;
    weir.fills(3, nanoseconds(0));
    weir.sends(3, 0x08, nanoseconds(0), nanoseconds(duration));
    std::array<int, scheduler::wait_causes> rtl{};
    std::array<int, scheduler::wait_causes> truth{};
    std::deque<bool> under_way(latency, false);
    bool stopped = false;
    int wrong = 0;
    int changes = 0;
    for (int now = 0; now < duration; ++now) {
        if (random() % 40 == 0) {
            stopped = !stopped;
            ++changes;
            weir.gate(0, stopped, nanoseconds(now));
        }
        under_way.push_back(stopped);
        const wait_cause seen = scheduler::judge(false, under_way.front(), true);
        const wait_cause real = scheduler::judge(false, stopped, true);
        under_way.pop_front();
        ++rtl[static_cast<std::size_t>(seen)];
        ++truth[static_cast<std::size_t>(real)];
        if (seen != real) ++wrong;
    }
    EXPECT_GT(wrong, 0);
    EXPECT_LE(wrong, latency * changes);
    int late = 0;
    int off = 0;
    for (std::size_t c = 0; c < scheduler::wait_causes; ++c) {
        late += rtl[c];
        const auto exact = weir.waited(3, static_cast<wait_cause>(c), nanoseconds(duration));
        EXPECT_EQ(exact, nanoseconds(truth[c]));
        off += static_cast<int>(std::abs((exact - nanoseconds(truth[c])).count()));
    }
    EXPECT_EQ(late, duration);  // still a partition
    for (const char* id : {"S62", "D6"}) {
        row(id,
            fmt::format("state 5 ns old, {} changes: at most {} of 20000 ns to the wrong cause; Weir 0", changes,
                        latency * changes),
            fmt::format("{} ns; {}", wrong, off));
    }
}

}  // namespace
}  // namespace weir::chapter
