// SPDX-License-Identifier: Apache-2.0
// What a study's file means, and what is said about one that means nothing.
#include "vp/study/study.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/platforms/support.h"
#include "vp/study/points.h"
#include "vp/study/ranges.h"

namespace weir::vp {
namespace {

using platforms::testing::error_of;
using platforms::testing::temporary_folder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

study parsed_study(const std::string& text) {
    return parse_study("platform = 'p'\n" + text, "s.toml");
}

std::string study_error(const std::string& text) {
    return error_of([&] { (void)parsed_study(text); });
}

std::vector<std::string> texts(const std::vector<study_value>& values) {
    std::vector<std::string> all;
    for (const auto& each : values) all.push_back(each.text);
    return all;
}

std::vector<std::string> varied(const std::string& how) {
    return texts(parsed_study("[[vary]]\nname = 'x'\n" + how).parameters.at(0).values);
}

TEST(study_file, ranges_have_the_values_that_one_would_count) {
    EXPECT_THAT(varied("from = 100\nto = 500\nstep = 200"), ElementsAre("100", "300", "500"));
    EXPECT_THAT(varied("from = 100\nto = 499\nstep = 200"), ElementsAre("100", "300"));
    EXPECT_THAT(varied("from = 0\nto = 0.3\nstep = 0.1"), ElementsAre("0", "0.1", "0.2", "0.3"));
    EXPECT_THAT(varied("log = { from = 1, to = 1000, points = 4 }"), ElementsAre("1", "10", "100", "1000"));
    EXPECT_THAT(varied("log = { from = 0.5, to = 2.0, points = 3 }"), ElementsAre("0.5", "1", "2"));
    // 1, 1.26, 1.59, 2 in whole numbers: each once.
    EXPECT_THAT(varied("log = { from = 1, to = 2, points = 4 }"), ElementsAre("1", "2"));
    EXPECT_THAT(varied("values = [1, 2.5, '1/4', true]"), ElementsAre("1", "2.5", "1/4", "true"));
    EXPECT_THAT(varied("from = 5\nto = 15\nstep = 5\nunit = 'm'"), ElementsAre("5m", "10m", "15m"));
}

TEST(study_file, seeds_are_a_number_of_them_or_a_list) {
    EXPECT_THAT(parsed_study("").seeds, ElementsAre(1));
    EXPECT_THAT(parsed_study("seeds = 3").seeds, ElementsAre(1, 2, 3));
    EXPECT_THAT(parsed_study("seeds = [7, 5]").seeds, ElementsAre(7, 5));
}

TEST(study_file, paths_stand_relative_to_it) {
    const study s = parse_study("platform = '../p'\nworkload = 'f.csv'", "a/b/s.toml");
    EXPECT_EQ(s.name, "s");
    EXPECT_EQ(s.platform, "a/p");
    EXPECT_EQ(s.workload, "a/b/f.csv");
}

TEST(study_file, constraints_hold_or_do_not) {
    const auto holds = [](const std::string& relation, std::optional<double> value) {
        return parsed_study("[[constraint]]\nfigure = 'drops'\n" + relation).constraints.at(0).holds(value);
    };
    EXPECT_TRUE(holds("at_most = 2", 2));
    EXPECT_FALSE(holds("at_most = 2", 3));
    EXPECT_FALSE(holds("below = 2", 2));
    EXPECT_TRUE(holds("below = 2", 1.5));
    EXPECT_TRUE(holds("at_least = 2", 2));
    EXPECT_FALSE(holds("above = 2", 2));
    EXPECT_TRUE(holds("equals = 2", 2));
    EXPECT_FALSE(holds("equals = 2", 1));
    EXPECT_FALSE(holds("at_most = 2", std::nullopt)) << "a run without the figure";
}

TEST(study_file, what_is_wrong_is_said_with_its_place) {
    EXPECT_EQ(study_error("seed = 3"), "s.toml:2:1: unknown key \"seed\" in the study\n  did you mean \"seeds\"?");
    EXPECT_THAT(study_error("[[vary]]\nname = 'x'\nvalue = [1]"), StartsWith("s.toml:4:1: unknown key \"value\""));
    EXPECT_THAT(study_error("[[vary]]\nname = 'x'\nvalues = []"), HasSubstr("s.toml:4:10: x has no values"));
    EXPECT_THAT(study_error("[[vary]]\nname = 'x'\nfrom = 5\nto = 4\nstep = 1"), HasSubstr("5 to 4 is empty"));
    EXPECT_THAT(study_error("[[vary]]\nname = 'x'\nfrom = 5\nto = 6"), HasSubstr("x lacks \"step\""));
    EXPECT_THAT(study_error("[[vary]]\nname = 'x'\nfrom = 5\nto = 6\nstep = 0"), HasSubstr("a number above 0"));
    EXPECT_THAT(study_error("[[vary]]\nname = 'x'"), HasSubstr("x is varied in no way"));
    EXPECT_THAT(study_error("[[vary]]\nname = 'x'\nvalues=[1]\nlog={from=1,to=2,points=2}"), HasSubstr("several ways"));
    EXPECT_THAT(study_error("[[vary]]\nname = 'x'\nlog={from=0,to=2,points=2}"), HasSubstr("0 has no logarithm"));
    EXPECT_THAT(study_error("[[vary]]\nname='x'\nvalues=[1]\n[[vary]]\nname='x'\nvalues=[2]"),
                HasSubstr("s.toml:5:1: x is varied twice"));
    // Numbers that arithmetic cannot carry, and whole ones that a double cannot tell from their neighbours.
    const std::string vary = "[[vary]]\nname = 'x'\n";
    EXPECT_THAT(study_error(vary + "log={from=1e-308,to=1e308,points=3}"),
                HasSubstr("s.toml:4:11: 1e-308 to 1e+308 is too wide"));
    EXPECT_THAT(study_error("[latin_hypercube]\npoints=3\n" + vary + "from=-1e308\nto=1e308"),
                HasSubstr("is too wide"));
    EXPECT_THAT(study_error(vary + "from=9223372036854775806\nto=9223372036854775807\nstep=1"),
                HasSubstr("too large\n  9007199254740992 at most"));
    EXPECT_THAT(study_error(vary + "from=-9223372036854775807\nto=0\nstep=9223372036854775807"),
                HasSubstr("too large"));
    EXPECT_THAT(varied("from = 9007199254740991\nto = 9007199254740992\nstep = 1"),
                ElementsAre("9007199254740991", "9007199254740992"));
    EXPECT_THAT(study_error("seeds = 0"), HasSubstr("wanted: a whole number, 1 to"));
    EXPECT_THAT(study_error("seeds = [1, 1]"), HasSubstr("a seed stands here twice"));
    EXPECT_THAT(study_error(vary + "values = [1, 2, 1]"), HasSubstr("s.toml:4:17: 1 stands here twice"));
    EXPECT_THAT(study_error("seeds = 2\n[[vary]]\nname='seed'\nvalues=[1]"), HasSubstr("one of both"));
    EXPECT_THAT(study_error("[[constraint]]\nfigure='drops'"), HasSubstr("drops has 0 bounds"));
    EXPECT_THAT(study_error("[[constraint]]\nfigure='drops'\nbelow=1\nabove=0"), HasSubstr("drops has 2 bounds"));
    EXPECT_THAT(study_error("[limits]\nmemory='much'"), HasSubstr("wanted: a size"));
    EXPECT_THAT(study_error("[latin_hypercube]\npoints=4"), HasSubstr("nothing is varied"));
    EXPECT_THAT(error_of([] { (void)parse_study("seeds = 2", "s.toml"); }), HasSubstr("the study lacks \"platform\""));
    EXPECT_THAT(error_of([] { (void)load_study("/nowhere/s.toml"); }),
                StartsWith("/nowhere/s.toml: cannot be read: No such file"));
    EXPECT_EQ(error_of([] { (void)load_study("/"); }), "/: cannot be read: it is a folder\n  a study's TOML file");
}

TEST(study_file, a_latin_hypercube_has_one_point_in_each_part_of_every_range) {
    study_parameter whole;
    whole.from = 1;
    whole.to = 10;
    whole.whole = true;
    std::vector<std::string> drawn;
    for (const double share : stratified_shares(10, 1, "x")) drawn.push_back(value_at(whole, share).text);
    const std::vector<std::string> as_drawn = drawn;
    std::sort(drawn.begin(), drawn.end());
    EXPECT_THAT(drawn, ElementsAre("1", "10", "2", "3", "4", "5", "6", "7", "8", "9"));
    std::vector<std::string> again;
    std::vector<std::string> other;
    for (const double share : stratified_shares(10, 1, "x")) again.push_back(value_at(whole, share).text);
    for (const double share : stratified_shares(10, 2, "x")) other.push_back(value_at(whole, share).text);
    EXPECT_EQ(again, as_drawn);
    EXPECT_NE(other, as_drawn);

    study_parameter list;
    list.values = {{"a", false}, {"b", false}};
    EXPECT_EQ(value_at(list, 0.49).text, "a");
    EXPECT_EQ(value_at(list, 0.5).text, "b");

    study_parameter steep;
    steep.from = 1;
    steep.to = 10'000;
    steep.logarithmic = true;
    EXPECT_EQ(value_at(steep, 0.5).text, "100");
}

/// A platform with a value `x` in its script, and studies of it.
class study_points_test : public ::testing::Test {
protected:
    study_points_test() {
        folder.write("p.cfg", "pool create all ingress size ${x} cells\n");
        folder.write("p.toml", std::string{"[platform]\nprogram='p.cfg'\n[program]\nx=10\n"} +
                                   platforms::testing::four_hosts + "[workload]\nkind='incast'\n");
    }
    study made(const std::string& text) const { return parse_study("platform = 'p'\n" + text, folder.path("s.toml")); }
    std::string error(const std::string& text) const {
        return error_of([&] {
            const study s = made(text);
            const study_points points(s);
        });
    }
    std::string digest(const std::string& text) const {
        const study s = made(text);
        return study_points(s).digest();
    }
    temporary_folder folder;
};

TEST_F(study_points_test, are_numbered_as_one_would_count) {
    const study s =
        made("seeds = 2\n[[vary]]\nname='x'\nvalues=[1,2]\n[[vary]]\nname='switch.s0.cells'\nvalues=[10,20,30]\n");
    const study_points points(s);
    EXPECT_EQ(points.points(), 6U);
    EXPECT_EQ(points.runs(), 12U);
    EXPECT_EQ(points.text(0), "x=1 switch.s0.cells=10");
    EXPECT_EQ(points.text(1), "x=1 switch.s0.cells=20");
    EXPECT_EQ(points.text(5), "x=2 switch.s0.cells=30");
    const auto platform = points.load(4);
    EXPECT_EQ(platform.switches[0].cells, 20U);
    EXPECT_EQ(platform.program_values.at("x"), "2");
    EXPECT_EQ(points.seed(4, 1), 2U);
    EXPECT_THAT(points.command(4, 2), HasSubstr("/p --hw switch.s0.cells=20 --set x=2 --seed 2"));
}

TEST_F(study_points_test, names_that_vary_together_get_one_value) {
    const study s = made("[[vary]]\nnames=['x','switch.s0.cells']\nvalues=[100,200]\n");
    const study_points points(s);
    EXPECT_EQ(points.text(1), "x=200");
    EXPECT_EQ(points.load(1).switches[0].cells, 200U);
    EXPECT_EQ(points.load(1).program_values.at("x"), "200");
}

TEST_F(study_points_test, the_seed_can_be_one_of_several_names) {
    const study s = made("[[vary]]\nnames=['x','seed']\nvalues=[5,9]\n");
    const study_points points(s);
    EXPECT_EQ(points.seed(0, 0), 5U);
    EXPECT_EQ(points.seed(1, 0), 9U);
    EXPECT_THAT(error("[[vary]]\nnames=['x','seed']\nvalues=[-1]\n"), HasSubstr("\"-1\" is no seed"));
}

TEST_F(study_points_test, the_seed_can_be_what_varies) {
    const study s = made("[[vary]]\nname='seed'\nvalues=[5,9]\n");
    const study_points points(s);
    EXPECT_EQ(points.runs(), 2U);
    EXPECT_EQ(points.seed(1, 0), 9U);
}

TEST_F(study_points_test, a_latin_hypercubes_values_stand_in_order) {
    const study s = made("[latin_hypercube]\npoints=5\n[[vary]]\nname='x'\nfrom=1\nto=5\n");
    const study_points points(s);
    EXPECT_EQ(points.points(), 5U);
    EXPECT_THAT(texts(points.all_values(0)), ElementsAre("1", "2", "3", "4", "5"));
}

TEST_F(study_points_test, a_name_that_is_none_is_found_before_anything_runs) {
    EXPECT_THAT(error("[[vary]]\nname='y'\nvalues=[1]\n"),
                HasSubstr("s.toml:2:1: --set y=1: the program has no value \"y\""));
    EXPECT_THAT(error("[[vary]]\nname='switch.s0.cell'\nvalues=[1]\n"), HasSubstr("did you mean \"cells\"?"));
    EXPECT_THAT(error("figures=['dropz']"),
                HasSubstr("s.toml:2:10: there is no figure \"dropz\"\n  did you mean \"drops\"?"));
    EXPECT_THAT(error("[[constraint]]\nfigure='s9.pg.max[0][0]'\nbelow=1"), HasSubstr("there is no switch \"s9\""));
    EXPECT_THAT(error("workload='none.csv'"), HasSubstr("the file does not exist"));
}

TEST_F(study_points_test, a_number_of_runs_never_wraps) {
    std::string text = "seeds = 1000\n";
    for (int i = 0; i < 4; ++i)
        text += "[[vary]]\nname='host.h" + std::to_string(i) + ".hop_limit'\nfrom=1\nto=100000\nstep=1\n";
    study huge = made(text);
    // 10⁵ to the fourth power, times a thousand, is 10²³.
    const study_points points(huge);
    EXPECT_EQ(points.runs(), UINT64_MAX);
}

TEST_F(study_points_test, their_digest_is_that_of_what_runs) {
    const std::string study_text = "[[vary]]\nname='x'\nvalues=[1,2]\n";
    const std::string first = digest(study_text);
    EXPECT_EQ(digest("# a comment\n" + study_text), first);
    EXPECT_EQ(digest("[limits]\njobs=1\n" + study_text), first);
    EXPECT_NE(digest("[[vary]]\nname='x'\nvalues=[1,3]\n"), first);
    EXPECT_NE(digest("figures=['drops']\n" + study_text), first);
    EXPECT_NE(digest("seeds=2\n" + study_text), first);
    folder.write("p.cfg", "pool create all ingress size ${x} cells\n# changed\n");
    EXPECT_NE(digest(study_text), first);
}

}  // namespace
}  // namespace weir::vp
