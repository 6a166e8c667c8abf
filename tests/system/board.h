// SPDX-License-Identifier: Apache-2.0
// A platform file come alive for a test: booted through its script, its workload under way.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "platforms/boot.h"
#include "platforms/machine.h"
#include "platforms/workload.h"

namespace weir::system_test {

struct board {
    explicit board(const platforms::platform_config& config, std::uint64_t seed = 1)
        : machine(config, seed), driver(machine.cpu(0)) {
        machine.chip(0).memory().check_always(true);
        driver.program(platforms::read_script(config.program, config.program_values));
        EXPECT_TRUE(machine.run_programs());
        EXPECT_EQ(driver.error(), "");
        origin = machine.first_traffic_time();
        machine.record().start(origin);
        machine.run_until(origin - picoseconds{1});
        machine.add_flows(platforms::make_flows(config), origin);
    }
    /// In steps of 10 µs, at most until `limit` after the origin.
    void run_to_the_end(picoseconds limit = microseconds(100'000)) {
        for (picoseconds t = origin; !machine.drained() && t < origin + limit;)
            machine.run_until(t += microseconds(10));
    }
    std::uint64_t digest() {
        machine.finish_record();
        return machine.record().value();
    }
    std::uint64_t value(const char* field, const registers::index& at = {}) {
        const auto& bank = machine.chip(0).bank();
        return bank.get(bank.field(field), at);
    }

    platforms::machine machine;
    platforms::switch_driver driver;
    picoseconds origin{0};
};

inline platforms::platform_config board_config(const std::string& name, const platforms::load_options& options = {}) {
    return platforms::load_platform(std::string(WEIR_SOURCE_DIR "/platforms/") + name, options);
}

}  // namespace weir::system_test
