// SPDX-License-Identifier: Apache-2.0
// T08: six canned faults, each told apart by the chapter's order of debugging, and a healthy port that is told to be
// one.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "sw/include/weir/diagnose.h"
#include "tests/acceptance/lab.h"
#include "tests/conformance/conformance.h"

namespace weir::acceptance {
namespace {

constexpr std::array<std::uint16_t, 8> longest{0, 0, 0, 0xffff, 0, 0, 0, 0};

weir_finding finding_of(lab& l, std::uint32_t port) {
    weir_symptoms s{};
    l.drive([&](weir_dev* d) { return weir_symptoms_get(d, port, &s); });
    const weir_finding found = weir_diagnose(&s);
    // On the shell the same text.
    std::string printed;
    l.print([&printed](const char* piece) { printed += piece; });
    l.shell(fmt::format("interface {}\nshow diagnose\nexit", port));
    l.print([](const char*) {});
    EXPECT_THAT(printed, ::testing::HasSubstr(weir_finding_text(found)));
    return found;
}

void tell(const char* fault, weir_finding expected, weir_finding found) {
    EXPECT_EQ(found, expected) << weir_finding_text(found);
    conformance::row("T08", fmt::format("{}: \"{}\"", fault, weir_finding_text(expected)),
                     fmt::format("\"{}\"", weir_finding_text(found)));
}

/// 100G over 100 m: 84 octet times, two legs, one frame of 1518: 1128.16 ns, 56 cells of 256.
lab_options long_link(bool obey) {
    lab_options o;
    o.cable_metres = 100;
    o.obey = obey;
    return o;
}
constexpr thresholds judged{100, 20, 56, 8, 200};
constexpr const char* dead_time = "\ninterface all\npfc dead-time 1128160 ps\nexit";

TEST(diagnose, a_neighbour_that_tags_its_pauses) {
    lab l({}, usual_script());
    l.shell("interface 1\npfc receiver ignore-tagged");
    auto frame = lab::pfc(0x08, longest);
    const std::vector<std::uint8_t> tag{0x81, 0x00, 0x60, 0x01};
    frame.insert(frame.begin() + 12, tag.begin(), tag.end());
    l.inject(1, {frame, frame});
    const weir_finding found = finding_of(l, 1);
    tell("tagged pauses, ignored", WEIR_FINDING_TAGGED_PFC, found);
    conformance::row("Y02", "the neighbour does not ignore us: its frames are tagged, and counted as such",
                     fmt::format("\"{}\"", weir_finding_text(found)));
}

TEST(diagnose, pfc_that_is_not_enabled) {
    lab l({}, usual_script());
    l.shell("interface 0\npfc tx none\ninterface 1\nqueue 3 dequeue off");
    l.send(0, 1, 160);
    tell("PFC off on a port of lossless groups", WEIR_FINDING_PFC_OFF, finding_of(l, 0));
}

TEST(diagnose, a_configuration_that_cannot_work) {
    lab l({}, usual_script());
    l.shell("interface 0\npfc dead-time 21000 ns");  // 2 km: 1026 cells; 40 are programmed
    tell("2 km and 40 cells of headroom", WEIR_FINDING_INFEASIBLE, finding_of(l, 0));
}

TEST(diagnose, pauses_that_come_too_late) {
    lab l(long_link(true), usual_script(judged) + dead_time);
    l.shell("interface 1\nqueue 3 dequeue off");
    l.send(0, 1, 600);  // small frames: some 147 cells are in flight, 56 fit
    EXPECT_GT(l.group(0, 3).drop_frames, 0U);
    tell("losses, and the neighbour obeys", WEIR_FINDING_TOO_LATE, finding_of(l, 0));
}

TEST(diagnose, a_neighbour_that_does_not_obey) {
    lab l(long_link(false), usual_script(judged) + dead_time);
    l.shell("interface 1\nqueue 3 dequeue off");
    l.send(0, 1, 600);
    tell("the neighbour goes on", WEIR_FINDING_NOT_OBEYED, finding_of(l, 0));
}

TEST(diagnose, a_queue_that_is_stopped_for_too_long) {
    lab l({}, usual_script());
    l.shell("interface 1\npfc stall-limit 1000");
    l.inject(1, {lab::pfc(0x08, longest)});
    l.send(0, 1, 5);
    l.settle(microseconds(20));
    tell("stopped beyond the limit", WEIR_FINDING_STALLED, finding_of(l, 1));
    conformance::row("Y15", "a stalled queue is suspect, not deadlocked: look at the topology",
                     fmt::format("\"{}\"", weir_finding_text(finding_of(l, 1))));
}

TEST(diagnose, a_healthy_port) {
    lab l(long_link(true), usual_script({100, 20, 200, 8, 200}) + dead_time);
    l.shell("interface 1\nqueue 3 dequeue off");
    l.send(0, 1, 600);
    l.shell("interface 1\nqueue 3 dequeue on");
    l.settle(microseconds(200));
    EXPECT_EQ(l.received(1), 600U);
    tell("pauses that are obeyed", WEIR_FINDING_NONE, finding_of(l, 0));
}

}  // namespace
}  // namespace weir::acceptance
