// SPDX-License-Identifier: Apache-2.0
// gdb on the firmware of a whole board, as somebody does who brings a driver up: docs/bring-up.md, docs/remote.md. In
// all of it the packets must not notice: the program's output is that of a run that nobody looked at.
#include <gmock/gmock.h>

#include "tests/vp/firmware_run.h"

namespace weir::vp::remote::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// The output of the board's run without anybody.
std::string unwatched(const std::vector<std::string>& more = {}) {
    const finished_run got = finished(joined({"run", bringup_board}, more));
    EXPECT_EQ(got.code, 0) << got.err;
    EXPECT_NE(digest_in(got.out), "");
    return got.out;
}

/// The session's text from its first stop on, without what varies.
std::string session_on(const debugged_run& d, const std::vector<std::string>& commands) {
    const std::string all = golden(d.gdb(commands));
    const std::string first = "_start () at start.S:N\n";
    const std::size_t at = all.find(first);
    return at == std::string::npos ? all : all.substr(at + first.size());
}

/// The numbers that follow that name, in order.
std::vector<long> numbers_after(const std::string& text, const std::string& name) {
    std::vector<long> all;
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
        all.push_back(std::stol(text.substr(at + name.size())));
    return all;
}

// The platform's script says `pfc pause-threshold 6800`; the register's address is remote.md's, 0x8306c, and the value
// before is its reset value, all ones. misa says RV32IMAC (bits 30, 12, 8, 2, 0); the firmware takes timer and external
// interrupts (mie's bits 7 and 11).
TEST(gdb_platform, sees_a_register_change_at_the_write_that_the_driver_makes) {
    const std::string plain = unwatched();
    debugged_run d;
    EXPECT_EQ(
        session_on(d, {"monitor time", "break weir_set if address == 0x8306c && value == 6800", "continue", "info args",
                       "print/x $misa", "print/x $mie", "print $mhartid", "monitor peek pg.xoff.cells[0][3]", "finish",
                       "monitor peek pg.xoff[0][3]", "delete", "continue"}),
        "time_ns: T\n"
        "time_ps: T\n"
        "Breakpoint 1 at 0xADDRESS: file access.c, line N.\n"
        "\n"
        "Breakpoint 1, weir_set (...) at access.c:N\n"
        "dev = 0xADDRESS\n"
        "address = 536684\n"
        "value = 6800\n"
        "$1 = 0x40001105\n"
        "$2 = 0x880\n"
        "$3 = 0\n"
        "address: 0x8306c\n"
        "fields:\n"
        "  cells: 16777215\n"
        "hex: 0xffffff\n"
        "name: pg.xoff.cells[0][3]\n"
        "time_ps: T\n"
        "value: 16777215\n"
        "write_thresholds (...) at group.c:N\n"
        "Value returned is $4 = WEIR_OK\n"
        "address: 0x8306c\n"
        "fields:\n"
        "  cells: 6800\n"
        "hex: 0x1a90\n"
        "name: pg.xoff[0][3]\n"
        "time_ps: T\n"
        "value: 6800\n"
        "[Inferior 1 (Remote target) exited normally]\n");
    EXPECT_EQ(d.run.wait(), 0);
    EXPECT_EQ(d.run.out(), plain);
}

// A continue without any breakpoint goes to the end in one piece.
TEST(gdb_platform, lets_a_run_go_to_its_end) {
    const std::string plain = unwatched();
    for (int again = 0; again < 2; ++again) {
        debugged_run d;
        EXPECT_EQ(session_on(d, {"monitor time", "shell sleep 0.3", "continue"}),
                  "time_ns: T\ntime_ps: T\n[Inferior 1 (Remote target) exited normally]\n");
        EXPECT_EQ(d.run.wait(), 0);
        EXPECT_EQ(d.run.out(), plain);
    }
}

// Devices by address, as debug accesses: 0x5745 is what global.dev_id says in remote.md. No read has a
// side effect, and none counts, also not where nothing stands.
TEST(gdb_platform, looks_at_device_registers_and_disturbs_nothing) {
    const std::string plain = unwatched();
    debugged_run d;
    const std::string said = session_on(
        d, {"tbreak weir_service_counters_set", "continue", "x/4xw 0x40000000", "x/2xw 0x40f00000", "x/8xb 0x10000000",
            "x/4xw 0x0c000000", "x/2xw 0x0200bff8", "x/2xw 0x00100000", "x/4xw 0x4008306c", "x/1xw 0x30000000",
            "monitor peek global.access_error_count.count", "continue"});
    EXPECT_THAT(said, HasSubstr("\n0x40000000:\t0x00005745\t"));
    EXPECT_THAT(said, HasSubstr("\n0x40f00000:\tCannot access memory at address 0x40f00000\n"));
    EXPECT_THAT(said, HasSubstr("\n0x4008306c:\t0x00001a90\t"));  // pg.xoff[0][3]: 6800
    EXPECT_THAT(said, HasSubstr("\n0x30000000:\tCannot access memory at address 0x30000000\n"));
    EXPECT_THAT(said, HasSubstr("\nvalue: 0\n"));
    EXPECT_THAT(said, HasSubstr("[Inferior 1 (Remote target) exited normally]\n"));
    EXPECT_EQ(d.run.wait(), 0);
    EXPECT_EQ(d.run.out(), plain);  // its count of accesses, and of refused ones, too
}

