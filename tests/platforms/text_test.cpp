// SPDX-License-Identifier: Apache-2.0
// Quantities are read exactly or not at all.
#include "platforms/text.h"

#include <gmock/gmock.h>

namespace weir::platforms {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

TEST(text, reads_durations_exactly) {
    EXPECT_THAT(parse_duration("3us"), Optional(microseconds(3)));
    EXPECT_THAT(parse_duration("1158.4ns"), Optional(picoseconds{1'158'400}));
    EXPECT_THAT(parse_duration("0.000001us"), Optional(picoseconds{1}));
    EXPECT_EQ(parse_duration("0.0000001us"), std::nullopt) << "a tenth of a picosecond";
    EXPECT_THAT(parse_duration("2 s"), Optional(picoseconds{2'000'000'000'000}));
    EXPECT_THAT(parse_duration("0"), Optional(picoseconds{0}));
    for (const auto* bad : {"", "3", "us", "-1us", "1.us", "1..2us", "3 fortnights", "1e3ns", "8640001s"}) {
        EXPECT_EQ(parse_duration(bad), std::nullopt) << bad;
    }
    EXPECT_THAT(parse_duration("8640000s"), Optional(picoseconds{8'640'000'000'000'000'000})) << "100 days";
}

TEST(text, reads_octets) {
    EXPECT_THAT(parse_octets("16MiB"), Optional(16U << 20));
    EXPECT_THAT(parse_octets("10MB"), Optional(10'000'000U));
    EXPECT_THAT(parse_octets("0.5KiB"), Optional(512U));
    EXPECT_THAT(parse_octets("4158"), Optional(4158U));
    EXPECT_EQ(parse_octets("0.3B"), std::nullopt);
    EXPECT_EQ(parse_octets("16mib"), std::nullopt);
}

TEST(text, reads_lengths_and_rates) {
    EXPECT_THAT(parse_metres("2km"), Optional(2000U));
    EXPECT_EQ(parse_metres("0.5m"), std::nullopt);
    EXPECT_THAT(parse_bit_rate("2.5G"), Optional(2'500'000'000));
    EXPECT_THAT(parse_bit_rate("1.6T"), Optional(1'600'000'000'000));
    EXPECT_THAT(parse_bit_rate("100Gbps"), Optional(100'000'000'000));
    EXPECT_EQ(parse_bit_rate("100"), std::nullopt);
}

TEST(text, writes_quantities_as_people_do) {
    EXPECT_EQ(format_duration(picoseconds{0}), "0s");
    EXPECT_EQ(format_duration(nanoseconds(500)), "500ns");
    EXPECT_EQ(format_duration(picoseconds{1'158'400}), "1158.4ns");
    EXPECT_EQ(format_duration(microseconds(100)), "100us");
    EXPECT_EQ(format_duration(picoseconds{7}), "7ps");
    EXPECT_EQ(format_octets(16 << 20), "16MiB");
    EXPECT_EQ(format_octets(4158), "4158");
    EXPECT_EQ(format_bit_rate(2'500'000'000), "2.5G");
    EXPECT_EQ(format_bit_rate(400'000'000'000), "400G");
}

TEST(text, finds_the_name_that_was_meant) {
    EXPECT_THAT(nearest_name("cels", {"cells", "pools"}), Optional(std::string{"cells"}));
    EXPECT_THAT(nearest_name("cell_octet", {"cells", "cell_octets"}), Optional(std::string{"cell_octets"}));
    EXPECT_EQ(nearest_name("banana", {"cells", "pools"}), std::nullopt);
}

TEST(text, splits_and_trims) {
    EXPECT_THAT(split(" a, b ,,c", ','), ElementsAre("a", "b", "", "c"));
}

}  // namespace
}  // namespace weir::platforms
