// SPDX-License-Identifier: Apache-2.0
// A device made of the real register bank and as little behaviour as the driver needs: it resets, initialises, flushes,
// keeps forwarding entries, loops CPU frames. Every access of the driver is recorded and can be made to fail.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/registers/bank.h"
#include "sw/hal/hal.h"
#include "sw/include/weir/device.h"
#include "tests/registers/map_under_test.h"

namespace weir::sw {

using registers::map_under_test;

struct access {
    bool write;
    std::string name;
    registers::index at;
    std::uint32_t value;
};

class bank_device {
public:
    static constexpr std::uint32_t ports = 8;
    static constexpr std::uint32_t cells = 65536;

    bank_device();

    registers::bank chip{map_under_test(), {{"ports", ports + 1}, {"pools", 8}, {"wred_profiles", 8}}};
    weir_hal hal{};
    std::vector<access> accesses;
    std::vector<std::string> logged;
    std::uint64_t now{0};
    std::uint64_t fail_at{0};  ///< the n-th access from the start of counting fails; 0: none
    std::uint64_t count{0};

    bool reset_ends{true}, ram_ends{true}, core_starts{true}, table_answers{true};
    std::uint32_t table_capacity{4};
    bool queues_empty{true};
    std::deque<std::vector<std::uint8_t>> sent;
    std::vector<std::uint32_t> sent_control;

    /// What a register holds, seen without side effects.
    std::uint64_t value(std::string_view field, const registers::index& at = {}) const {
        return chip.get(chip.field(field), at);
    }
    void set(std::string_view field, const registers::index& at, std::uint64_t v) {
        chip.set(chip.field(field), at, v);
    }
    /// Every register that stores configuration, for comparing before and after.
    std::vector<std::uint32_t> snapshot() const;
    /// The writes since the recording began, as "pg.xoff[3][2]=6800"; reads are left out.
    std::vector<std::string> writes() const;
    void forget() { accesses.clear(); }
    void trap(std::vector<std::uint8_t> frame, std::uint32_t port) { trapped_.push_back({std::move(frame), port}); }

private:
    struct trapped {
        std::vector<std::uint8_t> frame;
        std::uint32_t port;
    };
    using key = std::array<std::uint64_t, 5>;
    struct entry {
        std::uint64_t kind{0}, target{0};
        std::vector<std::uint64_t> members;
    };
    void bind_global();
    void bind_tables();
    void bind_cpu();
    void run_command();
    weir_status transfer(bool write, std::uint32_t address, std::uint32_t& word);

    std::uint64_t reset_over_{0}, ram_over_{0}, table_over_{0};
    bool ram_started_{false}, core_on_{false};
    std::uint64_t table_reason_{0};
    std::array<std::map<key, entry>, 4> tables_;
    std::vector<std::uint8_t> collecting_;
    std::deque<trapped> trapped_;
    std::size_t read_at_{0};
};

/// A driver on a device that is up.
class driver_test : public testing::Test {
protected:
    driver_test() {
        dev->timing = weir_timing{};
        EXPECT_EQ(weir_device_start(dev.get(), &device.hal), WEIR_OK) << dev->message;
        device.forget();
    }
    bank_device device;
    std::unique_ptr<weir_dev> dev{std::make_unique<weir_dev>()};

    std::string message() const { return dev->message; }
};

}  // namespace weir::sw
