// SPDX-License-Identifier: Apache-2.0
#include "tests/acceptance/lab.h"

#include <fmt/format.h>

#include <sstream>

#include "models/ethernet/capture_reader.h"
#include "tests/registers/map_under_test.h"
#include "tests/sw/back_end.h"

namespace weir::acceptance {
namespace {

platforms::platform_config configuration(const lab_options& o) {
    const std::string text =
        fmt::format(R"([platform]
name = "lab"
[switch.s0]
cells = {}
cell_octets = {}
wred_profiles = 8
{}
[[switch.s0.ports]]
count = {}
rate = "{}"
cable = "{}m"
peer = "host"
{})",
                    o.cells, o.cell_octets, o.switch_keys, o.ports, o.rate, o.cable_metres, o.extra_platform);
    platforms::platform_config config = platforms::parse_platform(text, "lab.toml");
    for (auto& host : config.hosts) host.obey_pfc = host.obey_pause = o.obey;
    return config;
}

}  // namespace

lab::lab(const lab_options& options, const std::string& script) {
    const platforms::platform_config config = configuration(options);
    machine_ = std::make_unique<platforms::machine>(config, 1, registers::map_under_test());
    machine_->chip(0).memory().check_always(true);
    sw::through_back_end(*machine_);
    driver_ = std::make_unique<platforms::switch_driver>(machine_->cpu(0));
    std::string all = script;
    for (std::size_t h = 0; h < config.hosts.size(); ++h) {
        const auto& mac = config.hosts[h].mac;
        all += fmt::format("\nmac-table add {:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x} port {}", mac[0], mac[1], mac[2],
                           mac[3], mac[4], mac[5], h);
    }
    driver_->program(platforms::parse_script(all, "lab.cfg", {}));
    EXPECT_TRUE(machine_->run_programs());
    EXPECT_EQ(driver_->error(), "");
}

void lab::run_on_cpu(const std::function<void()>& body) {
    machine_->cpu(0).program(body);
    ASSERT_TRUE(machine_->run_programs(microseconds(1'000'000), microseconds(1)));
}

void lab::shell(const std::string& lines) {
    run_on_cpu([&] {
        std::istringstream in(lines);
        for (std::string line; std::getline(in, line);) {
            EXPECT_EQ(driver_->execute(line), WEIR_OK) << line << ": " << weir_shell_error(&driver_->shell());
        }
    });
}

void lab::try_shell(const std::string& lines) {
    run_on_cpu([&] {
        std::istringstream in(lines);
        for (std::string line; std::getline(in, line);) {
            const weir_status status = driver_->execute(line);
            EXPECT_NE(status, WEIR_E_BUS) << line << ": " << weir_shell_error(&driver_->shell());
        }
    });
}

void lab::drive(const std::function<weir_status(weir_dev*)>& call) {
    run_on_cpu([&] {
        const weir_status status = call(device());
        EXPECT_EQ(status, WEIR_OK) << weir_device_message(device(), status);
    });
}

void lab::settle(picoseconds time) {
    machine_->run_until(from_kernel(sc_core::sc_time_stamp()) + time);
}

void lab::start(std::uint32_t from, std::uint32_t to, std::uint64_t frames, std::uint8_t dscp, std::uint32_t payload) {
    if (frames == 0) return;
    platforms::flow f;
    f.source = from;
    f.destination = to;
    f.priority = static_cast<std::uint8_t>(dscp / 8);
    f.dscp = dscp;
    f.octets = frames * payload;
    f.payload = payload;
    machine_->add_flow(f, from_kernel(sc_core::sc_time_stamp()));
}

void lab::send(std::uint32_t from, std::uint32_t to, std::uint64_t frames, std::uint8_t dscp, std::uint32_t payload) {
    start(from, to, frames, dscp, payload);
    const picoseconds line =
        machine_->host(from).mac.rate().octets(static_cast<std::int64_t>(frames * (payload + 100)));
    settle(line + microseconds(10));
}

void lab::inject(std::uint32_t from, const std::vector<std::vector<std::uint8_t>>& frames) {
    std::vector<ethernet::captured_frame> captured;
    for (const auto& octets : frames) {
        ethernet::captured_frame f;
        f.octets = octets;
        f.wire_length = static_cast<std::uint32_t>(octets.size() + 4);
        f.fcs_good = true;
        captured.push_back(f);
    }
    machine_->host(from).player.play(std::move(captured), from_kernel(sc_core::sc_time_stamp()), 0);
    settle(microseconds(10) + machine_->host(from).mac.rate().octets(static_cast<std::int64_t>(frames.size() * 120)));
}