// While traffic runs: the packets stand still with the core, for as long as somebody looks, and go on with it.
TEST(gdb_platform, stops_the_packets_with_the_core) {
    const std::string plain = unwatched();
    debugged_run d;
    const std::string said =
        d.gdb({"tbreak weir_service_serve if service->counters_ns != 0", "continue", "monitor status",
               "monitor peek port.rx_frames.frames[1]", "shell sleep 0.3", "monitor status",
               "monitor peek port.rx_frames.frames[1]", "tbreak weir_service_serve", "continue", "monitor status",
               "monitor peek port.rx_frames.frames[1]", "continue"});
    const auto times = numbers_after(said, "time_ns: ");
    const auto under_way = numbers_after(said, "frames_under_way: ");
    const auto received = numbers_after(said, "\nvalue: ");
    ASSERT_EQ(times.size(), 3U) << said;
    ASSERT_EQ(under_way.size(), 3U) << said;
    ASSERT_EQ(received.size(), 3U) << said;
    EXPECT_GT(under_way[0], 0);
    EXPECT_GT(received[0], 0);
    EXPECT_EQ(times[1], times[0]);
    EXPECT_EQ(under_way[1], under_way[0]);
    EXPECT_EQ(received[1], received[0]);
    EXPECT_GT(times[2], times[0]);
    EXPECT_GT(received[2], received[0]);
    EXPECT_THAT(said, HasSubstr("[Inferior 1 (Remote target) exited normally]\n"));
    EXPECT_EQ(d.run.wait(), 0);
    EXPECT_EQ(d.run.out(), plain);
}

// One instruction after the other through an access to a device and an interrupt's return: still the same run.
TEST(gdb_platform, steps_in_traffic_without_a_trace) {
    const std::string plain = unwatched();
    debugged_run d;
    const std::string said = d.gdb({"tbreak weir_service_serve if service->counters_ns != 0", "continue", "next",
                                    "next", "next", "stepi 300", "monitor time", "continue"});
    EXPECT_THAT(said, Not(HasSubstr("SIG"))) << said;
    EXPECT_THAT(said, HasSubstr("[Inferior 1 (Remote target) exited normally]\n"));
    EXPECT_EQ(d.run.wait(), 0);
    EXPECT_EQ(d.run.out(), plain);
}

// What the firmware keeps is what it then prints: "counters: rx NEW tx …".
TEST(gdb_platform, watches_a_variable_of_the_firmware) {
    const std::string plain = unwatched();
    debugged_run d;
    const std::string said = d.gdb({"tbreak weir_service_serve if service->counters_ns != 0", "continue",
                                    "watch 'main.c'::service.last.rx_frames", "continue", "delete", "continue"});
    EXPECT_THAT(said, HasSubstr("Hardware watchpoint 2: 'main.c'::service.last.rx_frames\n\nOld value = 0\n"));
    const auto values = numbers_after(said, "New value = ");
    ASSERT_EQ(values.size(), 1U) << said;
    EXPECT_THAT(said, HasSubstr("[Inferior 1 (Remote target) exited normally]\n"));
    EXPECT_EQ(d.run.wait(), 0);
    EXPECT_EQ(d.run.out(), plain);
    const std::size_t first = plain.find("\ncounters: rx ");
    ASSERT_NE(first, std::string::npos);
    EXPECT_EQ(plain.find("\ncounters: rx " + std::to_string(values[0]) + " tx "), first);
}

// Four times the platform's own, so that there is something to interrupt.
const std::vector<std::string> long_workload{"--hw", "workload.octets=64MiB"};

