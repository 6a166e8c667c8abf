// SPDX-License-Identifier: Apache-2.0
// The board's devices by their documents: the PLIC specification 1.0.0, the CLINT's layout, the 16550's data sheet.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/cpu/clint.h"
#include "models/cpu/finisher.h"
#include "models/cpu/plic.h"
#include "models/cpu/uart16550.h"

namespace weir::cpu::testing {
namespace {

std::uint32_t word_of(device& d, std::uint32_t offset, picoseconds now = picoseconds{0}) {
    std::uint32_t value = 0;
    EXPECT_TRUE(d.read(offset, 4, value, now));
    return value;
}
void set_word(device& d, std::uint32_t offset, std::uint32_t value) {
    EXPECT_TRUE(d.write(offset, 4, value, picoseconds{0}));
}

constexpr std::uint32_t plic_enable = 0x2000;
constexpr std::uint32_t plic_threshold = 0x200000;
constexpr std::uint32_t plic_claim = 0x200004;

// PLIC specification §6 to §9: the greatest priority above the threshold wins, the lowest number among equals; a
// claimed source is not pending again before its completion.
TEST(plic, gives_the_greatest_priority_first_and_each_source_once) {
    plic p;
    set_word(p, plic_enable, 1U << 1 | 1U << 5 | 1U << 10);
    set_word(p, 4 * 1, 2);
    set_word(p, 4 * 5, 2);
    set_word(p, 4 * 10, 7);
    EXPECT_FALSE(p.asserted());
    for (const std::uint32_t source : {1U, 5U, 10U}) p.set_line(source, true);
    EXPECT_TRUE(p.asserted());
    EXPECT_EQ(word_of(p, plic_claim), 10U);
    EXPECT_EQ(word_of(p, plic_claim), 1U);
    EXPECT_EQ(word_of(p, plic_claim), 5U);
    EXPECT_EQ(word_of(p, plic_claim), 0U);
    EXPECT_FALSE(p.asserted());
    set_word(p, plic_claim, 5);  // still asserted: pending again
    EXPECT_EQ(word_of(p, plic_claim), 5U);
}

TEST(plic, keeps_back_what_is_disabled_or_not_above_the_threshold) {
    plic p;
    set_word(p, 4 * 3, 4);
    p.set_line(3, true);
    EXPECT_FALSE(p.asserted());
    set_word(p, plic_enable, 1U << 3);
    EXPECT_TRUE(p.asserted());
    set_word(p, plic_threshold, 4);
    EXPECT_FALSE(p.asserted());
    set_word(p, plic_threshold, 3);
    EXPECT_TRUE(p.asserted());
    p.set_line(3, false);
    EXPECT_FALSE(p.asserted());
}

TEST(plic, is_peeked_without_a_claim) {
    plic p;
    set_word(p, plic_enable, 1U << 2);
    set_word(p, 4 * 2, 1);
    p.set_line(2, true);
    std::uint32_t seen = 0;
    EXPECT_TRUE(p.peek(plic_claim, 4, seen, picoseconds{0}));
    EXPECT_EQ(seen, 2U);
    EXPECT_TRUE(p.asserted());
    EXPECT_FALSE(p.peek(0x3000, 4, seen, picoseconds{0}));
    EXPECT_FALSE(p.read(plic_claim, 2, seen, picoseconds{0}));
}

// mtime counts nanoseconds; the timer is pending from mtimecmp on.
TEST(clint, counts_nanoseconds_and_knows_its_deadline) {
    clint c;
    EXPECT_EQ(c.deadline(), never);
    const picoseconds now = picoseconds{0x1'2345'6789'000 + 999};
    EXPECT_EQ(word_of(c, 0xbff8, now), static_cast<std::uint32_t>(now.count() / 1000));
    EXPECT_EQ(word_of(c, 0xbffc, now), static_cast<std::uint32_t>(now.count() / 1000 >> 32));
    set_word(c, 0x4004, 2);
    set_word(c, 0x4000, 5);
    EXPECT_EQ(c.deadline(), nanoseconds((std::int64_t{2} << 32) + 5));
    EXPECT_FALSE(c.software_interrupt());
    set_word(c, 0, 1);
    EXPECT_TRUE(c.software_interrupt());
    EXPECT_FALSE(c.write(0xbff8, 4, 0, now));  // time is the simulation's
}

TEST(finisher, tells_how_the_program_ended) {
    finisher f;
    std::vector<std::uint32_t> codes;
    f.on_finish([&](std::uint32_t code) { codes.push_back(code); });
    set_word(f, 0, 0x5555);
    set_word(f, 0, 0x3333 | 7U << 16);
    set_word(f, 0, 0x3333);
    set_word(f, 0, 0x1234);
    EXPECT_EQ(codes, (std::vector<std::uint32_t>{0, 7, 1}));
}

/// A UART with divisor 1: a character is 160 periods of 48 MHz, 3 333 333 ps rounded down.
class uart : public ::testing::Test {
protected:
    static constexpr picoseconds character{3'333'333};
    uart() : time("time"), port(time, "uart") {
        port.on_transmit([this](char c) { sent.push_back({c, time.now()}); });
        port.on_interrupt([this](bool level) { line = level; });
        put(2, 0x87);  // FIFOs on, emptied, trigger at 8
    }
    /// The kernel's time: the timeline's own is that of the last thing that happened.
    static picoseconds present() { return from_kernel(sc_core::sc_time_stamp()); }
    void put(std::uint32_t offset, std::uint32_t octet) { EXPECT_TRUE(port.write(offset, 1, octet, present())); }
    std::uint32_t get(std::uint32_t offset) {
        std::uint32_t value = 0;
        EXPECT_TRUE(port.read(offset, 1, value, present()));
        return value;
    }
    struct transmitted {
        char c;
        picoseconds at;
    };
    timeline time;
    uart16550 port;
    std::vector<transmitted> sent;
    bool line{false};
};

TEST_F(uart, sends_a_character_after_the_other_at_the_divisors_pace) {
    time.run_until(microseconds(10));
    put(0, 'a');
    put(0, 'b');
    EXPECT_EQ(get(5) & 0x40U, 0U);  // the transmitter is busy
    time.run_until(microseconds(100));
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(sent[0].c, 'a');
    EXPECT_EQ(sent[1].c, 'b');
    EXPECT_EQ(sent[1].at - sent[0].at, character);
    EXPECT_EQ(get(5), 0x60U);
    // Divisor 3: three times as long.
    put(3, 0x83);
    put(0, 3);
    put(3, 0x03);
    const picoseconds begin = present();
    put(0, 'c');
    time.run_until(microseconds(200));
    EXPECT_EQ(sent[2].at - begin, picoseconds{480LL * 1'000'000'000'000 / 48'000'000});
}

TEST_F(uart, interrupts_at_the_trigger_level_and_after_a_silence_of_four_characters) {
    put(1, 0x01);
    port.receive("1234567");
    time.run_until(7 * character + nanoseconds(1));
    EXPECT_FALSE(line);
    time.run_until(11 * character - nanoseconds(1));
    EXPECT_FALSE(line);
    time.run_until(11 * character + nanoseconds(1));
    EXPECT_TRUE(line);
    EXPECT_EQ(get(2), 0xccU);  // FIFOs on, character time-out
    for (const char c : std::string("1234567")) EXPECT_EQ(get(0), static_cast<std::uint32_t>(c));
    EXPECT_FALSE(line);
    const picoseconds begin = present();
    port.receive("12345678");
    time.run_until(begin + 8 * character + nanoseconds(1));
    EXPECT_TRUE(line);
    EXPECT_EQ(get(2), 0xc4U);  // received data available
}

// The far end has flow control: more than the FIFO of 16 waits outside, and nothing is lost.
TEST_F(uart, loses_nothing_that_it_has_no_room_for) {
    std::string text;
    for (int i = 0; i < 100; ++i) text += static_cast<char>('!' + i % 90);
    port.receive(text);
    time.run_until(microseconds(1000));
    EXPECT_EQ(port.unread(), 100U);
    std::string got;
    for (int i = 0; i < 200 && got.size() < text.size(); ++i) {
        time.run_until(present() + microseconds(10));
        while ((get(5) & 1U) != 0) got += static_cast<char>(get(0));
    }
    EXPECT_EQ(got, text);
}

TEST_F(uart, tells_of_its_empty_fifo_once) {
    put(1, 0x02);
    EXPECT_TRUE(line);  // empty already
    EXPECT_EQ(get(2), 0xc2U);
    EXPECT_FALSE(line);
    put(0, 'x');
    EXPECT_TRUE(line);  // it went on to the shifter at once
    EXPECT_EQ(get(2), 0xc2U);
    EXPECT_EQ(get(2), 0xc1U);
}

}  // namespace
}  // namespace weir::cpu::testing
