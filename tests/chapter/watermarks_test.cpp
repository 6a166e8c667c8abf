// SPDX-License-Identifier: Apache-2.0
// The PFC RTL chapter's watermarks, clock by clock, for what its registers do that a switch must not, and beside it the
// MMU at the same stimulus.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "tests/conformance/conformance.h"
#include "tests/mmu/bench.h"

namespace weir::chapter {
namespace {

using conformance::row;

/// One class of pfc_class_watermarks. Its registers take at a clock what was computed from what they held before: two
/// assignments to the same one, and the last is what counts.
class watermark_registers {
public:
    static constexpr std::uint32_t occupancy_mask = 0x1fff;  // 13 bits

    /// `high` and `low` may be negative: the comparison is of 13 bits.
    watermark_registers(std::int32_t high, std::int32_t low)
        : high_(static_cast<std::uint32_t>(high) & occupancy_mask),
          low_(static_cast<std::uint32_t>(low) & occupancy_mask) {}

    void clock(bool enqueue, bool dequeue) {
        std::uint32_t next = occupancy_;
        if (enqueue) next = occupancy_ + 1;
        if (dequeue) next = occupancy_ - 1;
        bool wish = asserted_;
        if (occupancy_ >= high_)
            wish = true;
        else if (occupancy_ <= low_)
            wish = false;
        occupancy_ = next & occupancy_mask;
        asserted_ = wish;
    }
    void fill(int cells) {
        for (int i = 0; i < cells; ++i) clock(true, false);
    }
    [[nodiscard]] std::uint32_t occupancy() const { return occupancy_; }
    [[nodiscard]] bool asserted() const { return asserted_; }
    [[nodiscard]] std::uint32_t high() const { return high_; }

private:
    std::uint32_t high_;
    std::uint32_t low_;
    std::uint32_t occupancy_{0};
    bool asserted_{false};
};

/// A group of XOFF 450 and XON 64 below it, as the chapter's at 100G and 100 m.
std::unique_ptr<mmu::mmu_bench> group_450() {
    auto b = mmu::make_bench(3);
    mmu::group_profile p = mmu::group_of(true, mmu::lossless_pool);
    p.xoff = 450;
    p.xon_offset = 64;
    p.headroom = 62;
    b->memory.set_group_profile(0, 3, p);
    return b;
}

// F11: 60 enqueues that meet 60 dequeues. 100 cells stay; the registers say 40, and XOFF comes when 510 are there.
TEST(chapter_watermarks, an_enqueue_that_meets_a_dequeue_is_lost) {
    watermark_registers rtl(450, 386);
    rtl.fill(100);
    for (int i = 0; i < 60; ++i) rtl.clock(true, true);
    const std::uint32_t said = rtl.occupancy();
    EXPECT_EQ(said, 40U);
    int there = 100;
    while (!rtl.asserted()) {
        rtl.clock(true, false);
        ++there;
    }
    EXPECT_EQ(there, 511);  // asserted at the clock after the 510th

    auto b = group_450();
    b->fill(0, 3, 1, 3, 100);
    for (int i = 0; i < 60; ++i) {
        ASSERT_EQ(b->offer(0, 3, 1, 3, 1), mmu::drop_reason::none);
        b->send(1, 3);
    }
    const mmu::cells held = b->memory.group(0, 3).used();
    EXPECT_EQ(held, 100);
    mmu::cells at = held;
    while (b->wishes[0]->wishes == 0 && at < 600) {
        ASSERT_EQ(b->offer(0, 3, 1, 3, 1), mmu::drop_reason::none);
        ++at;
    }
    EXPECT_EQ(at, 450);
    row("F11",
        "100 cells, 60 arrivals each with a departure: the registers say 40, Weir 100; pause at 510 and at 450 cells",
        fmt::format("{}, {}; {} and {}", said, held, there - 1, at));
}

// F10: below HIGH or asserted, says one property; HIGH asserts at the next clock, says the other.
TEST(chapter_watermarks, high_and_not_asserted_for_one_clock) {
    watermark_registers rtl(450, 386);
    rtl.fill(450);
    const bool at_once = rtl.asserted();
    EXPECT_EQ(rtl.occupancy(), 450U);
    EXPECT_FALSE(at_once);
    rtl.clock(false, false);
    EXPECT_TRUE(rtl.asserted());

    auto b = group_450();
    b->fill(0, 3, 1, 3, 449);
    EXPECT_EQ(b->wishes[0]->wishes, 0);
    b->fill(0, 3, 1, 3, 1);
    EXPECT_EQ(b->wishes[0]->wishes, 0x08);
    row("F10", "450 cells at HIGH 450: the registers assert one clock later, Weir's group with the cell",
        fmt::format("{} and {} a clock later; {}", at_once ? "asserted" : "not asserted",
                    rtl.asserted() ? "asserted" : "not asserted", b->wishes[0]->wishes == 0x08 ? "with it" : "not"));
}

/// The feasibility check of the chapter: 32-bit integers that wrap, octets truncated.
struct elaboration {
    std::int32_t high;
    bool infeasible;
};
elaboration elaborate(std::uint32_t dead_ns, std::uint32_t megabits) {
    const auto product = static_cast<std::int32_t>(dead_ns * megabits);
    const std::int32_t octets = product / 8000;
    const std::int32_t high = 512 - (octets + 127) / 128;
    return {high, high <= 0 || high - 64 <= 0};
}

// F21: −478 is 7714 in 13 bits and no queue ever gets there: not paused for good, as the chapter's text says, but
// never.
TEST(chapter_watermarks, a_negative_watermark_never_pauses) {
    const elaboration far = elaborate(10'128, 100'000);
    EXPECT_EQ(far.high, -478);
    EXPECT_TRUE(far.infeasible);
    watermark_registers rtl(far.high, far.high - 64);
    EXPECT_EQ(rtl.high(), 7714U);
    bool ever = false;
    for (int i = 0; i < 4096; ++i) {
        rtl.clock(true, false);
        ever = ever || rtl.asserted();
    }
    EXPECT_FALSE(ever);
    row("F21", "XOFF -478 in the chapter's 13 bits is 7714: no pause with 4096 cells",
        fmt::format("{}: {}", rtl.high(), ever ? "a pause" : "no pause"));
}

// F21: 10 032 ns by 400 000 Mb/s is more than 31 bits hold: 3919 cells of headroom pass for feasible.
TEST(chapter_watermarks, a_product_that_wraps_passes_for_feasible) {
    const elaboration wrapped = elaborate(10'032, 400'000);
    EXPECT_FALSE(wrapped.infeasible);
    EXPECT_FALSE(elaborate(628, 100'000).infeasible);
    row("F21", "400G and 2 km in the chapter's 32 bits: not infeasible, where 3919 of 512 cells are needed",
        wrapped.infeasible ? "infeasible" : fmt::format("not infeasible, HIGH {}", wrapped.high));
}

}  // namespace
}  // namespace weir::chapter
