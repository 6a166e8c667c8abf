// SPDX-License-Identifier: Apache-2.0
// The guest's console at the level of the program: at the keyboard, in a file, at a port, on a terminal. What is
// expected is in docs/bring-up.md, "The first prompt".
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>

#include "tests/vp/firmware_run.h"

namespace weir::vp::remote::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::vector<std::string> idle_console{"console", bringup_board, "--hw", "workload.kind=none"};

/// What the console showed after the last line of the platform's script.
std::string after_script(const std::string& text) {
    const std::string last = "weir> service counters every 500 us\n";
    const std::size_t at = text.find(last);
    return at == std::string::npos ? "the script did not end: " + text : text.substr(at + last.size());
}

// The document's own example.
TEST(scripted_console, answers_what_is_typed_and_ends_with_poweroff) {
    const finished_run got = finished(idle_console, "show service\npoweroff\n");
    EXPECT_EQ(got.code, 0) << got.err;
    const std::string said = after_script(got.out);
    EXPECT_THAT(said, StartsWith("weir> show service\ncounters every 500 us\n"));
    EXPECT_THAT(said, HasSubstr("\nweir> poweroff\n"));
    EXPECT_THAT(said, HasSubstr("passed: no loss on lossless classes, conservation holds"));
}

// A line that fails is answered by one that begins with "% "; at the keyboard it ends nothing.
TEST(scripted_console, answers_a_wrong_line_and_goes_on) {
    const finished_run got = finished(idle_console, "pool shrink\nshow service\npoweroff\n");
    EXPECT_EQ(got.code, 0) << got.err;
    EXPECT_THAT(after_script(got.out), ::testing::MatchesRegex("weir> pool shrink\n% [^\n]*shrink[^\n]*\n"
                                                               "weir> show service\ncounters every 500 us\n.*"));
}

// Whoever goes without poweroff has had an answer to each of his lines, to a last one without an end too.
TEST(scripted_console, answers_all_lines_before_it_ends_with_its_input) {
    const finished_run got = finished(idle_console, "show service\nshow mmu\nshow service\nshow mmu");
    EXPECT_EQ(got.code, 0) << got.err;
    const std::string said = after_script(got.out);
    const std::size_t first = said.find("weir> show service\n");
    const std::size_t second = said.find("weir> show service\n", first + 1);
    ASSERT_NE(second, std::string::npos) << said;
    EXPECT_THAT(said.substr(first, second - first), HasSubstr("65536"));
    EXPECT_THAT(said.substr(second), HasSubstr("\nweir> show mmu\npacket memory  65536 cells "));
}

// Time stands still while the firmware waits, and typing at no traffic disturbs none: the digest is the run's.
TEST(scripted_console, leaves_the_packets_alone) {
    const std::string plain = digest_in(finished({"run", bringup_board}).out);
    const finished_run got = finished({"console", bringup_board}, "show mmu\nshow buffer pg\npoweroff\n");
    EXPECT_NE(plain, "");
    EXPECT_EQ(digest_in(got.out), plain);
    EXPECT_THAT(got.out, HasSubstr("weir> show buffer pg\n"));
}

// A platform from nothing, as the document has it: an empty board, and all of it typed.
TEST(scripted_console, brings_up_an_empty_board_by_hand) {
    const run_folder folder;
    const std::string board = folder.write("empty.toml",
                                           "[cpu]\nkind = \"riscv\"\n[switch.s0]\n[[switch.s0.ports]]\n"
                                           "count = 4\nrate  = \"100G\"\n");
    const finished_run got = finished({"console", board},
                                      "show mmu\ninterface 0-3\npfc enable priority 3\nno shutdown\n"
                                      "show buffer pg\npoweroff\n");
    EXPECT_EQ(got.code, 0) << got.err;
    EXPECT_THAT(got.out, HasSubstr("weir> show mmu\n"));
    EXPECT_THAT(got.out, HasSubstr("weir> poweroff\n"));
}

TEST(console_place, can_be_a_file) {
    const run_folder folder;
    const finished_run printed = finished({"run", bringup_board});
    const finished_run filed = finished({"run", bringup_board, "--console", "file:" + folder.path("c")});
    EXPECT_EQ(filed.code, 0);
    EXPECT_THAT(filed.out, Not(HasSubstr("weir> ")));
    // The same, elsewhere; on standard output the last line is ended for what follows.
    const std::string console = octets_of_file(folder.path("c"));
    EXPECT_THAT(console, EndsWith("weir> "));
    EXPECT_EQ(printed.out, console + "\n" + filed.out);
}

