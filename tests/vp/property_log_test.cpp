// SPDX-License-Identifier: Apache-2.0
// What `weir run --check` makes of a broken property: a line of its verdict, and no end of the run.
#include "vp/record/property_log.h"

#include <gtest/gtest.h>

#include <systemc>

#include "models/timeline/property.h"

namespace weir::vp {
namespace {

TEST(property_log, switches_checking_on_and_collects_what_is_found) {
    check_properties(false);
    {
        const property_log log;
        EXPECT_TRUE(properties_checked());
        EXPECT_TRUE(log.lines().empty());
        for (int i = 0; i < 25; ++i) report_property("P14", "s0.p3 PG 3", nanoseconds(7), "it does not ask");
        ASSERT_EQ(log.lines().size(), 21U);
        EXPECT_EQ(log.lines().front(), "P14 broken at s0.p3 PG 3, 7000 ps: it does not ask");
        EXPECT_EQ(log.lines().back(), "and 5 times more");
    }
    EXPECT_FALSE(properties_checked());
    // Without a log it is the kernel's error, which ends what runs.
    EXPECT_THROW(report_property("P14", "s0.p3 PG 3", nanoseconds(7), "it does not ask"), sc_core::sc_report);
}

}  // namespace
}  // namespace weir::vp