TEST(gdb_platform, is_interrupted_with_ctrl_c_and_let_go) {
    const std::string plain = unwatched(long_workload);
    debugged_run d(joined({"--halt"}, long_workload));
    background session = d.start_gdb({"continue", "monitor time", "monitor time", "detach"});
    ASSERT_TRUE(d.run.says("\ncounters: rx "));
    session.signal(SIGINT);
    EXPECT_EQ(session.wait(), 0);
    const std::string said = session.output();
    EXPECT_THAT(said, HasSubstr("Program received signal SIGINT, Interrupt.\n"));
    const auto times = numbers_after(said, "time_ps: ");
    ASSERT_EQ(times.size(), 2U) << said;
    EXPECT_EQ(times[0], times[1]);
    EXPECT_THAT(said, HasSubstr("[Inferior 1 (Remote target) detached]\n"));
    EXPECT_EQ(d.run.wait(), 0);
    EXPECT_EQ(d.run.out(), plain);
}

TEST(gdb_platform, that_is_killed_leaves_the_run_alone) {
    const std::string plain = unwatched();
    debugged_run d;
    {
        background session = d.start_gdb({"break weir_service_serve", "continue", "echo here\\n", "shell sleep 5"});
        ASSERT_TRUE(session.says("here\n"));
    }
    EXPECT_EQ(d.run.wait(), 0);
    EXPECT_THAT(d.run.err(), HasSubstr("gdb: the debugger is gone; its breakpoints are removed and the core runs\n"));
    EXPECT_EQ(d.run.out(), plain);
}

// What comes that is no gdb, or half of one: the door is for one at a time, and no run depends on who uses it.
std::string packet_of(const std::string& text) {
    unsigned sum = 0;
    for (const char c : text) sum += static_cast<unsigned char>(c);
    char check[8];
    std::snprintf(check, sizeof check, "#%02x", sum & 0xffU);
    return "$" + text + check;
}

// Without --halt the run does not wait; who comes finds it in its midst, and it ends without him or with him. T02: he
// has interrupted it; W00: it has ended.
TEST(gdb_door, lets_a_debugger_come_in_the_midst_of_a_run_and_go) {
    const std::string plain = unwatched(long_workload);
    for (const std::string& last : {packet_of("D"), packet_of("k"), packet_of("c"), std::string{}}) {
        debugged_run d(long_workload);
        ASSERT_TRUE(d.run.says("\ncounters: rx "));
        raw_client client(d.socket());
        ASSERT_TRUE(client.send(packet_of("m80000000,1")));
        EXPECT_EQ(client.receive(7).substr(0, 2), "+$") << last;
        ASSERT_TRUE(client.send("+" + last));
        if (last.empty()) client.hang_up();
        if (last == packet_of("c")) {
            EXPECT_EQ(client.receive(8), "+" + packet_of("W00"));
        }
        EXPECT_EQ(d.run.wait(), 0) << last << d.run.err();
        EXPECT_EQ(d.run.out(), plain) << last;
    }
}

TEST(gdb_door, refuses_a_second_debugger) {
    const std::string plain = unwatched();
    debugged_run d;
    d.await_door();
    raw_client first(d.socket());
    ASSERT_TRUE(first.send(packet_of("qC")));
    EXPECT_EQ(first.receive(8), "+" + packet_of("QC1"));
    raw_client second(d.socket());
    EXPECT_TRUE(second.closed());
    EXPECT_TRUE(d.run.complains("gdb: a second debugger is refused; one at a time can be connected\n"));
    ASSERT_TRUE(first.send("+" + packet_of("D")));
    EXPECT_EQ(first.receive(7), "+" + packet_of("OK"));
    EXPECT_EQ(d.run.wait(), 0);
    EXPECT_EQ(d.run.out(), plain);
}

