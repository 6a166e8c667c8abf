// SPDX-License-Identifier: Apache-2.0
// Whole runs of networks for tests: the platform from text, every switch with one script of its driver.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platforms/boot.h"
#include "platforms/machine.h"
#include "platforms/routes.h"
#include "tests/platforms/support.h"
#include "vp/engine.h"

namespace weir::system_test {

/// Priority 3 lossless, XOFF at ${xoff} of a group's cells; the rest is lossy.
constexpr const char* fabric_script = R"(pool create lossless ingress size ${pool} cells
map dscp 24 tc 3
map tc 3 pg 3
interface 0-${last_port}
  mac ${mac}
  mtu 9216
  pg all guaranteed 8
  pg 0-2,4-7 limit ${lossy}
  pfc enable priority 3
  pfc pause-threshold ${xoff}
  pfc resume-threshold ${xon}
  pfc headroom ${headroom} cells
  queue 0-2,4-7 limit ${lossy_queue}
  no shutdown
exit
)";

/// Bits that a frame of the default 4096 octets of payload takes on the wire, preamble and gap included.
constexpr double frame_bits = 8.0 * (4158 + 20);

/// Files beside the platform's, by name; "switch.cfg" is the script unless it is given.
using files = std::map<std::string, std::string>;

inline platforms::platform_config fabric(const platforms::testing::temporary_folder& folder, const std::string& toml,
                                         const files& beside = {}, const platforms::load_options& options = {}) {
    folder.write("switch.cfg", fabric_script);
    for (const auto& [name, text] : beside) folder.write(name, text);
    return platforms::parse_platform(
        "[platform]\nname = \"fabric\"\nprogram = \"switch.cfg\"\n"
        "[program]\npool = 40000\nxoff = 300\nxon = 100\nheadroom = 220\nlossy = 256\nlossy_queue = 1024\n" +
            toml,
        folder.path("p.toml"), options);
}

inline vp::run_result run(const platforms::platform_config& config, const vp::run_request& request = {}) {
    return vp::make_engine().run(config, request, {});
}

inline vp::run_result run_fabric(const std::string& toml, const files& beside = {},
                                 const vp::run_request& request = {}) {
    const platforms::testing::temporary_folder folder;
    return run(fabric(folder, toml, beside), request);
}

/// A network whose registers can be looked at while its workload goes on.
struct network {
    explicit network(const platforms::platform_config& config, std::uint64_t seed = 1) : machine(config, seed) {
        const auto table = platforms::plan_routes(machine.config());
        for (std::uint32_t s = 0; s < machine.switches(); ++s) {
            auto lines = platforms::boot_script(machine.config(), s);
            if (!table.empty()) {
                platforms::switch_routes routes(machine.config(), s);
                for (auto& line : routes.change_to(table[s])) lines.push_back(std::move(line));
            }
            drivers.push_back(std::make_unique<platforms::switch_driver>(machine.cpu(s)));
            drivers.back()->program(std::move(lines));
        }
        EXPECT_TRUE(machine.run_programs());
        for (const auto& driver : drivers) EXPECT_EQ(driver->error(), "");
        origin = machine.first_traffic_time();
        machine.run_until(origin - picoseconds{1});
        machine.begin(origin);
        machine.add_flows(platforms::make_flows(config), origin);
    }
    /// `time` counts from the start of the workload.
    void run_to(picoseconds time) { machine.run_until(origin + time); }
    [[nodiscard]] std::uint64_t value(std::size_t chip, const char* field, const registers::index& at = {}) {
        const auto& bank = machine.chip(chip).bank();
        return bank.get(bank.field(field), at);
    }

    platforms::machine machine;
    std::vector<std::unique_ptr<platforms::switch_driver>> drivers;
    picoseconds origin{0};
};

/// Frames that the switches dropped for this reason.
inline std::uint64_t drops(const vp::run_result& result, const std::string& reason) {
    std::uint64_t frames = 0;
    for (const vp::loss& l : result.losses) {
        if (l.reason == reason) frames += l.frames;
    }
    return frames;
}

}  // namespace weir::system_test
