// SPDX-License-Identifier: Apache-2.0
// The register trace's lines, both ways; and the program's trace, played again.
#include "vp/record/register_trace.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/vp/remote_support.h"

namespace weir::vp {
namespace {

using platforms::testing::error_of;
using platforms::testing::temporary_folder;
using remote::testing::background;
using remote::testing::board_name;
using remote::testing::weir_program;
using ::testing::HasSubstr;

/// Four front ports and the CPU port: what an access to it says of itself.
struct trace_line : ::testing::Test {
    registers::bank chip{registers::weir_map(), {{"ports", 5}}};

    asic::register_access access(const char* name, const registers::index& at, bool write, std::uint32_t value,
                                 std::uint32_t before = 0, std::uint32_t offset = 0) {
        asic::register_access made;
        made.time = nanoseconds(1500);
        made.initiator = "s0_cpu";
        made.address = chip.address_of(name, at) + offset;
        made.write = write;
        made.value = value;
        if (write) made.before = before;
        const auto place = chip.locate(made.address);
        made.result.where = place->where;
        made.result.at = place->at;
        return made;
    }
    static std::string line(const asic::register_access& a, const char* counter = "") {
        return register_trace_line(a, "s0", counter);
    }
};

// docs/bring_up.md has the columns.
TEST_F(trace_line, says_what_was_read_and_what_a_write_changes) {
    EXPECT_EQ(line(access("pg.xoff", {2, 3, 0}, true, 0x1a90, 0xffffff), "0x80001a2c main+0x14"),
              "1500000\ts0\ts0_cpu\t0x80001a2c main+0x14\tw\tpg.xoff[2][3]\t0x00001a90\tcells 16777215->6800\tok");
    EXPECT_EQ(line(access("pg.xoff", {2, 3, 0}, true, 0x1a90, 0x1a90)),
              "1500000\ts0\ts0_cpu\t-\tw\tpg.xoff[2][3]\t0x00001a90\tcells 6800\tok");
    EXPECT_EQ(line(access("global.rev", {}, false, 0xabcd0102)),
              "1500000\ts0\ts0_cpu\t-\tr\tglobal.rev\t0xabcd0102\tminor 2, major 1, map_hash 43981\tok");
}

// global.sw_reset.soft is a pulse, int_status.link (bit 2) clears by a one: neither has an old value to change.
TEST_F(trace_line, shows_pulses_and_ones_that_clear_by_what_they_do) {
    EXPECT_THAT(line(access("global.sw_reset", {}, true, 1)), HasSubstr("\tsoft=1\t"));
    EXPECT_THAT(line(access("global.sw_reset", {}, true, 0)), HasSubstr("\t-\t"));
    EXPECT_THAT(line(access("global.int_status", {}, true, 4, 4)), HasSubstr("\tlink=1\t"));
}

// A 64-bit register is two words; a field that spans both shows what lies in each.
TEST_F(trace_line, tells_the_halves_of_a_wide_register_apart) {
    EXPECT_THAT(line(access("port.rx_frames", {1, 0, 0}, false, 7)), HasSubstr("port.rx_frames[1]\t0x00000007"));
    EXPECT_THAT(line(access("port.rx_frames", {1, 0, 0}, false, 1, 0, 4)),
                HasSubstr("port.rx_frames[1].high\t0x00000001\tframes 4294967296\t"));
}

TEST_F(trace_line, names_the_error_and_the_address_where_nothing_stands) {
    asic::register_access a = access("bm.cap_cells", {}, true, 1);
    a.result.error = registers::access_error::read_only;
    EXPECT_THAT(line(a), HasSubstr("w\tbm.cap_cells\t0x00000001\t-\tread_only"));
    a.address = 0xf00000;
    a.initiator = nullptr;
    a.result.where = nullptr;
    a.result.error = registers::access_error::unmapped;
    EXPECT_EQ(line(a), "1500000\ts0\t-\t-\tw\t0xf00000\t0x00000001\t-\tunmapped");
}

TEST_F(trace_line, is_read_back_with_its_time_and_without) {
    const std::string whole = line(access("pg.xoff", {2, 3, 0}, true, 0x1a90, 0xffffff));
    for (const bool timed : {true, false}) {
        const auto got = parse_trace_line(timed ? whole : whole.substr(whole.find('\t') + 1), "t:2");
        ASSERT_TRUE(got);
        EXPECT_EQ(got->time.has_value(), timed);
        if (timed) {
            EXPECT_EQ(*got->time, nanoseconds(1500));
        }
        EXPECT_EQ(got->switch_name, "s0");
        EXPECT_TRUE(got->write);
        EXPECT_EQ(got->name, "pg.xoff[2][3]");
        EXPECT_EQ(got->value, 0x1a90U);
        EXPECT_EQ(got->error, "ok");
    }
    EXPECT_FALSE(parse_trace_line("# a comment", "t:1"));
    EXPECT_FALSE(parse_trace_line("", "t:1"));
}

TEST(trace_parser, says_where_a_line_is_wrong) {
    const auto error = [](const std::string& text) { return error_of([&] { (void)parse_trace_line(text, "t:7"); }); };
    EXPECT_THAT(error("a b c"), HasSubstr("t:7: 1 columns"));
    EXPECT_THAT(error("1x\ts0\t-\t-\tw\tn\t0x1\t-\tok"), HasSubstr("t:7: \"1x\" is no time"));
    EXPECT_THAT(error("-1\ts0\t-\t-\tw\tn\t0x1\t-\tok"), HasSubstr("is no time"));
    EXPECT_THAT(error("1\ts0\t-\t-\tx\tn\t0x1\t-\tok"), HasSubstr("r or w"));
    EXPECT_THAT(error("1\ts0\t-\t-\tw\tn\t0x1ffffffff\t-\tok"), HasSubstr("32 bits"));
    EXPECT_THAT(error("1\ts0\t-\t-\tw\tn\t\t-\tok"), HasSubstr("is no value"));
}

/// The program with these words; its exit code and what it says.
std::pair<int, std::string> weir_with(const temporary_folder& folder, std::vector<std::string> words) {
    words.insert(words.begin(), weir_program);
    background run(std::move(words), folder.path("log"));
    const int code = run.wait();
    return {code, run.output()};
}

std::string text_of_file(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string without_times(const std::string& trace) {
    std::string made;
    std::size_t begin = 0;
    for (std::size_t end = trace.find('\n'); end != std::string::npos; end = trace.find('\n', begin)) {
        const std::string line = trace.substr(begin, end - begin);
        begin = end + 1;
        const std::size_t tab = line.find('\t');  // as `cut -f2-` does: lines without a tab stay
        made += (tab == std::string::npos ? line : line.substr(tab + 1)) + "\n";
    }
    return made;
}

// As many lines as the summary counts accesses, and the digest is the same as without.
TEST(register_trace, has_a_line_for_each_access_and_changes_nothing) {
    const temporary_folder folder;
    const auto [plain_code, plain] = weir_with(folder, {"run", board_name});
    const auto [code, text] = weir_with(folder, {"run", board_name, "--register-trace", folder.path("t")});
    EXPECT_EQ(code, 0);
    EXPECT_EQ(text, plain);
    const std::string trace = text_of_file(folder.path("t"));
    EXPECT_THAT(text, HasSubstr(" 6 894 register accesses"));
    EXPECT_EQ(std::count(trace.begin(), trace.end(), '\n'), 1 + 6894);
    EXPECT_THAT(trace, HasSubstr("\ts0\ts0_cpu\t-\tw\tpg.xoff[0][3]\t0x00001a90\tcells "));
    EXPECT_THAT(weir_with(folder, {"run", board_name, "--register-trace", "/no/such/folder/t"}).second,
                HasSubstr("--register-trace /no/such/folder/t: No such file"));
}

TEST(replay, finds_a_trace_as_it_was_with_times_and_without) {
    const temporary_folder folder;
    ASSERT_EQ(weir_with(folder, {"run", board_name, "--register-trace", folder.path("t")}).first, 0);
    folder.write("cut", without_times(text_of_file(folder.path("t"))));
    for (const char* name : {"t", "cut"}) {
        const auto [code, text] = weir_with(folder, {"replay", folder.path(name), board_name});
        EXPECT_EQ(code, 0) << text;
        EXPECT_THAT(text, HasSubstr("1863 writes, 5031 reads"));
        EXPECT_THAT(text, HasSubstr("; 0 different"));
    }
}

// A chip of half the cells: bm.cap_cells tells, and it is the driver's budget that it changes.
TEST(replay, tells_where_another_chip_answers_otherwise) {
    const temporary_folder folder;
    ASSERT_EQ(weir_with(folder, {"run", board_name, "--register-trace", folder.path("t")}).first, 0);
    const auto [code, text] =
        weir_with(folder, {"replay", folder.path("t"), board_name, "--hw", "switch.s0.cells=32768"});
    EXPECT_EQ(code, 1);
    EXPECT_THAT(text, HasSubstr("read of bm.cap_cells: read 0x00008000, in the trace 0x00010000"));
}

TEST(replay, compares_errors_and_values_line_by_line) {
    const temporary_folder folder;
    const std::string head = "# weir register trace 1\n";
    const std::string reads = "20000000\ts0\t-\t-\tr\tglobal.scratch\t0x00000005\tvalue 5\tok\n";
    const std::string trace =
        folder.write("t", head + "10000000\ts0\t-\t-\tw\tglobal.scratch\t0x00000005\tvalue 0->5\tok\n" + reads +
                              "30000000\ts0\t-\t-\tr\tpg.xoff[0][3]\t0x00000000\t-\tnot_ready\n" +
                              "40000000\ts0\t-\t-\tr\tglobal.scratch\t0x00000006\tvalue 6\tok\n" +
                              "50000000\ts0\t-\t-\tw\tbm.cap_cells\t0x00000001\t-\tok\n");
    const auto [code, text] = weir_with(folder, {"replay", trace, board_name});
    EXPECT_EQ(code, 1);
    EXPECT_THAT(text, HasSubstr("t:5: read of global.scratch: read 0x00000005, in the trace 0x00000006"));
    EXPECT_THAT(text, HasSubstr("t:6: write of bm.cap_cells: not_ready, in the trace ok"));
    EXPECT_THAT(text, HasSubstr("2 writes, 3 reads, 2 of them compared; 2 different"));
}

TEST(replay, refuses_what_is_no_trace) {
    const temporary_folder folder;
    const auto error = [&](const std::string& path) {
        const auto [code, text] = weir_with(folder, {"replay", path, board_name});
        EXPECT_EQ(code, 2);
        return text;
    };
    EXPECT_THAT(error(folder.path("none")), HasSubstr("the trace cannot be read"));
    EXPECT_THAT(error(folder.write("a", "time\n")), HasSubstr("a:1: this is no register trace"));
    EXPECT_THAT(error(folder.write("b", "# weir register trace 1\n1\t2\n")), HasSubstr("b:2: 2 columns"));
    EXPECT_THAT(error(folder.write("c", "# weir register trace 1\n1\ts9\t-\t-\tr\tglobal.rev\t0x0\t-\tok\n")),
                HasSubstr("c:2: the platform has no switch s9"));
    EXPECT_THAT(error(folder.write("d", "# weir register trace 1\n1\ts0\t-\t-\tr\tglobal.rew\t0x0\t-\tok\n")),
                HasSubstr("did you mean global.rev?"));
    EXPECT_THAT(weir_with(folder, {"replay"}).second, HasSubstr("weir replay TRACE PLATFORM"));
}

}  // namespace
}  // namespace weir::vp
