// SPDX-License-Identifier: Apache-2.0
// A frame whose departure ends a pause on the very port that it leaves by: the frame that tells the peer so follows it
// (M12: a frame in progress is finished), it does not leave together with it.
#include <vector>

#include "tests/acceptance/lab.h"

namespace weir::acceptance {
namespace {

struct departures : port::tap {
    struct one {
        picoseconds start;
        std::uint32_t length;
        bool control;
    };
    void received(const ethernet::frame&, picoseconds, mmu::drop_reason) override {}
    void sent(const ethernet::frame& f, picoseconds now) override {
        all.push_back({now, f.length, f.headers.type == ethernet::ethertype::mac_control});
    }
    std::vector<one> all;
};

TEST(own_pause, ends_after_the_frame_that_ended_it) {
    lab l({}, usual_script());
    // Host 0 sends to an address behind its own port.
    l.shell("mac-table add 02:00:00:00:00:02 port 0\ninterface 0\nqueue 3 dequeue off");
    l.send(0, 2, 108);  // Guaranteed 8 and Service 100: XOFF
    ASSERT_EQ(l.pfc_counters(0, 3).tx_requests, 1U);
    departures seen;
    l.machine().chip(0).port(0).mac.observe(seen);
    l.shell("interface 0\nqueue 3 dequeue on");
    l.settle();
    l.machine().chip(0).port(0).mac.forget(seen);
    // 108 frames, and the release of the pause once 80 cells of Service are left: behind the twentieth.
    ASSERT_EQ(seen.all.size(), 109U);
    EXPECT_TRUE(seen.all[20].control);
    const data_rate rate = l.machine().chip(0).port(0).mac.rate();
    for (std::size_t i = 1; i < seen.all.size(); ++i) {
        EXPECT_EQ(seen.all[i].start, seen.all[i - 1].start + rate.octets(seen.all[i - 1].length + 20)) << i;
    }
}

}  // namespace
}  // namespace weir::acceptance
