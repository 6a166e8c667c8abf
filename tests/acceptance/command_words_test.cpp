// SPDX-License-Identifier: Apache-2.0
// A session in the AC5P buffer note's own words: each line does what the note says of it, and reads back the same.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

#include "tests/acceptance/lab.h"
#include "tests/conformance/conformance.h"

namespace weir::acceptance {
namespace {

using conformance::row;
using ::testing::HasSubstr;

class session {
public:
    session()
        : l(options(), R"(pool create lossless ingress size 50000 cells
map dscp 24 tc 3
interface all
  no shutdown
exit)") {
        l.print([this](const char* text) { printed += text; });
    }
    static lab_options options() {
        lab_options o;
        o.rate = "400G";
        o.cells = 65'536;
        o.cable_metres = 100;
        return o;
    }
    void line(const std::string& text) { l.shell(text); }
    std::string show(const std::string& what) {
        printed.clear();
        l.shell(what);
        return printed;
    }
    weir_group_config group() {
        weir_group_config c{};
        l.drive([&](weir_dev* d) { return weir_group_get(d, 0, 3, &c); });
        return c;
    }
    lab l;
    std::string printed;
};

TEST(command_words, of_the_ac5p_buffer_note) {
    session s;
    s.line("map tc 3 pg 3\ninterface 0\npfc enable priority 3");
    EXPECT_TRUE(s.group().lossless);
    std::uint8_t tx = 0;
    std::uint8_t rx = 0;
    s.l.drive([&](weir_dev* d) { return weir_pfc_directions_get(d, 0, &tx, &rx); });
    EXPECT_EQ(tx, 0x08);
    EXPECT_EQ(rx, 0x08);
    row("cli.1", "group 3 lossless, PFC both ways on priority 3",
        fmt::format("lossless {}, tx {:#04x} rx {:#04x}", s.group().lossless, tx, rx));

    s.line("interface 0\npfc pause-threshold 6800\npfc resume-threshold 2048\npfc headroom 768 cells");
    EXPECT_EQ(s.group().xoff, 6800U);
    EXPECT_EQ(s.group().xon_offset, 2048U);
    EXPECT_EQ(s.group().headroom, 768U);
    row("cli.2", "XOFF 6800 cells", fmt::format("{}", s.group().xoff));
    row("cli.3", "XON 2048 cells, an offset", fmt::format("{}", s.group().xon_offset));
    row("cli.4", "headroom 768 cells, a size", fmt::format("{}", s.group().headroom));

    s.line("interface 0\nmmu queue-guarantee 8 cells\nmmu queue-threshold 12000 cells");
    EXPECT_EQ(s.group().guaranteed, 8U);
    EXPECT_EQ(s.group().limit, 12'000U);
    row("cli.5", "guaranteed 8 cells", fmt::format("{}", s.group().guaranteed));
    row("cli.6", "Service limit 12000 cells; dynamic 1/2 on request", fmt::format("{}", s.group().limit));
    s.line("interface 0\nmmu queue-threshold dynamic 1/2");
    EXPECT_TRUE(s.group().dynamic);
    EXPECT_EQ(s.group().alpha, 6U);

    s.line("interface 0\nmmu buffer-mode flowctrl-enhance");
    EXPECT_FALSE(s.group().dynamic);
    EXPECT_FALSE(s.group().service_after_xoff);
    EXPECT_FALSE(s.group().xon_absolute);
    row("cli.7", "static limits, Service ends at XOFF, XON an offset",
        fmt::format("dynamic {}, service after XOFF {}, XON absolute {}", s.group().dynamic,
                    s.group().service_after_xoff, s.group().xon_absolute));

    row("A06", "6800, 2048, 768, 8, 12000 and alpha 1/2 programmed by words, read back alike",
        fmt::format("{}, {}, {}, {}, {}, alpha index {}", s.group().xoff, s.group().xon_offset, s.group().headroom,
                    s.group().guaranteed, s.group().limit, s.group().alpha));
    // What it does: 8 + 6800 cells and a pause, 768 more and no drop, then one drop; resume at 4752.
    s.line("interface 1\nqueue 3 dequeue off");
    s.l.send(0, 1, 8 + 6799);
    EXPECT_EQ(s.l.pfc_counters(0, 3).tx_requests, 0U);
    s.l.send(0, 1, 1);
    EXPECT_EQ(s.l.pfc_counters(0, 3).tx_requests, 1U);
    s.l.send(0, 1, 768);
    EXPECT_EQ(s.l.all_drops(), 0U);
    s.l.send(0, 1, 1);
    EXPECT_EQ(s.l.all_drops(), 1U);
    const std::string buffer = s.show("interface 0\nshow buffer pg");
    EXPECT_THAT(buffer, HasSubstr("6800"));
    EXPECT_THAT(buffer, HasSubstr("2048"));
    EXPECT_THAT(buffer, HasSubstr("768"));
    const std::string pfc = s.show("show interface 0 pfc");
    EXPECT_THAT(pfc, HasSubstr("may pause 3, obeys 3"));
    EXPECT_THAT(pfc, HasSubstr("now pausing 3"));
    const std::string mmu = s.show("show mmu");
    EXPECT_THAT(mmu, HasSubstr("50000"));
    EXPECT_THAT(mmu, HasSubstr(std::to_string(8 + 6800 + 768)));  // cells in use
    row("cli.8", "thresholds, pauses and the buffer as they are: 6800 2048 768; 7576 in use",
        fmt::format("{} {} {}; {} in use", s.group().xoff, s.group().xon_offset, s.group().headroom,
                    s.l.group_usage(0, 3).used));
    EXPECT_EQ(s.l.group_usage(0, 3).used, 7576U);
}

}  // namespace
}  // namespace weir::acceptance
