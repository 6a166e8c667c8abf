// SPDX-License-Identifier: Apache-2.0
// The gdb stub, packet by packet, as "Debugging with GDB" 13.1, appendix E, defines them.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/vp/debugged_machine.h"

namespace weir::vp::remote::testing {
namespace {

/// A client that speaks the protocol by hand. Everything times out after five seconds.
class raw_client {
public:
    explicit raw_client(std::uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in in{};
        in.sin_family = AF_INET;
        in.sin_port = htons(port);
        in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        constexpr int on = 1;
        setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        EXPECT_EQ(connect(fd_, reinterpret_cast<const sockaddr*>(&in), sizeof in), 0);
    }
    ~raw_client() { leave(); }
    raw_client(const raw_client&) = delete;
    raw_client& operator=(const raw_client&) = delete;

    void leave() {
        if (fd_ >= 0) close(fd_);
        fd_ = -1;
    }
    void send(const std::string& octets) const {
        EXPECT_EQ(::send(fd_, octets.data(), octets.size(), MSG_NOSIGNAL), static_cast<ssize_t>(octets.size()));
    }
    /// The next octet, or -1 when the other side has gone or says nothing.
    int octet() const {
        pollfd p{fd_, POLLIN, 0};
        if (::poll(&p, 1, 5000) != 1) return -1;
        unsigned char c = 0;
        return recv(fd_, &c, 1, 0) == 1 ? c : -1;
    }
    std::string frame() const {
        std::string result;
        int c = octet();
        while (c >= 0 && c != '#') {
            result += static_cast<char>(c);
            c = octet();
        }
        for (unsigned i = 0; i < 2; ++i) octet();
        return result.empty() ? result : result.substr(1);
    }
    /// Sends a packet, takes the acknowledgement and the answer, and acknowledges that.
    std::string ask(const std::string& payload) const {
        send(gdb_frame(payload));
        if (acknowledging) {
            EXPECT_EQ(octet(), '+') << payload;
        }
        auto answer = frame();
        if (acknowledging) send("+");
        return answer;
    }
    bool acknowledging{true};

private:
    int fd_;
};

// E.1: two digits of the sum of the payload's octets, modulo 256. 'O' + 'K' = 0x4f + 0x4b = 0x9a. } is sent as 7d 5d.
TEST(gdb_packets, are_framed_with_a_checksum_and_escaped) {
    EXPECT_EQ(gdb_frame("OK"), "$OK#9a");
    EXPECT_EQ(gdb_frame(""), "$#00");
    EXPECT_EQ(gdb_frame("}"), "$}]#da");
    gdb_unframer u;
    std::string payload;
    u.add("+$O");
    EXPECT_EQ(u.next(payload), gdb_event::none);
    u.add("K#9a$}]#da$OK#9b-\x03");
    EXPECT_EQ(u.next(payload), gdb_event::packet);
    EXPECT_EQ(payload, "OK");
    EXPECT_EQ(u.next(payload), gdb_event::packet);
    EXPECT_EQ(payload, "}");
    EXPECT_EQ(u.next(payload), gdb_event::bad);
    EXPECT_EQ(u.next(payload), gdb_event::again);
    EXPECT_EQ(u.next(payload), gdb_event::interrupt);
    EXPECT_EQ(u.next(payload), gdb_event::none);
}

// A Ctrl-C counts between packets only: inside it is data.
TEST(gdb_packets, leave_ctrl_c_alone_inside_of_them) {
    gdb_unframer u;
    u.add("$X0,1:\x03#00");
    EXPECT_FALSE(u.take_interrupt());
    u.add("\x03");
    EXPECT_TRUE(u.take_interrupt());
    EXPECT_FALSE(u.take_interrupt());
}

TEST(gdb_packets, that_are_too_long_are_left_out_and_said) {
    gdb_unframer u;
    std::string payload;
    u.add("$" + std::string(largest_payload, 'a'));
    EXPECT_EQ(u.next(payload), gdb_event::none);
    u.add("a");
    EXPECT_EQ(u.next(payload), gdb_event::none);
    u.add("aaa#00$OK#9a");
    EXPECT_EQ(u.next(payload), gdb_event::oversized);
    EXPECT_EQ(u.next(payload), gdb_event::packet);
    EXPECT_EQ(payload, "OK");
}

TEST(gdb_stub, halts_the_core_for_a_client_and_says_what_it_can) {
    debugged_machine m;
    const raw_client c{m.port()};
    const auto said = c.ask("qSupported:swbreak+;hwbreak+");
    for (const char* const feature :
         {"PacketSize=4000", "qXfer:features:read+", "swbreak+", "hwbreak+", "vContSupported+", "QStartNoAckMode+"}) {
        EXPECT_NE(said.find(feature), std::string::npos) << said;
    }
    EXPECT_EQ(c.ask("?"), "T05thread:1;");
    EXPECT_EQ(c.ask("qAttached"), "1");
    EXPECT_EQ(c.ask("qC"), "QC1");
    EXPECT_EQ(c.ask("qfThreadInfo"), "m1");
    EXPECT_EQ(c.ask("qsThreadInfo"), "l");
    EXPECT_EQ(c.ask("Hg0"), "OK");
    EXPECT_EQ(c.ask("T1"), "OK");
    EXPECT_EQ(c.ask("vCont?"), "vCont;c;C;s;S");
    EXPECT_EQ(c.ask("vMustReplyEmpty"), "");
    EXPECT_EQ(c.ask("!"), "");
    EXPECT_EQ(c.ask(""), "");
    const auto executed = m.executed();
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    EXPECT_EQ(m.executed(), executed) << "it stands still";
}

// E.2: registers in the target's order of octets. x11 is a1; CSR 0x341 is 65 + 0x341 = 0x382.
TEST(gdb_stub, reads_and_writes_registers_and_csrs) {
    debugged_machine m{true};
    const raw_client c{m.port()};
    auto all = c.ask("g");
    ASSERT_EQ(all.size(), 33U * 8);
    EXPECT_EQ(all.substr(11U * 8, 8), "00080080");
    EXPECT_EQ(all.substr(32U * 8, 8), "00000080");
    EXPECT_EQ(c.ask("pb"), "00080080");
    EXPECT_EQ(c.ask("P5=78563412"), "OK");
    EXPECT_EQ(c.ask("p5"), "78563412");
    EXPECT_EQ(c.ask("P0=78563412"), "OK");
    EXPECT_EQ(c.ask("p0"), "00000000") << "x0 stays 0";
    EXPECT_EQ(c.ask("p382"), "34120000");
    EXPECT_EQ(c.ask("P382=00010080"), "OK");
    EXPECT_EQ(c.ask("p382"), "00010080");
    EXPECT_EQ(c.ask("p1040"), "E02") << "CSR 0xfff is not there";
    all.replace(3U * 8, 8, "efbeadde");
    EXPECT_EQ(c.ask("G" + all), "OK");
    EXPECT_EQ(c.ask("p3"), "efbeadde");
}

TEST(gdb_stub, reads_and_writes_memory_and_disturbs_no_device) {
    debugged_machine m{true};
    const raw_client c{m.port()};
    EXPECT_EQ(c.ask("m80000804,8"), "44332211efbeadde");
    EXPECT_EQ(c.ask("M80000804,2:a1b2"), "OK");
    EXPECT_EQ(c.ask("m80000804,4"), "a1b22211");
    EXPECT_EQ(c.ask("X80000804,0:"), "OK");
    EXPECT_EQ(c.ask("X80000804,3:" + std::string{"#}$"}), "OK") << "octets that have to be escaped";
    EXPECT_EQ(c.ask("m80000804,4"), "237d2411");
    EXPECT_EQ(c.ask("m10000000,2"), "5a5a");
    EXPECT_EQ(c.ask("m80000fff,8"), "00") << "as many as there are";
    EXPECT_EQ(c.ask("m20000000,4"), "E02");
    EXPECT_EQ(c.ask("M10000000,1:00"), "E02");
    EXPECT_EQ(c.ask("M80000fff,2:0000"), "E02");
    m.end();
    EXPECT_EQ(m.device_accesses, 0U);
}

TEST(gdb_stub, stops_at_breakpoints_and_steps) {
    debugged_machine m{true};
    const raw_client c{m.port()};
    c.ask("qSupported:swbreak+;hwbreak+");
    EXPECT_EQ(c.ask("Z0,80000008,4"), "OK");
    EXPECT_EQ(c.ask("Z0,80000008,4"), "OK") << "twice is once";
    EXPECT_EQ(c.ask("vCont;c"), "T05swbreak:;thread:1;");
    EXPECT_EQ(c.ask("p20"), "08000080");
    EXPECT_EQ(c.ask("s"), "T05thread:1;");
    EXPECT_EQ(c.ask("p20"), "0c000080");
    EXPECT_EQ(c.ask("vCont;s:1;c"), "T05thread:1;");
    EXPECT_EQ(c.ask("p20"), "00000080");
    EXPECT_EQ(c.ask("z0,80000008,4"), "OK");
    EXPECT_EQ(c.ask("Z1,80000004,4"), "OK");
    EXPECT_EQ(c.ask("c"), "T05hwbreak:;thread:1;");
    EXPECT_EQ(c.ask("p20"), "04000080");
    EXPECT_EQ(c.ask("c80000000"), "T05hwbreak:;thread:1;") << "from another place";
    EXPECT_EQ(c.ask("pa"), "03000000") << "two rounds, and once more addi from the other place";
    EXPECT_EQ(c.ask("s8000000c"), "T05thread:1;");
    EXPECT_EQ(c.ask("p20"), "00000080");
}

TEST(gdb_stub, tells_reasons_only_to_clients_that_know_them) {
    debugged_machine m{true};
    const raw_client c{m.port()};
    c.ask("qSupported:");
    c.ask("Z0,80000008,4");
    EXPECT_EQ(c.ask("c"), "T05thread:1;");
}

// Two breakpoints of different kinds at one place: taking one away leaves the other.
TEST(gdb_stub, keeps_the_second_breakpoint_at_a_place) {
    debugged_machine m{true};
    const raw_client c{m.port()};
    c.ask("Z0,80000008,4");
    c.ask("Z1,80000008,4");
    c.ask("z0,80000008,4");
    EXPECT_EQ(c.ask("c"), "T05thread:1;");
    EXPECT_EQ(c.ask("p20"), "08000080");
}

// gdb takes for granted that RISC-V stops before the access (gdb/riscv-tdep.c: have_nonsteppable_watchpoint), and steps
// over it by itself.
TEST(gdb_stub, stops_before_watched_accesses) {
    debugged_machine m{true};
    const raw_client c{m.port()};
    EXPECT_EQ(c.ask("Z2,80000800,4"), "OK");
    EXPECT_EQ(c.ask("c"), "T05watch:80000800;thread:1;");
    EXPECT_EQ(c.ask("p20"), "04000080") << "at the sw";
    EXPECT_EQ(c.ask("m80000800,4"), "00000000");
    EXPECT_EQ(c.ask("z2,80000800,4"), "OK");
    EXPECT_EQ(c.ask("Z3,80000806,1"), "OK");
    EXPECT_EQ(c.ask("c"), "T05rwatch:80000806;thread:1;");
    EXPECT_EQ(c.ask("p20"), "08000080") << "at the lw of the word around it";
    EXPECT_EQ(c.ask("m80000800,4"), "01000000");
    EXPECT_EQ(c.ask("z3,80000806,1"), "OK");
    EXPECT_EQ(c.ask("Z4,80000800,8"), "OK");
    EXPECT_EQ(c.ask("c"), "T05awatch:80000800;thread:1;");
    EXPECT_EQ(c.ask("c"), "T05awatch:80000804;thread:1;");
}

TEST(gdb_stub, stops_a_running_core_on_ctrl_c) {
    debugged_machine m{true};
    const raw_client c{m.port()};
    c.send(gdb_frame("c"));
    EXPECT_EQ(c.octet(), '+');
    m.await_progress();
    c.send("\x03");
    EXPECT_EQ(c.frame(), "T02thread:1;");
    c.send("+");
    EXPECT_EQ(c.ask("?"), "T02thread:1;");
}

TEST(gdb_stub, describes_its_registers_in_parts) {
    debugged_machine m;
    const raw_client c{m.port()};
    std::string xml;
    for (;;) {
        char range[32];
        std::snprintf(range, sizeof range, "%zx,100", xml.size());
        const auto part = c.ask(std::string{"qXfer:features:read:target.xml:"} + range);
        ASSERT_FALSE(part.empty());
        ASSERT_LE(part.size(), 0x101U);
        xml += part.substr(1);
        if (part.front() == 'l') break;
        ASSERT_EQ(part.front(), 'm');
    }
    for (const char* const text :
         {"<architecture>riscv:rv32</architecture>", "org.gnu.gdb.riscv.cpu", "org.gnu.gdb.riscv.csr",
          "<reg name=\"zero\" bitsize=\"32\" type=\"int\" regnum=\"0\"/>",
          "<reg name=\"pc\" bitsize=\"32\" type=\"code_ptr\" regnum=\"32\"/>",
          "name=\"mepc\" bitsize=\"32\" type=\"int\" regnum=\"898\""}) {
        EXPECT_NE(xml.find(text), std::string::npos) << text;
    }
    EXPECT_EQ(c.ask("qXfer:features:read:target.xml:ffff,10"), "l");
    EXPECT_EQ(c.ask("qXfer:features:read:other.xml:0,10"), "");
}

// qRcmd, "greet" in hexadecimal; the answer is console output, then OK.
TEST(gdb_stub, passes_monitor_commands_on) {
    debugged_machine m;
    const raw_client c{m.port()};
    EXPECT_EQ(c.ask("qRcmd,6772656574"), "O68656c6c6f0a");
    EXPECT_EQ(c.frame(), "OK");
    c.send("+");
    EXPECT_EQ(c.ask("qRcmd,78"), "OK") << "nothing to say";
    EXPECT_EQ(c.ask("qRcmd,7"), "E01");
}

TEST(gdb_stub, asks_again_after_a_bad_checksum_and_repeats_its_own_answer) {
    debugged_machine m;
    const raw_client c{m.port()};
    c.send("$qC#00");
    EXPECT_EQ(c.octet(), '-');
    EXPECT_EQ(c.ask("qC"), "QC1");
    c.send("-");
    EXPECT_EQ(c.frame(), "QC1");
}

TEST(gdb_stub, does_without_acknowledgements_when_asked) {
    debugged_machine m;
    raw_client c{m.port()};
    EXPECT_EQ(c.ask("QStartNoAckMode"), "OK");
    c.acknowledging = false;
    EXPECT_EQ(c.ask("qC"), "QC1");
    c.send("$qC#00");
    EXPECT_EQ(c.frame(), "QC1") << "the checksum means nothing now";
}

// Nothing of this is right; each gets an error or the empty answer, and the next packet works.
TEST(gdb_stub, survives_whatever_it_is_sent) {
    debugged_machine m;
    const raw_client c{m.port()};
    for (const char* const packet : {"p",
                                     "pzz",
                                     "p40",
                                     "pffffffff",
                                     "p123456789",
                                     "P",
                                     "P5",
                                     "P5=12",
                                     "P40=00000000",
                                     "G",
                                     "G00",
                                     "m",
                                     "m,",
                                     "m0",
                                     "mg,1",
                                     "mffffffff,2",
                                     "m80000000,ffffffffff",
                                     "M",
                                     "M80000000,1",
                                     "M80000000,1:0",
                                     "M80000000,1:zz",
                                     "M80000000,2:00",
                                     "X",
                                     "X80000000,4:ab",
                                     "Z",
                                     "Z0",
                                     "Z0,80000000",
                                     "Z0,80000000,0",
                                     "Zx,0,4",
                                     "z0,,",
                                     "vCont;",
                                     "vCont;q",
                                     "cxyz",
                                     "sxyz",
                                     "qRcmd,zz",
                                     "qXfer:features:read:target.xml:",
                                     "qXfer:features:read:target.xml:0"}) {
        EXPECT_EQ(c.ask(packet), "E01") << packet;
    }
    for (const char* const packet :
         {"Z9,80000000,4", "vKill;1", "vFlashErase:0,1", "qUnknown", "QUnknown", "y", "\xff\xfe"}) {
        EXPECT_EQ(c.ask(packet), "") << packet;
    }
    c.send("$" + std::string(3 * largest_payload, 'm') + "#00");
    EXPECT_EQ(c.octet(), '+');
    EXPECT_EQ(c.frame(), "E01") << "too long";
    c.send("+");
    EXPECT_EQ(c.ask("qC"), "QC1");
}

TEST(gdb_stub, refuses_a_second_client) {
    debugged_machine m;
    const raw_client first{m.port()};
    EXPECT_EQ(first.ask("qC"), "QC1");
    const raw_client second{m.port()};
    EXPECT_EQ(second.octet(), -1) << "closed";
    m.await_log("a second debugger is refused; one at a time can be connected\n");
    EXPECT_EQ(first.ask("qC"), "QC1");
}

TEST(gdb_stub, lets_the_core_run_when_its_client_vanishes) {
    debugged_machine m{true};
    {
        const raw_client c{m.port()};
        EXPECT_EQ(c.ask("Z0,80000008,4"), "OK");
        EXPECT_EQ(c.ask("Z2,80000800,4"), "OK");
    }
    m.await_log("gdb: the debugger is gone; its breakpoints are removed and the core runs\n");
    m.await_progress();
    const raw_client next{m.port()};
    EXPECT_EQ(next.ask("?"), "T05thread:1;") << "the next one is welcome";
}

TEST(gdb_stub, lets_the_core_run_when_its_client_vanishes_while_it_runs) {
    debugged_machine m{true};
    {
        const raw_client c{m.port()};
        c.send(gdb_frame("c"));
        EXPECT_EQ(c.octet(), '+');
        m.await_progress();
    }
    m.await_log("the debugger is gone");
    m.await_progress();
}

TEST(gdb_stub, lets_go_on_detach) {
    debugged_machine m{true};
    const raw_client c{m.port()};
    c.ask("Z0,80000008,4");
    EXPECT_EQ(c.ask("D"), "OK");
    m.await_log("gdb: the debugger has let go; its breakpoints are removed and the core runs\n");
    m.await_progress();
    EXPECT_EQ(c.octet(), -1);
}

// E.3: W and the exit code, if the run ends while the core runs; a client that has it halted is let go.
TEST(gdb_stub, tells_that_the_run_is_over) {
    debugged_machine m{true};
    const raw_client c{m.port()};
    c.send(gdb_frame("c"));
    EXPECT_EQ(c.octet(), '+');
    m.await_progress();
    m.end();
    EXPECT_EQ(c.frame(), "W03");
}

TEST(gdb_stub, ends_with_the_run_though_a_client_has_the_core) {
    debugged_machine m{true};
    const raw_client c{m.port()};
    EXPECT_EQ(c.ask("?"), "T05thread:1;");
    m.end();
    EXPECT_EQ(c.octet(), -1);
    m.await_log("gdb: the run ends under the debugger; its breakpoints are removed and the core runs\n");
}

TEST(gdb_stub, says_when_it_cannot_listen) {
    debugged_machine m;
    gdb_connection free_port{{}};
    EXPECT_NE(free_port.port(), 0);
    try {
        const gdb_connection same{{m.port(), {}}};
        FAIL() << "two listen at one port";
    } catch (const std::runtime_error& e) {
        EXPECT_EQ(std::string{e.what()}, "gdb: cannot listen at 127.0.0.1:" + std::to_string(m.port()) +
                                             ": Address already in use; choose another port or path");
    }
    EXPECT_THROW((gdb_connection{{0, std::string(200, 'x')}}), std::runtime_error);
    EXPECT_THROW((gdb_connection{{0, "/nowhere/at/all"}}), std::runtime_error);
}

}  // namespace
}  // namespace weir::vp::remote::testing
