// SPDX-License-Identifier: Apache-2.0
// What goes wrong on purpose, from the command line to the firmware's own words: docs/bring-up.md, "What goes wrong, on
// purpose".
#include <gmock/gmock.h>

#include "tests/vp/firmware_run.h"

namespace weir::vp::remote::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// The board's run with these commands at their times.
finished_run faulty(const std::vector<std::string>& commands, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"run", bringup_board};
    for (const std::string& command : commands) words = joined(words, {"--at", command});
    return finished(joined(words, more));
}

std::size_t times_in(const std::string& text, const std::string& what) {
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
    return count;
}

// The first example: the one cause whose interrupt was lost is found when counters are due.
TEST(fault_program, tells_of_a_lost_interrupt) {
    const finished_run got = faulty({"+300us fault_interrupt lose=1", "+310us fault_storm fault 1"});
    EXPECT_EQ(got.code, 0) << got.err;
    EXPECT_EQ(times_in(got.out, "\ninterrupt fault was pending and had not come\n"), 1U) << got.out;
}

// The same without the fault: its interrupt comes, and none is lost.
TEST(fault_program, tells_of_an_interrupt_that_came) {
    const finished_run got = faulty({"+310us fault_storm fault 1"});
    EXPECT_EQ(got.code, 0) << got.err;
    EXPECT_THAT(got.out, AllOf(HasSubstr("\ninterrupt: fault\n"), Not(HasSubstr("had not come"))));
}

// service.h: 64 times within a millisecond, and all causes are masked. Once: nothing comes after that.
TEST(fault_program, masks_a_stuck_interrupt_line) {
    const finished_run got = faulty({"+300us fault_interrupt stuck=on"});
    EXPECT_EQ(got.code, 0) << got.err;
    EXPECT_EQ(times_in(got.out, "\nan interrupt without a cause came 64 times within 1000 us: masked\n"), 1U)
        << got.out;
}

TEST(fault_program, masks_a_storming_cause_alone) {
    const finished_run got = faulty({"+300us fault_storm stall 1000 ns=2000", "+1500us fault_storm ecc 1"});
    EXPECT_EQ(got.code, 0) << got.err;
    EXPECT_EQ(times_in(got.out, "\ninterrupt stall came 64 times within 1000 us: masked\n"), 1U) << got.out;
}

// Three times are borne, the fourth is told. 300 us between two changes: a line about the link takes the UART 107 us,
// 32 characters of 3.3 us, one about counters twice as long, and what comes meanwhile is seen as it is afterwards.
TEST(fault_program, tells_of_a_flapping_link_at_the_fourth_time) {
    const std::string told = "\nlink: interface 5 went down 4 times within 1000 ms\n";
    const finished_run three = faulty({"+300us fault_flap 5 times=3 ns=300000"}, {"--until", "4ms"});
    EXPECT_EQ(times_in(three.out, "link: interface 5 down\n"), 3U) << three.out;
    EXPECT_THAT(three.out, Not(HasSubstr(told)));
    const finished_run four = faulty({"+300us fault_flap 5 times=4 ns=300000"}, {"--until", "4ms"});
    EXPECT_EQ(times_in(four.out, "link: interface 5 down\n"), 4U) << four.out;
    EXPECT_EQ(times_in(four.out, told), 1U) << four.out;
}

TEST(fault_program, tells_of_a_malformed_pfc_frame) {
    const finished_run got = faulty({"+300us fault_pfc 1 length"});
    EXPECT_EQ(got.code, 0) << got.err;
    EXPECT_EQ(times_in(got.out, "\npfc: 1 malformed frames\n"), 1U) << got.out;
}

// "the last two are counted and say nothing"
TEST(fault_program, says_nothing_of_frames_that_pause_nobody) {
    for (const char* kind : {"opcode", "empty_vector"}) {
        const finished_run got = faulty({std::string("+300us fault_pfc 1 ") + kind});
        EXPECT_EQ(got.code, 0) << got.err;
        EXPECT_THAT(got.out, Not(HasSubstr("malformed"))) << kind;
    }
}

// 65535 quanta at 400G are 83.9 us: a frame each 80 us stops port 0 for good, 10 ms long. The stall detector's limit of
// 262140 quanta, four times that, is 335.5 us.
TEST(fault_program, detects_a_flood_of_pfc_and_goes_on_after_it) {
    const finished_run got = faulty({"+300us fault_pfc 0 flood frames=125 ns=80000"});
    EXPECT_EQ(got.code, 0) << got.err;
    EXPECT_THAT(got.out, HasSubstr("\nstall: interface 0 queue 3: suspect\n"));
    EXPECT_THAT(got.out, HasSubstr("received 125\n"));
    EXPECT_THAT(got.out, HasSubstr("7 of 7 flows finished"));
}

// The headroom of 768 cells of 256 octets is for a peer that stops; one that sends on overflows it.
TEST(fault_program, tells_of_a_peer_that_ignores_pfc) {
    const finished_run got = faulty({"+300us fault_peer 1 obeys=off"});
    EXPECT_EQ(got.code, 1) << got.err;  // lossless frames were lost
    EXPECT_THAT(got.out, HasSubstr("\nconformance: interface 1: overflow\n"));
    EXPECT_THAT(got.out, HasSubstr("s0.1 PG 3 lost "));
}

