// SPDX-License-Identifier: Apache-2.0
// Sessions of gdb itself with the stub, as transcripts.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/vp/debugged_machine.h"

namespace weir::vp::remote::testing {
namespace {

/// Runs gdb-multiarch on the commands, connected to the machine, and returns what it prints from the first stop on.
/// With `interrupting` it gets one Ctrl-C, when the core runs.
std::string gdb_session(debugged_machine& m, const std::vector<std::string>& commands, bool interrupting = false) {
    std::vector<std::string> words{"gdb-multiarch", "-nx", "-batch"};
    const auto add = [&](const std::string& command) {
        words.emplace_back("-ex");
        words.push_back(command);
    };
    for (const char* const first : {"set architecture riscv:rv32", "set confirm off", "set debuginfod enabled off"})
        add(first);
    add("target remote " + m.address());
    for (const auto& c : commands) add(c);
    std::vector<char*> arguments;
    for (auto& w : words) arguments.push_back(w.data());
    arguments.push_back(nullptr);

    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return "no pipe";
    const auto executed = m.executed();
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        dup2(open("/dev/null", O_RDONLY), 0);
        execvp(arguments[0], arguments.data());
        _exit(127);
    }
    close(ends[1]);
    if (interrupting) {
        for (unsigned i = 0; i < 2000 && m.executed() == executed; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds{10});
        }
        std::this_thread::sleep_for(std::chrono::milliseconds{100});
        kill(child, SIGINT);
    }
    std::string out;
    char buffer[4096];
    for (auto got = read(ends[0], buffer, sizeof buffer); got > 0; got = read(ends[0], buffer, sizeof buffer)) {
        out.append(buffer, static_cast<std::size_t>(got));
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return "gdb-multiarch is missing; it is Debian's gdb-multiarch";
    const auto first_stop = out.find("0x80000000 in ?? ()");
    return first_stop == std::string::npos ? out : out.substr(first_stop);
}

// What gdb prints are its manual's formats; the values follow from the loop above, by hand.
TEST(gdb_session, looks_at_registers_csrs_and_memory) {
    debugged_machine m{true};
    EXPECT_EQ(gdb_session(m, {"info registers pc", "print/x $a1", "print/x $mepc", "print/x $mstatus",
                              "print/x $mtvec = 0x80000200", "print/x $mtvec", "x/4xw 0x80000800", "x/1xw 0x20000000",
                              "set var *(int*)0x80000804 = 99", "x/1dw 0x80000804", "monitor greet", "detach"}),
              "0x80000000 in ?? ()\n"
              "pc             0x80000000\t0x80000000\n"
              "$1 = 0x80000800\n"
              "$2 = 0x1234\n"
              "$3 = 0x1800\n"
              "$4 = 0x80000200\n"
              "$5 = 0x80000200\n"
              "0x80000800:\t0x00000000\t0x11223344\t0xdeadbeef\t0x00000000\n"
              "0x20000000:\tCannot access memory at address 0x20000000\n"
              "0x80000804:\t99\n"
              "hello\n"
              "[Inferior 1 (Remote target) detached]\n");
    m.await_log("the debugger has let go");
    m.await_progress();
}

TEST(gdb_session, breaks_watches_and_steps) {
    debugged_machine m{true};
    EXPECT_EQ(gdb_session(m, {"break *0x80000008", "continue", "print $a0", "stepi", "continue", "print $a0", "delete",
                              "watch *(int*)0x80000800", "continue", "delete", "rwatch *(int*)0x80000804", "continue",
                              "delete", "awatch *(int*)0x80000800", "continue", "detach"}),
              "0x80000000 in ?? ()\n"
              "Breakpoint 1 at 0x80000008\n"
              "\n"
              "Breakpoint 1, 0x80000008 in ?? ()\n"
              "$1 = 1\n"
              "0x8000000c in ?? ()\n"
              "\n"
              "Breakpoint 1, 0x80000008 in ?? ()\n"
              "$2 = 2\n"
              "Hardware watchpoint 2: *(int*)0x80000800\n"
              "\n"
              "Hardware watchpoint 2: *(int*)0x80000800\n"
              "\n"
              "Old value = 2\n"
              "New value = 3\n"
              "0x80000008 in ?? ()\n"
              "Hardware read watchpoint 3: *(int*)0x80000804\n"
              "\n"
              "Hardware read watchpoint 3: *(int*)0x80000804\n"
              "\n"
              "Value = 287454020\n"
              "0x8000000c in ?? ()\n"
              "Hardware access (read/write) watchpoint 4: *(int*)0x80000800\n"
              "\n"
              "Hardware access (read/write) watchpoint 4: *(int*)0x80000800\n"
              "\n"
              "Old value = 3\n"
              "New value = 4\n"
              "0x80000008 in ?? ()\n"
              "[Inferior 1 (Remote target) detached]\n");
}

TEST(gdb_session, interrupts_with_ctrl_c) {
    debugged_machine m{true};
    const auto said = gdb_session(m, {"continue", "print $pc >= 0x80000000 && $pc <= 0x8000000c", "detach"}, true);
    EXPECT_NE(said.find("Program received signal SIGINT, Interrupt.\n"), std::string::npos) << said;
    EXPECT_NE(said.find("$1 = 1\n"), std::string::npos) << said;
    m.await_progress();
}

TEST(gdb_session, comes_by_a_unix_socket_too) {
    const auto path = std::filesystem::temp_directory_path() / ("weir_gdb_" + std::to_string(getpid()));
    {
        // What a process left behind that is no more: nobody listens at it.
        const int stale = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_un un{};
        un.sun_family = AF_UNIX;
        path.string().copy(un.sun_path, sizeof un.sun_path - 1);
        ASSERT_EQ(bind(stale, reinterpret_cast<const sockaddr*>(&un), sizeof un), 0);
        close(stale);
    }
    {
        debugged_machine m{true, path};
        EXPECT_THROW((gdb_connection{{0, path}}), std::runtime_error) << "somebody listens there";
        m.await_log("gdb: waiting for a debugger at " + path.string() + "\n");
        EXPECT_EQ(gdb_session(m, {"print/x $a1", "detach"}),
                  "0x80000000 in ?? ()\n$1 = 0x80000800\n[Inferior 1 (Remote target) detached]\n");
    }
    EXPECT_FALSE(std::filesystem::exists(path)) << "it cleans up";
}

// gdb's kill ends its session; the machine is not its to end.
TEST(gdb_session, ends_with_kill_and_the_core_runs) {
    debugged_machine m{true};
    gdb_session(m, {"break *0x80000008", "continue", "kill"});
    m.await_log("gdb: the debugger has ended its session; its breakpoints are removed and the core runs\n");
    m.await_progress();
}

}  // namespace
}  // namespace weir::vp::remote::testing
