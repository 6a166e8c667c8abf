// SPDX-License-Identifier: Apache-2.0
// What stands before any door: addresses, the list of commands and its arguments, names of registers.
#include <gmock/gmock.h>

#include "tests/platforms/support.h"
#include "vp/remote/address.h"
#include "vp/remote/register_name.h"
#include "vp/remote/registry.h"
#include "vp/remote/session.h"

namespace weir::vp::remote {
namespace {

using platforms::testing::error_of;
using ::testing::HasSubstr;

struct nobody : caller {};

std::string address_error(const std::string& text) {
    return error_of([&] { (void)parse_address("--json", text, false); });
}

/// A command that gives its arguments back.
void add_echo(registry& commands) {
    commands.add({"echo",
                  "gives back what it gets",
                  {{"name", argument_kind::text, "", true, "a word"},
                   {"value", argument_kind::number, "ns", false, "how many"},
                   {"on", argument_kind::flag, "", false, "whether"}},
                  [](const json& arguments, caller&) { return arguments; }});
}

std::string code_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const command_error& e) {
        return e.code() + ": " + e.what() + " / " + e.hint();
    }
    return "no error";
}

// docs/remote.md, the table of addresses: without a host it is 127.0.0.1.
TEST(remote_address, knows_three_forms) {
    EXPECT_EQ(parse_address("--json", "unix:/tmp/a.sock", false).path, "/tmp/a.sock");
    const address loopback = parse_address("--json", "tcp:4711", false);
    EXPECT_EQ(loopback.host, "127.0.0.1");
    EXPECT_EQ(loopback.port, 4711);
    EXPECT_EQ(parse_address("--json", "tcp:[::1]:9", false).text(), "tcp:[::1]:9");
    EXPECT_EQ(parse_address("--json", "tcp:localhost:9", false).host, "127.0.0.1");
    EXPECT_EQ(parse_address("--json", "tcp:127.9.9.9:65535", false).port, 65535);
}

TEST(remote_address, says_what_is_wrong_with_one) {
    EXPECT_THAT(address_error("/tmp/a.sock"), HasSubstr("unix:PATH"));
    EXPECT_THAT(address_error("unix:"), HasSubstr("names no file"));
    // sun_path of Linux has 108 octets, the last of them a zero.
    EXPECT_EQ(address_error("unix:" + std::string(107, 'x')), "no error");
    EXPECT_THAT(address_error("unix:" + std::string(108, 'x')), HasSubstr("at most 107"));
    EXPECT_THAT(address_error("tcp:65536"), HasSubstr("0 to 65535"));
    EXPECT_THAT(address_error("tcp:"), HasSubstr("no TCP port"));
    EXPECT_THAT(address_error("tcp:example.org:80"), HasSubstr("no numeric address"));
}

TEST(remote_address, lets_other_machines_in_only_when_told_to) {
    EXPECT_THAT(address_error("tcp:0.0.0.0:80"), HasSubstr("--remote-any-address"));
    EXPECT_THAT(address_error("tcp:128.0.0.1:80"), HasSubstr("--remote-any-address"));
    EXPECT_EQ(parse_address("--json", "tcp:0.0.0.0:80", true).host, "0.0.0.0");
}

TEST(remote_registry, checks_arguments_before_a_command_sees_them) {
    registry commands;
    add_echo(commands);
    nobody who;
    EXPECT_EQ(commands.call("echo", {{"name", "a"}, {"value", "0x10"}, {"on", "up"}}, who),
              (json{{"name", "a"}, {"value", 16}, {"on", true}}));
    const auto error = [&](const json& arguments) {
        return code_of([&] { (void)commands.call("echo", arguments, who); });
    };
    EXPECT_THAT(error({{"value", 1}}), HasSubstr("bad_argument: echo needs name"));
    EXPECT_THAT(error({{"name", "a"}, {"vaule", 1}}), HasSubstr("no argument \"vaule\""));
    EXPECT_THAT(error({{"name", "a"}, {"value", -1}}), HasSubstr("value is -1"));
    EXPECT_THAT(error({{"name", "a"}, {"value", 1.5}}), HasSubstr("whole number"));
    EXPECT_THAT(error({{"name", "a"}, {"value", "0x10000000000000000"}}), HasSubstr("at most 64 bits"));
    EXPECT_THAT(error({{"name", json::array()}}), HasSubstr("a text"));
    EXPECT_THAT(error(json::array({1})), HasSubstr("no object"));
    EXPECT_EQ(commands.call("echo", {{"name", "a"}, {"value", UINT64_MAX}}, who)["value"], UINT64_MAX);
}

TEST(remote_registry, names_the_command_that_was_meant) {
    registry commands;
    add_echo(commands);
    nobody who;
    EXPECT_THAT(code_of([&] { (void)commands.call("ecko", json::object(), who); }),
                ::testing::AllOf(HasSubstr("unknown_command"), HasSubstr("did you mean echo?")));
    EXPECT_THROW(add_echo(commands), std::logic_error);
}

