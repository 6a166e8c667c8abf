// SPDX-License-Identifier: Apache-2.0
// The register port's and the JSON door's clients in C and Python: what they say when things go wrong, and that they
// work with the program.
#include <gmock/gmock.h>

#include <chrono>

#include "sw/hal/remote/remote.h"
#include "tests/vp/remote_support.h"

namespace weir::vp::remote {
namespace {

using platforms::testing::temporary_folder;
using testing::background;
using testing::board_name;
using ::testing::HasSubstr;
using testing::message;
using testing::port_run;
using testing::quiet_platform;
using testing::raw_client;
using testing::weir_program;

TEST(remote_hal, says_why_it_cannot_connect) {
    const temporary_folder folder;
    weir_remote remote;
    const auto error = [&](const std::string& address) {
        EXPECT_EQ(weir_remote_connect(&remote, address.c_str(), 0, 100), WEIR_E_BUS);
        return std::string(weir_remote_error(&remote));
    };
    EXPECT_THAT(error("unix:" + folder.path("none")), HasSubstr("is `weir run"));
    EXPECT_THAT(error("unix:" + std::string(200, 'x')), HasSubstr("too long"));
    EXPECT_THAT(error("tcp:0"), HasSubstr("no address"));
    EXPECT_THAT(error("tcp:host:1"), HasSubstr("no address"));
    EXPECT_THAT(error("4711"), HasSubstr("unix:PATH"));
}

/// A server that does as it is told, in place of Weir.
struct false_server {
    explicit false_server(const std::string& path) {
        sockaddr_un there{};
        there.sun_family = AF_UNIX;
        std::strncpy(there.sun_path, path.c_str(), sizeof there.sun_path - 1);
        listening = socket(AF_UNIX, SOCK_STREAM, 0);
        EXPECT_EQ(bind(listening, reinterpret_cast<const sockaddr*>(&there), sizeof there), 0);
        EXPECT_EQ(listen(listening, 1), 0);
    }
    ~false_server() {
        if (thread.joinable()) thread.join();
        close(listening);
    }
    /// Answers the first request with that, then closes or, when `stays`, waits until the client goes.
    void answer(std::string octets, bool stays) {
        thread = std::thread([this, octets = std::move(octets), stays] {
            const int client = accept(listening, nullptr, nullptr);
            char part[64];
            (void)recv(client, part, sizeof part, 0);
            (void)::send(client, octets.data(), octets.size(), MSG_NOSIGNAL);
            while (stays && recv(client, part, sizeof part, 0) > 0) {
            }
            close(client);
        });
    }
    int listening{-1};
    std::thread thread;
};

// No call waits for ever: 150 ms here.
TEST(remote_hal, gives_up_when_no_reply_comes_in_time) {
    const temporary_folder folder;
    false_server server(folder.path("s"));
    server.answer("", true);
    weir_remote remote;
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(weir_remote_connect(&remote, ("unix:" + folder.path("s")).c_str(), 0, 150), WEIR_E_TIMEOUT);
    const auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_GE(took, std::chrono::milliseconds(150));
    EXPECT_LT(took, std::chrono::milliseconds(5000));
    EXPECT_STREQ(weir_remote_error(&remote), "no reply in time");
}

TEST(remote_hal, notices_a_server_that_is_none) {
    const temporary_folder folder;
    weir_remote remote;
    const auto error = [&](const std::string& name, const std::string& reply) {
        false_server server(folder.path(name));
        server.answer(reply, false);
        EXPECT_EQ(weir_remote_connect(&remote, ("unix:" + folder.path(name)).c_str(), 0, 1000), WEIR_E_BUS);
        return std::string(weir_remote_error(&remote));
    };
    EXPECT_THAT(error("a", "HTTP/1.1 400 Bad Request\r\n\r\n"), HasSubstr("this is no register port"));
    EXPECT_THAT(error("b", message(0x82, 1, std::string(16, '\0'))), HasSubstr("a reply to something else"));
    EXPECT_THAT(error("c", message(0x81, 1, "")), HasSubstr("a reply to something else"));
    EXPECT_THAT(error("d", message(0x81, 1, std::string(16, '\0'))), HasSubstr("too short"));
    EXPECT_THAT(error("e", message(0x81, 1, std::string(24, '\0')).substr(0, 20)), HasSubstr("the prototype has gone"));
    EXPECT_THAT(error("f", message(65, 0, "go away")), HasSubstr("go away"));
    // Without a connection time goes on all the same, so that a driver's poll ends.
    const weir_hal hal = weir_remote_hal(&remote, 0);
    std::uint32_t word = 0;
    EXPECT_EQ(hal.read32(hal.ctx, 0, &word), WEIR_E_BUS);
    const std::uint64_t before = hal.now_ns(hal.ctx);
    hal.delay_ns(hal.ctx, 100);
    EXPECT_EQ(hal.now_ns(hal.ctx), before + 100);
}

TEST(remote_python, drives_and_watches_a_run) {
    const temporary_folder folder;
    port_run weir({"--json", "unix:" + folder.path("j")}, quiet_platform(folder));
    ASSERT_TRUE(weir.run.says("register port at"));
    const std::string script = folder.write("t.py", R"(
import sys
sys.path.insert(0, ")" WEIR_SOURCE_DIR R"(/sw/hal/remote")
from weir_remote import JsonDoor, RegisterPort, WeirError
port = RegisterPort(sys.argv[1])
door = JsonDoor(sys.argv[2])
assert port.asics == 1 and port.now() == 0
assert door.call("hello")["map"]["hash"] == f"{port.map_hash:#06x}"
port.write(0x0c, 0x5eed)
assert port.read(0x0c) == 0x5eed and port.now() == 120
assert door.call("read", name="global.scratch")["value"] == 0x5eed
try:
    port.read(0xf00000)
    raise SystemExit("a bus error was not seen")
except WeirError as error:
    assert error.code == "bus error", error.code
try:
    door.call("peak")
    raise SystemExit("an unknown command was not seen")
except WeirError as error:
    assert error.code == "unknown_command" and "peek" in str(error)
port.posted_write(0x0c, 3)
port.barrier()
port.delay(1000)
port.advance(5000)
assert port.now() == 5000
assert not port.wait_irq(1000) and port.now() == 6000
door.subscribe("stop", "log")
port.log("the driver has\nsomething to say")
port.read(0)
event = door.next_event()
assert event["event"] == "log" and "the driver has something to say" in event["text"], event
door.call("halt")
assert door.next_event()["reason"] == "halt"
door.call("resume")
port.ready()
assert port.now() == 100000
port.run("run")
assert port.wait_end() == "the run is over"
print("all was well")
)");
    background client({"python3", script, weir.address(), "unix:" + folder.path("j")}, folder.path("client"));
    EXPECT_EQ(client.wait(), 0) << client.output() << weir.run.output();
    EXPECT_THAT(client.output(), HasSubstr("all was well"));
    EXPECT_EQ(weir.run.wait(), 0) << weir.run.output();
}

TEST(remote_python, has_a_command_line) {
    const temporary_folder folder;
    background run({weir_program, "run", board_name, "--json", "unix:" + folder.path("j"), "--halt"},
                   folder.path("log"));
    raw_client probe(folder.path("j"));
    const auto ask = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {"python3", WEIR_SOURCE_DIR "/sw/hal/remote/weir_remote.py"});
        background client(std::move(words), folder.path("client"));
        const int code = client.wait();
        return std::to_string(code) + " " + client.output();
    };
    const std::string door = "unix:" + folder.path("j");
    EXPECT_THAT(ask({"json", door, "peek", "name=global.dev_id"}), HasSubstr("\"hex\": \"0x5745\""));
    EXPECT_THAT(ask({"json", door, "help", "command=advance"}), HasSubstr("advance ns"));
    EXPECT_THAT(ask({"json", door, "peak"}), HasSubstr("1 there is no command \"peak\" (did you mean peek?)"));
    EXPECT_THAT(ask({"json", "unix:" + folder.path("none"), "time"}), HasSubstr("1 unix:"));
    EXPECT_THAT(ask({"port", door, "read"}), HasSubstr("2 usage"));
}

}  // namespace
}  // namespace weir::vp::remote