TEST(console_place, can_be_nowhere) {
    const finished_run got = finished({"run", bringup_board, "--console", "none"});
    EXPECT_EQ(got.code, 0);
    EXPECT_THAT(got.out, Not(HasSubstr("weir> ")));
    EXPECT_NE(digest_in(got.out), "");
}

/// Everything that a descriptor says until it has said that.
std::string read_until(int from, const std::string& end) {
    std::string got;
    for (char part[4096]; got.find(end) == std::string::npos;) {
        pollfd p{from, POLLIN, 0};
        if (poll(&p, 1, 20'000) <= 0) return got + "\n(nothing comes)";
        const ssize_t octets = read(from, part, sizeof part);
        if (octets <= 0) return got + "\n(it has gone)";
        got.append(part, static_cast<std::size_t>(octets));
    }
    return got;
}

// The port is told on the error stream; a terminal at the other end of a network wants CR and LF.
TEST(console_place, can_be_a_port_of_this_machine) {
    firmware_run run(joined(idle_console, {"--console", "tcp:0"}));
    ASSERT_TRUE(run.complains("\n")) << run.err();
    std::smatch told;
    const std::string errors = run.err();
    ASSERT_TRUE(std::regex_search(errors, told, std::regex("^console: tcp 127\\.0\\.0\\.1 port ([0-9]+)\n"))) << errors;
    const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in there{};
    there.sin_family = AF_INET;
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    there.sin_port = htons(static_cast<std::uint16_t>(std::stoi(told[1].str())));
    ASSERT_EQ(connect(client, reinterpret_cast<const sockaddr*>(&there), sizeof there), 0);
    ASSERT_EQ(write(client, "show service\r", 13), 13);
    EXPECT_THAT(read_until(client, "\r\ncounters every 500 us\r\n"),
                HasSubstr("weir> show service\r\ncounters every "));
    ASSERT_EQ(write(client, "poweroff\r", 9), 9);
    EXPECT_EQ(run.wait(), 0);
    close(client);
    EXPECT_THAT(run.out(), Not(HasSubstr("weir> ")));
    EXPECT_NE(digest_in(run.out()), "");
}

TEST(console_place, can_be_a_terminal_whose_name_is_told) {
    firmware_run run(joined(idle_console, {"--console", "pty"}));
    ASSERT_TRUE(run.complains("\n")) << run.err();
    const std::string errors = run.err();
    std::smatch told;
    ASSERT_TRUE(std::regex_search(errors, told, std::regex("^console: (/dev/[^ \n]+)\n"))) << errors;
    const int terminal = open(told[1].str().c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_GE(terminal, 0);
    ASSERT_EQ(write(terminal, "show service\r", 13), 13);
    EXPECT_THAT(read_until(terminal, "\r\ncounters every 500 us\r\n"),
                HasSubstr("weir> show service\r\ncounters every "));
    ASSERT_EQ(write(terminal, "poweroff\r", 9), 9);
    EXPECT_EQ(run.wait(), 0);
    close(terminal);
}

// The first line says what is wrong where; the second what would be right (README: exit code 2).
TEST(console_place, that_is_none_is_refused) {
    for (const char* bad : {"tcp:", "tcp:x", "tcp:-1", "tcp:65536", "file:", "stdi", "pty:3", "PRINT"}) {
        const finished_run got = finished({"run", bringup_board, "--console", bad});
        EXPECT_EQ(got.code, 2) << bad;
        EXPECT_EQ(got.out, "") << bad;
        EXPECT_EQ(got.err, std::string("--console ") + bad +
                               ": this is no console\n  one of: print stdio file:PATH tcp:PORT pty none\n");
    }
    const finished_run got = finished({"run", bringup_board, "--console", "file:/no/such/folder/c"});
    EXPECT_EQ(got.code, 2);
    EXPECT_EQ(got.err, "--console file:/no/such/folder/c: No such file or directory\n  a file that can be written\n");
}

}  // namespace
}  // namespace weir::vp::remote::testing