std::vector<std::uint8_t> lab::pfc(std::uint8_t vector, const std::array<std::uint16_t, 8>& times) {
    std::vector<std::uint8_t> f{0x01, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 0, 9, 0x88, 0x08, 0x01, 0x01, 0, vector};
    for (const std::uint16_t t : times) {
        f.push_back(static_cast<std::uint8_t>(t >> 8));
        f.push_back(static_cast<std::uint8_t>(t));
    }
    f.resize(60, 0);
    return f;
}

std::vector<std::uint8_t> lab::pause(std::uint16_t time) {
    std::vector<std::uint8_t> f{0x01,
                                0x80,
                                0xc2,
                                0,
                                0,
                                1,
                                2,
                                0,
                                0,
                                0,
                                0,
                                9,
                                0x88,
                                0x08,
                                0x00,
                                0x01,
                                static_cast<std::uint8_t>(time >> 8),
                                static_cast<std::uint8_t>(time)};
    f.resize(60, 0);
    return f;
}

std::vector<std::uint8_t> lab::tagged(std::uint32_t from, std::uint32_t to, std::uint8_t pcp) {
    const auto& hosts = machine_->config().hosts;
    ethernet::udp_path path;
    path.source_mac = hosts[from].mac;
    path.destination_mac = hosts[to].mac;
    path.tagged = true;
    path.pcp = pcp;
    path.vlan_id = 1;
    ethernet::frame* f = machine_->frames().take();
    ethernet::build_udp(*f, path, 100);
    std::vector<std::uint8_t> octets = f->wire_octets();
    f->release();
    octets.resize(octets.size() - 4);
    return octets;
}

weir_port_counters lab::port(std::uint32_t p) {
    weir_port_counters c{};
    drive([&](weir_dev* d) { return weir_port_counters_get(d, p, &c); });
    return c;
}

std::uint64_t lab::drops(std::uint32_t p, weir_drop_reason reason) {
    std::uint64_t frames = 0;
    drive([&](weir_dev* d) { return weir_port_drops_get(d, p, reason, &frames); });
    return frames;
}

std::uint64_t lab::all_drops() {
    std::uint64_t sum = 0;
    for (std::uint32_t p = 0; p < machine_->hosts(); ++p) sum += port(p).rx_discards;
    return sum;
}

weir_group_counters lab::group(std::uint32_t p, std::uint32_t g) {
    weir_group_counters c{};
    drive([&](weir_dev* d) { return weir_group_counters_get(d, p, g, &c); });
    return c;
}

weir_group_usage lab::group_usage(std::uint32_t p, std::uint32_t g) {
    weir_group_usage u{};
    drive([&](weir_dev* d) { return weir_group_usage_get(d, p, g, &u); });
    return u;
}

weir_queue_counters lab::queue(std::uint32_t p, std::uint32_t q) {
    weir_queue_counters c{};
    drive([&](weir_dev* d) { return weir_queue_counters_get(d, p, q, &c); });
    return c;
}

weir_pfc_counters lab::pfc_counters(std::uint32_t p, std::uint32_t priority) {
    weir_pfc_counters c{};
    drive([&](weir_dev* d) { return weir_pfc_counters_get(d, p, priority, &c); });
    return c;
}

lab::peaks lab::take_group_peak(std::uint32_t p, std::uint32_t g) {
    peaks k{};
    drive([&](weir_dev* d) { return weir_group_peak_take(d, p, g, &k.used, &k.service, &k.headroom); });
    return k;
}

lab::peaks lab::take_queue_peak(std::uint32_t p, std::uint32_t q) {
    peaks k{};
    drive([&](weir_dev* d) { return weir_queue_peak_take(d, p, q, &k.used, &k.service); });
    return k;
}

lab::peaks lab::take_pool_peak(std::uint32_t pool) {
    peaks k{};
    drive([&](weir_dev* d) { return weir_pool_peak_take(d, pool, &k.used, &k.headroom); });
    return k;
}

std::string usual_script(const thresholds& t) {
    return fmt::format(R"(pool create lossless ingress size 3000 cells
pool create lossy ingress size 2000 cells
map dscp 0-63 tc 0
map dscp 24 tc 3
map tc 3 pg 3
trust dscp
interface all
  pg all pool lossy guaranteed 0
  pg 3 pool lossless guaranteed {}
  queue 0-2,4-7 limit {}
  pfc enable priority 3
  pfc pause-threshold {}
  pfc resume-threshold {}
  pfc headroom {} cells
  no shutdown
exit)",
                       t.guaranteed, t.lossy_limit, t.xoff, t.xon, t.headroom);
}

}  // namespace weir::acceptance
