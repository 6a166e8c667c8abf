// SPDX-License-Identifier: Apache-2.0
// A lone flow takes its ideal time, to the picosecond: over every rate, pace, length and path.
#include <gmock/gmock.h>

#include "tests/system/fabric.h"

namespace weir::system_test {
namespace {

using ::testing::IsEmpty;

void expect_ideal(const vp::run_result& result, std::size_t flows) {
    EXPECT_THAT(result.failures(), IsEmpty());
    ASSERT_EQ(result.flows.size(), flows);
    for (const auto& f : result.flows) {
        ASSERT_TRUE(f.finish && f.ideal) << f.source << " to " << f.destination;
        EXPECT_EQ((*f.finish - *f.start).count(), f.ideal->count()) << f.source << " to " << f.destination;
        EXPECT_EQ(f.slowdown(), 1.0);
    }
}

/// One after the other, each alone.
constexpr const char* one_by_one =
    "start,source,destination,octets,frame,rate,transport,id,after,delay\n"
    "0,0,1,1,,,,a,,\n"
    ",1,0,4097,,,,b,a,1us\n"
    ",0,3,100000,1000,,,c,b,1us\n"
    ",3,0,100001,1000,,,d,c,1us\n"
    ",2,1,64KiB,,7G,,e,d,1us\n"
    ",1,2,64KiB,,24.9G,,f,e,1us\n"
    ",2,3,6500,65,,udp,g,f,1us\n"
    ",3,2,1MiB,4096,25G,,h,g,1us\n";

TEST(ideal, holds_between_ports_of_any_rate) {
    expect_ideal(run_fabric("[switch.s0]\npipeline_latency='400ns'\nphy_latency='30ns'\nfec_latency='110ns'\n"
                            "[[switch.s0.ports]]\nrate='400G'\ncable='100m'\n[[switch.s0.ports]]\nrate='100G'\n"
                            "[[switch.s0.ports]]\nrate='25G'\ncable='7m'\n[[switch.s0.ports]]\nrate='800G'\n"
                            "[routes]\nkind='shortest_path'\n[workload]\nkind='flows'\nfile='f.csv'\n",
                            {{"f.csv", one_by_one}}),
                 8);
}

TEST(ideal, holds_over_a_network) {
    expect_ideal(run_fabric("[topology]\nkind='chain'\nswitches=4\nhosts=1\nlink_rate='400G'\nlink_cable='500m'\n"
                            "host_rate='100G'\n[switches]\npipeline_latency='350ns'\nfec_latency='90ns'\n"
                            "[routes]\nkind='shortest_path'\n[workload]\nkind='flows'\nfile='f.csv'\n",
                            {{"f.csv", one_by_one}}),
                 8);
}

}  // namespace
}  // namespace weir::system_test
