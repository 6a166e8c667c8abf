// SPDX-License-Identifier: Apache-2.0
// The subcommands and their options.
#include "vp/commands/commands.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <ostream>
#include <system_error>

#include "models/ethernet/capture_reader.h"
#include "models/ethernet/capture_writer.h"
#include "platforms/keys.h"
#include "platforms/text.h"
#include "vp/commands/check_command.h"
#include "vp/commands/command.h"
#include "vp/commands/export_command.h"
#include "vp/commands/option_parser.h"
#include "vp/commands/registers_command.h"
#include "vp/commands/report_command.h"
#include "vp/commands/run_command.h"
#include "vp/commands/size_command.h"
#include "vp/commands/sweep_command.h"
#include "vp/commands/whatif_command.h"
#include "vp/headroom/headroom_models.h"
#include "vp/output/output_directory.h"
#include "vp/output/table.h"
#include "vp/run/interruption.h"
#include "vp/version.h"

namespace weir::vp {
namespace {

namespace po = boost::program_options;
using platforms::config_error;

headroom_question read_question(const option_parser& options) {
    headroom_question q;
    const std::string rate = options.text("rate");
    const auto known = data_rate::from_name(rate);
    if (!known) {
        throw config_error(fmt::format("--rate {}", rate), "this is no Ethernet rate",
                           fmt::format("one of: {}", data_rate::names()));
    }
    q.rate = *known;
    const std::string length = options.given("length") ? options.text("length") : "100m";
    const auto metres = platforms::parse_metres(length);
    if (!metres || *metres > 100'000) {
        throw config_error(fmt::format("--length {}", length), "this is no length of cable",
                           "3m, 100m, 2km; at most 100km");
    }
    q.metres = static_cast<std::uint32_t>(*metres);
    const auto number = [&](const char* name, std::uint32_t fallback, std::uint64_t least, std::uint64_t most) {
        const std::uint64_t value = number_option(options, name, fallback);
        if (value < least || value > most) {
            throw config_error(fmt::format("--{} {}", name, value), "is out of range",
                               fmt::format("{} to {}", least, most));
        }
        return static_cast<std::uint32_t>(value);
    };
    q.cell_octets = number("cell", 256, 32, 16'384);
    q.mtu = number("mtu", 1518, ethernet::minimum_frame_octets, ethernet::maximum_frame_octets);
    q.frame = number("frame", q.mtu, ethernet::minimum_frame_octets, ethernet::maximum_frame_octets);
    q.classes = number("classes", 8, 1, 8);
    q.cells = number("cells", 4096, 1, 1U << 24U);
    return q;
}

int headroom(const std::vector<std::string>& arguments, const context& c) {
    option_parser options(
        "weir headroom --rate RATE [--length L] [--cell OCTETS] [options]",
        "Says what a lossless class needs as headroom, by every model beside each other, and whether\n"
        "that many classes fit into a port's share of the buffer.");
    options.options()("rate", po::value<std::string>(), "of the link: 400G")(
        "length", po::value<std::string>(), "of the cable: 3m, 2km; default 100m")("cell", po::value<std::string>(),
                                                                                   "OCTETS of a cell; default 256")(
        "mtu", po::value<std::string>(), "OCTETS of the longest frame, FCS counted; default 1518")(
        "frame", po::value<std::string>(),
        "OCTETS of the frames that arrive, for the exact form; default: the longest")(
        "classes", po::value<std::string>(), "N lossless classes; default 8")(
        "cells", po::value<std::string>(), "N cells that the port may use; default 4096");
    if (!options.parse(arguments, c.out)) return exit_code::done;
    if (!options.given("rate")) throw config_error("weir headroom", "no rate was given", "--rate 400G, for example");
    c.out << headroom_comparison(read_question(options));
    return exit_code::done;
}

int explain(const std::vector<std::string>& arguments, const context& c) {
    option_parser options("weir explain [KEY]",
                          "Says what a key of a platform file means, its unit, range and default.\n"
                          "Without KEY: all keys.");
    options.positional("key");
    options.options()("markdown", "all keys as a table for the manual");
    if (!options.parse(arguments, c.out)) return exit_code::done;
    if (options.given("markdown")) {
        c.out << platforms::keys_markdown();
    } else if (options.given("key")) {
        c.out << platforms::explain(options.word("key", ""));
    } else {
        table rows({"key", "default", "meaning"});
        for (const auto& entry : platforms::all_keys()) {
            rows.row({std::string{entry.key.path}, entry.fallback, std::string{entry.key.doc}});
        }
        c.out << rows.text(0);
    }
    return exit_code::done;
}

int regs(const std::vector<std::string>& arguments, const context& c) {
    option_parser options("weir regs list [BLOCK] | find WORD | decode ADDRESS | explain NAME | export FORMAT",
                          "Shows the register map. NAME: block.register or block.register.field.\n"
                          "FORMAT: header (C), svd, rdl, markdown.");
    options.positional("words", 2);
    if (!options.parse(arguments, c.out)) return exit_code::done;
    const auto words = options.words("words");
    const auto& map = registers::weir_map();
    const std::string action = options.word("words", "regs needs to know what to do");
    if (action == "list") {
        c.out << list_registers(map, words.size() > 1 ? words[1] : "");
        return exit_code::done;
    }
    const std::vector<std::string> actions{"list", "find", "decode", "explain", "export"};
    if (std::find(actions.begin(), actions.end(), action) == actions.end()) {
        const auto near = platforms::nearest_name(action, actions);
        throw config_error(fmt::format("regs {}", action), "there is no such action",
                           near ? fmt::format("did you mean {}?", *near) : "one of: list find decode explain export");
    }
    if (words.size() < 2) throw config_error(fmt::format("regs {}", action), "of what?", "weir regs --help");
    if (action == "find") c.out << find_registers(map, words[1]);
    if (action == "decode") c.out << decode_address(map, words[1]);
    if (action == "explain") c.out << explain_register(map, words[1]);
    if (action == "export") c.out << exported_map(words[1]);
    return exit_code::done;
}

int show(const std::vector<std::string>& arguments, const context& c) {
    option_parser options(
        "weir show DIR WORDS…",
        "What a finished run left, in tables: DIR is what weir run --out left; pg, queue, pfc, flows, drops.\n"
        "Other words go to the driver's shell. diagnose: what is wrong with PFC, port by port; also mmu,\n"
        "buffer pg, interface 0 pfc, counters.");
    options.positional("words", -1);
    if (!options.parse(arguments, c.out)) return exit_code::done;
    const auto words = options.words("words");
    if (words.empty()) throw config_error("weir show", "no folder was named", "weir show DIR diagnose");
    if (words.size() == 1)
        throw config_error("weir show " + words[0], "what of it?",
                           "pg, queue, pfc, flows, drops, diagnose, mmu, buffer pg");
    std::string line;
    for (std::size_t i = 1; i < words.size(); ++i) line += (i > 1 ? " " : "") + words[i];
    c.out << c.simulator.show(words[0], line);
    return exit_code::done;
}

int replay(const std::vector<std::string>& arguments, const context& c) {
    option_parser options(
        "weir replay TRACE PLATFORM [options]",
        "Plays a register trace (weir run --register-trace) against a platform, without its script: the\n"
        "writes, and the reads, whose values are compared where they do not change by themselves.\n"
        "At the trace's times; one whose times were cut away (cut -f2-) is played as fast as it goes.\n"
        "Exit code: 0 all as in the trace, 1 something was different, 2 bad input.");
    options.positional("words", 2);
    options.options()("hw", po::value<std::vector<std::string>>(), "KEY=VALUE: change a hardware key");
    if (!options.parse(arguments, c.out)) return exit_code::done;
    const auto words = options.words("words");
    if (words.size() != 2) throw config_error("weir replay", "what, on what?", "weir replay TRACE PLATFORM");
    platforms::load_options how;
    how.hardware = options.words("hw");
    const replay_result result = c.simulator.replay(platforms::load_platform(words[1], how), words[0]);
    c.out << replay_text(result);
    return result.different == 0 ? exit_code::done : exit_code::verdict_failed;
}

int bench(const std::vector<std::string>& arguments, const context& c) {
    if (std::find_if(arguments.begin(), arguments.end(), [](const auto& a) { return a == "--help" || a == "-h"; }) !=
        arguments.end()) {
        c.out << "usage: weir bench\n\nMeasures link-hops per CPU second on one core beside a bare kernel loop of the "
                 "same shape, register\naccesses per second, start-up time and memory, and prints them.\n";
        return exit_code::done;
    }
    return c.simulator.bench(arguments);
}

struct command {
    const char* name;
    const char* about;
    command_action action;
};

constexpr command commands[] = {
    {"run", "boot a platform and run its workload", run_command},
    {"console", "the same, and then talk to the firmware", console_command},
    {"whatif", "several futures from one moment of a run", whatif_command},
    {"check", "explain what a platform is programmed to, and what is wrong with it", check_command},
    {"headroom", "what a lossless class needs as headroom, by every model", headroom},
    {"sweep", "run a platform at every point of a study, and make a table", sweep_command},
    {"size", "find the smallest buffer for which a study's constraints hold", size_command},
    {"show", "tables of a finished run, or what the driver shows of it: diagnose what is wrong with PFC", show},
    {"report", "one HTML file that shows what a run or a sweep left", report_command},
    {"export", "what a run recorded, for Perfetto and for waveform viewers", export_command},
    {"replay", "play a register trace against a platform", replay},
    {"explain", "say what a key of a platform file means", explain},
    {"regs", "show the register map", regs},
    {"bench", "measure speed", bench},
};

std::string help() {
    std::string text =
        "usage: weir COMMAND …\n\nA virtual prototype of a shared-buffer switch ASIC.\n\ncommands (each has --help)\n";
    for (const auto& each : commands) text += fmt::format("  {:8} {}\n", each.name, each.about);
    return text + "  --version\n  --help\n";
}

int dispatch(const std::vector<std::string>& arguments, const context& c) {
    if (arguments.empty()) {
        c.err << help();
        return exit_code::bad_input;
    }
    const std::string& word = arguments.front();
    if (word == "--help" || word == "-h" || word == "help") {
        c.out << help();
        return exit_code::done;
    }
    if (word == "--version") {
        fmt::print(c.out, "weir {}\n", version());
        return exit_code::done;
    }
    std::vector<std::string> names;
    for (const auto& each : commands) {
        if (each.name == word) return each.action({arguments.begin() + 1, arguments.end()}, c);
        names.emplace_back(each.name);
    }
    const auto near = platforms::nearest_name(word, names);
    throw config_error(fmt::format("weir {}", word), "there is no such command",
                       near ? fmt::format("did you mean {}?", *near) : "weir --help lists them");
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments, const engine& simulator, std::ostream& out,
                     std::ostream& err) {
    const auto complain = [&](const char* what) {
        fmt::print(err, "{}\n", what);
        return exit_code::bad_input;
    };
    try {
        return dispatch(arguments, {simulator, out, err});
    } catch (const po::error& e) {
        fmt::print(err, "weir {}: {}\n  weir {} --help lists the options\n", arguments.front(), e.what(),
                   arguments.front());
        return exit_code::bad_input;
    } catch (const config_error& e) {
        return complain(e.what());
    } catch (const boot_error& e) {
        return complain(e.what());
    } catch (const output_error& e) {
        return complain(e.what());
    } catch (const interrupted& e) {
        complain(e.what());
        return e.exit_code();
    } catch (const ethernet::capture_error& e) {
        return complain(e.what());
    } catch (const ethernet::capture_write_error& e) {
        return complain(e.what());
    } catch (const std::system_error& e) {
        // Processes and pipes run out; what else the system says has no hint.
        const bool room = e.code() == std::errc::too_many_files_open ||
                          e.code() == std::errc::resource_unavailable_try_again ||
                          e.code() == std::errc::not_enough_memory;
        return complain(
            fmt::format("weir: the system refuses: {}{}", e.what(), room ? "\n  fewer --jobs" : "").c_str());
    } catch (const std::exception& e) {
        fmt::print(err, "weir: a defect of the program itself: {}\n", e.what());
        return exit_code::bad_input;
    }
}

}  // namespace weir::vp
