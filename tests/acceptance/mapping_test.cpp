// SPDX-License-Identifier: Apache-2.0
// Maps as a NOS acceptance suite sees them: T038 to T042, and the CPU port.
#include <fmt/format.h>

#include <algorithm>

#include "tests/acceptance/lab.h"
#include "tests/conformance/conformance.h"

namespace weir::acceptance {
namespace {

std::string azure_maps() {
    // DSCP 3 → 3, 4 → 4, 5 → 2, 8 → 0, 46 → 5, 48 → 6, all others → 1 (NOS reference §4.3).
    return "\nmap dscp 0-63 tc 1\nmap dscp 3 tc 3\nmap dscp 4 tc 4\nmap dscp 5 tc 2\nmap dscp 8 tc 0\nmap dscp 46 tc "
           "5\n"
           "map dscp 48 tc 6\nmap tc 4 pg 4\ninterface all\npg 4 pool lossless\npfc enable priority 4\nexit";
}

std::uint32_t azure_class(std::uint32_t dscp) {
    switch (dscp) {
        case 3:
            return 3;
        case 4:
            return 4;
        case 5:
            return 2;
        case 8:
            return 0;
        case 46:
            return 5;
        case 48:
            return 6;
        default:
            return 1;
    }
}

// T038: one packet a DSCP; exactly the mapped queue counts it.
TEST(dscp_queue_mapping, every_dscp_reaches_its_queue) {
    lab l({}, usual_script() + azure_maps());
    std::array<std::uint64_t, 8> expected{};
    for (std::uint8_t dscp = 0; dscp < 64; ++dscp) {
        l.send(0, 1, 1, dscp);
        ++expected[azure_class(dscp)];
        EXPECT_EQ(l.queue(1, azure_class(dscp)).frames, expected[azure_class(dscp)]) << int{dscp};
    }
    std::string counts;
    for (std::uint32_t q = 0; q < 8; ++q) {
        EXPECT_EQ(l.queue(1, q).frames, expected[q]);
        counts += fmt::format("{} ", l.queue(1, q).frames);
    }
    for (const char* id : {"T038", "M34", "A10"}) {
        conformance::row(id, "64 DSCPs over queues 0 to 7: 1 58 1 1 1 1 1 0", counts);
    }
}

// T040: ten packets a DSCP; the mapped group counts ten more.
TEST(dscp_pg_mapping, every_dscp_counts_on_its_group) {
    lab l({}, usual_script() + azure_maps());
    std::array<std::uint64_t, 8> expected{};
    for (std::uint8_t dscp = 0; dscp < 64; ++dscp) {
        l.send(0, 1, 10, dscp);
        const std::uint32_t tc = azure_class(dscp);
        expected[tc == 3 || tc == 4 ? tc : 0] += 10;
    }
    std::string counts;
    for (std::uint32_t g = 0; g < 8; ++g) {
        EXPECT_EQ(l.group(0, g).frames, expected[g]);
        counts += fmt::format("{} ", l.group(0, g).frames);
    }
    for (const char* id : {"T040", "M20"}) {
        conformance::row(id, "ten of each DSCP over groups 0 to 7: 620 0 0 10 10 0 0 0", counts);
    }
}

// T039, T041: one tagged packet a PCP on ports that trust PCP.
TEST(dot1p_mapping, every_pcp_reaches_its_queue_and_group) {
    std::string maps = "\n";
    for (int pcp = 0; pcp < 8; ++pcp) {
        maps += "map pcp " + std::to_string(pcp) + " tc " + std::to_string((pcp + 2) % 8) + "\n";
    }
    lab l({}, usual_script() + maps + "trust pcp");
    for (std::uint8_t pcp = 0; pcp < 8; ++pcp) {
        const std::uint32_t tc = (pcp + 2U) % 8;
        const std::uint32_t g = tc == 3 ? 3 : 0;
        const std::uint64_t before = l.group(0, g).frames;
        l.inject(0, {l.tagged(0, 1, pcp)});
        EXPECT_EQ(l.queue(1, tc).frames, 1U) << int{pcp};
        EXPECT_EQ(l.group(0, g).frames, before + 1) << int{pcp};
    }
    EXPECT_EQ(l.received(1), 8U);
    for (const char* id : {"T039", "T041"}) {
        conformance::row(id, "8 PCPs, each its queue and its group", fmt::format("{} of 8 delivered", l.received(1)));
    }
}

// A frame that a port does not trust gets the port's own class.
TEST(dot1p_mapping, a_port_without_trust_uses_its_default) {
    lab l({}, usual_script() + "\nmap default tc 5\ntrust port");
    l.send(0, 1, 3, 24);
    l.inject(0, {l.tagged(0, 1, 6)});
    EXPECT_EQ(l.queue(1, 5).frames, 4U);
}

// T042: all to all, all DSCPs: everything arrives, nothing is dropped, nothing pauses.
TEST(full_mesh, everything_arrives_without_a_pause) {
    lab l({}, usual_script() + azure_maps());
    for (std::uint32_t from = 0; from < 4; ++from) {
        for (std::uint32_t to = 0; to < 4; ++to) {
            if (from == to) continue;
            for (std::uint8_t dscp = 0; dscp < 64; ++dscp) l.start(from, to, 1, dscp);
        }
    }
    l.settle(microseconds(200));
    for (std::uint32_t host = 0; host < 4; ++host) EXPECT_EQ(l.received(host), 3U * 64U);
    EXPECT_EQ(l.all_drops(), 0U);
    for (std::uint32_t p = 0; p < 4; ++p) {
        for (std::uint32_t priority = 0; priority < 8; ++priority) {
            EXPECT_EQ(l.pfc_counters(p, priority).tx_requests, 0U);
        }
    }
    EXPECT_EQ(l.machine().chip(0).memory().used(), 0);
    conformance::row("T042", "4 hosts, all DSCPs: 192 frames each, 0 drops",
                     fmt::format("{} each, {} drops", l.received(0), l.all_drops()));
}

// Unknown destinations are dropped with their reason (R3's order: the route comes before the memory).
TEST(forwarding, an_unknown_destination_is_no_route) {
    lab l({}, usual_script());
    auto stray = l.tagged(0, 1, 0);
    stray[5] ^= 0x55;
    l.inject(0, {stray});
    EXPECT_EQ(l.drops(0, WEIR_DROP_NO_ROUTE), 1U);
    EXPECT_EQ(l.machine().chip(0).memory().used(), 0);
}

// The CPU port: software sends a frame out of a port, and receives what is trapped to it, octet by octet.
TEST(cpu_port, software_sends_and_receives_frames) {
    lab l({}, usual_script());
    const auto frame = l.tagged(0, 1, 5);
    l.drive([&](weir_dev* d) { return weir_cpu_send(d, 1, frame.data(), frame.size()); });
    l.settle();
    EXPECT_EQ(l.received(1), 1U);

    auto trapped = l.tagged(0, 1, 2);
    trapped[0] = 0x02;
    trapped[5] = 0xfe;
    l.shell("mac-table add 02:" + [&] {
        std::string rest;
        const char* digits = "0123456789abcdef";
        for (std::size_t i = 1; i < 6; ++i) {
            if (i > 1) rest += ':';
            rest += digits[trapped[i] >> 4];
            rest += digits[trapped[i] & 15];
        }
        return rest;
    }() + " cpu");
    l.inject(3, {trapped});
    std::vector<std::uint8_t> got(2048);
    std::size_t octets = got.size();
    std::uint32_t port = 99;
    l.drive([&](weir_dev* d) { return weir_cpu_receive(d, got.data(), &octets, &port); });
    got.resize(octets);
    EXPECT_EQ(got, trapped);
    EXPECT_EQ(port, 3U);
    std::uint32_t waiting = 99;
    l.drive([&](weir_dev* d) { return weir_cpu_waiting(d, &waiting); });
    EXPECT_EQ(waiting, 0U);
}

// Software that does not fetch: 64 frames in the receive buffer, five in the queue behind it, the next is cpu_full.
TEST(cpu_port, drops_for_its_own_reason_when_software_does_not_fetch) {
    lab l({}, usual_script() + "\nmac-table add 02:00:00:00:00:fe cpu\ninterface cpu\nqueue 0 limit 5\nexit");
    auto frame = l.tagged(0, 1, 0);
    const std::vector<std::uint8_t> to_cpu{2, 0, 0, 0, 0, 0xfe};
    std::copy(to_cpu.begin(), to_cpu.end(), frame.begin());
    l.inject(3, std::vector<std::vector<std::uint8_t>>(69, frame));
    EXPECT_EQ(l.drops(3, WEIR_DROP_CPU_FULL), 0U);
    l.inject(3, {frame});
    EXPECT_EQ(l.drops(3, WEIR_DROP_CPU_FULL), 1U);
    EXPECT_EQ(l.drops(3, WEIR_DROP_QUEUE_LIMIT), 0U);
    for (int n = 0; n < 69; ++n) {
        std::vector<std::uint8_t> got(2048);
        std::size_t octets = got.size();
        std::uint32_t port = 99;
        l.drive([&](weir_dev* d) { return weir_cpu_receive(d, got.data(), &octets, &port); });
    }
    EXPECT_EQ(l.machine().chip(0).memory().used(), 0);
}

}  // namespace
}  // namespace weir::acceptance