TEST(gdb_door, bears_garbage_and_halves_of_packets) {
    const std::string plain = unwatched();
    std::string noise;
    std::uint32_t state = 12345;
    for (int i = 0; i < 100'000; ++i) {
        state = state * 1664525U + 1013904223U;
        noise += static_cast<char>(state >> 24U);
    }
    const std::vector<std::string> all{
        "",
        "$",
        "$qSupp",
        packet_of("qC").substr(0, 4),
        "$qC#00" + packet_of("c"),
        "$" + std::string(100'000, 'a'),
        packet_of("m80000000,ffffffff") + packet_of("m,") + packet_of("M80000000,4:zz") + packet_of("Z9,0,0"),
        packet_of("Z0,80000000,4") + packet_of("P999=0") + packet_of("vCont;x") + packet_of("qRcmd,zz"),
        "\x03\x03\x03",
        noise,
    };
    for (const std::string& octets : all) {
        debugged_run d;
        d.await_door();
        raw_client client(d.socket());
        (void)client.send(octets);
        client.hang_up();
        EXPECT_EQ(d.run.wait(), 0) << octets.substr(0, 40);
        EXPECT_EQ(digest_in(d.run.out()), digest_in(plain)) << octets.substr(0, 40);
    }
}

// The same while nothing is awaited of it: octets that come as the core runs.
TEST(gdb_door, lets_go_of_a_client_that_sends_without_being_asked) {
    const std::string plain = unwatched();
    debugged_run d;
    d.await_door();
    raw_client client(d.socket());
    ASSERT_TRUE(client.send(packet_of("c")));
    for (int i = 0; i < 100 && client.send(std::string(65536, 'a')); ++i) {
    }
    EXPECT_EQ(d.run.wait(), 0);
    EXPECT_EQ(digest_in(d.run.out()), digest_in(plain));
}

// Both doors at once: the JSON door answers while gdb has the core, and tells the same time.
TEST(gdb_door, leaves_the_json_door_open) {
    const std::string plain = unwatched();
    const run_folder folder;
    debugged_run d({"--halt", "--json", "unix:" + folder.path("j")});
    d.await_door();
    raw_client json(folder.path("j"));
    raw_client gdb(d.socket());
    ASSERT_TRUE(gdb.send(packet_of("qC")));
    EXPECT_EQ(gdb.receive(8), "+" + packet_of("QC1"));
    ASSERT_TRUE(json.send("{\"id\": 1, \"command\": \"peek\", \"arguments\": {\"name\": \"global.dev_id\"}}\n"));
    EXPECT_THAT(json.line(), HasSubstr("\"value\":22341"));  // remote.md
    ASSERT_TRUE(json.send("{\"id\": 2, \"command\": \"time\"}\n"));
    EXPECT_THAT(json.line(), HasSubstr("\"time_ps\":0"));
    ASSERT_TRUE(gdb.send("+" + packet_of("c")));
    EXPECT_EQ(gdb.receive(1), "+");
    EXPECT_EQ(gdb.receive(7), packet_of("W00"));
    EXPECT_EQ(d.run.wait(), 0);
    EXPECT_EQ(d.run.out(), plain);
}

// `monitor advance` halts the run after that time, and nobody else is there to resume it: Ctrl-C is heard all the same,
// and the clock stands where it was to stand.
TEST(gdb_door, is_heard_in_a_run_that_was_halted_by_a_command) {
    const std::string plain = unwatched();
    const auto monitor = [](const std::string& line) {
        std::string text = "qRcmd,";
        for (const char c : line) {
            char digits[3];
            std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(c));
            text += digits;
        }
        return packet_of(text);
    };
    debugged_run d;
    d.await_door();
    raw_client gdb(d.socket());
    const auto receive_until = [&](const std::string& end) {
        std::string got;
        while (got.find(end) == std::string::npos) {
            const std::string more = gdb.receive(1);
            if (more.empty()) return got + " (nothing more comes)";
            got += more;
        }
        return got;
    };
    ASSERT_TRUE(gdb.send(packet_of("QStartNoAckMode")));
    EXPECT_EQ(receive_until("#9a"), "+" + packet_of("OK"));
    ASSERT_TRUE(gdb.send("+" + monitor("advance 1000000")));
    EXPECT_THAT(receive_until(packet_of("OK")), HasSubstr("$O"));
    ASSERT_TRUE(gdb.send(packet_of("c")));
    EXPECT_TRUE(gdb.silent(300));
    ASSERT_TRUE(gdb.send("\x03"));
    EXPECT_EQ(receive_until("#").substr(0, 4), "$T02");
    (void)gdb.receive(2);
    ASSERT_TRUE(gdb.send(monitor("time")));
    // "time_ns: 1000000" in hexadecimal digits
    EXPECT_THAT(receive_until(packet_of("OK")), HasSubstr("74696d655f6e733a2031303030303030"));
    ASSERT_TRUE(gdb.send(monitor("resume")));
    (void)receive_until(packet_of("OK"));
    ASSERT_TRUE(gdb.send(packet_of("c")));
    EXPECT_EQ(receive_until(packet_of("W00")), packet_of("W00"));
    EXPECT_EQ(d.run.wait(), 0);
    EXPECT_EQ(d.run.out(), plain);
}

// There is no core to debug on a board whose driver is native.
TEST(gdb_door, needs_a_core) {
    const run_folder folder;
    const std::string door = "unix:" + folder.path("g");
    const finished_run got = finished({"run", board_name, "--gdb", door});
    EXPECT_EQ(got.code, 2);
    EXPECT_THAT(got.err, HasSubstr("--gdb: there is no core to debug: the driver runs natively\n"));
    EXPECT_EQ(got.out, "");
    const finished_run halted = finished({"run", bringup_board, "--halt"});
    EXPECT_EQ(halted.code, 2);
    EXPECT_THAT(halted.err, HasSubstr("--halt: nobody could resume the run\n"));
    EXPECT_EQ(finished({"run", bringup_board, "--gdb", "somewhere"}).code, 2);
}

}  // namespace
}  // namespace weir::vp::remote::testing
