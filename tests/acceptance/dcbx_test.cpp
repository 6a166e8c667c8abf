// SPDX-License-Identifier: Apache-2.0
// M39: stations say by LLDP which priorities are lossless for them, the driver compares, and what differs shows in
// traffic.
#include "sw/include/weir/dcbx.h"

#include <fmt/format.h>

#include "tests/acceptance/lab.h"
#include "tests/conformance/conformance.h"
#include "tests/ethernet/dcbx_frames.h"

namespace weir::acceptance {
namespace {

// Station 0 says nothing; 1 has priority 3; 2 has 4 instead; 3 has none and is willing.
constexpr const char* stations = R"(
[host.h1]
dcbx = true
dcbx_pfc = 8
[host.h2]
dcbx = true
dcbx_pfc = 16
[host.h3]
dcbx = true
dcbx_willing = true
)";

std::unique_ptr<lab> make_lab(const std::string& hosts = stations) {
    lab_options o;
    o.obey = true;
    o.extra_platform = hosts;
    return std::make_unique<lab>(o, "dcbx trap on\n" + usual_script());
}

weir_dcbx_status status_of(lab& l, std::uint32_t port) {
    weir_dcbx_status s{};
    l.settle();
    l.drive([&](weir_dev*) { return weir_dcbx_poll(&l.dcbx()); });
    l.drive([&](weir_dev*) { return weir_dcbx_status_get(&l.dcbx(), port, &s); });
    return s;
}

TEST(dcbx, tells_who_agrees_who_differs_and_who_is_silent) {
    const auto l = make_lab();
    EXPECT_EQ(status_of(*l, 0).state, WEIR_DCBX_ABSENT);
    EXPECT_EQ(status_of(*l, 1).state, WEIR_DCBX_AGREED);
    const weir_dcbx_status s = status_of(*l, 2);
    EXPECT_EQ(s.state, WEIR_DCBX_MISMATCHED);
    EXPECT_EQ(s.local.pfc_enabled, 0x08);
    EXPECT_EQ(s.peer.pfc_enabled, 0x10);
    EXPECT_EQ(s.pfc_differs, 0x18);
    EXPECT_FALSE(s.ets_differs);
    conformance::row(
        "M39", "08 here, 10 there: mismatched, 18 differ",
        fmt::format("{:02x} here, {:02x} there: {}, {:02x} differ", s.local.pfc_enabled, s.peer.pfc_enabled,
                    s.state == WEIR_DCBX_MISMATCHED ? "mismatched" : "agreed", s.pfc_differs));
    l->shell("show interface 2 dcbx\nshow interface dcbx");
}

// A priority that is lossless here and not there: the station does not stop, and Headroom overflows. The one that
// agrees loses nothing. XOFF 100, Headroom 40 of one cell each: far less than the 2000 frames that are sent.
TEST(dcbx, a_mismatch_shows_as_loss) {
    const auto l = make_lab();
    l->shell("interface 0\nqueue 3 dequeue off");
    l->send(1, 0, 2000);
    EXPECT_EQ(l->drops(1, WEIR_DROP_HEADROOM), 0U);
    l->send(2, 0, 2000);
    EXPECT_EQ(l->drops(2, WEIR_DROP_HEADROOM), 2000U - 148U);  // Guaranteed 8 besides
}

// A willing station takes what the switch says, says so itself, and then stops for it.
TEST(dcbx, a_willing_station_follows_the_switch) {
    const auto l = make_lab();
    weir_dcbx_status s = status_of(*l, 3);
    EXPECT_EQ(s.state, WEIR_DCBX_MISMATCHED);
    EXPECT_TRUE(s.peer.pfc_willing);
    l->shell("interface 3\ndcbx send");
    s = status_of(*l, 3);
    EXPECT_EQ(s.state, WEIR_DCBX_AGREED);
    EXPECT_EQ(s.frames, 2U);
    ASSERT_TRUE(l->machine().host(3).dcbx.peer().has_value());
    EXPECT_EQ(l->machine().host(3).dcbx.peer()->pfc->enabled, 0x08);
    l->shell("interface 0\nqueue 3 dequeue off");
    l->send(3, 0, 2000);
    EXPECT_EQ(l->drops(3, WEIR_DROP_HEADROOM), 0U);
    // One that is not willing hears it and stays as it is.
    l->shell("interface 2\ndcbx send");
    EXPECT_EQ(status_of(*l, 2).peer.pfc_enabled, 0x10);
    EXPECT_EQ(l->machine().host(2).dcbx.peer()->pfc->enabled, 0x08);
}

// Said again when it changes; forgotten when the link goes down, and said again when it comes back.
TEST(dcbx, follows_changes_and_links) {
    const auto l = make_lab();
    EXPECT_EQ(status_of(*l, 1).state, WEIR_DCBX_AGREED);
    ethernet::dcbx_message m = l->machine().host(1).dcbx.in_effect();
    m.pfc->enabled = 0x0c;
    l->machine().host(1).set_dcbx(m);
    EXPECT_EQ(status_of(*l, 1).pfc_differs, 0x04);
    l->shell("interface 1\nshutdown");
    EXPECT_EQ(status_of(*l, 1).state, WEIR_DCBX_ABSENT);
    const std::uint64_t before = status_of(*l, 1).frames;
    l->shell("no shutdown");
    EXPECT_EQ(status_of(*l, 1).state, WEIR_DCBX_MISMATCHED);
    EXPECT_EQ(status_of(*l, 1).frames, before + 1);
}

// A malformed frame is counted with its reason, and what was known stays. A message is valid as long as it says.
TEST(dcbx, refuses_malformed_frames_and_forgets_old_ones) {
    using namespace ethernet::dcbx_octets;
    using ethernet::operator+;
    const auto l = make_lab();
    const auto padded = [](ethernet::octet_list octets) {
        octets.resize(std::max<std::size_t>(octets.size(), 60), 0);
        return octets;
    };
    EXPECT_EQ(status_of(*l, 1).state, WEIR_DCBX_AGREED);
    l->inject(1, {padded(frame_of(with(pfc_tlv, 6, 9)))});
    weir_dcbx_status s = status_of(*l, 1);
    EXPECT_EQ(s.state, WEIR_DCBX_AGREED);
    EXPECT_EQ(s.malformed, 1U);
    EXPECT_EQ(s.last_error, WEIR_DCBX_PFC_CAPABILITY);
    l->inject(0,
              {padded(header + chassis + port_id + ethernet::octet_list{6, 2, 0, 1} + with(pfc_tlv, 7, 0x08) + end)});
    EXPECT_EQ(status_of(*l, 0).state, WEIR_DCBX_AGREED);
    l->machine().run_until(from_kernel(sc_core::sc_time_stamp()) + microseconds(1'100'000));
    EXPECT_EQ(status_of(*l, 0).state, WEIR_DCBX_ABSENT);
    EXPECT_EQ(status_of(*l, 1).state, WEIR_DCBX_AGREED);
    l->inject(1,
              {padded(header + chassis + port_id + ethernet::octet_list{6, 2, 0, 0} + with(pfc_tlv, 7, 0x08) + end)});
    EXPECT_EQ(status_of(*l, 1).state, WEIR_DCBX_ABSENT);
}

// §3.5: ETS as the queues are scheduled: DWRR 3 to 2 is 60 and 40.
TEST(dcbx, compares_how_classes_are_served) {
    const auto l = make_lab(R"(
[host.h1]
dcbx = true
dcbx_pfc = 8
dcbx_ets = "strict,60,40,strict,strict,strict,strict,strict"
)");
    EXPECT_TRUE(status_of(*l, 1).ets_differs);
    EXPECT_EQ(status_of(*l, 1).state, WEIR_DCBX_MISMATCHED);
    l->shell("show interface 1 dcbx\ninterface 1\nqueue 1 scheduler dwrr 3\nqueue 2 scheduler dwrr 2");
    EXPECT_FALSE(status_of(*l, 1).ets_differs);
    EXPECT_EQ(status_of(*l, 1).state, WEIR_DCBX_AGREED);
}

}  // namespace
}  // namespace weir::acceptance
