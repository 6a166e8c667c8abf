// SPDX-License-Identifier: Apache-2.0
// The driver's side of DCBX: the same octets as the model's, what a port says of itself, and how it compares.
#include "sw/include/weir/dcbx.h"

#include <gmock/gmock.h>

#include <memory>

#include "sw/include/weir/pfc.h"
#include "sw/include/weir/qos.h"
#include "sw/include/weir/scheduler.h"
#include "sw/include/weir/shell.h"
#include "tests/ethernet/dcbx_frames.h"
#include "tests/sw/bank_device.h"

// Of its own namespace: the octets have short names.
namespace weir::sw::dcbx_tests {
namespace {

using testing::HasSubstr;
using namespace ethernet::dcbx_octets;
using ethernet::octet_list;
using ethernet::operator+;

TEST(dcbx_codec, reads_and_writes_the_documents_values) {
    weir_dcbx_message m{};
    const octet_list good = frame_of(vlan + ets + foreign + recommendation + pfc_tlv);
    ASSERT_EQ(weir_dcbx_decode(good.data(), good.size(), &m), WEIR_DCBX_FINE);
    EXPECT_EQ(m.seconds, 120);
    EXPECT_THAT(m.priority_class, testing::ElementsAre(15, 4, 1, 1, 15, 4, 1, 4));
    EXPECT_THAT(m.percent, testing::ElementsAre(0, 50, 0, 0, 50, 0, 0, 0));
    EXPECT_THAT(m.selection, testing::ElementsAre(0, 2, 0, 0, 2, 0, 0, 0));
    EXPECT_TRUE(m.has_pfc);
    EXPECT_FALSE(m.pfc_willing);
    EXPECT_FALSE(m.pfc_macsec_bypass);
    EXPECT_EQ(m.pfc_capability, 4);
    EXPECT_EQ(m.pfc_enabled, 0x34);
    octet_list built(WEIR_DCBX_FRAME_OCTETS, 0xee);
    const octet_list source{2, 0, 0, 0, 0, 7};
    built.resize(weir_dcbx_encode(built.data(), source.data(), &m));
    EXPECT_EQ(built, frame_of(ets + pfc_tlv));
}

TEST(dcbx_codec, refuses_what_is_malformed_by_name) {
    for (const bad_frame& bad : bad_frames()) {
        weir_dcbx_message m{};
        m.seconds = 77;
        const weir_dcbx_error error = weir_dcbx_decode(bad.octets.data(), bad.octets.size(), &m);
        EXPECT_EQ(weir_dcbx_error_text(static_cast<std::uint32_t>(error)), bad.name);
        EXPECT_EQ(m.seconds, 77);
    }
    const octet_list whole = frame_of(ets + recommendation + pfc_tlv);
    for (std::size_t octets = 0; octets < whole.size(); ++octets) {
        weir_dcbx_message m{};
        EXPECT_NE(weir_dcbx_decode(whole.data(), octets, &m), WEIR_DCBX_FINE) << octets;
    }
}

class dcbx_test : public driver_test {};

// Queues 1 and 2 share by 3 to 1, queue 5 too by 2: 50, 16 and 33 per cent, and the rest of rounding to the first.
TEST_F(dcbx_test, says_what_the_port_does) {
    ASSERT_EQ(weir_pfc_enable(dev.get(), 2, 3, true), WEIR_OK);
    ASSERT_EQ(weir_queue_schedule_set(dev.get(), 2, 1, WEIR_DWRR, 3), WEIR_OK);
    ASSERT_EQ(weir_queue_schedule_set(dev.get(), 2, 2, WEIR_DWRR, 1), WEIR_OK);
    ASSERT_EQ(weir_queue_schedule_set(dev.get(), 2, 5, WEIR_DWRR, 2), WEIR_OK);
    ASSERT_EQ(weir_class_queue_set(dev.get(), 2, 7, 6), WEIR_OK);
    ASSERT_EQ(weir_queue_schedule_set(dev.get(), 2, 7, WEIR_DWRR, 9), WEIR_OK);  // no class uses it
    weir_dcbx_message m{};
    ASSERT_EQ(weir_dcbx_local_get(dev.get(), 2, &m), WEIR_OK);
    EXPECT_EQ(m.pfc_enabled, 0x08);
    EXPECT_FALSE(m.pfc_willing);
    EXPECT_THAT(m.percent, testing::ElementsAre(0, 51, 16, 0, 0, 33, 0, 0));
    EXPECT_THAT(m.selection, testing::ElementsAre(0, 2, 2, 0, 0, 2, 0, 0));
    EXPECT_THAT(m.priority_class, testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 6));
    std::vector<std::uint8_t> frame(WEIR_DCBX_FRAME_OCTETS);
    const octet_list source{2, 0, 0, 0, 0, 7};
    const std::size_t octets = weir_dcbx_encode(frame.data(), source.data(), &m);
    weir_dcbx_message back{};
    EXPECT_EQ(weir_dcbx_decode(frame.data(), octets, &back), WEIR_DCBX_FINE);
    EXPECT_EQ(back.pfc_enabled, 0x08);
}

TEST_F(dcbx_test, sends_it_out_of_the_port) {
    ASSERT_EQ(weir_pfc_enable(dev.get(), 2, 3, true), WEIR_OK);
    ASSERT_EQ(weir_dcbx_send(dev.get(), 2), WEIR_OK) << message();
    ASSERT_EQ(device.sent.size(), 1U);
    weir_dcbx_message m{};
    EXPECT_EQ(weir_dcbx_decode(device.sent[0].data(), device.sent[0].size(), &m), WEIR_DCBX_FINE);
    EXPECT_EQ(m.pfc_enabled, 0x08);
}

TEST_F(dcbx_test, the_shell_says_what_would_be_right) {
    weir_shell shell{};
    weir_shell_init(&shell, dev.get(), nullptr, nullptr);
    EXPECT_NE(weir_shell_execute(&shell, "dcbx"), WEIR_OK);
    EXPECT_THAT(weir_shell_error(&shell), HasSubstr("trap or send"));
    EXPECT_NE(weir_shell_execute(&shell, "dcbx send"), WEIR_OK);
    EXPECT_THAT(weir_shell_error(&shell), HasSubstr("interface 0-7"));
    EXPECT_NE(weir_shell_execute(&shell, "show interface 2 dcbx"), WEIR_OK);
    EXPECT_THAT(weir_shell_error(&shell), HasSubstr("no DCBX"));
    EXPECT_EQ(weir_shell_execute(&shell, "dcbx trap on"), WEIR_OK) << weir_shell_error(&shell);
    EXPECT_EQ(weir_shell_execute(&shell, "dcbx trap off"), WEIR_OK);
    EXPECT_EQ(weir_shell_execute(&shell, "dcbx trap off"), WEIR_OK);
}

}  // namespace
}  // namespace weir::sw::dcbx_tests