TEST(remote_registry, lists_its_commands_and_describes_one) {
    registry commands;
    add_echo(commands);
    nobody who;
    const json all = commands.call("help", json::object(), who);
    EXPECT_EQ(all["echo"], "gives back what it gets");
    EXPECT_TRUE(all.contains("help"));
    const json one = commands.call("help", {{"command", "echo"}}, who);
    EXPECT_EQ(one["usage"], "echo name [value] [on]");
    EXPECT_EQ(one["arguments"][1]["unit"], "ns");
}

// A debugger's monitor: words by position, or NAME=VALUE; errors are text.
TEST(remote_registry, takes_lines_of_words) {
    registry commands;
    add_echo(commands);
    nobody who;
    EXPECT_EQ(commands.call_line("echo a 0x10 on", who), "name: a\non: true\nvalue: 16\n");
    EXPECT_EQ(commands.call_line("  echo on=off\ta ", who), "name: a\non: false\n");
    EXPECT_EQ(commands.call_line("echo a=b", who), "name: a=b\n");  // no argument is called a
    EXPECT_THAT(commands.call_line("echo a 1 on more", who), HasSubstr("error: echo: \"more\" is one word too many"));
    EXPECT_THAT(commands.call_line("ecko", who), HasSubstr("error: there is no command"));
    EXPECT_THAT(commands.call_line("", who), HasSubstr("echo: gives back"));
}

TEST(remote_registry, shows_results_as_text) {
    EXPECT_EQ(text_of({{"a", 1}, {"b", {{"c", "x"}}}, {"d", {1, 2}}}), "a: 1\nb:\n  c: x\nd:\n  1\n  2\n");
    EXPECT_EQ(text_of("two\nlines\n"), "two\nlines\n");
    EXPECT_EQ(text_of(json::array({{{"n", 1}, {"m", 2}}})), "- m: 2\n  n: 1\n");
    EXPECT_EQ(text_of(nullptr), "");
}

/// Four front ports and the CPU port.
struct names : ::testing::Test {
    registers::bank chip{registers::weir_map(), {{"ports", 5}, {"pools", 4}, {"wred_profiles", 2}}};
    std::string error(const std::string& name) {
        return code_of([&] { (void)find_register(chip, name); });
    }
};

TEST_F(names, find_registers_fields_and_addresses) {
    const register_place whole = find_register(chip, "pg.xoff[2][3]");
    EXPECT_EQ(whole.address, chip.address_of("pg.xoff", {2, 3, 0}));
    EXPECT_EQ(register_text(whole), "pg.xoff[2][3]");
    for (const char* same : {"pg.xoff.cells[2][3]", "pg.xoff[2][3].cells", "pg.xoff[port 2][group=3].cells"}) {
        const register_place field = find_register(chip, same);
        EXPECT_EQ(field.address, whole.address) << same;
        EXPECT_EQ(register_text(field), "pg.xoff.cells[2][3]") << same;
    }
    const register_place counter = find_register(chip, "port.rx_frames[1]");
    EXPECT_FALSE(counter.one_word);
    const auto high = find_register(chip, std::to_string(counter.address + 4));
    EXPECT_EQ(register_text(high), "port.rx_frames[1].high");
    EXPECT_TRUE(high.one_word);
    EXPECT_EQ(find_register(chip, "0xfffffffc").about, nullptr);
}

TEST_F(names, say_what_is_wrong) {
    EXPECT_THAT(error("pg.xof[0][0]"), HasSubstr("did you mean pg.xoff?"));
    EXPECT_THAT(error("pg.xoff[0]"), HasSubstr("pg.xoff[port][group]"));
    EXPECT_THAT(error("pg.xoff[0][0][0]"), HasSubstr("2 indices, 3 given"));
    EXPECT_THAT(error("pg.xoff[5][0]"), HasSubstr("0 to 4"));
    EXPECT_EQ(error("pg.xoff[4][7]"), "no error");
    EXPECT_THAT(error("pg.xoff[4][8]"), HasSubstr("0 to 7"));
    EXPECT_THAT(error("pg.xoff[group 0][port 1]"), HasSubstr("index 1 is the port"));
    EXPECT_THAT(error("pg.xoff[0][x]"), HasSubstr("\"x\" is no index"));
    EXPECT_THAT(error("pg.xoff[0][1"), HasSubstr("without its"));
    EXPECT_THAT(error("0x1ffffffff"), HasSubstr("up to 32 bits"));
    EXPECT_THAT(error("12z"), HasSubstr("no address"));
    EXPECT_THAT(error(""), HasSubstr("unknown_name"));
}

// The upper word of a 64-bit register shows the fields that lie in it whole, and only those.
TEST_F(names, take_values_apart) {
    EXPECT_EQ(fields_of(find_register(chip, "global.rev"), 0xabcd0102),
              (json{{"minor", 2}, {"major", 1}, {"map_hash", 0xabcd}}));
    EXPECT_EQ(fields_of(find_register(chip, "global.rev.major"), 1), (json{{"major", 1}}));
    EXPECT_THAT(code_of([&] { check_fits(find_register(chip, "pg.xoff.cells[0][0]"), 0x1000000); }),
                HasSubstr("at most 0xffffff"));
    EXPECT_EQ(code_of([&] { check_fits(find_register(chip, "pg.xoff.cells[0][0]"), 0xffffff); }), "no error");
}

}  // namespace
}  // namespace weir::vp::remote
