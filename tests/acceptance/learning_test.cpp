// SPDX-License-Identifier: Apache-2.0
// MAC learning: an option of the chip. Source addresses find their port; what software entered stays.
#include <fmt/format.h>

#include "sw/include/weir/forwarding.h"
#include "tests/acceptance/lab.h"
#include "tests/conformance/conformance.h"

namespace weir::acceptance {
namespace {

/// The usual thresholds without a MAC entry, and the host's address removed from the table.
void forget(lab& l, std::uint32_t host) {
    const auto& mac = l.machine().config().hosts[host].mac;
    l.drive([&](weir_dev* d) { return weir_mac_remove(d, mac.data()); });
}

weir_learning_counters counters(lab& l) {
    weir_learning_counters c{};
    l.drive([&](weir_dev* d) { return weir_learning_counters_get(d, &c); });
    return c;
}

TEST(learning, finds_the_port_of_an_address_that_has_spoken) {
    lab l({}, usual_script());
    forget(l, 1);
    // Unknown: dropped, with a reason.
    l.send(0, 1, 5);
    EXPECT_EQ(l.received(1), 0U);
    EXPECT_EQ(l.drops(0, WEIR_DROP_NO_ROUTE), 5U);

    l.shell("mac-table learning on");
    l.send(1, 0, 1);  // it speaks
    l.send(0, 1, 5);
    EXPECT_EQ(l.received(1), 5U);
    EXPECT_EQ(l.drops(0, WEIR_DROP_NO_ROUTE), 5U);
    const auto c = counters(l);
    EXPECT_EQ(c.learned, 1U);  // host 0 has an entry of software's
    EXPECT_EQ(c.moved, 0U);
}

TEST(learning, is_off_until_it_is_switched_on) {
    lab l({}, usual_script());
    forget(l, 1);
    l.send(1, 0, 1);
    l.send(0, 1, 5);
    EXPECT_EQ(l.received(1), 0U);
    EXPECT_EQ(counters(l).learned, 0U);
}

TEST(learning, leaves_entries_of_software_alone) {
    lab l({}, usual_script());
    l.shell("mac-table learning on");
    // Station 2 speaks with station 1's address.
    auto frame = l.tagged(1, 0, 0);
    l.inject(2, {frame});
    l.send(0, 1, 3);
    EXPECT_EQ(l.received(1), 3U);
    EXPECT_EQ(counters(l).moved, 0U);
}

TEST(learning, does_not_learn_group_addresses_or_damaged_frames) {
    lab l({}, usual_script());
    l.shell("mac-table learning on");
    auto frame = l.tagged(3, 0, 0);
    frame[6] = 0x03;  // a group's
    l.inject(3, {frame});
    EXPECT_EQ(counters(l).learned, 0U);
}

TEST(learning, a_full_table_is_counted) {
    lab l({}, usual_script());
    l.shell("mac-table learning on");
    std::uint32_t used = 0;
    std::uint32_t capacity = 0;
    l.drive([&](weir_dev* d) { return weir_table_usage_get(d, WEIR_TABLE_MAC, &used, &capacity); });
    std::vector<std::vector<std::uint8_t>> frames;
    for (std::uint32_t i = 0; i < capacity - used + 7; ++i) {
        frames.push_back(l.tagged(3, 0, 0));
        frames.back()[9] = 0x77;
        frames.back()[10] = static_cast<std::uint8_t>(i >> 8);
        frames.back()[11] = static_cast<std::uint8_t>(i);
    }
    l.inject(3, frames);
    l.settle(milliseconds(1));
    EXPECT_EQ(counters(l).learned, capacity - used);
    EXPECT_EQ(counters(l).not_learned, 7U);
}

// X07: one source address on all ports. A neighbour that learns from control frames sees it move at each pause frame
// that comes by another port than the one before; with addresses of their own it sees none move.
TEST(learning, one_source_address_on_all_ports_flaps) {
    lab l({}, usual_script());
    l.shell("mac-table learning on control-frames");
    constexpr int rounds = 10;
    const auto pauses = [&l](bool own_address) {
        for (int round = 0; round < rounds; ++round) {
            for (std::uint8_t p = 0; p < 4; ++p) {
                auto frame = lab::pfc(0x08, {});
                const std::array<std::uint8_t, 6> source{
                    0x02, 0x57, 0, 0, 0, own_address ? static_cast<std::uint8_t>(p + 1) : std::uint8_t{0}};
                std::copy(source.begin(), source.end(), frame.begin() + 6);
                l.inject(p, {frame});
                l.settle(microseconds(1));
            }
        }
    };
    pauses(false);
    const auto flapping = counters(l);
    EXPECT_EQ(flapping.learned, 1U);
    EXPECT_EQ(flapping.moved, 4U * rounds - 1U);
    pauses(true);
    const auto steady = counters(l);
    EXPECT_EQ(steady.learned, 5U);
    EXPECT_EQ(steady.moved, flapping.moved);
    conformance::row("X07", "40 pauses over 4 ports: one address moves 39 times, addresses of their own never",
                     fmt::format("{} and {}", flapping.moved, steady.moved - flapping.moved));
}

}  // namespace
}  // namespace weir::acceptance
