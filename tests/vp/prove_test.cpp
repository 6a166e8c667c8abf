// SPDX-License-Identifier: Apache-2.0
// The adversary's flows, the cases of a proof, and proofs whose outcome the closed form knows.
#include "vp/check/prove.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <set>

#include "tests/vp/run_weir.h"
#include "tests/vp/support.h"

namespace weir::vp {
namespace {

using platforms::testing::error_of;
using platforms::testing::temporary_folder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string sizing = WEIR_SOURCE_DIR "/platforms/sizing_8x100g";

// 100G, 100 m: 1000 ns of cable and 400 ns of pipeline are 17 500 octet times; a frame of 9216 ahead of the pause and
// 80 for the pause: 26 796, which is 319 times 84. One cell less and each of the eight ports loses a frame: seven hosts
// send to the one that stops, and that one to another.
TEST(prove, what_the_closed_form_asks_for_is_enough) {
    const auto got = run_weir("check " + sizing + " --prove --hw switch.s0.cells=16384 --set headroom=319");
    EXPECT_EQ(got.code, 0) << got.text;
    EXPECT_THAT(got.text, HasSubstr("nothing is lost: 0 of 319 cells of headroom are left at s0."));
    EXPECT_THAT(got.text, HasSubstr("closed form for these frames: 319 cells\n"));
    EXPECT_THAT(got.text,
                HasSubstr("ports to hosts, attacked from there: at each at least 319 of the closed form's 319 "
                          "cells were used\n"));
}

TEST(prove, one_cell_less_is_not) {
    const temporary_folder folder;
    const auto got = run_weir("check " + sizing + " --prove --hw switch.s0.cells=16384 --set headroom=318 --flows " +
                              folder.path("worst.csv"));
    EXPECT_EQ(got.code, 1) << got.text;
    EXPECT_THAT(got.text, HasSubstr("LOST 8 lossless frames: s0."));
    EXPECT_THAT(got.text, HasSubstr("8 congested ports, frames of 64, pauses behind frames of 9216;"));
    // What it found can be done again by hand.
    const std::size_t again = got.text.find("again: weir ");
    ASSERT_NE(again, std::string::npos);
    std::string command = got.text.substr(again + 12);
    command = command.substr(0, command.find('\n')) + " --hw switch.s0.cells=16384 --set headroom=318";
    const auto run = run_weir(command);
    EXPECT_EQ(run.code, 1) << run.text;
    EXPECT_THAT(run.text, HasSubstr("PG 3 lost 1 lossless frame: headroom"));
}

TEST(prove, the_number_of_workers_changes_nothing) {
    const std::string arguments = "check " + sizing + " --prove --set xoff=200 --jobs ";
    EXPECT_EQ(run_weir(arguments + "1").text, run_weir(arguments + "3").text);
}

/// Five ports of 100G whose lossless groups share a pool of headroom; `classes` as ranges of the shell.
std::string shared_headroom(const temporary_folder& folder, const std::string& classes, const std::string& others) {
    std::string script = "pool create lossless ingress size 7200 cells headroom ${shared}\n";
    for (const char* each : {"3", "4"})
        script += fmt::format("map dscp {} tc {}\nmap tc {} pg {}\n", std::stoi(each) * 8, each, each, each);
    script += "interface all\n  mac 02:57:00:00:00:00\n  mtu 1518\n  pg " + others +
              " limit 64\n  pfc enable priority " + classes + "\n  pg " + classes +
              " dynamic 1\n  pfc pause-threshold 400\n  pfc resume-threshold 100\n  pg " + classes +
              " headroom 200 shared-headroom on\n  no shutdown\nexit\n";
    for (int host = 0; host < 5; ++host) script += fmt::format("route add 10.0.0.{}/32 port {}\n", host + 1, host);
    folder.write("p.cfg", script);
    return folder.write("p.toml",
                        "[platform]\nprogram='p.cfg'\n[program]\nshared=1\n[switch.s0]\ncells=16384\n"
                        "[[switch.s0.ports]]\ncount=5\nrate='100G'\ncable='100m'\npeer='host'\n");
}

// 2 · 500 ns of cable are 12 500 octet times, a frame of 1518 and 80 for the pause: 14 098, in which 168 frames of 84
// begin. Nothing drains, so each of the five ports holds so many cells of the pool at once: 840.
TEST(prove, a_shared_headroom_pool_has_to_hold_what_all_ports_need) {
    const temporary_folder folder;
    const std::string file = shared_headroom(folder, "3", "0-2,4-7");
    const auto enough = run_weir("check " + file + " --prove --set shared=840");
    EXPECT_EQ(enough.code, 0) << enough.text;
    EXPECT_THAT(enough.text, HasSubstr("nothing is lost: 0 of 840 cells of headroom are left at s0 shared headroom of "
                                       "pool 0\n  5 congested ports, frames of 64, pauses behind frames of 1518;"));
    EXPECT_THAT(enough.text, HasSubstr("closed form for these frames: 840 cells\n"));
    const auto less = run_weir("check " + file + " --prove --set shared=839");
    EXPECT_EQ(less.code, 1) << less.text;
    EXPECT_THAT(less.text, HasSubstr("LOST 1 lossless frame: s0 shared headroom of pool 0 has 839 cells"));
}

// The same with two lossless groups a port: ten times 168. What a class holds stays while the next one comes.
TEST(prove, a_shared_headroom_pool_has_to_hold_what_all_classes_need) {
    const temporary_folder folder;
    const std::string file = shared_headroom(folder, "3-4", "0-2,5-7");
    const auto enough = run_weir("check " + file + " --prove --set shared=1680");
    EXPECT_EQ(enough.code, 0) << enough.text;
    EXPECT_THAT(enough.text, HasSubstr("nothing is lost: 0 of 1 680 cells"));
    EXPECT_THAT(enough.text, HasSubstr("5 congested ports in 2 classes, frames of 64"));
    const auto less = run_weir("check " + file + " --prove --set shared=1679 --flows " + folder.path("worst.csv"));
    EXPECT_EQ(less.code, 1) << less.text;
    EXPECT_THAT(less.text, HasSubstr("LOST 1 lossless frame: s0 shared headroom of pool 0 has 1 679 cells"));
    // Two hosts stop, in two classes each: it can be done again.
    const std::string again = "again: weir ";
    std::string command = less.text.substr(less.text.find(again) + again.size());
    command = command.substr(0, command.find('\n')) + " --set shared=1679";
    EXPECT_THAT(command, HasSubstr("--hw host.h4.storm_priorities=24"));
    EXPECT_THAT(run_weir(command).text, HasSubstr("lost 1 lossless frame: headroom"));
}

/// Two leaves of three hosts under a spine; 100 m between switches.
std::string two_leaves(const temporary_folder& folder, const std::string& headroom) {
    std::ifstream in(WEIR_SOURCE_DIR "/platforms/leaf_spine.cfg");
    folder.write("p.cfg", std::string{std::istreambuf_iterator<char>(in), {}});
    return folder.write("p.toml",
                        "[platform]\nprogram='p.cfg'\n[program]\nxoff=200\nxon=50\nkmin=100\nkmax=700\npmax='10%'\n"
                        "headroom=" +
                            headroom +
                            "\n[topology]\nkind='leaf_spine'\nleaves=2\nspines=1\nhosts=3\nlink_cable='100m'\n"
                            "[routes]\nkind='shortest_path'\n");
}

// Between switches: 2 · 500 ns of cable, 12 500 octet times; a frame of 9216 and 80 for the pause: 21 796 octet times,
// in which 260 frames of 84 begin. To hosts, with 3 m, 116. One cell less, and each of the spine's two ports loses one.
TEST(prove, ports_between_switches_are_attacked_too) {
    const temporary_folder folder;
    const auto enough = run_weir("check " + two_leaves(folder, "260") + " --prove");
    EXPECT_EQ(enough.code, 0) << enough.text;
    EXPECT_THAT(enough.text, HasSubstr("nothing is lost: 0 of 260 cells of headroom are left at "));
    EXPECT_THAT(enough.text, HasSubstr("ports to hosts, attacked from there: at each at least 116 of the closed form's "
                                       "116 cells were used\n"));
    EXPECT_THAT(enough.text, HasSubstr("ports to switches, attacked through them: at each at least 260 of the closed "
                                       "form's 260 cells were used\n"));
    EXPECT_THAT(enough.text, Not(HasSubstr("not tried")));
    const auto less = run_weir("check " + two_leaves(folder, "259") + " --prove --flows " + folder.path("worst.csv"));
    EXPECT_EQ(less.code, 1) << less.text;
    EXPECT_THAT(less.text,
                HasSubstr("LOST 2 lossless frames: spine0.0 PG 3 has 259 cells of headroom\n"
                          "  2 congested ports, frames of 64, pauses behind frames of 9216; h0 receives and stops"));
    const std::string again = "again: weir ";
    std::string command = less.text.substr(less.text.find(again) + again.size());
    EXPECT_THAT(run_weir(command.substr(0, command.find('\n'))).text,
                HasSubstr("PG 3 lost 1 lossless frame: headroom"));
}

// The same groups out of a shared pool. The spine of three leaves has three ports of 260: 780; a leaf one, and three of
// 116. A port of the spine towards a receiver is congested by frames to another one.
TEST(prove, ports_of_every_kind_share_a_pool) {
    const temporary_folder folder;
    std::ifstream in(WEIR_SOURCE_DIR "/platforms/leaf_spine.cfg");
    std::string script{std::istreambuf_iterator<char>(in), {}};
    const auto replace = [&script](const std::string& from, const std::string& to) {
        ASSERT_NE(script.find(from), std::string::npos) << from;
        script.replace(script.find(from), from.size(), to);
    };
    replace("size 40000 cells", "size 40000 cells headroom ${shared}");
    replace("pfc headroom ${headroom} cells", "pg 3 headroom ${headroom} shared-headroom on");
    const auto platform = [&](int leaves) {
        std::string file = two_leaves(folder, "400\nshared=1");
        std::ifstream toml(file);
        std::string text{std::istreambuf_iterator<char>(toml), {}};
        text.replace(text.find("leaves=2"), 8, fmt::format("leaves={}", leaves));
        folder.write("p.toml", text);
        folder.write("p.cfg", script);
        return file;
    };
    const auto prove_with = [](const std::string& file, int shared) {
        return run_weir(fmt::format("check {} --prove --set shared={}", file, shared)).text;
    };
    const std::string two = platform(2);
    EXPECT_THAT(prove_with(two, 608),
                HasSubstr("nothing is lost: 0 of 608 cells of headroom are left at leaf0 shared"));
    EXPECT_THAT(prove_with(two, 607),
                HasSubstr("LOST 1 lossless frame: leaf0 shared headroom of pool 0 has 607 cells"));
    const std::string three = platform(3);
    EXPECT_THAT(prove_with(three, 780),
                HasSubstr("nothing is lost: 0 of 780 cells of headroom are left at spine0 shared"));
    EXPECT_THAT(prove_with(three, 779),
                HasSubstr("LOST 1 lossless frame: spine0 shared headroom of pool 0 has 779 cells"));
}

// A ring whose frames go clockwise only: they come in by one port and leave by the other, so no frame holds up a pause
// between switches, and the closed form asks for more than can be.
TEST(prove, frames_may_come_by_another_port_than_they_leave_by) {
    const auto got = run_weir("check " WEIR_SOURCE_DIR "/platforms/ring3 --prove");
    EXPECT_EQ(got.code, 0) << got.text;
    EXPECT_THAT(got.text, HasSubstr("nothing is lost where it was tried: "));
    EXPECT_THAT(got.text, HasSubstr("ports to switches, attacked through them: at each at least "));
    EXPECT_THAT(got.text, Not(HasSubstr("no frame used headroom there")));
}

// Nobody is beyond the second switch: frames neither come from there nor go through it.
TEST(prove, a_port_that_nobody_can_attack_is_named) {
    const temporary_folder folder;
    two_leaves(folder, "1000");
    const std::string file = folder.write(
        "q.toml",
        "[platform]\nprogram='p.cfg'\n[program]\nxoff=200\nxon=50\nkmin=100\nkmax=700\npmax='10%'\nheadroom=1000\n"
        "[[switch.s0.ports]]\ncount=3\npeer='host'\n[[switch.s0.ports]]\npeer='s1'\n[[switch.s1.ports]]\npeer='s0'\n"
        "[routes]\nkind='shortest_path'\n");
    const auto got = run_weir("check " + file + " --prove");
    EXPECT_EQ(got.code, 0) << got.text;
    EXPECT_THAT(got.text, HasSubstr("nothing is lost where it was tried: "));
    EXPECT_THAT(got.text, HasSubstr("not tried: s0.3 PG 3, s1.0 PG 3: no host sends through it to another\n"));
}

TEST(prove, a_platform_without_a_lossless_class_has_nothing_to_prove) {
    const temporary_folder folder;
    folder.write("p.cfg", "pool create all ingress size 1000 cells\n");
    const std::string file =
        folder.write("p.toml", std::string{"[platform]\nprogram='p.cfg'\n"} + platforms::testing::four_hosts);
    const auto got = run_weir("check " + file + " --prove");
    EXPECT_EQ(got.code, 2);
    EXPECT_THAT(got.text, HasSubstr("no lossless class can be attacked"));
    folder.write("p.cfg", "pool create all ingress size 1000 cellz\n");
    EXPECT_THAT(run_weir("check " + file + " --prove").text, HasSubstr("p.cfg:1"));
    EXPECT_THAT(run_weir("check " + sizing + " --flows x").text,
                HasSubstr("--flows x: nothing is proved\n  add --prove"));
}

platforms::platform_config four() {
    return platforms::testing::parsed(platforms::testing::four_hosts);
}

// 100G, 3 m. The receiver has 5 us to stop its port, and 2 · 15 ns of cable; the helper's frame of 1518 octets takes 2
// · 121.44 ns and 15 ns: 5.28788 us. The next sender begins 1518 + 40 octet times later: 124.64 ns.
TEST(adversary, tells_everybody_what_to_send) {
    adversary a;
    a.receiver = "0";
    a.helper = "h3";
    a.frame = 257;
    a.shift = 2;
    // 1000 cells of 256 octets hold 500 frames of 257: 564 of them, 144 948 octets.
    EXPECT_EQ(adversary_flows(a, four(), {picoseconds{-1}, picoseconds{777}}),
              "start,source,destination,octets,priority,dscp,rate,frame,ecn,transport\n"
              "5287880ps,h1,h0,128,3,24,100G,64,not_ect,udp\n"
              "5301320ps,h1,h0,144948,3,24,100G,257,not_ect,udp\n"
              "5412520ps,h2,h0,128,3,24,100G,64,not_ect,udp\n"
              "5425960ps,h2,h0,144948,3,24,100G,257,not_ect,udp\n"
              "777ps,h3,h2,1518,0,0,100G,1518,not_ect,udp\n");
}

// Two frames of 1518 take 242.88 ns at 100G, the way from the helper 15 ns, that to the receiver and back 30 ns: the
// first sender begins at 5.28788 us. 230 frames of 1538 on the wire take 28.2992 us: as many as 1000 cells hold,
// and 64. The end of the other two is a stagger of 124.64 ns each later; then 8 legs of 15 ns and 20 us.
TEST(adversary, says_how_to_do_it_again) {
    adversary a;
    a.helper = "h3";
    auto platform = four();
    EXPECT_EQ(adversary_arguments(a, platform), "--until 53956.36ns --hw host.h0.storm_priorities=8");
    platform.hosts[1].start_jitter = nanoseconds(1);
    platform.switches[0].ports[2].clock_ppm = 100;
    platform.hosts[0].name = "s0.h0";
    EXPECT_EQ(adversary_arguments(a, platform),
              "--until 53956.36ns --hw hosts.start_jitter=0 --hw hosts.clock_ppm=0 --hw hosts.clock_spread=0 "
              "--hw switch.s0.ports.start_jitter=0 --hw switch.s0.ports.clock_ppm=0 --hw "
              "switch.s0.ports.clock_spread=0, with [host.\"s0.h0\"] storm_priorities = 8 in the platform");
}

TEST(adversary, is_refused_when_it_makes_no_sense) {
    const auto error = [](adversary a) { return error_of([&] { check_adversary(a, four(), "s.toml:3:1"); }); };
    EXPECT_EQ(error({}), "no error");
    adversary a;
    a.receiver = "h9";
    EXPECT_EQ(error(a), "s.toml:3:1: host \"h9\" is unknown\n  one of: h0 h1 h2 h3");
    a.receiver = "h1";
    a.senders = {"2", "h2"};
    EXPECT_THAT(error(a), HasSubstr("host h2 is named twice"));
    a.senders = {"1"};
    EXPECT_THAT(error(a), HasSubstr("nobody is left to send to the receiver"));
    a.senders = {"h2", "h1"};
    a.helper = "h1";
    EXPECT_EQ(error(a), "no error") << "the receiver helps, and sends, too";
    a.helper = {};
    a.senders = {};
    a.frame = 63;
    EXPECT_THAT(error(a), HasSubstr("64 to 15998 octets"));
    a.frame = 64;
    a.priority = 8;
    EXPECT_THAT(error(a), HasSubstr("there is no priority 8"));
    a.priority = 3;
    a.dscp = 64;
    EXPECT_EQ(error(a), "s.toml:3:1: there is no DSCP 64\n  0 to 63");
    a.dscp = 63;
    EXPECT_EQ(error(a), "no error");
}

/// Four ports, each with a lossless group 3; port 1 has a longer cable.
struct four_places {
    platforms::platform_config platform = four();
    lossless_map map;
    four_places() {
        platform.switches[0].ports[1].cable_metres = 50;
        for (std::uint32_t port = 0; port < 4; ++port) {
            lossless_place p;
            p.port = port;
            p.host = port;
            p.group = p.priority = 3;
            p.dscp = 24;
            p.max_frame = 1518;
            p.headroom = 100;
            p.xoff = 37;
            map.places.push_back(p);
        }
    }
};

TEST(prove_cases, try_each_kind_of_port_every_length_and_alignment) {
    const four_places at;
    std::set<std::string> alone;
    std::set<std::uint32_t> frames;
    std::size_t both = 0;
    std::size_t three = 0;
    std::size_t all = 0;
    for (const prove_case& c : first_cases(at.platform, at.map)) {
        EXPECT_NE(c.against.receiver, c.against.senders.front());
        frames.insert(c.against.frame);
        if (c.against.senders.size() == 1) alone.insert(c.against.senders.front());
        if (c.against.senders.size() == 2) ++both;
        if (c.against.senders.size() == 3) ++three;
        if (c.against.senders.size() == 4 && c.against.senders.back() == c.against.receiver) ++all;
        // 37 cells: frames of one cell cross at their end; of two, one small frame is needed; of six, none.
        if (c.against.frame == 1518 && c.against.shift != 0) ADD_FAILURE() << "36 divides by six";
    }
    EXPECT_THAT(frames, ElementsAre(64, 65, 255, 256, 257, 513, 1518));
    // The rare kind is among the senders, and one of the others.
    EXPECT_THAT(alone, ElementsAre("h0", "h1"));
    EXPECT_EQ(both, 7U) << "seven lengths";
    EXPECT_EQ(three, 14U) << "seven lengths, one after the other and all at once";
    EXPECT_EQ(all, 7U) << "the receiver sends, too, at last";
}

TEST(prove_cases, go_on_around_the_worst) {
    const four_places at;
    prove_case worst;
    worst.against.receiver = "h3";
    worst.against.helper = "h2";
    worst.against.senders = {"h1", "h0"};
    worst.against.frame = 1518;
    worst.against.own = 1600;
    std::set<std::uint32_t> shifts;
    std::set<std::uint32_t> responses;
    std::set<std::uint32_t> owns;
    bool alone = false;
    bool together = false;
    for (const prove_case& c : cases_around(worst, at.platform)) {
        shifts.insert(c.against.shift);
        responses.insert(c.response_percent);
        owns.insert(c.against.own);
        alone = alone || c.against.congested == 1;
        together = together || !c.against.staggered;
    }
    EXPECT_THAT(shifts, ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_THAT(responses, ElementsAre(0, 50, 100));
    EXPECT_THAT(owns, ElementsAre(1518, 1600));
    EXPECT_TRUE(alone && together);
}

TEST(prove_cases, losses_are_worse_than_tight_headroom) {
    prove_outcome lost;
    lost.lost = 1;
    lost.left = 50;
    prove_outcome tight;
    tight.left = 0;
    prove_outcome roomy;
    roomy.left = 10;
    EXPECT_TRUE(lost.worse_than(tight));
    EXPECT_TRUE(tight.worse_than(roomy));
    EXPECT_FALSE(roomy.worse_than(tight));
    EXPECT_FALSE(tight.worse_than(tight));
}

TEST(lossless_places, are_found_in_the_registers) {
    testing::small_chip chip;
    for (std::uint32_t port = 0; port < 4; ++port) {
        chip.set("pg.mode.enable", {port, 3}, 1);
        chip.set("pg.mode.lossless", {port, 3}, 1);
        chip.set("pg.xoff.cells", {port, 3}, 100);
        chip.set("pg.guaranteed.cells", {port, 3}, 8);
        chip.set("pg.headroom.cells", {port, 3}, 50);
        chip.set("map.group_priorities.priorities", {port, 3}, 0b11000);
        chip.set("map.trust.mode", {port}, 2);
        chip.set("map.dscp_tc.tc", {port, 24}, 3);
        chip.set("map.tc_group.group", {port, 3}, 3);
        if (port != 2) chip.set("pfc.tx_enable.priorities", {port}, 0b1000);
    }
    chip.set("map.trust.mode", {3}, 1);
    programmed_platform booted;
    booted.switches.push_back({"s0", chip.snapshot()});
    const lossless_map map = find_lossless_places(four(), booted);
    ASSERT_EQ(map.places.size(), 2U);
    EXPECT_EQ(map.places[1].host, 1U);
    EXPECT_EQ(map.places[1].priority, 3U);
    EXPECT_EQ(map.places[1].dscp, 24U);
    EXPECT_EQ(map.places[1].headroom, 50U);
    EXPECT_EQ(map.places[1].xoff, 108U);
    EXPECT_THAT(map.left_out, ElementsAre("s0.3 PG 3: no DSCP leads to it", "s0.2 PG 3: pauses no priority"));
    const auto back = lossless_map_of(to_text(map));
    ASSERT_TRUE(back);
    EXPECT_EQ(to_text(*back), to_text(map));
    EXPECT_FALSE(lossless_map_of("nothing"));
}

}  // namespace
}  // namespace weir::vp
