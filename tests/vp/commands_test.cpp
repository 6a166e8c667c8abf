// SPDX-License-Identifier: Apache-2.0
// The command line: exit codes, help, outputs, and one clear message for each kind of bad input.
#include "vp/commands/commands.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "tests/vp/support.h"

namespace weir::vp {
namespace {

using platforms::testing::temporary_folder;
using ::testing::HasSubstr;
using testing::outcome;
using testing::sample_result;
using testing::small_chip;
using ::testing::StartsWith;
using testing::weir;

class command_line : public ::testing::Test {
protected:
    std::string platform(const std::string& more = "") {
        return folder.write("p.toml", platforms::testing::four_hosts + more);
    }
    temporary_folder folder;
};

TEST_F(command_line, every_command_has_help) {
    EXPECT_EQ(weir({"--help"}).code, 0);
    EXPECT_THAT(weir({"--help"}).out, HasSubstr("run      boot a platform and run its workload"));
    EXPECT_EQ(weir({"--version"}).out, "weir 0.1.0\n");
    for (const auto* command : {"run", "check", "headroom", "show", "explain", "regs", "bench"}) {
        const outcome got = weir({command, "--help"});
        EXPECT_EQ(got.code, 0) << command;
        EXPECT_THAT(got.out, StartsWith(std::string{"usage: weir "} + command));
    }
    EXPECT_EQ(weir({}).code, 2);
}

TEST_F(command_line, headroom_compares_the_models) {
    const outcome got = weir({"headroom", "--rate", "100G", "--length", "2km", "--cell", "128"});
    EXPECT_EQ(got.code, 0) << got.err;
    EXPECT_THAT(got.out,
                HasSubstr("chapter, one leg                                   126602    990   7 920   193.36 %"));
    EXPECT_THAT(got.out, HasSubstr("3 824 cells short"));
    EXPECT_EQ(weir({"headroom"}).code, 2);
    EXPECT_EQ(weir({"headroom", "--rate", "99G"}).err,
              "--rate 99G: this is no Ethernet rate\n  one of: " + std::string{data_rate::names()} + "\n");
    EXPECT_EQ(weir({"headroom", "--rate", "1G", "--length", "5"}).err,
              "--length 5: this is no length of cable\n  3m, 100m, 2km; at most 100km\n");
    EXPECT_EQ(weir({"headroom", "--rate", "1G", "--classes", "9"}).err, "--classes 9: is out of range\n  1 to 8\n");
}

TEST_F(command_line, run_prints_the_summary_and_writes_the_folder) {
    const std::string out = folder.path("out");
    const outcome got = weir({"run", platform(), "--out", out});
    EXPECT_EQ(got.code, 0) << got.err;
    EXPECT_THAT(got.out, HasSubstr("digest: 00c0ffee\n"));
    for (const auto* file : {"summary.txt", "result.json", "flows.csv", "completion.csv"}) {
        EXPECT_TRUE(std::filesystem::exists(out + "/" + file)) << file;
    }
    EXPECT_EQ(weir({"run", platform(), "--out", out}).code, 0) << "results of an earlier run are replaced";
}

TEST_F(command_line, run_exits_with_1_when_its_verdict_fails) {
    const small_chip chip;
    run_result failed = sample_result(chip);
    failed.losses = {{0, 1, 3, true, "headroom", 1}};
    EXPECT_EQ(weir({"run", platform()}, failed, chip).code, 1);
    run_result broken = sample_result(chip);
    broken.violations = {"s0: 3 cells in use after everything left"};
    EXPECT_EQ(weir({"run", platform()}, broken, chip).code, 1);
}

TEST_F(command_line, bad_input_gets_one_message_exit_2_and_no_folder) {
    const std::string out = folder.path("out");
    const auto error = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--out", out});
        const outcome got = weir(arguments);
        EXPECT_EQ(got.code, 2);
        EXPECT_EQ(got.out, "");
        EXPECT_FALSE(std::filesystem::exists(out));
        EXPECT_FALSE(std::filesystem::exists(out + ".partial"));
        return got.err;
    };
    const std::string p = platform();
    EXPECT_EQ(error({"run"}), "weir: no platform was named\n  usage: weir run PLATFORM [options]\n");
    EXPECT_EQ(error({"run", "nowhere"}),
              "nowhere: there is no such platform file\n  looked for nowhere and nowhere.toml\n");
    EXPECT_EQ(error({"run", p, "--until", "5"}), "--until 5: this is no length of time\n  100ns, 1.5us, 3ms, 2s\n");
    EXPECT_EQ(error({"run", p, "--seed", "x"}),
              "--seed x: this is no whole number of at most 18 digits\n  for example: --seed 1\n");
    EXPECT_EQ(error({"run", p, "--capture", "0,4"}), "--capture 0,4: there is no port 4\n  0 to 3, or all\n");
    EXPECT_EQ(error({"run", p, "--capture", "a"}),
              "--capture a: \"a\" is no port\n  numbers and ranges: 0,3-5, or all\n");
    EXPECT_EQ(error({"run", p, "--untill", "5us"}),
              "weir run: unrecognised option '--untill'\n  weir run --help lists the options\n");
    EXPECT_EQ(error({"run", p, "--hw", "switch.s0.cells=0"}),
              "--hw switch.s0.cells=0: cells 0 is out of range\n  1 to 16777214 cells\n");
    EXPECT_EQ(error({"run", p, "--set", "x=1"}), "--set x=1: the program has no value \"x\"\n  known here: \n");
    EXPECT_EQ(error({"run", p, "--workload", "f.csv"}), "--workload f.csv: the file does not exist\n");
    const std::string flows = folder.write("f.csv", "start,source,destination,octets\n0,0,1,0\n");
    EXPECT_EQ(error({"run", p, "--workload", flows}), flows + ":2:7: the flow has no octets\n  at least 1\n");
    const std::string bad = folder.write("bad.toml", "[[switch.s0.ports]]\ncount = 8\nrate  = \"401G\"\n");
    EXPECT_EQ(error({"run", bad}), bad +
                                       ":3:9: rate \"401G\" is not an Ethernet rate\n"
                                       "  one of: 1G 10G 25G 40G 50G 100G 200G 400G 800G 1.6T\n");
}

TEST_F(command_line, captures_and_series_need_a_folder) {
    const outcome got = weir({"run", platform(), "--capture", "all"});
    EXPECT_EQ(got.code, 2);
    EXPECT_EQ(got.err, "--capture all: there is no folder to write to\n  add --out DIR\n");
}

TEST_F(command_line, what_the_boot_says_reaches_the_user) {
    engine broken;
    broken.run = [](const auto&, const auto&, const auto&) -> run_result {
        throw boot_error("boot.cfg:7: pfc headrom 8: unknown command\n  did you mean headroom?");
    };
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(run_command_line({"run", platform()}, broken, out, err), 2);
    EXPECT_EQ(err.str(), "boot.cfg:7: pfc headrom 8: unknown command\n  did you mean headroom?\n");
}

TEST_F(command_line, unknown_commands_get_the_nearest) {
    EXPECT_EQ(weir({"rnu"}).err, "weir rnu: there is no such command\n  did you mean run?\n");
    EXPECT_EQ(weir({"rnu"}).code, 2);
}

TEST_F(command_line, check_reports_and_stops_on_errors) {
    small_chip chip;
    chip.set("bm.cap_pools.pools", {}, 4);
    const std::string p = platform();
    const outcome sound = weir({"check", p}, sample_result(chip), chip);
    EXPECT_EQ(sound.code, 0);
    EXPECT_THAT(sound.out, HasSubstr("switch s0: 4 ports, 1 000 cells of 256 octets"));
    chip.set("bm.pool_size.cells", {0}, 1001);
    const outcome over = weir({"check", p}, sample_result(chip), chip);
    EXPECT_EQ(over.code, 2);
    EXPECT_THAT(over.out, HasSubstr("error: s0 ingress regions take 1 001 cells of 1 000: 1 too many\n"));
}

TEST_F(command_line, explain_knows_one_key_and_all) {
    EXPECT_THAT(weir({"explain", "switch.s0.cells"}).out, HasSubstr("range:   1 to 16777214 cells"));
    EXPECT_THAT(weir({"explain"}).out, HasSubstr("workload.receiver"));
    EXPECT_THAT(weir({"explain", "--markdown"}).out, StartsWith("| key | value | range | default | meaning |"));
    EXPECT_EQ(weir({"explain", "cels"}).code, 2);
}

TEST_F(command_line, regs_lists_finds_decodes_explains) {
    EXPECT_THAT(weir({"regs", "list", "pg"}).out, HasSubstr("pg.xoff[port 129][group 8]"));
    EXPECT_THAT(weir({"regs", "find", "HEADROOM"}).out, HasSubstr("pg.headroom"));
    EXPECT_THAT(weir({"regs", "explain", "pg.xoff.cells"}).out, HasSubstr("reset: all ones"));
    const registers::bank bank(registers::weir_map());
    const auto address = bank.address_of("pg.xoff", {3, 2});
    EXPECT_THAT(weir({"regs", "decode", std::to_string(address)}).out, StartsWith("pg.xoff[port 3][group 2]\n"));
    EXPECT_THAT(weir({"regs", "decode", std::to_string(address + 1)}).out,
                StartsWith("pg.xoff[port 3][group 2], octet 1 of its word: accesses must be aligned to 4\n"));
    EXPECT_THAT(weir({"regs", "decode", "0x7ffffffc"}).err,
                StartsWith("regs decode 0x7ffffffc: no register stands there\n  the map ends at 0x"));
    EXPECT_EQ(weir({"regs", "decode", "pg"}).err, "regs decode pg: this is no address\n  for example 0x1000 or 4096\n");
    EXPECT_EQ(weir({"regs", "list", "pgg"}).err, "regs list pgg: there is no such block\n  did you mean pg?\n");
    EXPECT_EQ(weir({"regs", "explain", "pg.xof"}).err,
              "regs explain pg.xof: there is no such register or field\n  did you mean pg.xoff?\n");
    EXPECT_EQ(weir({"regs", "find", "zeppelin"}).code, 2);
    EXPECT_EQ(weir({"regs", "lits"}).err, "regs lits: there is no such action\n  did you mean list?\n");
    EXPECT_EQ(weir({"regs", "decode"}).err, "regs decode: of what?\n  weir regs --help\n");
}

TEST_F(command_line, regs_exports_the_generated_forms) {
    EXPECT_THAT(weir({"regs", "export", "header"}).out, HasSubstr("weir_reg_pg_xoff"));
    EXPECT_THAT(weir({"regs", "export", "svd"}).out, HasSubstr("<device"));
    EXPECT_THAT(weir({"regs", "export", "rdl"}).out, HasSubstr("addrmap"));
    EXPECT_THAT(weir({"regs", "export", "markdown"}).out, HasSubstr("xoff"));
    EXPECT_EQ(weir({"regs", "export", "pdf"}).err,
              "regs export pdf: there is no such format\n  one of: header svd rdl markdown\n");
}

}  // namespace
}  // namespace weir::vp
