// SPDX-License-Identifier: Apache-2.0
// Captures in and out: golden PFC frames replayed into a port, and what tshark reads in the files that a run leaves.
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "models/ethernet/capture_reader.h"
#include "models/ethernet/capture_writer.h"
#include "tests/acceptance/lab.h"
#include "tests/ethernet/support.h"
#include "tests/system/fabric.h"
#include "tests/system/in_child.h"
#include "vp/record/port_capture.h"

namespace weir::system_test {
namespace {

namespace golden = ethernet::testing::golden;
using acceptance::lab;
using ethernet::testing::temporary_file;

/// What tshark says of those frames of a capture that pass the display filter.
std::string tshark(const std::string& file, const std::string& filter, const std::string& fields) {
    // As root it says so on the error stream, which is none of ours.
    return ethernet::testing::output_of("(tshark -r '" + file + "' -o ip.check_checksum:TRUE -Y '" + filter +
                                        "' -T fields " + fields + " 2>/dev/null)");
}

// The twelve golden frames, a millisecond apart, so that each pause of 65535 quanta (335 539.2 ns at 100G) runs out
// before the next frame. By hand:
//   seen 8 (XOFF c3, XON c3, c0+c5, all, vector 0, disabled, reserved octet, tagged), PAUSE 2, wrong address 1, bad FCS
//   1
TEST(golden_frames, move_exactly_the_counters_and_stop_exactly_the_priorities) {
    const std::vector<std::string_view> frames{golden::pfc_xoff_c3_ffff,     golden::pfc_xon_c3,
                                               golden::pfc_c0_4321_c5_1234,  golden::pfc_all8_ffff,
                                               golden::pfc_vector_zero,      golden::pfc_disabled_but_timed_c3,
                                               golden::pfc_reserved_hi_byte, golden::pfc_tagged_vid0_pcp7,
                                               golden::pause_ffff,           golden::pause_xon,
                                               golden::pfc_bad_da,           golden::pfc_bad_fcs};
    // What is stopped a tenth of a millisecond after each; c5's 4660 quanta (23 859.2 ns) and c0's 17185 (87 987.2 ns)
    // have run out by then.
    const std::vector<std::uint8_t> stopped{0x08, 0, 0, 0xff, 0, 0, 0x08, 0x08, 0, 0, 0, 0};

    const temporary_file captured(".pcapng");
    const std::string& file = captured.path();
    {
        ethernet::capture_writer out(file, {{"golden", "", *data_rate::from_name("100G")}});
        for (std::size_t i = 0; i < frames.size(); ++i) {
            ethernet::frame f;
            ethernet::testing::receive(f, ethernet::testing::from_hex(frames[i]));
            out.write(0, microseconds(1000) * static_cast<std::int64_t>(i), f);
        }
        out.close();
    }
    lab l({}, acceptance::usual_script());
    l.shell("interface 1\npfc rx all");
    platforms::replay r;
    r.file = file;
    r.host = 1;
    const picoseconds begin = from_kernel(sc_core::sc_time_stamp()) + microseconds(1);
    l.machine().play(r, begin);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        l.machine().run_until(begin + microseconds(1000) * static_cast<std::int64_t>(i) + microseconds(10));
        if (i == 2) {
            EXPECT_EQ(l.machine().chip(0).port(1).flow.receiver.paused(), 0x21);
        }
        l.machine().run_until(begin + microseconds(1000) * static_cast<std::int64_t>(i) + microseconds(100));
        EXPECT_EQ(l.machine().chip(0).port(1).flow.receiver.paused(), stopped[i]) << i;
        EXPECT_EQ(l.machine().chip(0).port(1).flow.stopped_queues(), stopped[i]) << i;
    }
    l.settle(microseconds(1000));

    weir_pfc_port_counters c{};
    l.drive([&](weir_dev* d) { return weir_pfc_port_counters_get(d, 1, &c); });
    EXPECT_EQ(c.seen, 8U);
    EXPECT_EQ(c.tagged, 1U);
    EXPECT_EQ(c.pause_rx, 2U);
    EXPECT_EQ(c.wrong_da, 1U);
    EXPECT_EQ(c.bad_fcs, 1U);
    EXPECT_EQ(c.malformed, 0U);
    EXPECT_EQ(l.port(1).rx_frames, 0U);

