// SPDX-License-Identifier: Apache-2.0
// The program itself, started as its users start it: bad input, odd sizes of things, output folders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/platforms/support.h"
#include "tests/vp/run_weir.h"

namespace weir::vp {
namespace {

using platforms::testing::temporary_folder;
using ::testing::HasSubstr;
using ::testing::Not;

/// A switch with so many ports, all up, every host's address known, no lossless class.
class program_test : public ::testing::Test {
protected:
    std::string file(const std::string& name, const std::string& text) {
        std::ofstream(folder.path(name), std::ios::binary) << text;
        return folder.path(name);
    }
    std::string platform(const std::string& workload, int ports = 2, const std::string& rate = "100G",
                         const std::string& more = "", int cells = 65536) {
        std::string script = "pool create all ingress size " + std::to_string(cells) +
                             " cells\ninterface all\nmtu 16000\nno shutdown\nexit\n";
        for (int p = 0; p < ports; ++p) {
            char line[64];
            std::snprintf(line, sizeof line, "mac-table add 02:00:00:00:00:%02x port %d\n", static_cast<unsigned>(p),
                          p);
            script += line;
        }
        file("p.cfg", script);
        return file("p.toml", "[platform]\nprogram='p.cfg'\n[switch.s0]\ncells=" + std::to_string(cells) + "\n" + more +
                                  "[[switch.s0.ports]]\ncount=" + std::to_string(ports) + "\nrate='" + rate +
                                  "'\n[workload]\n" + workload);
    }
    std::string flows(const std::string& rows) {
        return file("f.csv", "start,source,destination,octets,rate\n" + rows);
    }
    temporary_folder folder;
};

TEST_F(program_test, runs_every_kind_of_workload) {
    file("w.csv", "start,source,destination,octets,id,after\n0,0,1,4096,a,\n,1,2,4096,b,a\n,2,3,4096,,a b\n");
    file("w.txt", "2\n0 1 3 100 4096 0\n3 2 3 100 4096 0.000001\n");
    file("s.txt",
         "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 all_gpus: 4\n1\n"
         "l -1 100 ALLREDUCE 4096 100 ALLGATHER 4096 100 NONE 0 1\n");
    file("d.txt", "0 0\n1000 40\n9000 100\n");
    const std::vector<std::pair<std::string, int>> kinds{
        {"kind='incast'\noctets=4096\nperiod='10us'\nrepetitions=3\n", 9},
        {"kind='permutation'\noctets=4096\n", 4},
        {"kind='poisson'\ncount=20\nsizes='google_rpc'\n", 20},
        {"kind='poisson'\ncount=5\nsizes='d.txt'\nload=0.9\n", 5},
        {"kind='ring_all_reduce'\noctets=4096\n", 24},
        {"kind='tree_all_reduce'\noctets=4096\npieces=2\n", 12},
        {"kind='all_gather'\noctets=4096\n", 12},
        {"kind='reduce_scatter'\noctets=4096\nranks=[3,1,'h2']\n", 6},
        {"kind='all_to_all'\noctets=4096\n", 12},
        {"kind='all_to_all'\noctets=4096\nexchange='shifted'\n", 12},
        {"kind='flows'\nfile='w.csv'\n", 3},
        {"kind='hpcc'\nfile='w.txt'\n", 2},
        {"kind='simai'\nfile='s.txt'\n", 36},
    };
    for (const auto& [workload, flows] : kinds) {
        const program_outcome got = run_weir("run " + platform(workload, 4));
        EXPECT_EQ(got.code, 0) << workload << got.text;
        const std::string all = std::to_string(flows);
        EXPECT_THAT(got.text, HasSubstr("; " + all + " of " + all + " flows finished\n")) << workload;
        EXPECT_THAT(got.text, HasSubstr("slowdown p50"));
    }
}

TEST_F(program_test, tells_of_flows_that_wait_in_vain) {
    file("w.csv",
         "start,source,destination,octets,id,after\n0,0,2,4MiB,a,\n0,1,2,4MiB,b,\n,2,3,4096,c,a b\n,3,2,4096,,c\n");
    const program_outcome got = run_weir("run " + platform("kind='flows'\nfile='w.csv'\n", 4, "100G", "", 512));
    EXPECT_EQ(got.code, 0) << got.text;
    EXPECT_THAT(got.text, HasSubstr(" of 4 flows finished; 2 wait for others that did not\n"));
}

// Time without traffic costs nothing, and a run waits for what is going to be sent, however late.
TEST_F(program_test, waits_for_a_flow_that_starts_after_a_day) {
    const program_outcome got =
        run_weir("run " + platform("kind='none'") + " --workload " + flows("86400s,0,1,1000,\n"));
    EXPECT_EQ(got.code, 0) << got.text;
    EXPECT_THAT(got.text, HasSubstr("1 of 1 flows finished"));
}

// G12: a script that starts the watchdog has it polled every 100 ms: three times in 350 ms, with reads each time.
TEST_F(program_test, polls_the_watchdog_that_a_script_started) {
    const auto reads = [&](const std::string& words) {
        file("w.cfg", "pool create all ingress size 60000 cells\ninterface all\npfc enable priority 3\n" + words +
                          "no shutdown\nexit\nmac-table add 02:00:00:00:00:01 port 1\n");
        const std::string platform = file("w.toml",
                                          "[platform]\nprogram='w.cfg'\n[[switch.s0.ports]]\ncount=2\nrate='1G'\n"
                                          "[workload]\nkind='incast'\nsenders=[0]\nreceiver=1\noctets='1KiB'\n");
        const std::string out = folder.path(words.empty() ? "off" : "on");
        const program_outcome got = run_weir("run " + platform + " --until 350ms --out " + out);
        EXPECT_EQ(got.code, 0) << got.text;
        std::ifstream in(out + "/result.json");
        const std::string text((std::istreambuf_iterator<char>(in)), {});
        const std::size_t at = text.find("\"reads\":");
        return at == std::string::npos ? 0 : std::stol(text.substr(at + 8));
    };
    const long without = reads("");
    const long with = reads("pfcwd start detection-time 200 restoration-time 200\n");
    EXPECT_GT(without, 0);
    EXPECT_GE(with - without, 3 * 2 * 10);  // two ports, and more than ten registers a priority
    EXPECT_LT(with - without, 3 * 2 * 100);
}

TEST_F(program_test, runs_to_an_end_that_is_days_away) {
    const program_outcome got = run_weir("run " + platform("kind='incast'\noctets=1000\n") + " --until 864000s");
    EXPECT_EQ(got.code, 0) << got.text;
    EXPECT_THAT(got.text, HasSubstr("1 of 1 flows finished"));
}

// 1000 octets and 82 of headers, FCS and gap at 8 kb/s are 1.08 s a frame: ten times the time after which a run that
// does not move counts as stuck.
TEST_F(program_test, waits_between_the_frames_of_a_slow_flow) {
    const program_outcome got =
        run_weir("run " + platform("kind='none'\nframe=1000\n") + " --workload " + flows("0,0,1,3000,8K\n"));
    EXPECT_EQ(got.code, 0) << got.text;
    EXPECT_THAT(got.text, HasSubstr("1 of 1 flows finished"));
}

TEST_F(program_test, does_not_overflow_at_one_bit_a_second) {
    const program_outcome got =
        run_weir("run " + platform("kind='none'\nframe=1000\n") + " --workload " + flows("0,0,1,2MB,1bps\n"));
    // A frame takes 8656 s: in the 104 days that time lasts, not all of them leave.
    EXPECT_EQ(got.code, 1) << got.text;
    EXPECT_THAT(got.text, HasSubstr("nothing moves any more"));
}

// More frames than 32 bits count: the flow does not end early.
TEST_F(program_test, carries_a_flow_of_a_petabyte) {
    const program_outcome got = run_weir("run " + platform("kind='none'\nframe=4\n") + " --workload " +
                                         flows("0,0,1,1000000GB,\n") + " --until 100us --out " + folder.path("out"));
    EXPECT_EQ(got.code, 0) << got.text;
    EXPECT_THAT(got.text, HasSubstr("0 of 1 flows finished"));
    // 100 us at 100G are 1,250,000 octet times; a frame of 66 octets takes 86: 14,534 of them begin.
    std::ifstream in(folder.path("out/result.json"));
    const std::string json{std::istreambuf_iterator<char>(in), {}};
    EXPECT_THAT(json, ::testing::ContainsRegex("\"tx_frames\": 1453[345]"));
}

// A wait that never ends is a verdict, not a pass.
TEST_F(program_test, says_that_nothing_moves_any_more) {
    const std::string toml = platform("kind='incast'\noctets=1000\n");
    file("p.cfg", "interface 0\nno shutdown\n");  // host 1's port stays down
    const program_outcome got = run_weir("run " + toml);
    EXPECT_EQ(got.code, 1) << got.text;
    EXPECT_THAT(got.text, HasSubstr("nothing moves any more: 0 frames are under way, and 1 of 2 hosts have not sent"));
    EXPECT_EQ(run_weir("run " + toml + " --until 1ms").code, 0);  // whoever asks for an end gets it
}

TEST_F(program_test, refuses_times_beyond_the_end_of_time) {
    const program_outcome got = run_weir("run " + platform("kind='none'") + " --traffic-at 8000000s --until 8000000s");
    EXPECT_EQ(got.code, 2);
    EXPECT_THAT(got.text, HasSubstr("--until lies beyond the end of simulated time\n  at most 104 days"));
}

TEST_F(program_test, takes_one_port_and_128_at_every_rate) {
    for (const char* rate : {"1G", "1.6T"}) {
        EXPECT_EQ(run_weir("run " + platform("kind='none'\n", 1, rate)).code, 0) << rate;
        const program_outcome many = run_weir("run " + platform("kind='permutation'\noctets=20000\n", 128, rate));
        EXPECT_EQ(many.code, 0) << many.text;
        EXPECT_THAT(many.text, HasSubstr("128 of 128 flows finished")) << rate;
    }
}

TEST_F(program_test, takes_cells_of_odd_sizes_and_the_longest_frame) {
    for (const char* cell : {"32", "33", "4096"}) {
        const program_outcome got = run_weir("run " + platform("kind='incast'\noctets=50000\nframe=15936\n", 2, "100G",
                                                               std::string{"cell_octets="} + cell + "\n"));
        EXPECT_EQ(got.code, 0) << got.text;
        EXPECT_THAT(got.text, HasSubstr("1 of 1 flows finished")) << cell;
    }
}

TEST_F(program_test, loses_everything_in_a_memory_of_one_cell_and_says_so) {
    const program_outcome got = run_weir("run " + platform("kind='incast'\noctets=50000\n", 2, "100G", "", 1));
    EXPECT_EQ(got.code, 0) << got.text;  // the class is lossy
    EXPECT_THAT(got.text, HasSubstr("no_cell"));
}

TEST_F(program_test, carries_frames_over_a_hundred_kilometres) {
    const program_outcome got =
        run_weir("run " + platform("kind='incast'\noctets=50000\n") + " --hw switch.s0.ports.cable=100km");
    EXPECT_EQ(got.code, 0) << got.text;
    EXPECT_THAT(got.text, HasSubstr("1 of 1 flows finished"));
}

TEST_F(program_test, prints_no_banner_of_the_kernel_for_two_switches) {
    const std::string toml = file("two.toml",
                                  "[switch.s0]\n[[switch.s0.ports]]\nrate='100G'\n[switch.s1]\n[[switch.s1.ports]]\n"
                                  "rate='100G'\n");
    const program_outcome got = run_weir("run " + toml);
    EXPECT_EQ(got.code, 0);
    EXPECT_THAT(got.text, Not(HasSubstr("Warning")));
}

// --- captures

std::string pcap(const std::vector<std::pair<std::uint32_t, std::string>>& frames) {
    const auto word = [](std::uint32_t v) { return std::string(reinterpret_cast<const char*>(&v), 4); };
    std::string text = word(0xa1b2c3d4) + word(0x00040002) + word(0) + word(0) + word(65535) + word(1);
    for (const auto& [seconds, octets] : frames) {
        const auto length = static_cast<std::uint32_t>(octets.size());
        text += word(seconds) + word(0) + word(length) + word(length) + octets;
    }
    return text;
}

std::string to_host_one() {
    return std::string("\x02\0\0\0\0\1\x02\0\0\0\0\0\x08\0", 14) + std::string(50, '\0');
}

TEST_F(program_test, replays_a_capture_with_an_hour_in_it) {
    const std::string toml = platform("kind='none'");
    const std::string capture = file("c.pcap", pcap({{0, to_host_one()}, {3600, to_host_one()}, {10, to_host_one()}}));
    const program_outcome got = run_weir("run " + toml + " --workload " + capture + " --out " + folder.path("out"));
    EXPECT_EQ(got.code, 0) << got.text;
    EXPECT_THAT(got.text, HasSubstr("drained"));
}

TEST_F(program_test, refuses_a_replay_that_would_last_for_ever) {
    const std::string toml = platform("kind='none'");
    const std::string capture = file("c.pcap", pcap({{0, to_host_one()}, {1, to_host_one()}}));
    for (const char* speed : {"1e-300", "1e-9"}) {
        const program_outcome got =
            run_weir("run " + toml + " --workload " + capture + " --hw workload.speed=" + speed);
        EXPECT_EQ(got.code, 2) << speed;
        EXPECT_THAT(got.text, HasSubstr("lasts more than 100 days")) << speed;
    }
}

// --- what is written

TEST_F(program_test, leaves_nothing_behind_when_it_is_interrupted) {
    const std::string toml = platform("kind='incast'\noctets=1000000000000\n");
    // In the foreground: else it signals its whole group too, and a second signal ends a program at once.
    const program_outcome got = run_weir("run " + toml + " --snap 60 --capture 0 --out " + folder.path("out"),
                                         "timeout --foreground --preserve-status -s INT 1");
    EXPECT_EQ(got.code, 130) << got.text;
    EXPECT_THAT(got.text, HasSubstr("interrupted: nothing was written"));
    EXPECT_FALSE(std::filesystem::exists(folder.path("out")));
    EXPECT_FALSE(std::filesystem::exists(folder.path("out.partial")));
}

TEST_F(program_test, leaves_nothing_behind_when_the_boot_fails) {
    const std::string toml = platform("kind='none'");
    file("p.cfg", "interface 0\nno shutdown\ninterface 3-2\n");
    const program_outcome got = run_weir("run " + toml + " --out " + folder.path("out"));
    EXPECT_EQ(got.code, 2);
    EXPECT_THAT(got.text, HasSubstr("p.cfg:3: "));
    EXPECT_FALSE(std::filesystem::exists(folder.path("out.partial")));
}

// A finished run through the driver's own eyes: registers out of result.json, read by the shell's words.
TEST_F(program_test, shows_a_finished_run_as_the_driver_sees_it) {
    const std::string out = folder.path("out");
    ASSERT_EQ(
        run_weir("run " WEIR_SOURCE_DIR "/platforms/one_switch_8x400g --set headroom=8 --until 50us --out " + out).code,
        1);
    const program_outcome diagnosis = run_weir("show " + out + " diagnose");
    EXPECT_EQ(diagnosis.code, 0) << diagnosis.text;
    EXPECT_THAT(diagnosis.text, HasSubstr("interface 0: no fault: all five checks pass"));
    EXPECT_THAT(diagnosis.text, HasSubstr("interface 1: frames are lost although nobody is accused of sending late"));
    const program_outcome mmu = run_weir("show " + out + " mmu");
    EXPECT_EQ(mmu.code, 0) << mmu.text;
    EXPECT_THAT(mmu.text, HasSubstr("65536 cells of 256 octets"));
    EXPECT_THAT(run_weir("show " + out + " buffer pg").text, HasSubstr("lossless"));
    EXPECT_EQ(run_weir("show " + out + " weather").code, 2);
    EXPECT_EQ(run_weir("show " + out).code, 2);
    const program_outcome nothing = run_weir("show " + folder.path("none") + " mmu");
    EXPECT_EQ(nothing.code, 2);
    EXPECT_THAT(nothing.text, HasSubstr("cannot be read"));
    // By the reason's number, not by the order of the reasons' names.
    EXPECT_THAT(run_weir("show " + out + " counters").text, HasSubstr("(headroom)"));
    // Damaged, it is told as that.
    const auto damaged = [&](const std::string& text) {
        file("result.json", text);
        return run_weir("show " + folder.path() + " mmu").text;
    };
    const std::string wrong = folder.path() + "/result.json: lacks what every result has\n";
    const std::string head = R"({"schema":"weir-result","schema_version":1)";
    EXPECT_EQ(damaged(head + "}"), wrong + "  key 'switches' not found\n");
    EXPECT_EQ(damaged(head + R"(,"switches":[{"name":"s0"}]})"), wrong + "  key 'ports' not found\n");
    EXPECT_THAT(damaged(head + R"(,"switches":[{"name":"s0","ports":[],"chip":{"bm":{"pool_size":[]}}}]})"),
                HasSubstr(wrong));
    EXPECT_THAT(damaged(R"({"schema":7})"), HasSubstr("is no result of a run"));
    file("result.json", "{}");
    EXPECT_THAT(run_weir("show " + folder.path() + " mmu").text, HasSubstr("is no result of a run"));
}

}  // namespace
}  // namespace weir::vp
