// SPDX-License-Identifier: Apache-2.0
// The strict mock: the driver's exact writes, and what a mock says when something else comes.
#include "sw/hal/mock/mock.h"

#include <gmock/gmock.h>

#include <memory>

#include "sw/include/weir/pfc.h"
#include "tests/sw/bank_device.h"

namespace weir::sw {
namespace {

using testing::HasSubstr;

class strict_mock : public driver_test {
protected:
    strict_mock() {
        weir_mock_init(mock.get(), true);
        dev->hal = weir_mock_hal(mock.get());
    }
    std::unique_ptr<weir_mock> mock{std::make_unique<weir_mock>()};

    std::uint32_t address(const char* name, const registers::index& at) {
        return static_cast<std::uint32_t>(device.chip.address_of(name, at));
    }
    static std::uint32_t bus(std::uint32_t word) {
        return map_under_test().order == registers::byte_order::little ? word : __builtin_bswap32(word);
    }
};

TEST_F(strict_mock, sees_a_timer_change_read_for_the_journal_and_written_once) {
    weir_mock_expect_read(mock.get(), address("pfc.quanta", {3}), bus(65535));
    weir_mock_expect_write(mock.get(), address("pfc.quanta", {3}), bus(1000));
    weir_mock_expect_read(mock.get(), address("pfc.refresh", {3}), bus(32768));
    weir_mock_expect_write(mock.get(), address("pfc.refresh", {3}), bus(500));
    EXPECT_EQ(weir_pfc_timer_set(dev.get(), 3, 1000, 500), WEIR_OK);
    EXPECT_TRUE(weir_mock_satisfied(mock.get())) << mock->message;
    EXPECT_EQ(mock->locks, 0u);
}

TEST_F(strict_mock, a_write_that_fails_is_followed_by_the_old_values) {
    weir_mock_expect_read(mock.get(), address("pfc.quanta", {3}), bus(65535));
    weir_mock_expect_write(mock.get(), address("pfc.quanta", {3}), bus(1000));
    weir_mock_expect_read(mock.get(), address("pfc.refresh", {3}), bus(32768));
    weir_mock_expect_write(mock.get(), address("pfc.refresh", {3}), bus(500));
    weir_mock_answer_status(mock.get(), WEIR_E_BUS);
    weir_mock_expect_write(mock.get(), address("pfc.refresh", {3}), bus(32768));
    weir_mock_expect_write(mock.get(), address("pfc.quanta", {3}), bus(65535));
    EXPECT_EQ(weir_pfc_timer_set(dev.get(), 3, 1000, 500), WEIR_E_BUS);
    EXPECT_TRUE(weir_mock_satisfied(mock.get())) << mock->message;
}

TEST_F(strict_mock, says_what_it_expected_and_what_came) {
    weir_mock_expect_write(mock.get(), 0x40, 7);
    EXPECT_EQ(weir_register_write(dev.get(), 0x44, 7), WEIR_E_UNEXPECTED);
    EXPECT_FALSE(weir_mock_satisfied(mock.get()));
    EXPECT_THAT(mock->message, HasSubstr("step 1: expected write of 0x"));
    EXPECT_THAT(mock->message, HasSubstr("came write of 0x"));
}

TEST_F(strict_mock, notices_a_wrong_value_an_extra_access_and_a_missing_one) {
    weir_mock_expect_write(mock.get(), 0x40, bus(7));
    EXPECT_EQ(weir_register_write(dev.get(), 0x40, 8), WEIR_E_UNEXPECTED);

    weir_mock_init(mock.get(), true);
    std::uint32_t value = 0;
    EXPECT_EQ(weir_register_read(dev.get(), 0x40, &value), WEIR_E_UNEXPECTED);
    EXPECT_THAT(mock->message, HasSubstr("expected nothing, came read of 0x40"));

    weir_mock_init(mock.get(), true);
    weir_mock_expect_read(mock.get(), 0x40, 1);
    EXPECT_FALSE(weir_mock_satisfied(mock.get()));
    EXPECT_THAT(mock->message, HasSubstr("expected read of 0x40, came nothing"));
}

TEST_F(strict_mock, a_lenient_one_is_memory_and_counts_time) {
    weir_mock_init(mock.get(), false);
    weir_mock_preset(mock.get(), 0x80, bus(5));
    std::uint32_t value = 0;
    ASSERT_EQ(weir_register_read(dev.get(), 0x80, &value), WEIR_OK);
    EXPECT_EQ(value, 5u);
    ASSERT_EQ(weir_register_write(dev.get(), 0x80, 6), WEIR_OK);
    EXPECT_EQ(weir_mock_value(mock.get(), 0x80), bus(6));
    weir_mock_fail_at(mock.get(), 2, WEIR_E_BUS);
    EXPECT_EQ(weir_register_write(dev.get(), 0x80, 7), WEIR_OK);
    EXPECT_EQ(weir_register_write(dev.get(), 0x80, 8), WEIR_E_BUS);
    EXPECT_EQ(weir_mock_value(mock.get(), 0x80), bus(7));
    EXPECT_EQ(mock->now, 30u);
}

}  // namespace
}  // namespace weir::sw
