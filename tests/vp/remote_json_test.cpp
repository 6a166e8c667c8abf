// SPDX-License-Identifier: Apache-2.0
// The JSON door by itself, over a list of commands of the test's own: framing, limits, clients that misbehave.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/vp/remote_support.h"
#include "vp/remote/json_door.h"

namespace weir::vp::remote {
namespace {

using platforms::testing::error_of;
using platforms::testing::temporary_folder;
using ::testing::HasSubstr;

address local(const std::string& path) {
    return parse_address("--json", "unix:" + path, false);
}

/// A door that is served from the test itself, so that nothing depends on timing.
class json_door_test : public ::testing::Test {
protected:
    json_door_test() {
        commands.add({"add",
                      "one more",
                      {{"value", argument_kind::number, "", true, "to what"}},
                      [](const json& arguments, caller&) { return arguments["value"].get<std::uint64_t>() + 1; }});
        commands.add({"large", "much text", {}, [](const json&, caller&) { return std::string(100'000, 'x'); }});
        commands.add({"listen", "subscribes", {}, [](const json&, caller& who) {
                          who.subscribe({"stop"});
                          return json{};
                      }});
        commands.add({"later", "answered at the next stop", {}, [](const json&, caller& who) {
                          return json{who.answer_at_stop([] { return json{"then"}; })};
                      }});
        control.add(door);
    }
    /// Long enough for what is on its way.
    void serve(int times = 50) {
        for (int i = 0; i < times; ++i) control.service();
    }
    json reply(testing::raw_client& c) {
        serve();
        const std::string line = c.line();
        return line.empty() ? json{} : json::parse(line);
    }

    temporary_folder folder;
    registry commands;
    picoseconds now{0};
    run_control control{[this] { return now; }, [] { return false; }};
    listener where{"--json", local(folder.path("j"))};
    json_door door{where, commands, control, {1000, 5, 2, 300'000}};
};

TEST_F(json_door_test, answers_requests_in_order_and_gives_the_id_back) {
    testing::raw_client c(folder.path("j"));
    ASSERT_TRUE(
        c.send("{\"id\":1,\"command\":\"add\",\"arguments\":{\"value\":4}}\r\n\n  \n"
               "{\"id\":\"b\",\"command\":\"add\",\"arguments\":{\"value\":\"0x10\"}}\n{\"command\":\"ad\"}\n"));
    EXPECT_EQ(reply(c), (json{{"id", 1}, {"ok", true}, {"result", 5}}));
    EXPECT_EQ(reply(c), (json{{"id", "b"}, {"ok", true}, {"result", 17}}));
    const json error = reply(c);
    EXPECT_EQ(error["ok"], false);
    EXPECT_EQ(error["id"], nullptr);
    EXPECT_EQ(error["error"]["code"], "unknown_command");
    EXPECT_EQ(error["error"]["hint"], "did you mean add?");
}

TEST_F(json_door_test, waits_for_a_line_that_comes_octet_by_octet) {
    testing::raw_client c(folder.path("j"));
    for (const char octet : std::string("{\"id\":2,\"command\":\"add\",\"arguments\":{\"value\":1}}")) {
        ASSERT_TRUE(c.send(std::string(1, octet)));
        serve(1);
    }
    EXPECT_TRUE(c.silent(20));
    ASSERT_TRUE(c.send("\n"));
    EXPECT_EQ(reply(c)["result"], 2);
}

struct nonsense {
    const char* name;
    std::string line;
    const char* code;

    friend std::ostream& operator<<(std::ostream& out, const nonsense& n) { return out << n.name; }
};

class json_nonsense : public json_door_test, public ::testing::WithParamInterface<nonsense> {};

// One line says why, then the connection ends; another client does not notice.
TEST_P(json_nonsense, ends_the_connection_that_it_came_from_and_no_other) {
    testing::raw_client good(folder.path("j"));
    testing::raw_client bad(folder.path("j"));
    serve();
    ASSERT_TRUE(bad.send(GetParam().line + "\n{\"id\":9,\"command\":\"add\",\"arguments\":{\"value\":1}}\n"));
    EXPECT_EQ(reply(bad)["error"]["code"], GetParam().code);
    serve();
    EXPECT_TRUE(bad.closed());
    EXPECT_EQ(bad.rest(), "");  // the second request was not carried out
    ASSERT_TRUE(good.send("{\"id\":1,\"command\":\"add\",\"arguments\":{\"value\":1}}\n"));
    EXPECT_EQ(reply(good)["result"], 2);
    EXPECT_EQ(door.clients(), 1U);
}

const nonsense nonsenses[] = {
    {"truncated", R"({"id":1,"command":"add")", "no_json"},
    {"no_json", "GET / HTTP/1.1", "no_json"},
    {"octets", std::string("\x00\xff\xfe\x80", 4), "no_json"},
    {"bad_text", "{\"command\":\"\xff\xff\"}", "no_json"},
    {"a_number", "17", "no_request"},
    {"a_list", "[]", "no_request"},
    {"no_command", R"({"id":1})", "no_request"},
    {"command_is_a_number", R"({"id":1,"command":7})", "no_request"},
    {"nested", "[[[[[[[[[[1]]]]]]]]]]", "nested_too_deeply"},
    {"nested_without_end", std::string(900, '['), "nested_too_deeply"},
};

INSTANTIATE_TEST_SUITE_P(all, json_nonsense, ::testing::ValuesIn(nonsenses),
                         [](const auto& chosen) { return std::string{chosen.param.name}; });

// The limit here is 1000 octets a line: both sides of it.
TEST_F(json_door_test, refuses_a_line_that_is_longer_than_the_limit) {
    const std::string request = R"({"id":1,"command":"add","arguments":{"value":1}})";
    testing::raw_client fits(folder.path("j"));
    ASSERT_TRUE(fits.send(request + std::string(1000 - request.size(), ' ') + "\n"));
    EXPECT_EQ(reply(fits)["result"], 2);
    testing::raw_client over(folder.path("j"));
    ASSERT_TRUE(over.send(request + std::string(1001 - request.size(), ' ') + "\n"));
    EXPECT_EQ(reply(over)["error"]["code"], "line_too_long");
    EXPECT_TRUE(over.closed());
    fits.hang_up();
    serve();
    testing::raw_client endless(folder.path("j"));  // no line end is ever sent
    ASSERT_TRUE(endless.send(std::string(1001, ' ')));
    EXPECT_EQ(reply(endless)["error"]["code"], "line_too_long");
}

// 5 levels here; the request itself and its arguments are two of them.
TEST_F(json_door_test, takes_what_is_nested_as_deeply_as_the_limit) {
    testing::raw_client c(folder.path("j"));
    ASSERT_TRUE(c.send(R"({"command":"add","arguments":{"value":[[[1]]]}})"
                       "\n"));
    EXPECT_EQ(reply(c)["error"]["code"], "bad_argument");
    ASSERT_TRUE(c.send(R"({"command":"add","arguments":{"value":[[[[1]]]]}})"
                       "\n"));
    EXPECT_EQ(reply(c)["error"]["code"], "nested_too_deeply");
}

TEST_F(json_door_test, takes_no_more_clients_than_the_limit) {
    testing::raw_client first(folder.path("j"));
    testing::raw_client second(folder.path("j"));
    serve();
    testing::raw_client third(folder.path("j"));
    EXPECT_EQ(reply(third)["error"]["code"], "too_many_clients");
    EXPECT_TRUE(third.closed());
    EXPECT_EQ(door.clients(), 2U);
    first.hang_up();
    serve();
    testing::raw_client fourth(folder.path("j"));
    ASSERT_TRUE(fourth.send("{\"command\":\"add\",\"arguments\":{\"value\":1}}\n"));
    EXPECT_EQ(reply(fourth)["result"], 2);
}

// 300 000 octets may be unread here; what the socket's own buffers take comes on top.
TEST_F(json_door_test, drops_a_client_that_does_not_read) {
    testing::raw_client c(folder.path("j"));
    for (int i = 0; i < 100 && door.clients() < 1; ++i) serve(1);
    for (int i = 0; i < 100 && door.clients() == 1; ++i) {
        (void)c.send_some("{\"command\":\"large\"}\n");
        serve(2);
    }
    EXPECT_EQ(door.clients(), 0U);
    EXPECT_TRUE(c.closed());
    testing::raw_client other(folder.path("j"));
    ASSERT_TRUE(other.send("{\"command\":\"large\"}\n"));
    EXPECT_EQ(reply(other)["result"].get<std::string>().size(), 100'000U);
}

TEST_F(json_door_test, pushes_events_to_those_who_asked_and_answers_what_waited_for_a_stop) {
    testing::raw_client listens(folder.path("j"));
    testing::raw_client waits(folder.path("j"));
    ASSERT_TRUE(listens.send("{\"id\":1,\"command\":\"listen\"}\n"));
    ASSERT_TRUE(waits.send("{\"id\":2,\"command\":\"later\"}\n"));
    EXPECT_EQ(reply(listens)["ok"], true);
    serve();
    EXPECT_TRUE(waits.silent(20));
    now = microseconds(7);
    control.halt("halt");
    control.resume();
    EXPECT_EQ(reply(listens), (json{{"event", "stop"}, {"reason", "halt"}, {"time_ps", 7'000'000}}));
    EXPECT_EQ(reply(waits), (json{{"id", 2}, {"ok", true}, {"result", {"then"}}}));
    EXPECT_TRUE(waits.silent(20));  // it had not subscribed
}

TEST_F(json_door_test, keeps_its_socket_to_its_owner_and_takes_it_away) {
    struct stat about {};
    ASSERT_EQ(stat(folder.path("j").c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777U, 0600U);
    {
        const listener other("--json", local(folder.path("k")));
        EXPECT_EQ(stat(folder.path("k").c_str(), &about), 0);
    }
    EXPECT_NE(stat(folder.path("k").c_str(), &about), 0);
}

TEST_F(json_door_test, replaces_what_a_dead_process_left_and_nothing_else) {
    EXPECT_THAT(error_of([&] { const listener again("--json", local(folder.path("j"))); }),
                HasSubstr("another process listens there"));
    EXPECT_THAT(error_of([&] { const listener there("--json", local(folder.write("file", "text"))); }),
                HasSubstr("it is no socket"));
    EXPECT_THAT(error_of([&] { const listener nowhere("--json", local(folder.path("no/folder"))); }),
                HasSubstr("cannot be made"));
    const int dead = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un there{};
    there.sun_family = AF_UNIX;
    std::strncpy(there.sun_path, folder.path("dead").c_str(), sizeof there.sun_path - 1);
    ASSERT_EQ(bind(dead, reinterpret_cast<const sockaddr*>(&there), sizeof there), 0);
    close(dead);
    const listener replaced("--json", local(folder.path("dead")));
    testing::raw_client c(folder.path("dead"));
    EXPECT_TRUE(replaced.accept().open());
}

// Port 0 takes one that is free, and says which; the same again is an error.
TEST_F(json_door_test, finds_a_tcp_port_that_is_free) {
    const listener any("--json", parse_address("--json", "tcp:0", false));
    EXPECT_GT(any.at().port, 0);
    EXPECT_THAT(error_of([&] { const listener same("--json", any.at()); }), HasSubstr("tcp:0 takes any"));
}

TEST(run_control, halts_when_an_advance_is_over) {
    picoseconds now{0};
    run_control control([&] { return now; }, [] { return false; });
    EXPECT_EQ(control.next_stop(), never);
    control.advance(microseconds(3));
    EXPECT_EQ(control.next_stop(), microseconds(3));
    now = microseconds(3) - picoseconds{1};
    control.service();
    EXPECT_FALSE(control.halted());
    now = microseconds(3);
    control.on_event([&](const std::string& event, const json& what) {
        EXPECT_EQ(event, "stop");
        EXPECT_EQ(what["reason"], "advance");
        control.end();  // else service would wait for somebody to resume
    });
    control.service();
    EXPECT_TRUE(control.ended());
}

TEST(run_control, does_not_wait_once_the_user_wants_the_program_to_end) {
    run_control control([] { return picoseconds{0}; }, [] { return true; });
    control.halt("halt");
    control.service();
    EXPECT_TRUE(control.ended());
}

}  // namespace
}  // namespace weir::vp::remote