    const std::array<std::uint64_t, 8> named{2, 1, 1, 5, 1, 2, 1, 1};
    const std::array<std::uint64_t, 8> quanta{17185 + 65535, 65535,        65535, 4 * 65535,
                                              65535,         4660 + 65535, 65535, 65535};
    const std::array<std::uint64_t, 8> pauses{2, 1, 1, 4, 1, 2, 1, 1};
    for (std::uint32_t p = 0; p < 8; ++p) {
        const weir_pfc_counters of = l.pfc_counters(1, p);
        EXPECT_EQ(of.rx_frames, named[p]) << p;
        EXPECT_EQ(of.rx_quanta, quanta[p]) << p;
        EXPECT_EQ(of.rx_transitions, pauses[p]) << p;
        EXPECT_EQ(of.expiries, pauses[p]) << p;
        EXPECT_EQ(of.releases, 0U) << p;
        EXPECT_EQ(of.rx_paused_ns, quanta[p] * 5120 / 1000) << p;  // exactly so long: 5.12 ns a quantum
    }
}

// A port's capture opens in tshark: pauses decode with the right vector and times; a dropped and a marked frame say so.
TEST(port_captures, open_in_tshark_with_pauses_drops_and_marks) {
    lab l({},
          acceptance::usual_script() +
              "\nwred profile 1 green min 10 max 10 probability 100%\ninterface all\nqueue 3 wred profile 1 ecn\nexit");
    const temporary_file in_file(".pcapng");
    const temporary_file out_file(".pcapng");
    const std::string& in = in_file.path();
    const std::string& out = out_file.path();
    const picoseconds origin = from_kernel(sc_core::sc_time_stamp());
    vp::port_capture sender(in, "s0.0", *data_rate::from_name("100G"), origin, 0);
    vp::port_capture receiver(out, "s0.1", *data_rate::from_name("100G"), origin, 0);
    l.machine().chip(0).port(0).mac.observe(sender);
    l.machine().chip(0).port(1).mac.observe(receiver);
    l.shell("interface 1\nqueue 3 dequeue off");
    platforms::flow f;
    f.source = 0;
    f.destination = 1;
    f.priority = 3;
    f.dscp = 24;
    f.congestion = ethernet::ecn::ect0;
    f.payload = acceptance::small_payload;
    f.octets = 150 * f.payload;  // 108 to XOFF, 40 of headroom, two too many
    l.machine().add_flow(f, from_kernel(sc_core::sc_time_stamp()));
    l.settle();
    l.shell("interface 1\nqueue 3 dequeue on");
    l.settle();
    sender.close();
    receiver.close();

    EXPECT_EQ(tshark(in, "macc", "-e macc.opcode -e macc.cbfc.enbv.c3 -e macc.cbfc.enbv.c4 -e macc.cbfc.pause_time.c3"),
              "0x0101\t1\t0\t65535\n0x0101\t1\t0\t0\n");
    EXPECT_EQ(tshark(in, "frame.comment contains \"dropped\"", "-e frame.comment"),
              "dropped: headroom, group 3, queue 3\ndropped: headroom, group 3, queue 3\n");
    // 148 frames were queued; the first eleven saw a queue of at most 10 cells. All are CE with a right checksum.
    const std::string marked =
        tshark(out, "frame.comment contains \"marked\"", "-e ip.dsfield.ecn -e ip.checksum.status");
    std::string expected;
    for (int i = 0; i < 137; ++i) expected += "3\t1\n";
    EXPECT_EQ(marked, expected);
}

// What two hosts sent, replayed at both of them at once: the receivers' ports carry the same frames as far apart as
// they did. Times in a file are whole nanoseconds, rounded once on the way in and once on the way out.
TEST(captures, are_replayed_at_several_hosts_at_once) {
    const platforms::testing::temporary_folder folder;
    const std::string shape = "[topology]\nkind='star'\nhosts=4\n[routes]\nkind='shortest_path'\n";
    folder.write("f.csv",
                 "start,source,destination,octets,rate,transport\n0,h1,h0,64KiB,40G,udp\n1us,h2,h3,128KiB,25G,udp\n");
    vp::run_request request;
    request.captured = {0, 1, 2, 3};
    request.output = folder.path("first");
    std::filesystem::create_directory(request.output);
    EXPECT_TRUE(in_child(
        [&] { return run(fabric(folder, shape + "[workload]\nkind='flows'\nfile='f.csv'\n"), request).passed(); }));
    request.output = folder.path("again");
    std::filesystem::create_directory(request.output);
    const auto again = run(fabric(folder, shape + "[[replay]]\nfile='first/s0.1.pcapng'\nport='h1'\n"
                                                  "[[replay]]\nfile='first/s0.2.pcapng'\nport='h2'\n"),
                           request);
    EXPECT_TRUE(again.passed());
    for (const auto& [port, frames] : {std::pair{0, 16U}, {3, 32U}}) {
        const auto file = [&, name = fmt::format("/s0.{}.pcapng", port)](const char* of) {
            return ethernet::read_capture(folder.path(of) + name);
        };
        const auto then = file("first");
        const auto now = file("again");
        ASSERT_EQ(then.frames.size(), frames);
        ASSERT_EQ(now.frames.size(), frames);
        for (std::size_t i = 0; i < frames; ++i) {
            EXPECT_EQ(now.frames[i].octets, then.frames[i].octets) << port << ' ' << i;
            const picoseconds moved =
                (now.frames[i].time - now.frames[0].time) - (then.frames[i].time - then.frames[0].time);
            EXPECT_LE(std::abs(moved.count()), nanoseconds(2).count()) << port << ' ' << i;
        }
    }
}

}  // namespace
}  // namespace weir::system_test
