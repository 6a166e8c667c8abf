// SPDX-License-Identifier: Apache-2.0
#include "vp/bench/fabric_bench.h"

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "platforms/boot.h"
#include "platforms/machine.h"
#include "platforms/routes.h"
#include "vp/bench/cpu_time.h"

namespace weir::vp {
namespace {

constexpr std::uint32_t fabric_payload = 1000;

constexpr const char* fabric_script =
    "pool create lossless ingress size 40000 cells\nmap dscp 24 tc 3\nmap tc 3 pg 3\nmap dscp 48 tc 6\nmap tc 6 pg 6\n"
    "wred profile 1 green min 100 max 400 probability 10%\ninterface all\npg 6 limit 256\nqueue 6 limit 1024\n"
    "pg 3 guaranteed 8\npfc enable priority 3\npfc pause-threshold 300\npfc resume-threshold 100\n"
    "pfc headroom 100 cells\nqueue 3 wred profile 1 ecn\nqueue 6 scheduler strict\nno shutdown\nexit\n";

}  // namespace

fabric_speed run_fabric_permutation(const fabric_size& size, std::uint64_t frames) {
    const platforms::platform_config config = platforms::parse_platform(
        fmt::format("[topology]\nkind = \"leaf_spine\"\nleaves = {}\nspines = {}\nhosts = {}\n"
                    "[routes]\nkind = \"shortest_path\"\n[hosts]\ntransport = \"rc\"\ncontrol = \"dcqcn\"\n",
                    size.leaves, size.spines, size.hosts),
        "bench.toml");
    platforms::machine m(config, 1);
    const platforms::routing_table table = platforms::plan_routes(config);
    std::vector<std::unique_ptr<platforms::switch_driver>> drivers;
    for (std::uint32_t s = 0; s < m.switches(); ++s) {
        auto lines = platforms::parse_script(fabric_script, "bench.cfg", {});
        platforms::switch_routes routes(config, s);
        for (auto& line : routes.change_to(table[s])) lines.push_back(std::move(line));
        drivers.push_back(std::make_unique<platforms::switch_driver>(m.cpu(s)));
        drivers.back()->program(std::move(lines));
    }
    if (!m.run_programs()) throw std::runtime_error("the boot does not end");
    for (const auto& driver : drivers) {
        if (!driver->error().empty()) throw std::runtime_error(driver->error());
    }
    const picoseconds origin = m.first_traffic_time();
    m.run_until(origin - picoseconds{1});
    const std::uint32_t hosts = size.all_hosts();
    for (std::uint32_t h = 0; h < hosts; ++h) {
        platforms::flow f;
        f.source = h;
        f.destination = (h + hosts / 2) % hosts;
        f.priority = 3;
        f.dscp = 24;
        f.payload = fabric_payload;
        f.octets = frames / hosts * fabric_payload;
        m.add_flow(f, origin);
    }
    picoseconds now = origin;
    fabric_speed result;
    const double start = cpu_now();
    while (!m.drained()) m.run_until(now += microseconds(10));
    result.cpu_seconds = cpu_now() - start;
    result.link_hops = static_cast<double>(m.link_hops());
    for (std::uint32_t f = 0; f < hosts; ++f) {
        if (m.ledger()[f].delivered == never) throw std::runtime_error("a frame was lost");
    }
    return result;
}

}  // namespace weir::vp
