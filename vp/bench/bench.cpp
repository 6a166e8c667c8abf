// SPDX-License-Identifier: Apache-2.0
#include "vp/bench/bench.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "platforms/boot.h"
#include "platforms/machine.h"
#include "vp/bench/bare_kernel.h"
#include "vp/bench/core_bench.h"
#include "vp/bench/cpu_time.h"
#include "vp/bench/door_bench.h"
#include "vp/bench/fabric_bench.h"
#include "vp/bench/judging_bench.h"
#include "vp/bench/measurement.h"
#include "vp/bench/observer_bench.h"
#include "vp/bench/sweep_bench.h"

namespace weir::vp {
namespace {

platforms::platform_config configuration(std::uint32_t ports) {
    return platforms::parse_platform(fmt::format("[platform]\nname = \"bench\"\n[switch.s0]\n[[switch.s0.ports]]\n"
                                                 "count = {}\nrate = \"100G\"\ncable = \"3m\"\npeer = \"host\"\n",
                                                 ports),
                                     "bench.toml");
}

std::string script(const platforms::platform_config& config) {
    std::string text =
        "pool create lossless ingress size 40000 cells\nmap dscp 24 tc 3\nmap tc 3 pg 3\ninterface all\n"
        "pg 3 guaranteed 8\npfc enable priority 3\npfc pause-threshold 1000\npfc resume-threshold 300\n"
        "pfc headroom 200 cells\nno shutdown\nexit\n";
    for (const platforms::host_config& host : config.hosts) {
        const auto& mac = host.mac;
        text += fmt::format("mac-table add {:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x} port {}\n", mac[0], mac[1], mac[2],
                            mac[3], mac[4], mac[5], host.port);
    }
    return text;
}

constexpr std::uint32_t payload = 1000;
constexpr std::uint32_t frame_octets = payload + 62;

measurement run_switch(const traffic_shape& shape) {
    const double begin = cpu_now();
    const bool converging = shape.receivers == 1;
    const std::uint32_t ports = shape.senders + (converging ? 1 : 0);
    const platforms::platform_config config = configuration(ports);
    platforms::machine m(config, 1);
    platforms::switch_driver driver(m.cpu(0));
    driver.program(platforms::parse_script(script(config), "bench.cfg", {}));
    m.time().settle();
    measurement result;
    result.startup_seconds = cpu_now() - begin;
    if (!m.run_programs() || !driver.error().empty()) throw std::runtime_error(driver.error());
    const picoseconds origin = m.first_traffic_time();
    m.run_until(origin - picoseconds{1});
    for (std::uint32_t s = 0; s < shape.senders; ++s) {
        platforms::flow f;
        f.source = s;
        f.destination = converging ? shape.senders : (s + 1) % shape.senders;
        f.priority = 3;
        f.dscp = 24;
        f.payload = payload;
        f.octets = shape.frames / shape.senders * payload;
        m.add_flow(f, origin);
    }
    picoseconds now = origin;
    const double start = cpu_now();
    while (!m.drained()) m.run_until(now += microseconds(10));
    result.cpu_seconds = cpu_now() - start;
    result.amount = static_cast<double>(m.link_hops());
    return result;
}

measurement run_kernel(const traffic_shape& shape) {
    measurement result;
    const double start = cpu_now();
    result.amount = static_cast<double>(run_bare_kernel(shape));
    result.cpu_seconds = cpu_now() - start;
    return result;
}

/// Reads and writes through driver, HAL and bus while nothing else is due, as in a boot.
measurement run_accesses() {
    constexpr std::uint32_t accesses = 2'000'000;
    platforms::machine m(configuration(32), 1);
    platforms::switch_driver driver(m.cpu(0));
    measurement result;
    weir_status status = WEIR_OK;
    m.cpu(0).program([&] {
        status = driver.start();
        const auto scratch = static_cast<std::uint32_t>(m.chip(0).bank().address_of("global.scratch"));
        const double start = cpu_now();
        for (std::uint32_t i = 0; i < accesses && status == WEIR_OK; i += 2) {
            std::uint32_t value = 0;
            status = weir_register_write(&driver.device(), scratch, i);
            if (status == WEIR_OK) status = weir_register_read(&driver.device(), scratch, &value);
        }
        result.cpu_seconds = cpu_now() - start;
    });
    if (!m.run_programs() || status != WEIR_OK) throw std::runtime_error("the driver failed");
    result.amount = accesses;
    return result;
}

/// The rates of some rounds of what `core_bench` measures.
template <typename Measure>
std::vector<double> core_rates(int rounds, const Measure& measure) {
    std::vector<double> rates;
    for (int i = 0; i < rounds; ++i) {
        rates.push_back(in_a_process([&] {
                            const core_speed s = measure();
                            measurement m;
                            m.amount = s.amount;
                            m.cpu_seconds = s.cpu_seconds;
                            return m;
                        }).rate());
    }
    return rates;
}

void compare(const char* name, const traffic_shape& shape, int rounds) {
    std::vector<double> ours;
    std::vector<double> bare;
    std::vector<double> ratios;
    measurement last;
    // In turn, so that a machine that changes its speed changes it for both.
    for (int i = 0; i < rounds; ++i) {
        last = in_a_process([&] { return run_switch(shape); });
        ours.push_back(last.rate());
        bare.push_back(in_a_process([&] { return run_kernel(shape); }).rate());
        ratios.push_back(ours.back() / bare.back());
    }
    fmt::print("{:<22} {:6.2f} million link-hops/s, bare kernel {:6.2f}, ratio {:.2f}\n", name, median(ours) * 1e-6,
               median(bare) * 1e-6, median(ratios));
    fmt::print("{:<22} start-up {:.0f} ms, resident {:.0f} MiB\n", "", last.startup_seconds * 1e3, last.resident_mib);
    std::fflush(stdout);
}

/// How the cost of a link-hop grows with the network, over that of the bare kernel with as many ports.
void compare_networks(int rounds) {
    constexpr std::uint64_t frames = 400'000;
    struct measured_network {
        fabric_size size;
        std::vector<double> rates{};
        std::vector<double> costs{};
        double resident_mib{0};
    };
    std::array<measured_network, 5> networks{
        {{{4, 4, 4}}, {{4, 16, 16}}, {{8, 16, 16}}, {{16, 16, 16}}, {{64, 16, 16}}}};
    // Each round measures all of them, so that a machine that changes its speed changes it for all.
    for (int i = 0; i < rounds; ++i) {
        for (measured_network& n : networks) {
            const measurement m = in_a_process([&] {
                const fabric_speed s = run_fabric_permutation(n.size, frames);
                measurement made;
                made.amount = s.link_hops;
                made.cpu_seconds = s.cpu_seconds;
                return made;
            });
            n.rates.push_back(m.rate());
            n.resident_mib = m.resident_mib;
            // Four link-hops a frame there, two here.
            const traffic_shape shape{n.size.ports(), n.size.ports(), frame_octets, *data_rate::from_name("100G"),
                                      2 * frames};
            n.costs.push_back(in_a_process([&] { return run_kernel(shape); }).rate() / m.rate());
        }
    }
    for (const measured_network& n : networks) {
        fmt::print(
            "leaf-spine, {:4} hosts  {:6.2f} million link-hops/s, {:.2f} times the bare kernel's cost ({:.2f} of "
            "the smallest), {:.0f} MiB\n",
            n.size.all_hosts(), median(n.rates) * 1e-6, median(n.costs), median(n.costs) / median(networks[0].costs),
            n.resident_mib);
    }
    std::fflush(stdout);
}

}  // namespace

int run_bench(const std::vector<std::string>& arguments) {
    const int rounds = arguments.empty() ? 3 : std::atoi(arguments.front().c_str());
    if (rounds < 1 || rounds > 100) {
        fmt::print(stderr, "weir bench: {} is not a number of rounds\n  one from 1 to 100\n", arguments.front());
        return 2;
    }
    const data_rate rate = *data_rate::from_name("100G");
    std::fflush(stdout);
    compare("incast 16 to 1, 100G", {16, 1, frame_octets, rate, 640'000}, rounds);
    compare("permutation 32, 100G", {32, 32, frame_octets, rate, 1'280'000}, rounds);
    compare_networks(rounds);
    std::vector<double> rates;
    for (int i = 0; i < rounds; ++i) rates.push_back(in_a_process(run_accesses).rate());
    fmt::print("{:<22} {:6.2f} million register accesses/s\n", "driver, HAL, bus", median(rates) * 1e-6);
    fmt::print("{:<22} {:6.0f} million instructions/s, {:.2f} million register accesses/s, {:.0f} ms to the prompt\n",
               "RISC-V core", median(core_rates(rounds, [] { return run_core_loop(300); })) * 1e-6,
               median(core_rates(rounds, [] { return run_core_accesses(100); })) * 1e-6,
               1e3 / median(core_rates(rounds, boot_to_prompt)));
    std::fflush(stdout);
    constexpr std::uint32_t round_trips = 50'000;
    fmt::print("{:<22} {:6.0f} thousand round trips/s over the register port, {:.0f} over the JSON door\n", "doors",
               round_trips * 1e-3 / register_port_seconds(round_trips),
               round_trips * 1e-3 / json_door_seconds(round_trips));
    std::fflush(stdout);
    compare_observers(rounds);
    measure_workers(rounds);
    fmt::print("{:<22}", "judging, ns a frame");
    for (const std::uint32_t groups : {8U, 128U, 1024U}) {
        std::vector<double> costs;
        for (int i = 0; i < rounds; ++i) {
            costs.push_back(1e9 / in_a_process([groups] {
                                      measurement m;
                                      m.amount = 1'000'000;
                                      m.cpu_seconds = judging_seconds(groups, 1'000'000);
                                      return m;
                                  }).rate());
        }
        fmt::print("  {} groups {:.0f}", groups, median(costs));
    }
    fmt::print("\n");
    return 0;
}

}  // namespace weir::vp
