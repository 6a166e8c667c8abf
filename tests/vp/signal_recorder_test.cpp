// SPDX-License-Identifier: Apache-2.0
// Recorded signals against hand-computed ones, and against what the registers of the same run say.
#include "vp/signals/signal_recorder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/system/fabric.h"
#include "tests/system/in_child.h"

namespace weir::vp {
namespace {

using system_test::fabric;
using system_test::run;
using ::testing::ElementsAre;

struct row {
    std::int64_t time;
    std::size_t signal;
    std::int64_t value;
};

struct recorded {
    nlohmann::json about;
    std::vector<row> rows;

    /// "TIME NAME VALUE"
    [[nodiscard]] std::vector<std::string> lines() const {
        std::vector<std::string> all;
        for (const row& r : rows) {
            all.push_back(
                fmt::format("{} {} {}", r.time, about["signals"][r.signal]["name"].get<std::string>(), r.value));
        }
        return all;
    }
};

recorded read(const std::string& folder) {
    recorded made;
    std::ifstream(folder + "/signals.json") >> made.about;
    std::ifstream in(folder + "/signals.csv");
    std::string line;
    std::getline(in, line);
    EXPECT_EQ(line, "time_ps,signal,value");
    while (std::getline(in, line)) {
        row r{};
        char comma = 0;
        std::istringstream(line) >> r.time >> comma >> r.signal >> comma >> r.value;
        made.rows.push_back(r);
    }
    return made;
}

const std::string star =
    "[topology]\nkind='star'\nhosts=3\n[routes]\nkind='shortest_path'\n[workload]\nkind='flows'\nfile='f.csv'\n";

// A frame of 4158 octets, 17 cells of 256, has arrived after 8 + 4158 octets of 80 ps and 3 m of cable; it leaves at
// once, and its cells go back then. 8 are Guaranteed, 9 Service, out of the pool.
TEST(signal_recorder, tells_of_a_frame_as_it_comes_and_goes) {
    const platforms::testing::temporary_folder folder;
    run_request request;
    request.signals = true;
    request.output = folder.path();
    (void)run(fabric(folder, star, {{"f.csv", "start,source,destination,octets\n0,h1,h0,4096\n"}}), request);
    const recorded got = read(folder.path());
    const std::string t = fmt::format("{} ", 4166 * 80 + 15'000);
    EXPECT_THAT(got.lines(), ElementsAre(t + "s0.1.pg3.guaranteed 8", t + "s0.1.pg3.service 9", t + "s0.pool0 9",
                                         t + "s0.0.queue3 17", t + "s0.1.pg3.guaranteed 0", t + "s0.1.pg3.service 0",
                                         t + "s0.pool0 0", t + "s0.0.queue3 0"));
    const auto& service = got.about["signals"][1];
    EXPECT_EQ(service["xoff"], 300);
    EXPECT_EQ(service["xon"], 200);
    EXPECT_EQ(service["kind"], "service");
    EXPECT_EQ(service["switch"], "s0");
    EXPECT_EQ(service["port"], 1);
    EXPECT_EQ(service["index"], 3);
}

// Two senders with XOFF at 9: one frame of the first two waits, so its port pauses at once; the frame that says so
// needs 72 octets more, and its host stops when it has come.
TEST(signal_recorder, tells_when_a_pause_is_asked_for_and_when_it_is_obeyed) {
    const platforms::testing::temporary_folder folder;
    run_request request;
    request.signals = true;
    request.output = folder.path();
    request.until = nanoseconds(500);
    platforms::load_options options;
    options.program = {"xoff=9", "xon=2"};
    (void)run(
        fabric(folder, star, {{"f.csv", "start,source,destination,octets\n0,h1,h0,64KiB\n0,h2,h0,64KiB\n"}}, options),
        request);
    std::vector<std::string> pauses;
    for (const auto& line : read(folder.path()).lines()) {
        if (line.find("priority") != std::string::npos) pauses.push_back(line);
    }
    constexpr std::int64_t arrived = 4166 * 80 + 15'000;
    EXPECT_THAT(pauses, ElementsAre(fmt::format("{} s0.2.priority3.asked 1", arrived),
                                    fmt::format("{} h2.priority3.stopped 1", arrived + 72 * 80 + 15'000)));
}

// What the registers counted, another way: peaks, pauses and their time, drops, marks.
TEST(signal_recorder, agrees_with_the_registers) {
    const platforms::testing::temporary_folder folder;
    run_request request;
    request.signals = true;
    request.output = folder.path();
    platforms::load_options options;
    options.program = {"xoff=200", "xon=100", "headroom=20", "lossy=100"};
    const std::string script =
        std::string(system_test::fabric_script) +
        "wred profile 1 green min 100 max 300 probability 50%\ninterface all\nqueue 3 wred profile "
        "1 ecn\nqueue 0,3 scheduler dwrr 1\nexit\n";
    const auto result = run(
        fabric(folder, star,
               {{"f.csv",
                 "start,source,destination,octets,priority,dscp,ecn\n0,h1,h0,1MiB,3,24,ect0\n0,h2,h0,1MiB,3,24,ect0\n"
                 "3us,h1,h0,1MiB,0,0,\n3us,h2,h0,1MiB,0,0,\n"},
                {"switch.cfg", script}},
               options),
        request);
    const recorded got = read(folder.path());
    std::map<std::string, std::int64_t> peak;
    std::map<std::string, std::int64_t> events;
    std::map<std::string, std::int64_t> time;
    std::map<std::string, std::int64_t> since;
    std::int64_t before = 0;
    for (const row& r : got.rows) {
        EXPECT_GE(r.time, before);
        before = r.time;
        const std::string name = got.about["signals"][r.signal]["name"];
        peak[name] = std::max(peak[name], r.value);
        ++events[name];
        if (r.value == 1) since[name] = r.time;
        if (r.value == 0) time[name] += r.time - since[name];
    }
    const auto& registers = result.switches[0].registers;
    for (std::uint32_t port = 0; port < 3; ++port) {
        for (std::uint32_t g = 0; g < 8; ++g) {
            const std::string group = fmt::format("s0.{}.pg{}.", port, g);
            const std::string priority = fmt::format("s0.{}.priority{}.asked", port, g);
            const std::string queue = fmt::format("s0.{}.queue{}", port, g);
            EXPECT_EQ(peak[group + "service"], registers.value("pg.service_max.cells", {port, g})) << group;
            EXPECT_EQ(peak[group + "headroom"], registers.value("pg.headroom_max.cells", {port, g})) << group;
            EXPECT_EQ(peak[queue], registers.value("queue.max.cells", {port, g})) << queue;
            EXPECT_EQ(events[queue + ".mark"], registers.value("wred.ce_marked.frames", {port, g})) << queue;
            EXPECT_EQ(events[priority] / 2, registers.value("pfc.tx_transitions.times", {port, g})) << priority;
            // The port sends nothing but pauses, so a frame that tells of a wish starts with it, or waits for the end
            // of the one before, 84 octets; the register counts nanoseconds.
            const double told = static_cast<double>(time[priority]) / 1e3;
            const auto wished = static_cast<double>(registers.value("pfc.tx_paused_ns.time", {port, g}));
            EXPECT_NEAR(told, wished, 1 + static_cast<double>(events[priority]) * 84 * 0.08) << priority;
        }
    }
    std::int64_t dropped = 0;
    std::uint64_t lost = 0;
    for (const auto& [name, count] : events) dropped += name.find(".drop") != std::string::npos ? count : 0;
    for (const loss& each : result.losses) lost += each.frames;
    EXPECT_EQ(dropped, lost);
    EXPECT_GT(lost, 0U);
    EXPECT_GT(events["s0.0.queue3.mark"], 0);
    EXPECT_GT(events["s0.1.priority3.asked"], 2);
}

TEST(signal_recorder, changes_nothing) {
    const auto digest_of = [](bool recorded_too) {
        return system_test::in_child([recorded_too] {
            const platforms::testing::temporary_folder folder;
            run_request request;
            request.signals = recorded_too;
            if (recorded_too) request.output = folder.path();
            const auto result =
                run(fabric(folder, star, {{"f.csv", "start,source,destination,octets\n0,h1,h0,1MiB\n0,h2,h0,1MiB\n"}}),
                    request);
            return std::stoull(result.digest, nullptr, 16);
        });
    };
    EXPECT_EQ(digest_of(true), digest_of(false));
}

}  // namespace
}  // namespace weir::vp