// A chip that does not get ready: the firmware says so, and the run does not begin.
TEST(fault_program, does_not_begin_with_a_chip_that_never_gets_ready) {
    const auto says = [](const char* command, const char* word) {
        const finished_run got = faulty({command});
        EXPECT_EQ(got.code, 2) << command;
        EXPECT_THAT(got.out, HasSubstr("\n% the device does not come up: ")) << command;
        EXPECT_THAT(got.err, AllOf(HasSubstr("the device does not come up: "), HasSubstr(word))) << command;
        EXPECT_EQ(digest_in(got.out), "") << command;
    };
    says("0us fault_start reset on", "sw_reset");
    says("0us fault_start memories on", "ram_done");
    says("0us fault_start core on", "ready");
    says("0us fault_late 160000000", "ram_done");  // 160 ms; 100 are borne
}

TEST(fault_program, waits_for_a_chip_that_is_late) {
    const finished_run got = faulty({"0us fault_late 60000000"});
    EXPECT_EQ(got.code, 0) << got.err;
    EXPECT_THAT(got.out, HasSubstr("\ndevice up: 8 ports, 65536 cells of 256 octets, 8 pools\n"));
}

// The document's words: a bus error, before the chip sees the access, and nothing half-programmed: the line of the
// script that fails is the first that writes the register.
TEST(fault_program, names_the_line_that_a_bus_error_stops) {
    const finished_run got = faulty({"0us fault_bus pg.xoff[0][3] octets=4 writes"});
    EXPECT_EQ(got.code, 2) << got.err;
    EXPECT_THAT(got.out, HasSubstr("\n% "));
    EXPECT_THAT(got.err, HasSubstr("bringup_8x400g.cfg:"));
    const finished_run other = faulty({"0us fault_bus pg.xoff[0][3] octets=4 writes", "1us fault_clear"});
    EXPECT_EQ(other.code, 0) << other.err;
}

// A NACKed table command is WEIR_E_BUSY, one that never ends WEIR_E_TIMEOUT: the first route is line 38 of the script.
TEST(fault_program, names_the_line_that_a_bad_table_stops) {
    std::ifstream in(std::string(bringup_board) + ".cfg");
    int number = 1;
    for (std::string line; std::getline(in, line) && line.rfind("route add", 0) != 0;) ++number;
    const std::string where = "bringup_8x400g.cfg:" + std::to_string(number) + ": ";
    EXPECT_THAT(faulty({"0us fault_table refused=1"}).err, AllOf(HasSubstr(where), HasSubstr("busy")));
    EXPECT_THAT(faulty({"0us fault_table never=on"}).err, AllOf(HasSubstr(where), HasSubstr("in time")));
    EXPECT_EQ(faulty({"0us fault_table ns=600000"}).code, 0);  // slow, and waited for
}

// A fault changes nothing before its time: taken back at once, it has not been.
TEST(fault_program, leaves_no_trace_of_a_fault_that_is_taken_back) {
    const std::string plain = finished({"run", bringup_board}).out;
    const finished_run got = faulty({"+300us fault_interrupt lose=5", "+300us fault_clear"});
    EXPECT_EQ(got.out, plain);
    EXPECT_NE(digest_in(plain), "");
}

// Exit code 2, and one message: what was given, what is wrong with it, and what would be right.
TEST(fault_line, that_is_wrong_is_refused_with_a_message) {
    const auto refused = [](const std::string& line, const char* why) {
        const finished_run got = faulty({line});
        EXPECT_EQ(got.code, 2) << line;
        EXPECT_THAT(got.err, StartsWith("--at \"" + line + "\": ")) << line;
        EXPECT_THAT(got.err, HasSubstr(why)) << line;
        EXPECT_EQ(times_in(got.err, "\n"), 2U) << got.err;
        EXPECT_EQ(digest_in(got.out), "") << line;
    };
    refused("", "time");
    refused("soon fault_clear", "time");
    refused("+300us", "time");
    refused("300 fault_clear", "time");
    refused("-1us fault_clear", "time");
    refused("+1us fault_flop 1 times=4", "fault_flop");
    refused("+1us fault_flap", "port");
    refused("+1us fault_flap 1", "times");
    refused("+1us fault_flap x times=4", "port");
    refused("+1us fault_flap 8 times=4", "8");  // ports are 0 to 7
    refused("+1us fault_flap 1 times=4 x y z", "one word too many");
    refused("+1us fault_storm thunder 3", "thunder");
    refused("+1us fault_pfc 1 wide", "wide");
    refused("+1us fault_pfc 1 flood vector=256", "256");
    refused("+1us fault_ecc mac 3", "3");
    refused("+1us fault_bus pg.xof[0][3]", "pg.xof");
    refused("+1us fault_bus pg.xoff[99][3]", "99");
    refused("+1us fault_counter pg.xoff.cells[0][3] 1", "no counter");
    refused("+1us fault_start reset perhaps", "perhaps");
}

}  // namespace
}  // namespace weir::vp::remote::testing
