// SPDX-License-Identifier: Apache-2.0
// Help for the tests of the command line: a chip that is only a register bank, and an engine that does not simulate.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "models/registers/bank.h"
#include "tests/platforms/support.h"
#include "vp/commands/commands.h"
#include "vp/results/result.h"

namespace weir::vp::testing {

/// Four front ports and the CPU port, four pools.
struct small_chip {
    registers::bank bank{registers::weir_map(), {{"ports", 5}, {"pools", 4}, {"wred_profiles", 2}}};

    void set(std::string_view field, const registers::index& at, std::uint64_t value) {
        bank.set(bank.field(field), at, value);
    }
    [[nodiscard]] register_snapshot snapshot() const {
        return {registers::weir_map(), [this](std::uint64_t address) { return bank.peek(address); }};
    }
};

inline const std::vector<std::string>& drop_reasons() {
    static const std::vector<std::string> names{"",         "fcs",     "length",      "no_route", "ttl",
                                                "watchdog", "no_cell", "group_limit", "headroom"};
    return names;
}

/// Three senders of 1 MiB each into host 0 at 100G, everything delivered.
inline run_result sample_result(const small_chip& chip) {
    run_result result;
    result.configuration =
        platforms::testing::parsed(std::string{platforms::testing::four_hosts} + "[workload]\nkind='incast'\n");
    result.configuration.name = "sample";
    result.seed = 7;
    result.traffic_at = microseconds(100);
    result.end = microseconds(400);
    result.drained = true;
    result.switches.push_back({"s0", chip.snapshot()});
    host_result receiver;
    receiver.name = "h0";
    receiver.rate = *data_rate::from_name("100G");
    receiver.data_frames = 1000;
    receiver.data_octets = 1000 * 4158;
    receiver.first_data = microseconds(101);
    // 1000 frames of 4158 octets and 999 gaps of 20 octets at 80 ps an octet: 334.2384 µs, and 1 % idle.
    receiver.last_data = microseconds(101) + picoseconds{(1000 * 4158 + 999 * 20) * 80LL * 100 / 99};
    result.hosts.push_back(receiver);
    for (const auto* source : {"h1", "h2", "h3"}) {
        flow_result flow;
        flow.source = source;
        flow.destination = "h0";
        flow.priority = 3;
        flow.dscp = 24;
        flow.octets = flow.delivered_octets = 1 << 20;
        flow.first = nanoseconds(10);
        flow.finish = microseconds(250);
        result.flows.push_back(flow);
    }
    result.driver = {1200, 3400, 0, 25};
    result.drop_reasons = drop_reasons();
    result.digest = "00c0ffee";
    return result;
}

struct outcome {
    int code{0};
    std::string out;
    std::string err;
};

/// Runs the program's command line with an engine that gives `result` and boots to `chip`.
inline outcome weir(const std::vector<std::string>& arguments, const run_result& result, const small_chip& chip) {
    engine fake;
    fake.run = [&](const platforms::platform_config& platform, const run_request&,
                   const std::function<void(const progress_report&)>&) {
        run_result made = result;
        made.configuration = platform;
        return made;
    };
    fake.boot = [&](const platforms::platform_config&) {
        programmed_platform booted;
        booted.switches.push_back({"s0", chip.snapshot()});
        return booted;
    };
    fake.bench = [](const std::vector<std::string>&) { return 0; };
    std::ostringstream out;
    std::ostringstream err;
    outcome got;
    got.code = run_command_line(arguments, fake, out, err);
    got.out = out.str();
    got.err = err.str();
    return got;
}

inline outcome weir(const std::vector<std::string>& arguments) {
    const small_chip chip;
    return weir(arguments, sample_result(chip), chip);
}

}  // namespace weir::vp::testing
