// SPDX-License-Identifier: Apache-2.0
// What docs/remote.md shows is what the program does: its transcripts are played, message by message.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/vp/remote_support.h"

namespace weir::vp::remote {
namespace {

using json = nlohmann::json;
using platforms::testing::temporary_folder;
using testing::background;
using ::testing::HasSubstr;

constexpr const char* program = WEIR_BINARY_DIR "/vp/weir";
constexpr const char* platform = WEIR_SOURCE_DIR "/platforms/one_switch_8x400g";

/// The lines of the page's first block of that kind.
std::vector<std::string> transcript(const std::string& kind) {
    std::ifstream page(WEIR_SOURCE_DIR "/docs/remote.md");
    std::vector<std::string> lines;
    std::string line;
    bool inside = false;
    while (std::getline(page, line)) {
        if (inside && line == "```") return lines;
        if (inside) lines.push_back(line);
        inside = inside || line == "```" + kind;
    }
    ADD_FAILURE() << "docs/remote.md has no whole block " << kind;
    return {};
}

constexpr std::size_t arrow_octets = 4;  // an arrow and a blank in UTF-8

bool is_sent(const std::string& line) {
    EXPECT_THAT(line, ::testing::AnyOf(::testing::StartsWith("→ "), ::testing::StartsWith("← ")));
    return line.compare(0, 3, "→") == 0;
}

/// Whether it is what is wanted, where "…" stands for anything.
void expect_like(const json& got, const json& wanted, const std::string& where) {
    if (wanted == "…") return;
    if (!wanted.is_object() || !got.is_object()) {
        EXPECT_EQ(got, wanted) << where;
        return;
    }
    for (const auto& [name, each] : wanted.items()) {
        ASSERT_TRUE(got.contains(name)) << where << ": no " << name << " in " << got;
        expect_like(got[name], each, where + "." + name);
    }
    for (const auto& [name, each] : got.items()) EXPECT_TRUE(wanted.contains(name)) << where << ": also " << name;
}

TEST(remote_page, shows_json_as_it_is) {
    const temporary_folder folder;
    background run({program, "run", platform, "--json", "unix:" + folder.path("j"), "--halt"}, folder.path("log"));
    testing::raw_client client(folder.path("j"));
    std::size_t messages = 0;
    for (const std::string& line : transcript("json-transcript")) {
        const std::string text = line.substr(arrow_octets);
        if (is_sent(line)) {
            ASSERT_TRUE(client.send(text + "\n"));
            continue;
        }
        const std::string got = client.line();
        ASSERT_NE(got, "") << line << "\n" << run.output();
        expect_like(json::parse(got), json::parse(text), text);
        ++messages;
    }
    EXPECT_EQ(messages, 10U);
    EXPECT_EQ(run.wait(), 0) << run.output();
}

TEST(remote_page, shows_the_register_port_octet_by_octet) {
    const temporary_folder folder;
    background run({program, "run", platform, "--port", "unix:" + folder.path("p")}, folder.path("log"));
    testing::raw_client client(folder.path("p"));
    std::size_t messages = 0;
    for (const std::string& line : transcript("port-transcript")) {
        std::istringstream words(line.substr(arrow_octets));
        std::string octets;
        std::vector<bool> any;
        for (std::string word; words >> word;) {
            any.push_back(word == "..");
            octets += static_cast<char>(word == ".." ? 0 : std::stoi(word, nullptr, 16));
        }
        if (is_sent(line)) {
            ASSERT_TRUE(client.send(octets));
            continue;
        }
        const std::string got = client.receive(octets.size());
        ASSERT_EQ(got.size(), octets.size()) << line;
        for (std::size_t i = 0; i < octets.size(); ++i) {
            if (!any[i]) {
                EXPECT_EQ(got[i], octets[i]) << line << ": octet " << i;
            }
        }
        ++messages;
    }
    EXPECT_EQ(messages, 6U);
    EXPECT_TRUE(client.closed());
    // READY was not said: the simulation waits for the next driver.
    EXPECT_TRUE(run.running());
    run.signal(SIGINT);
    EXPECT_EQ(run.wait(), 128 + SIGINT);
    EXPECT_NE(access(folder.path("p").c_str(), F_OK), 0);  // the socket file is gone
}

/// Runs the program to its end.
std::pair<int, std::string> weir_run(const temporary_folder& folder, std::vector<std::string> options) {
    options.insert(options.begin(), {program, "run", platform});
    background run(std::move(options), folder.path("log"));
    const int code = run.wait();
    return {code, run.output()};
}

TEST(remote_options, are_checked_before_anything_is_built) {
    const temporary_folder folder;
    const auto error = [&](std::vector<std::string> options) {
        const auto [code, text] = weir_run(folder, std::move(options));
        EXPECT_EQ(code, 2);
        return text;
    };
    EXPECT_THAT(error({"--json", "4711"}), HasSubstr("one of: unix:PATH, tcp:PORT, tcp:HOST:PORT"));
    EXPECT_THAT(error({"--port", "tcp:0.0.0.0:0"}), HasSubstr("--remote-any-address"));
    EXPECT_THAT(error({"--json", ""}), HasSubstr("--json: is empty"));
    EXPECT_THAT(error({"--strict=loud"}), HasSubstr("there is no such mode"));
    EXPECT_THAT(error({"--halt"}), HasSubstr("add --json ADDRESS"));
    EXPECT_THAT(error({"--json", "unix:" + folder.write("file", "text")}), HasSubstr("it is no socket"));
    std::ifstream in(folder.path("file"));
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "text");
}

std::string digest_line(const std::string& text) {
    const std::size_t at = text.find("digest: ");
    return at == std::string::npos ? "none" : text.substr(at, text.find('\n', at) - at);
}

// Doors are served between steps and change nothing: neither do halts, at whatever times.
TEST(remote_run, has_the_same_digest_with_a_door_open_and_with_halts_on_the_way) {
    const temporary_folder folder;
    const auto [code, text] = weir_run(folder, {});
    ASSERT_EQ(code, 0);
    const std::string summary = text.substr(text.find("8 x 400G") == std::string::npos ? 0 : text.find("8 x 400G"));

    background run({program, "run", platform, "--json", "unix:" + folder.path("j"), "--halt"}, folder.path("door"));
    testing::raw_client client(folder.path("j"));
    for (const int ns : {1, 333, 599'999, 1, 123'457, 99'999}) {
        ASSERT_TRUE(client.send("{\"command\":\"advance\",\"arguments\":{\"ns\":" + std::to_string(ns) + "}}\n"));
        ASSERT_THAT(client.line(), HasSubstr("\"reason\":\"advance\""));
        ASSERT_TRUE(client.send("{\"command\":\"peek\",\"arguments\":{\"name\":\"pg.used[0][3]\"}}\n"));
        ASSERT_THAT(client.line(), HasSubstr("\"ok\":true"));
    }
    ASSERT_TRUE(client.send("{\"command\":\"time\"}\n"));
    EXPECT_THAT(client.line(), HasSubstr("\"time_ns\":823790"));  // 1 + 333 + 599 999 + 1 + 123 457 + 99 999
    ASSERT_TRUE(
        client.send("{\"command\":\"subscribe\",\"arguments\":{\"events\":[\"end\"]}}\n{\"command\":\"resume\"}\n"));
    EXPECT_THAT(client.line(), HasSubstr("\"ok\":true"));
    EXPECT_THAT(client.line(), HasSubstr("\"running\""));
    EXPECT_THAT(client.line(), HasSubstr("\"event\":\"end\""));
    EXPECT_TRUE(client.closed());
    ASSERT_EQ(run.wait(), 0);
    EXPECT_EQ(digest_line(run.output()), digest_line(text));
    // Every line of the summary, the end of the run among them.
    EXPECT_THAT(run.output(), HasSubstr(summary));
}

// Software's write through the door reaches the model: pg.xoff of a group is judged by what it says.
TEST(remote_run, writes_registers_as_software_does) {
    const temporary_folder folder;
    background run({program, "run", platform, "--json", "unix:" + folder.path("j"), "--halt"}, folder.path("log"));
    testing::raw_client client(folder.path("j"));
    const auto ask = [&](const std::string& command, const std::string& arguments) {
        EXPECT_TRUE(client.send(R"({"command":")" + command + R"(","arguments":{)" + arguments + "}}\n"));
        return json::parse(client.line());
    };
    ask("advance", R"("ns":590000)");  // the boot takes 582 360 ns with this script
    EXPECT_EQ(ask("write", R"("name":"pg.xoff.cells[2][3]","value":17)")["ok"], true);
    EXPECT_EQ(ask("read", R"("name":"pg.xoff[2][3]")")["result"]["value"], 17);
    EXPECT_EQ(ask("write", R"("name":"pg.xoff.cells[2][3]","value":"0x1000000")")["error"]["code"], "bad_value");
    // Of one field: its neighbours stay. Group 3 is enabled and lossless by the script.
    const json before = ask("peek", R"("name":"pg.mode[2][3]")")["result"]["fields"];
    EXPECT_EQ(before["lossless"], 1);
    EXPECT_EQ(ask("write", R"("name":"pg.mode.enable[2][3]","value":0)")["ok"], true);
    json wanted = before;
    wanted["enable"] = 0;
    EXPECT_EQ(ask("peek", R"("name":"pg.mode[2][3]")")["result"]["fields"], wanted);
    // A read-only register refuses software; a debugger's poke changes what is stored, and says so where nothing is.
    EXPECT_THAT(ask("write", R"("name":"bm.cap_cells","value":1)")["error"]["message"].get<std::string>(),
                HasSubstr("read_only"));
    EXPECT_EQ(ask("poke", R"("name":"global.scratch","value":5)")["ok"], true);
    EXPECT_EQ(ask("read", R"("name":"global.scratch")")["result"]["value"], 5);
    EXPECT_EQ(ask("poke", R"("name":"pg.used[0][3]","value":5)")["error"]["code"], "nothing_stored");
    EXPECT_EQ(ask("read", R"("name":"0xf00000")")["error"]["code"], "access_error");
    EXPECT_EQ(ask("peek", R"("name":"0xf00000")")["error"]["code"], "no_register");
    // Two accesses were refused, no more: read-only, unmapped.
    EXPECT_EQ(ask("read", R"("name":"global.access_error_count")")["result"]["fields"]["count"], 2);
    EXPECT_EQ(ask("interrupts", "")["result"]["causes"]["access_error"], (json{{"set", true}, {"enabled", false}}));
    EXPECT_EQ(ask("link", R"("port":8,"up":false)")["error"]["code"], "bad_index");
    EXPECT_EQ(ask("peek", R"("name":"global.scratch","switch":"s1")")["error"]["code"], "bad_argument");
    EXPECT_EQ(ask("quit", "")["ok"], true);
    EXPECT_EQ(run.wait(), 2);  // before the workload began there is nothing to report
    EXPECT_THAT(run.output(), HasSubstr("ended before its workload began"));
}

// 120 ns after the line rises a client knows: cause access_error is enabled, then an access fails.
TEST(remote_run, pushes_the_interrupt_line_and_the_log) {
    const temporary_folder folder;
    background run({program, "run", platform, "--json", "unix:" + folder.path("j"), "--halt"}, folder.path("log"));
    testing::raw_client client(folder.path("j"));
    ASSERT_TRUE(
        client.send("{\"command\":\"subscribe\",\"arguments\":{\"events\":[\"interrupt\",\"log\"]}}\n"
                    "{\"command\":\"write\",\"arguments\":{\"name\":\"global.int_mask.access_error\",\"value\":1}}\n"
                    "{\"command\":\"read\",\"arguments\":{\"name\":\"0xf00000\"}}\n"));
    EXPECT_THAT(client.line(), HasSubstr("\"ok\":true"));
    EXPECT_THAT(client.line(), HasSubstr("\"ok\":true"));
    std::vector<std::string> lines{client.line(), client.line(), client.line()};
    EXPECT_THAT(lines,
                ::testing::UnorderedElementsAre(
                    HasSubstr(R"("event":"interrupt","switch":"s0")"),
                    ::testing::AllOf(HasSubstr(R"("event":"log")"), HasSubstr("weir/registers"), HasSubstr("unmapped")),
                    HasSubstr(R"("code":"access_error")")));
    // The line stays up: a second cause makes no second event.
    ASSERT_TRUE(client.send("{\"command\":\"interrupts\"}\n"));
    EXPECT_THAT(client.line(), HasSubstr("\"line\":true"));
}

// Three senders to a halted run do not keep it from the user's Ctrl-C.
TEST(remote_run, ends_on_a_signal_while_it_is_halted) {
    const temporary_folder folder;
    background run({program, "run", platform, "--json", "unix:" + folder.path("j"), "--halt"}, folder.path("log"));
    testing::raw_client client(folder.path("j"));
    ASSERT_TRUE(client.send("{\"command\":\"time\"}\n"));
    ASSERT_NE(client.line(), "");
    run.signal(SIGTERM);
    EXPECT_EQ(run.wait(), 128 + SIGTERM);
    EXPECT_TRUE(client.closed());
}

}  // namespace
}  // namespace weir::vp::remote
