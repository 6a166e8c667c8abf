// SPDX-License-Identifier: Apache-2.0
// What the observer must not miss.
#include <fmt/format.h>

#include "tests/system/fabric.h"

namespace weir::system_test {
namespace {

// Two switches, a kilometre apart: 5 us each way. Stations a and b take nothing, and each sends to the other: at 100G
// the groups behind the cable are at XOFF (300 cells of 256 octets, 18 frames of 334 ns) about 11 us after the start,
// and both ends of the cable are stopped 5 us later. What leaves either switch in between arrives afterwards. Then x
// and y send to z, whose routes lead to and fro over the cable: their frames are the first that make the queues of the
// cable wait for each other, and they come when both are shut already.
TEST(observer, finds_a_circle_that_an_admission_closes) {
    const platforms::testing::temporary_folder folder;
    const std::string port = "cable='3m'\nrate='100G'\n";
    std::string text;
    for (const int s : {0, 1}) {
        for (int p = 0; p < 3; ++p) text += fmt::format("[[switch.s{}.ports]]\n{}peer='host'\n", s, port);
        text += fmt::format("[[switch.s{}.ports]]\ncable='1km'\nrate='100G'\npeer='s{}'\n", s, 1 - s);
    }
    text +=
        "[host.'s0.h0']\nstorm_priorities=8\n[host.'s1.h0']\nstorm_priorities=8\n[routes]\nkind='file'\nfile='r.csv'\n"
        "[workload]\nkind='flows'\nfile='f.csv'\n";
    vp::run_request request;
    request.observe = true;
    request.until = microseconds(100);
    platforms::load_options options;
    options.program = {"headroom=900"};
    const auto result = run(fabric(folder, text,
                                   {{"r.csv",
                                     "switch,destination,ports\ns0,s0.h0,0\ns1,s1.h0,0\ns0,s1.h0,3\ns1,s0.h0,3\n"
                                     "s0,s0.h2,3\ns1,s0.h2,3\n"},
                                    {"f.csv",
                                     "start,source,destination,octets\n0,s0.h0,s1.h0,1MiB\n0,s1.h0,s0.h0,1MiB\n"
                                     "13us,s0.h1,s0.h2,4096\n13us,s1.h1,s0.h2,4096\n"}},
                                   options),
                            request);
    ASSERT_EQ(result.seen->circles.size(), 1U);
    const vp::wait_circle& circle = result.seen->circles.front();
    EXPECT_EQ(circle.members.size(), 2U);
    EXPECT_EQ(circle.times, 1U);
    EXPECT_TRUE(circle.stands_since);
    EXPECT_GT(circle.first, microseconds(16));
    EXPECT_LT(circle.first, microseconds(22));
}

}  // namespace
}  // namespace weir::system_test
