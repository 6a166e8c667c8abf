// SPDX-License-Identifier: Apache-2.0
// Colours: what they look like, and where they are left out.
#include "vp/output/colour.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/platforms/support.h"
#include "tests/vp/run_weir.h"

namespace weir::vp {
namespace {

using platforms::testing::temporary_folder;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(colour, a_line_end_is_not_painted) {
    EXPECT_EQ(painted("lost", colour::red), "\x1b[31mlost\x1b[0m");
    EXPECT_EQ(painted("late\n", colour::yellow), "\x1b[33mlate\x1b[0m\n");
    EXPECT_EQ(painted("\n", colour::green), "\x1b[32m\x1b[0m\n");
    std::ostringstream text;
    EXPECT_FALSE(takes_colour(text));
}

constexpr const char* coloured_run = "run " WEIR_SOURCE_DIR "/platforms/one_switch_8x400g --hw workload.octets=64KiB";

/// What the program shows on a terminal, with that environment.
std::string on_a_terminal(const std::string& environment) {
    const temporary_folder folder;
    const std::string shown = folder.path("shown");
    const std::string command = "env " + environment + " script -qec '" WEIR_BINARY_DIR "/vp/weir " + coloured_run +
                                "' " + shown + " >/dev/null </dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::ostringstream text;
    text << std::ifstream(shown).rdbuf();
    return text.str();
}

TEST(colour, is_for_terminals_alone_and_for_those_who_want_it) {
    EXPECT_THAT(on_a_terminal("-u NO_COLOR"), HasSubstr("\x1b[32m  passed: "));
    EXPECT_THAT(on_a_terminal("NO_COLOR="), HasSubstr("\x1b[32m  passed: "));
    const std::string refused = on_a_terminal("NO_COLOR=1");
    EXPECT_THAT(refused, HasSubstr("\n  passed: "));
    EXPECT_THAT(refused, Not(HasSubstr("\x1b[32m")));
    const program_outcome piped = run_weir(coloured_run, "env -u NO_COLOR timeout 60");
    EXPECT_THAT(piped.text, HasSubstr("\n  passed: "));
    EXPECT_THAT(piped.text, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace weir::vp
