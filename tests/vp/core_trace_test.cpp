// SPDX-License-Identifier: Apache-2.0
// The register trace of a run whose driver is firmware: docs/bring_up.md has the columns, docs/bring-up.md that the
// core makes the writes of the native driver, and that the quantum changes nothing.
#include <gmock/gmock.h>

#include <sstream>

#include "tests/vp/firmware_run.h"

namespace weir::vp::remote::testing {
namespace {

/// Columns from 0.
std::vector<std::string> columns_of(const std::string& line) {
    std::vector<std::string> all(1);
    for (const char c : line) {
        if (c == '\t') {
            all.emplace_back();
        } else {
            all.back() += c;
        }
    }
    return all;
}

/// The board's run, its trace, and its digest.
struct traced_run {
    explicit traced_run(const std::vector<std::string>& more = {}) {
        const run_folder folder;
        const finished_run got = finished(joined({"run", bringup_board, "--register-trace", folder.path("t")}, more));
        EXPECT_EQ(got.code, 0) << got.err;
        digest = digest_in(got.out);
        text = octets_of_file(folder.path("t"));
    }
    [[nodiscard]] std::vector<std::string> lines() const {
        std::vector<std::string> all;
        std::istringstream in(text);
        for (std::string line; std::getline(in, line);) {
            if (line[0] != '#') all.push_back(line);
        }
        return all;
    }
    std::string digest, text;
};

/// Switch, name, word, fields and result of each write, in order.
std::string writes_of(const traced_run& run) {
    std::string all;
    for (const std::string& line : run.lines()) {
        const auto c = columns_of(line);
        if (c.size() == 9 && c[4] == "w") all += c[1] + "\t" + c[5] + "\t" + c[6] + "\t" + c[7] + "\t" + c[8] + "\n";
    }
    return all;
}

TEST(core_trace, names_the_functions_that_made_each_access) {
    const traced_run run;
    const auto lines = run.lines();
    ASSERT_GT(lines.size(), 1000U);
    std::size_t in_group_set = 0;
    for (const std::string& line : lines) {
        const auto c = columns_of(line);
        ASSERT_EQ(c.size(), 9U) << line;
        ASSERT_EQ(c[2].rfind("s0", 0), 0U) << line;
        // An address in RAM, and a name with or without an offset.
        ASSERT_THAT(c[3], ::testing::MatchesRegex("0x80[0-9a-f]{6} [A-Za-z_][A-Za-z0-9_.]*[^\t]*")) << line;
        // Whoever programs a group's XOFF on the core is the driver's function for that.
        if (c[4] == "w" && c[5].rfind("pg.xoff[", 0) == 0 && c[3].find("weir_group_set") != std::string::npos)
            ++in_group_set;
    }
    EXPECT_GT(in_group_set, 0U);
}

TEST(core_trace, has_the_writes_of_the_native_driver) {
    const traced_run core;
    const traced_run native({"--hw", "cpu.kind=native"});
    EXPECT_GT(writes_of(core).size(), 1000U);
    EXPECT_EQ(writes_of(core), writes_of(native));
    EXPECT_EQ(core.digest, native.digest);
    EXPECT_NE(core.digest, "");
    EXPECT_EQ(columns_of(native.lines().front())[3], "-");  // "a native CPU cannot tell"
}

// At the picosecond, whatever the quantum: the whole file.
TEST(core_trace, is_the_same_file_at_any_quantum) {
    const traced_run first({"--hw", "cpu.quantum=0ns"});
    for (const char* quantum : {"cpu.quantum=1us", "cpu.quantum=100us"}) {
        const traced_run other({"--hw", quantum});
        EXPECT_TRUE(other.text == first.text) << quantum;
        EXPECT_EQ(other.digest, first.digest) << quantum;
    }
    EXPECT_GT(first.text.size(), 100'000U);
}

}  // namespace
}  // namespace weir::vp::remote::testing
