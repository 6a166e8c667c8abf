// SPDX-License-Identifier: Apache-2.0
// Rows, tables and workers of a study, with an engine that computes instead of simulating.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "tests/vp/support.h"
#include "vp/study/progress.h"
#include "vp/study/rows.h"
#include "vp/study/table.h"
#include "vp/study/worker_pool.h"

namespace weir::vp {
namespace {

using platforms::testing::temporary_folder;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using json = nlohmann::ordered_json;

std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

// 1, 2, 3: mean 2, standard deviation 1; Student's t for 2 degrees of freedom and 97.5 % is 4.3027: 2 ± 4.3027/√3.
TEST(study_spread, is_students_over_the_seeds) {
    const spread s = spread_of({3, 1, 2});
    EXPECT_EQ(s.mean, 2);
    EXPECT_EQ(s.sd, 1);
    EXPECT_NEAR(*s.low, 2 - 2.48414, 1e-5);
    EXPECT_NEAR(*s.high, 2 + 2.48414, 1e-5);
    EXPECT_EQ(s.least, 1);
    EXPECT_EQ(s.most, 3);
    const spread one = spread_of({0.1});
    EXPECT_EQ(one.mean, 0.1);
    EXPECT_EQ(one.sd, std::nullopt);
    EXPECT_EQ(one.low, std::nullopt);
    EXPECT_EQ(spread_of({0.1, 0.1, 0.1}).sd, 0);
    EXPECT_EQ(spread_of({}).mean, std::nullopt);
}

TEST(study_run, a_message_becomes_one_line) {
    EXPECT_EQ(one_line("a:1: wrong\n  what would be right\n"), "a:1: wrong; what would be right");
    EXPECT_EQ(one_line("plain"), "plain");
}

TEST(study_progress, says_how_far_and_how_long) {
    // 10 of 30 runs in 20 s: 40 s for the other 20.
    EXPECT_EQ(study_progress::line(40, 10, 20, 1, 20), "[############............] 20 of 40 runs, 1 failed, 0:40 left");
    EXPECT_EQ(study_progress::line(40, 0, 0, 0, 1), "[........................] 0 of 40 runs");
    EXPECT_EQ(study_progress::line(100'000, 0, 10, 0, 1), "[........................] 10 of 100000 runs, 2:46:39 left");
}

/// A study of one value `x` whose run has x frames lost when the seed is even, none otherwise.
class sweep_test : public ::testing::Test {
protected:
    sweep_test() {
        folder.write("p.cfg", "pool create all ingress size ${x} cells\n");
        folder.write("p.toml", std::string{"[platform]\nprogram='p.cfg'\n[program]\nx=10\n"} +
                                   platforms::testing::four_hosts + "[workload]\nkind='incast'\n");
        fake.run = [](const platforms::platform_config& platform, const run_request& request,
                      const std::function<void(const progress_report&)>&) {
            const auto x = std::stoull(platform.program_values.at("x"));
            if (x == 13) throw boot_error("p.cfg:1: 13 cells are unlucky\n  another number");
            if (x == 14) std::raise(SIGKILL);
            run_result result;
            result.configuration = platform;
            if (request.seed % 2 == 0) result.losses = {{0, 1, 3, true, "headroom", x}};
            return result;
        };
    }
    std::string study_file(const std::string& text) const {
        return folder.write("s.toml", "platform='p'\nfigures=['drops','completion_p99']\n" + text);
    }
    /// `weir sweep ARGUMENTS`, the study's file among them.
    testing::outcome sweep(const std::vector<std::string>& arguments) const {
        std::vector<std::string> words{"sweep", folder.path("s.toml"), "--out", folder.path("out")};
        words.insert(words.end(), arguments.begin(), arguments.end());
        std::ostringstream out;
        std::ostringstream err;
        testing::outcome got;
        got.code = run_command_line(words, fake, out, err);
        got.out = out.str();
        got.err = err.str();
        return got;
    }
    [[nodiscard]] std::string rows() const { return text_of(folder.path("out/rows.jsonl")); }
    [[nodiscard]] json table() const { return json::parse(text_of(folder.path("out/table.json"))); }

    temporary_folder folder;
    engine fake;
};

// x = 1: 1 lost with seed 2 of seeds 1, 2, 3. Mean 1/3.
TEST_F(sweep_test, makes_a_line_a_point) {
    study_file("seeds=3\n[[vary]]\nname='x'\nvalues=[1,2]\n[[constraint]]\nfigure='lossless_drops'\nbelow=2\n");
    const auto got = sweep({});
    EXPECT_EQ(got.code, 0) << got.err;
    EXPECT_THAT(got.out, StartsWith("s: 6 runs of 2 points, 0 failed\n  constraints hold at 1 of 2 points\n"));
    const json t = table();
    EXPECT_EQ(t["schema"], "weir-study");
    EXPECT_EQ(t["parameters"], json::parse(R"([{"name":"x","values":[1,2]}])"));
    EXPECT_EQ(t["constraints"], json::parse(R"([{"figure":"lossless_drops","relation":"below","bound":2.0}])"));
    EXPECT_EQ(t["points"][0]["parameters"]["x"], 1);
    EXPECT_EQ(t["points"][0]["runs"], 3);
    EXPECT_DOUBLE_EQ(t["points"][0]["figures"]["drops"]["mean"], 1.0 / 3);
    EXPECT_EQ(t["points"][0]["figures"]["drops"]["max"], 1);
    EXPECT_EQ(t["points"][0]["figures"]["completion_p99"]["mean"], nullptr) << "no flow finished";
    EXPECT_EQ(t["points"][0]["holds"], true);
    EXPECT_EQ(t["points"][1]["holds"], false) << "it has to hold for every seed";
    const std::string csv = text_of(folder.path("out/table.csv"));
    EXPECT_THAT(csv, StartsWith("x,runs,failed,drops_mean,drops_sd,drops_low,drops_high,drops_min,drops_max,"));
    EXPECT_THAT(csv, HasSubstr("\n2,3,0,0.6666666666666666,"));
}

TEST_F(sweep_test, a_run_that_fails_is_a_row_with_its_reason) {
    study_file("[[vary]]\nname='x'\nvalues=[12,13]\n");
    const auto got = sweep({});
    EXPECT_EQ(got.code, 1);
    EXPECT_THAT(got.out,
                HasSubstr("2 runs of 2 points, 1 failed\n  1 × p.cfg:1: 13 cells are unlucky; another number\n"));
    EXPECT_EQ(table()["points"][1]["failed"], 1);
    EXPECT_EQ(table()["points"][1]["reasons"][0], "p.cfg:1: 13 cells are unlucky; another number");
    EXPECT_EQ(table()["points"][1]["figures"]["drops"]["mean"], nullptr);
    EXPECT_EQ(table()["points"][0]["figures"]["drops"]["mean"], 0);
    EXPECT_THAT(text_of(folder.path("out/table.csv")), HasSubstr("0,p.cfg:1: 13 cells are unlucky; another number\n"));
}

TEST_F(sweep_test, a_worker_that_is_killed_is_tried_again_the_next_time) {
    study_file("[[vary]]\nname='x'\nvalues=[12,14]\n");
    const auto got = sweep({});
    EXPECT_EQ(got.code, 1);
    EXPECT_THAT(got.out, HasSubstr("1 × the worker was killed by signal 9 (Killed)\n"));
    fake.run = [](const platforms::platform_config& platform, const run_request&,
                  const std::function<void(const progress_report&)>&) {
        run_result result;
        result.configuration = platform;
        return result;
    };
    const auto again = sweep({});
    EXPECT_EQ(again.code, 0) << again.out;
    EXPECT_EQ(table()["points"][1]["failed"], 0);
}

TEST_F(sweep_test, what_is_done_is_not_done_again) {
    study_file("[[vary]]\nname='x'\nvalues=[1,2,3]\n");
    EXPECT_EQ(sweep({"--jobs", "1"}).code, 0);
    const std::string whole = rows();
    const std::string first_table = text_of(folder.path("out/table.json"));
    // Killed while it wrote the last row.
    std::ofstream(folder.path("out/rows.jsonl")) << whole.substr(0, whole.size() - 10);
    fake.run = [run = fake.run](const platforms::platform_config& platform, const run_request& request,
                                const std::function<void(const progress_report&)>& progress) {
        if (platform.program_values.at("x") != "3") throw boot_error("done before");
        return run(platform, request, progress);
    };
    EXPECT_EQ(sweep({"--jobs", "1"}).code, 0);
    EXPECT_EQ(rows(), whole);
    EXPECT_EQ(text_of(folder.path("out/table.json")), first_table);
}

TEST_F(sweep_test, rows_of_another_study_are_left_alone) {
    study_file("[[vary]]\nname='x'\nvalues=[1,2]\n");
    EXPECT_EQ(sweep({}).code, 0);
    const std::string before = rows();
    study_file("[[vary]]\nname='x'\nvalues=[1,3]\n");
    const auto got = sweep({});
    EXPECT_EQ(got.code, 2);
    EXPECT_THAT(got.err, HasSubstr("out/rows.jsonl:1: these are rows of another study: \"s\""));
    EXPECT_EQ(rows(), before);
    std::ofstream(folder.path("out/rows.jsonl")) << "my diary";
    EXPECT_THAT(sweep({}).err, HasSubstr("this is no file of rows"));
    EXPECT_EQ(rows(), "my diary");
    for (const char* header : {R"({"schema":7})", R"({"schema":null})", R"({"schema":["weir-rows"]})"}) {
        std::ofstream(folder.path("out/rows.jsonl")) << header << '\n';
        EXPECT_THAT(sweep({}).err, HasSubstr("out/rows.jsonl:1: this is no file of rows"));
    }
    std::ofstream(folder.path("out/rows.jsonl")) << R"({"schema":"weir-rows","digest":7,"study":{}})" << '\n';
    EXPECT_THAT(sweep({}).err, HasSubstr("out/rows.jsonl:1: these are rows of another study"));
}

TEST_F(sweep_test, a_line_that_is_no_row_is_said_with_its_number) {
    study_file("[[vary]]\nname='x'\nvalues=[1,2]\n");
    EXPECT_EQ(sweep({"--jobs", "1"}).code, 0);
    const std::string whole = rows();
    const std::size_t second = whole.find('\n') + 1;
    std::ofstream(folder.path("out/rows.jsonl")) << whole.substr(0, second) << "nonsense\n" << whole.substr(second);
    const auto got = sweep({});
    EXPECT_EQ(got.code, 2);
    EXPECT_THAT(got.err, HasSubstr("out/rows.jsonl:2: this is no row of the study"));
}

// A file's name may be no UTF-8 text, which JSON is.
TEST_F(sweep_test, a_study_may_have_any_name) {
    study_file("[[vary]]\nname='x'\nvalues=[1,2]\n");
    std::filesystem::rename(folder.path("s.toml"), folder.path("\xff.toml"));
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(run_command_line({"sweep", folder.path("\xff.toml"), "--out", folder.path("out")}, fake, out, err), 0);
    EXPECT_EQ(err.str(), "");
    EXPECT_EQ(table()["points"].size(), 2U);
}

TEST_F(sweep_test, a_header_that_was_cut_short_is_written_again) {
    study_file("[[vary]]\nname='x'\nvalues=[1,2]\n");
    EXPECT_EQ(sweep({"--jobs", "1"}).code, 0);
    const std::string whole = rows();
    for (const std::size_t size : {std::size_t{1}, whole.find('\n')}) {
        std::ofstream(folder.path("out/rows.jsonl")) << whole.substr(0, size);
        EXPECT_EQ(sweep({"--jobs", "1"}).code, 0);
        EXPECT_EQ(rows(), whole);
    }
}

TEST_F(sweep_test, shards_make_the_same_table_as_one_run) {
    study_file("seeds=2\n[[vary]]\nname='x'\nvalues=[1,2,3,13,5]\n");
    EXPECT_EQ(sweep({}).code, 1);
    const std::string json_text = text_of(folder.path("out/table.json"));
    const std::string csv = text_of(folder.path("out/table.csv"));
    std::filesystem::remove_all(folder.path("out"));
    for (const char* shard : {"3/4", "1/4", "2/4"}) (void)sweep({"--shard", shard});
    const auto early = sweep({"--merge", folder.path("out")});
    EXPECT_EQ(early.code, 1);
    EXPECT_THAT(early.out, HasSubstr("2 of 10 runs have no row, the first is number 3 (x=2)"));
    EXPECT_FALSE(std::filesystem::exists(folder.path("out/table.json")));
    const auto last = sweep({"--shard", "4/4"});
    EXPECT_THAT(last.out, HasSubstr("shard 4/4: 2 runs, 1 failed")) << last.err;
    EXPECT_EQ(sweep({"--merge", folder.path("out")}).code, 1);
    EXPECT_EQ(text_of(folder.path("out/table.json")), json_text);
    EXPECT_EQ(text_of(folder.path("out/table.csv")), csv);
}

TEST_F(sweep_test, a_merge_that_lacks_runs_is_completed_by_a_sweep) {
    study_file("[[vary]]\nname='x'\nvalues=[1,2,3]\n");
    EXPECT_EQ(sweep({"--shard", "2/3"}).code, 0);
    EXPECT_EQ(sweep({"--merge", folder.path("out")}).code, 1);
    EXPECT_EQ(sweep({}).code, 0);
    EXPECT_EQ(table()["points"][2]["runs"], 1);
}

TEST_F(sweep_test, jobs_files_have_one_command_a_line) {
    study_file("[[vary]]\nname='x'\nvalues=[1,2,3]\n");
    EXPECT_EQ(sweep({"--jobs-file", folder.path("jobs")}).code, 0);
    const std::string study_path = folder.path("s.toml");
    const std::string out = folder.path("out");
    EXPECT_EQ(text_of(folder.path("jobs")),
              "weir sweep " + study_path + " --out " + out + " --shard 1/3 --jobs 1\n" +  //
                  "weir sweep " + study_path + " --out " + out + " --shard 2/3 --jobs 1\n" + "weir sweep " +
                  study_path + " --out " + out + " --shard 3/3 --jobs 1\n");
    EXPECT_EQ(sweep({"--jobs-file", folder.path("jobs"), "--shards", "1"}).code, 0);
    EXPECT_THAT(text_of(folder.path("jobs")), HasSubstr("--shard 1/1"));
    EXPECT_EQ(sweep({"--jobs-file", folder.path("jobs"), "--shards", "4"}).code, 2);
}

TEST(study_run, words_are_quoted_where_a_shell_needs_it) {
    EXPECT_EQ(shell_word("a/b-c_1.toml"), "a/b-c_1.toml");
    EXPECT_EQ(shell_word("my study.toml"), "'my study.toml'");
    EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
    EXPECT_EQ(shell_word(""), "''");
}

TEST_F(sweep_test, what_makes_no_sense_is_refused_in_one_line) {
    study_file("[[vary]]\nname='x'\nvalues=[1,2]\n");
    EXPECT_THAT(sweep({"--shard", "5/4"}).err, StartsWith("--shard 5/4: out of range\n  1/4 to 4/4"));
    EXPECT_THAT(sweep({"--shard", "0/4"}).err, HasSubstr("out of range"));
    EXPECT_THAT(sweep({"--shard", "3"}).err, StartsWith("--shard 3: this is no share"));
    EXPECT_THAT(sweep({"--shard", "3/4"}).err, HasSubstr("the study has 2 runs"));
    EXPECT_THAT(sweep({"--jobs", "0"}).err, StartsWith("--jobs 0: out of range"));
    EXPECT_THAT(sweep({"--memory", "lots"}).err, StartsWith("--memory lots: this is no size"));
    EXPECT_THAT(sweep({"--memory", "1MiB"}).err, HasSubstr("64MiB each at least"));
    EXPECT_THAT(sweep({"--merge", folder.path("nowhere")}).err, HasSubstr("there are no rows"));
    EXPECT_EQ(sweep({"--shard", "1/2", "--merge", "a"}).err,
              "--merge and --shard: are two different tasks\n  one of both\n");
    EXPECT_EQ(sweep({"--jobs-file", "j", "--merge", "a"}).err,
              "--merge and --jobs-file: are two different tasks\n  one of both\n");
    EXPECT_EQ(sweep({"--shard", "1/2", "--jobs-file", "j"}).err,
              "--shard and --jobs-file: are two different tasks\n  one of both\n");
    EXPECT_EQ(sweep({"--shards", "2"}).err, "--shards 2: says how many commands\n  with --jobs-file FILE\n");
    EXPECT_FALSE(std::filesystem::exists(folder.path("out")));
    study_file("[[vary]]\nname='x'\nfrom=1\nto=2000000\nstep=1\n");
    const auto many = sweep({});
    EXPECT_EQ(many.code, 2);
    EXPECT_THAT(many.err, HasSubstr("2000000 runs are a great many\n  --yes does them"));
    folder.write("s.toml", "platform='p'\n");
    EXPECT_THAT(sweep({}).err, HasSubstr("the study collects no figures"));
    study_file("[size]\nfind='x'\nfrom=1\nto=9\n");
    EXPECT_THAT(sweep({}).err, HasSubstr("weir size answers it"));
    study_file("");
    EXPECT_EQ(sweep({"--jobs-file", folder.path()}).err, folder.path() + ": cannot be written: it is no file\n");
    // A link, so that nobody's device is lost should this ever fail.
    std::filesystem::create_symlink("/dev/null", folder.path("device"));
    EXPECT_EQ(sweep({"--jobs-file", folder.path("device")}).err,
              folder.path("device") + ": cannot be written: it is no file\n");
    EXPECT_TRUE(std::filesystem::is_symlink(folder.path("device")));
    std::ofstream(folder.path("out")) << "a file";
    study_file("");
    EXPECT_THAT(sweep({}).err, HasSubstr("out: cannot be made"));
}

TEST_F(sweep_test, figures_are_listed_without_a_study) {
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(run_command_line({"sweep", "--figures"}, fake, out, err), 0);
    EXPECT_THAT(out.str(), HasSubstr("lossless_drops"));
}

// A file may grow to 600 octets: the header and one or two rows fit, as on a disk that fills up.
TEST_F(sweep_test, a_full_disk_keeps_the_whole_rows) {
    study_file("[[vary]]\nname='x'\nvalues=[1,2,3,4,5,6,7,8,9]\n");
    std::signal(SIGXFSZ, SIG_IGN);
    struct rlimit before {};
    getrlimit(RLIMIT_FSIZE, &before);
    const struct rlimit small { 600, before.rlim_max };
    setrlimit(RLIMIT_FSIZE, &small);
    const auto got = sweep({"--jobs", "1"});
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(got.code, 2);
    EXPECT_THAT(got.err, HasSubstr("out/rows.jsonl: cannot be written: File too large\n  the rows in it are kept"));
    EXPECT_EQ(rows().back(), '\n');
    EXPECT_LE(rows().size(), 600U);
    EXPECT_EQ(sweep({}).code, 0);
    EXPECT_EQ(table()["points"][8]["runs"], 1);
}

TEST_F(sweep_test, ctrl_c_keeps_what_is_finished) {
    study_file("[[vary]]\nname='x'\nvalues=[1,2,3]\n");
    const auto quick = fake.run;
    fake.run = [quick](const platforms::platform_config& platform, const run_request& request,
                       const std::function<void(const progress_report&)>& progress) {
        if (platform.program_values.at("x") == "2") {
            kill(getppid(), SIGINT);
            std::this_thread::sleep_for(std::chrono::seconds(30));
        }
        return quick(platform, request, progress);
    };
    const auto begin = std::chrono::steady_clock::now();
    const auto got = sweep({"--jobs", "1"});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    EXPECT_EQ(got.code, 130);
    EXPECT_THAT(got.err, HasSubstr("interrupted: the finished rows are in"));
    EXPECT_THAT(rows(), HasSubstr("\"run\":0"));
    EXPECT_THAT(rows(), Not(HasSubstr("\"run\":1")));
    fake.run = quick;
    EXPECT_EQ(sweep({}).code, 0);
}

TEST_F(sweep_test, two_sweeps_do_not_write_to_one_file) {
    study_file("[[vary]]\nname='x'\nvalues=[1]\n");
    fake.run = [this](const platforms::platform_config&, const run_request&,
                      const std::function<void(const progress_report&)>&) -> run_result {
        throw boot_error(sweep({}).err);
    };
    EXPECT_THAT(sweep({}).out, HasSubstr("another sweep is writing to it"));
}

TEST(worker_pool, gives_back_what_each_job_made) {
    worker_pool pool(2);
    pool.start(7, [] { return std::string(200'000, 'a'); });  // more than a pipe holds
    pool.start(8, [] { return std::string{"b"}; });
    EXPECT_TRUE(pool.full());
    std::size_t octets = 0;
    for (int i = 0; i < 2; ++i) {
        const auto ended = pool.next();
        ASSERT_TRUE(ended);
        EXPECT_EQ(ended->death, "");
        EXPECT_EQ(ended->text.size(), ended->job == 7 ? 200'000U : 1U);
        octets += ended->text.size();
    }
    EXPECT_EQ(octets, 200'001U);
    EXPECT_TRUE(pool.idle());
    EXPECT_FALSE(pool.next());
}

TEST(worker_pool, says_how_a_job_died) {
    worker_pool pool(1);
    pool.start(1, []() -> std::string {
        std::raise(SIGTERM);
        return {};
    });
    EXPECT_EQ(pool.next()->death, "the worker was killed by signal 15 (Terminated)");
    pool.start(2, []() -> std::string { throw std::runtime_error("no"); });
    EXPECT_EQ(pool.next()->death, "the worker ended with exit code 70");
}

TEST(worker_pool, leaves_nobody_behind) {
    pid_t child = 0;
    {
        worker_pool pool(1);
        pool.start(1, []() -> std::string {
            std::this_thread::sleep_for(std::chrono::seconds(60));
            return {};
        });
        EXPECT_FALSE(pool.next(10)) << "it is still at work";
        std::ifstream("/proc/self/task/" + std::to_string(getpid()) + "/children") >> child;
    }
    ASSERT_NE(child, 0);
    EXPECT_NE(kill(child, 0), 0);
}

#if !defined(__SANITIZE_ADDRESS__)
// The sanitizer's own memory is beyond every bound.
TEST(worker_pool, bounds_the_memory_of_each) {
    worker_pool pool(1, 200U << 20);
    pool.start(1, [] {
        try {
            const std::vector<char> much(400U << 20, 'x');
            return std::string{"had "} + much.back();
        } catch (const std::bad_alloc&) {
            return std::string{"bounded"};
        }
    });
    EXPECT_EQ(pool.next()->text, "bounded");
}
#endif

}  // namespace
}  // namespace weir::vp
