// SPDX-License-Identifier: Apache-2.0
// P21 and P22 of the PFC RTL chapter on a whole switch: a pause that arrives in the midst of a frame cuts nothing off,
// and a control frame leaves although every class is stopped.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/ethernet/capture_reader.h"
#include "tests/acceptance/lab.h"
#include "tests/conformance/conformance.h"

namespace weir::acceptance {
namespace {

ethernet::captured_frame captured(std::vector<std::uint8_t> octets, picoseconds time) {
    ethernet::captured_frame f;
    f.wire_length = static_cast<std::uint32_t>(octets.size() + 4);
    f.octets = std::move(octets);
    f.fcs_good = true;
    f.time = time;
    return f;
}

// A frame of 1518 octets leaves port 1 every 2 us; the pause comes an octet time later each time, from before the frame
// to after it, so at every offset within it. 100 quanta are over before the next frame.
TEST(pause_in_frame, at_every_octet_of_a_frame_cuts_nothing_off) {
    lab l({}, usual_script());
    std::vector<std::uint8_t> data = l.tagged(0, 1, 3);
    data.resize(1514, 0);
    std::vector<ethernet::captured_frame> frames;
    std::vector<ethernet::captured_frame> pauses;
    constexpr int sweep = 2 * 1538;
    const picoseconds octet{80};
    for (int i = 0; i < sweep; ++i) {
        const picoseconds start = microseconds(2) * i;
        frames.push_back(captured(data, start));
        std::array<std::uint16_t, 8> quanta{};
        quanta.fill(100);
        pauses.push_back(captured(lab::pfc(0xff, quanta), start + octet * i));
    }
    const picoseconds origin = l.machine().time().now() + microseconds(10);
    l.machine().host(0).player.play(std::move(frames), origin, 1.0);
    l.machine().host(1).player.play(std::move(pauses), origin, 1.0);
    l.settle(microseconds(2 * sweep + 100));
    EXPECT_EQ(l.received(1), static_cast<std::uint64_t>(sweep));
    EXPECT_EQ(l.machine().host(1).arrived().octets, std::uint64_t{sweep} * 1518);
    EXPECT_EQ(l.all_drops(), 0U);
    const std::string measured =
        fmt::format("{} whole frames, {} octets", l.received(1), l.machine().host(1).arrived().octets);
    for (const char* id : {"P21", "M12", "S47"}) {
        conformance::row(
            id, fmt::format("a pause at each octet of a 1518-octet frame: {} frames, {} octets", sweep, sweep * 1518),
            measured);
    }
}

TEST(pause_in_frame, a_control_frame_leaves_although_every_class_is_stopped) {
    lab l({}, usual_script());
    std::array<std::uint16_t, 8> quanta{};
    quanta.fill(0xffff);
    l.inject(1, {lab::pfc(0xff, quanta)});
    l.send(0, 1, 3);
    EXPECT_EQ(l.received(1), 0U);
    const std::uint64_t before = l.machine().host(1).flow.receiver.counters.seen;
    l.machine().chip(0).port(1).flow.generator.set_forced(0x08);
    // 84 octet times and the cable's zero metres: 6.72 ns at 100G.
    l.settle(nanoseconds(10));
    const std::uint64_t seen = l.machine().host(1).flow.receiver.counters.seen - before;
    EXPECT_EQ(seen, 1U);
    EXPECT_EQ(l.received(1), 0U);
    conformance::row("P22",
                     "all eight classes stopped: a pause frame leaves within its own 84 octet times, no data does",
                     fmt::format("{} control frames, {} of data", seen, l.received(1)));
    l.machine().chip(0).port(1).flow.generator.set_forced(0);
}

}  // namespace
}  // namespace weir::acceptance
