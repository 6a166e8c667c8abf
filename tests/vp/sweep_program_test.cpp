// SPDX-License-Identifier: Apache-2.0
// XOFF by alpha by fan-in, 500 runs of the program itself: the same table however the runs came about.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/platforms/support.h"

namespace weir::vp {
namespace {

namespace fs = std::filesystem;

class sweep_program_test : public ::testing::Test {
protected:
    sweep_program_test() {
        folder.write("s.toml", "platform = '" WEIR_SOURCE_DIR R"(/platforms/sizing_8x100g'
hw = ['workload.octets=32KiB']
seeds = 2
figures = ['goodput', 'completion_p99', 'pauses', 'lossless_drops', 'service_peak']
[[vary]]
name = 'xoff'
from = 110
to = 155
step = 5
[[vary]]
name = 'alpha'
values = ['1/64', '1/16', '1/8', '1/2', '1']
[[vary]]
name = 'workload.senders'
values = ['1', '1-2', '1-3', '1-5', '1-7']
)");
    }
    [[nodiscard]] std::string command(const std::string& out, const std::string& options) const {
        return "exec " WEIR_BINARY_DIR "/vp/weir sweep " + folder.path("s.toml") + " --out " + folder.path(out) + " " +
               options + " >" + folder.path("log") + " 2>&1";
    }
    void sweep(const std::string& out, const std::string& options) const {
        EXPECT_EQ(std::system(command(out, options).c_str()), 0) << content("log");
    }
    [[nodiscard]] std::string content(const std::string& name) const {
        std::ostringstream text;
        text << std::ifstream(folder.path(name)).rdbuf();
        return text.str();
    }
    [[nodiscard]] std::size_t lines(const std::string& name) const {
        const std::string text = content(name);
        return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    }
    void expect_same_table(const std::string& out) const {
        EXPECT_EQ(content(out + "/table.json"), content("undisturbed/table.json"));
        EXPECT_EQ(content(out + "/table.csv"), content("undisturbed/table.csv"));
    }
    platforms::testing::temporary_folder folder;
};

TEST_F(sweep_program_test, five_hundred_runs_give_one_table_however_they_were_done) {
    sweep("undisturbed", "--jobs 2");
    EXPECT_EQ(lines("undisturbed/table.csv"), 251U);
    EXPECT_THAT(content("log"), ::testing::HasSubstr("500 runs of 250 points, 0 failed"));

    sweep("alone", "--jobs 1");
    expect_same_table("alone");

    const pid_t victim = fork();
    if (victim == 0) {
        execl("/bin/sh", "sh", "-c", command("killed", "--jobs 2").c_str(), nullptr);
        _exit(127);
    }
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (lines("killed/rows.jsonl") < 100 && std::chrono::steady_clock::now() < patience)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    kill(victim, SIGKILL);
    waitpid(victim, nullptr, 0);
    const std::size_t before = lines("killed/rows.jsonl");
    ASSERT_GE(before, 100U);
    ASSERT_LT(before, 501U) << "it was finished before it was killed";
    ASSERT_FALSE(fs::exists(folder.path("killed/table.json")));
    sweep("killed", "--jobs 2");
    expect_same_table("killed");

    for (const char* shard : {"1/4", "2/4", "3/4", "4/4"}) {
        sweep(std::string{"machine"} + shard[0], std::string{"--shard "} + shard);
    }
    sweep("merged", "--merge " + folder.path("machine4") + " " + folder.path("machine2") + " " +
                        folder.path("machine1") + " " + folder.path("machine3"));
    expect_same_table("merged");
}

}  // namespace
}  // namespace weir::vp
