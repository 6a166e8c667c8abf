// SPDX-License-Identifier: Apache-2.0
// Accesses that software should not have made: what it sees of them under each policy, what the chip records, and that
// nothing else changes.
#include "tests/acceptance/lab.h"

namespace weir::acceptance {
namespace {

struct abuse {
    const char* error;  // in global.access_error
    const char* reg;    // nullptr: beyond the map
    registers::index at;
    std::uint32_t offset;
    bool write;
};

const abuse abuses[] = {
    {"unmapped", nullptr, {}, 0, false},
    {"unmapped", nullptr, {}, 0, true},
    {"misaligned", "global.scratch", {}, 2, true},
    {"misaligned", "global.scratch", {}, 1, false},
    {"read_only", "bm.cap_cells", {}, 0, true},
    {"write_only", "cpu.tx_data", {}, 0, false},
    {"out_of_range", "pg.xoff", {0, 0, 0}, 0, true},
    {"locked", "port.speed", {0, 0, 0}, 0, true},
};

class access_errors : public ::testing::TestWithParam<const char*> {
protected:
    static std::uint32_t address_of(const registers::bank& bank, const abuse& a) {
        if (a.reg == nullptr) return bank.layout().span + 4096;
        std::uint64_t address = bank.address_of(a.reg, a.at) + a.offset;
        // The fifth front port of a chip that has four, and a CPU port behind them.
        if (std::string{a.error} == "out_of_range") {
            address += 5 * (bank.address_of(a.reg, {1, 0, 0}) - bank.address_of(a.reg, {0, 0, 0}));
        }
        return static_cast<std::uint32_t>(address);
    }
};

TEST_P(access_errors, are_seen_as_the_platform_says_and_recorded_always) {
    const std::string policy = GetParam();
    lab_options o;
    o.extra_platform = "[registers]\non_error = \"" + policy + "\"\n";
    lab l(o, usual_script());
    auto& bank = l.machine().chip(0).bank();
    const auto value = [&](const std::string& field) { return bank.get(bank.field(field)); };
    std::uint64_t count = 0;
    ASSERT_EQ(value("global.access_error_count.count"), 0U);  // the driver itself makes none
    for (const abuse& a : abuses) {
        const std::uint32_t address = address_of(bank, a);
        std::uint32_t word = 0x5a5a5a5a;
        weir_status status = WEIR_OK;
        l.drive([&](weir_dev* d) {
            status = a.write ? weir_register_write(d, address, 1) : weir_register_read(d, address, &word);
            return WEIR_OK;
        });
        EXPECT_EQ(status, policy == "bus_error" ? WEIR_E_BUS : WEIR_OK) << a.error;
        if (!a.write && policy != "bus_error") {
            EXPECT_EQ(word, 0U) << a.error;
        }
        EXPECT_EQ(value("global.access_error_count.count"), ++count) << a.error;
        EXPECT_EQ(value("global.access_error_address.address"), address) << a.error;
        EXPECT_EQ(value(std::string{"global.access_error."} + a.error), 1U) << a.error;
        EXPECT_EQ(value("global.int_status.access_error"), 1U);
    }
    l.send(0, 1, 5);
    EXPECT_EQ(l.received(1), 5U);
    EXPECT_EQ(l.port(0).rx_frames, 5U);
}

INSTANTIATE_TEST_SUITE_P(policies, access_errors, ::testing::Values("bus_error", "log", "ignore"),
                         [](const auto& chosen) { return std::string{chosen.param}; });

}  // namespace
}  // namespace weir::acceptance
