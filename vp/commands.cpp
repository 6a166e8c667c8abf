// SPDX-License-Identifier: Apache-2.0
// The subcommands and their options.
#include "vp/commands.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <optional>
#include <ostream>
#include <sstream>

#include "models/ethernet/capture_reader.h"
#include "models/ethernet/capture_writer.h"
#include "platforms/keys.h"
#include "platforms/text.h"
#include "platforms/workload.h"
#include "vp/check.h"
#include "vp/completion.h"
#include "vp/headroom_models.h"
#include "vp/interruption.h"
#include "vp/output_directory.h"
#include "vp/progress.h"
#include "vp/registers_command.h"
#include "vp/strict_checks.h"
#include "vp/table.h"
#include "vp/version.h"

namespace weir::vp {
namespace {

namespace po = boost::program_options;
using platforms::config_error;

constexpr int done = 0;
constexpr int verdict_failed = 1;
constexpr int bad_input = 2;

struct context {
    const engine& simulator;
    std::ostream& out;
    std::ostream& err;
};

/// The options of one subcommand, its positional arguments, and its help.
class option_parser {
public:
    option_parser(std::string usage, std::string about)
        : usage_(std::move(usage)), about_(std::move(about)), shown_("options") {
        shown_.add_options()("help,h", "print this");
    }

    po::options_description_easy_init options() { return shown_.add_options(); }
    option_parser& positional(const char* name, int count = 1) {
        hidden_.add_options()(name, po::value<std::vector<std::string>>());
        places_.add(name, count);
        return *this;
    }

    /// False when the help was asked for and printed.
    bool parse(const std::vector<std::string>& arguments, std::ostream& out) {
        po::options_description all;
        all.add(shown_).add(hidden_);
        // Abbreviated options would change their meaning when new ones come.
        const int style = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
        po::store(po::command_line_parser(arguments).options(all).positional(places_).style(style).run(), values_);
        po::notify(values_);
        if (values_.count("help") == 0) return true;
        fmt::print(out, "usage: {}\n\n{}\n\n", usage_, about_);
        std::ostringstream text;
        text << shown_;
        out << text.str();
        return false;
    }

    /// Positional arguments; empty when none was given.
    [[nodiscard]] std::vector<std::string> words(const char* name) const {
        if (values_.count(name) == 0) return {};
        return values_[name].as<std::vector<std::string>>();
    }
    [[nodiscard]] std::string word(const char* name, const std::string& missing) const {
        const auto all = words(name);
        if (all.empty()) throw config_error("weir", missing, fmt::format("usage: {}", usage_));
        return all.front();
    }
    [[nodiscard]] std::string text(const char* name) const {
        if (!given(name)) return {};
        std::string value = values_[name].as<std::string>();
        if (value.empty()) throw config_error(fmt::format("--{}", name), "is empty", "a value, or no such option");
        return value;
    }
    [[nodiscard]] bool given(const char* name) const { return values_.count(name) != 0; }

private:
    std::string usage_;
    std::string about_;
    po::options_description shown_;
    po::options_description hidden_;
    po::positional_options_description places_;
    po::variables_map values_;
};

void add_platform_options(option_parser& options) {
    options.positional("platform");
    options.options()("set", po::value<std::vector<std::string>>(), "NAME=VALUE for ${NAME} in the boot script")(
        "hw", po::value<std::vector<std::string>>(), "KEY=VALUE: change a hardware key (weir explain lists them)")(
        "workload", po::value<std::string>(), "flow list (.csv), capture (.pcap, .pcapng) or HPCC flow file (.txt)");
}

platforms::platform_config load(const option_parser& options) {
    platforms::load_options load;
    load.hardware = options.words("hw");
    load.program = options.words("set");
    load.workload_file = options.text("workload");
    return platforms::load_platform(options.word("platform", "no platform was named"), load);
}

std::optional<picoseconds> time_option(const option_parser& options, const char* name) {
    if (!options.given(name)) return std::nullopt;
    const std::string text = options.text(name);
    const auto time = platforms::parse_duration(text);
    if (!time) {
        throw config_error(fmt::format("--{} {}", name, text), "this is no length of time", "100ns, 1.5us, 3ms, 2s");
    }
    return time;
}

std::uint64_t number_option(const option_parser& options, const char* name, std::uint64_t fallback) {
    if (!options.given(name)) return fallback;
    const std::string text = options.text(name);
    const auto number = platforms::parse_number(text);
    if (!number) {
        throw config_error(fmt::format("--{} {}", name, text), "this is no whole number of at most 18 digits",
                           fmt::format("for example: --{} {}", name, fallback));
    }
    return *number;
}

/// Ports by number, "0,3-5", or "all".
std::vector<std::uint32_t> ports_option(const std::string& text, const platforms::platform_config& platform) {
    std::size_t most = 0;
    for (const auto& each : platform.switches) most = std::max(most, each.ports.size());
    std::vector<std::uint32_t> ports;
    const auto add = [&](std::uint64_t first, std::uint64_t last) {
        if (first > last) {
            throw config_error(fmt::format("--capture {}", text), fmt::format("{}-{} runs backwards", first, last),
                               "the lower number first");
        }
        if (last >= most) {
            throw config_error(fmt::format("--capture {}", text), fmt::format("there is no port {}", last),
                               fmt::format("0 to {}, or all", most - 1));
        }
        for (auto port = first; port <= last; ++port) ports.push_back(static_cast<std::uint32_t>(port));
    };
    if (text == "all") {
        add(0, most - 1);
        return ports;
    }
    for (const auto part : platforms::split(text, ',')) {
        const auto dash = part.find('-');
        const auto first = platforms::parse_number(part.substr(0, dash));
        const auto last = dash == std::string_view::npos ? first : platforms::parse_number(part.substr(dash + 1));
        if (!first || !last) {
            throw config_error(fmt::format("--capture {}", text), fmt::format("\"{}\" is no port", part),
                               "numbers and ranges: 0,3-5, or all");
        }
        add(*first, *last);
    }
    std::sort(ports.begin(), ports.end());
    ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
    return ports;
}

remote::remote_request read_remote(const option_parser& options) {
    remote::remote_request made;
    const bool anywhere = options.given("remote-any-address");
    if (options.given("json")) made.json = remote::parse_address("--json", options.text("json"), anywhere);
    if (options.given("port")) made.port = remote::parse_address("--port", options.text("port"), anywhere);
    if (options.given("gdb")) made.gdb = remote::parse_address("--gdb", options.text("gdb"), false);
    made.halted = options.given("halt");
    made.timed = options.words("at");
    if (made.halted && !made.json && !made.gdb) {
        throw config_error("--halt", "nobody could resume the run", "add --json ADDRESS or --gdb ADDRESS");
    }
    return made;
}

run_request read_request(const option_parser& options, const platforms::platform_config& platform) {
    run_request request;
    request.seed = number_option(options, "seed", 1);
    request.until = time_option(options, "until");
    request.traffic_at = time_option(options, "traffic-at");
    for (const auto* name : {"capture", "series"}) {
        if (options.given(name) && !options.given("out")) {
            throw config_error(fmt::format("--{} {}", name, options.text(name)), "there is no folder to write to",
                               "add --out DIR");
        }
    }
    if (options.given("capture")) request.captured = ports_option(options.text("capture"), platform);
    request.snap_octets = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(number_option(options, "snap", 0), ethernet::maximum_frame_octets));
    if (const auto interval = time_option(options, "series"); interval) {
        if (*interval < nanoseconds(1)) {
            throw config_error(fmt::format("--series {}", options.text("series")), "is too short", "1ns at least");
        }
        request.series_interval = *interval;
    }
    request.observe = options.given("observe");
    request.check = options.given("check");
    if (options.given("console")) request.console = options.text("console");
    request.remote = read_remote(options);
    request.register_trace = options.text("register-trace");
    if (options.given("strict")) request.strict = read_strict_mode(options.text("strict"));
    return request;
}

int run_platform(option_parser options, const std::vector<std::string>& arguments, bool stay, const context& c) {
    add_platform_options(options);
    options.options()("seed", po::value<std::string>(), "of all random streams; default 1")(
        "until", po::value<std::string>(), "TIME after workload time zero; default: until everything is delivered")(
        "traffic-at", po::value<std::string>(), "TIME of workload time zero; default: first whole 100us after boot")(
        "out", po::value<std::string>(), "DIR for summary.txt, result.json, flows.csv and what is asked for below")(
        "capture", po::value<std::string>(), "PORTS whose frames go to a pcapng file each: all, or 0,3-5")(
        "snap", po::value<std::string>(), "OCTETS kept of each captured frame; default: all")(
        "series", po::value<std::string>(), "INTERVAL of occupancy.csv, a row for each group that holds cells")(
        "console", po::value<std::string>(),
        "PLACE of the guests' console: print (default), stdio, file:PATH, tcp:PORT, pty, none")(
        "register-trace", po::value<std::string>(), "FILE for every register access of software, a line each")(
        "strict", po::value<std::string>()->implicit_value("report"),
        "tell of register accesses that silicon would swallow; =error: fail by them; =all: also of "
        "configuration that is read and was never written")(
        "json", po::value<std::string>(), "ADDRESS of the JSON door (docs/remote.md): unix:PATH, tcp:PORT")(
        "port", po::value<std::string>(), "ADDRESS at which a driver in another process takes the place of Weir's own")(
        "at", po::value<std::vector<std::string>>(),
        "\"TIME COMMAND …\": a command of docs/remote.md at a simulated time; \"+TIME\": after workload time zero")(
        "gdb", po::value<std::string>(), "ADDRESS for a debugger on the first switch's core: tcp:PORT, unix:PATH")(
        "halt", "begin halted: the JSON door's resume or the debugger's continue lets it go")(
        "remote-any-address", "let --json and --port listen where other machines reach them")(
        "observe",
        "watch the network from outside: causes of pauses, circles of waits, victims (docs/provenance.md); with --out "
        "pauses.csv, victims.csv, spread.csv")(
        "check", "check properties P1 to P32 all the while (slower); one that is broken fails the run");
    if (!options.parse(arguments, c.out)) return done;

    const platforms::platform_config platform = load(options);
    run_request request = read_request(options, platform);
    if (stay && !options.given("console")) request.console = "stdio";
    request.stay = stay;
    // What is wrong with the workload is said before anything is built.
    (void)platforms::make_flows(platform, request.seed);
    (void)platforms::make_replays(platform);
    std::optional<output_directory> directory;
    if (options.given("out")) {
        directory.emplace(options.text("out"));
        request.output = directory->file("");
        request.output.pop_back();
    }

    run_result result;
    {
        progress_bar bar;
        const interruption_watch watch;
        result = c.simulator.run(platform, request, [&](const progress_report& report) {
            watch.check();
            bar.update(report);
        });
    }
    const std::string summary = summary_text(result);
    if (directory) {
        directory->write("summary.txt", summary);
        directory->write("result.json", result_json(result));
        directory->write("flows.csv", flows_csv(result));
        directory->write("completion.csv", completion_csv(result.flows));
        if (result.seen) {
            directory->write("pauses.csv", pauses_csv(*result.seen));
            directory->write("victims.csv", victims_csv(*result.seen));
            directory->write("spread.csv", spread_csv(*result.seen));
        }
        directory->commit();
    }
    c.out << summary;
    return result.passed() ? done : verdict_failed;
}

int run(const std::vector<std::string>& arguments, const context& c) {
    return run_platform({"weir run PLATFORM [options]",
                         "Boots the platform with its driver and script, runs the workload, and prints a summary.\n"
                         "Exit code: 0 passed, 1 lossless loss, broken conservation, a standstill or (with --check) a "
                         "broken property, 2 bad input, 128 "
                         "+ signal interrupted."},
                        arguments, false, c);
}

int open_session(const std::vector<std::string>& arguments, const context& c) {
    return run_platform({"weir console PLATFORM [options]",
                         "As weir run, and then you are at the prompt of the first switch's firmware (cpu.kind =\n"
                         "\"riscv\"). Simulated time goes on while it works and stands still while it waits for you.\n"
                         "The session ends with the input, or with the command poweroff."},
                        arguments, true, c);
}

int check(const std::vector<std::string>& arguments, const context& c) {
    option_parser options("weir check PLATFORM [options]",
                          "Boots the platform and explains what it is programmed to: budget, headroom against the\n"
                          "closed form, order of thresholds, limits. Exit code: 0 no errors, 2 errors.");
    add_platform_options(options);
    if (!options.parse(arguments, c.out)) return done;
    const platforms::platform_config platform = load(options);
    const programmed_platform programmed = c.simulator.boot(platform);
    std::vector<programmed_state> states;
    for (const auto& each : programmed.switches) states.push_back(read_programmed_state(each.name, each.registers));
    const check_report report = make_check_report(platform, states);
    c.out << report.whole();
    return report.errors.empty() ? done : bad_input;
}

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
    if (!options.parse(arguments, c.out)) return done;
    if (!options.given("rate")) throw config_error("weir headroom", "no rate was given", "--rate 400G, for example");
    c.out << headroom_comparison(read_question(options));
    return done;
}

int explain(const std::vector<std::string>& arguments, const context& c) {
    option_parser options("weir explain [KEY]",
                          "Says what a key of a platform file means, its unit, range and default.\n"
                          "Without KEY: all keys.");
    options.positional("key");
    options.options()("markdown", "all keys as a table for the manual");
    if (!options.parse(arguments, c.out)) return done;
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
    return done;
}

int regs(const std::vector<std::string>& arguments, const context& c) {
    option_parser options("weir regs list [BLOCK] | find WORD | decode ADDRESS | explain NAME | export FORMAT",
                          "Shows the register map. NAME: block.register or block.register.field.\n"
                          "FORMAT: header (C), svd, rdl, markdown.");
    options.positional("words", 2);
    if (!options.parse(arguments, c.out)) return done;
    const auto words = options.words("words");
    const auto& map = registers::weir_map();
    const std::string action = options.word("words", "regs needs to know what to do");
    if (action == "list") {
        c.out << list_registers(map, words.size() > 1 ? words[1] : "");
        return done;
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
    return done;
}

int show(const std::vector<std::string>& arguments, const context& c) {
    option_parser options(
        "weir show DIR WORDS…",
        "What the driver's shell shows of a finished run: DIR is what weir run --out left.\n"
        "diagnose: what is wrong with PFC, port by port; also mmu, buffer pg, interface 0 pfc, counters, queue.");
    options.positional("words", -1);
    if (!options.parse(arguments, c.out)) return done;
    const auto words = options.words("words");
    if (words.empty()) throw config_error("weir show", "no folder was named", "weir show DIR diagnose");
    if (words.size() == 1)
        throw config_error("weir show " + words[0], "what of it?", "diagnose, mmu, buffer pg, interface 0 pfc");
    std::string line;
    for (std::size_t i = 1; i < words.size(); ++i) line += (i > 1 ? " " : "") + words[i];
    c.out << c.simulator.show(words[0], line);
    return done;
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
    if (!options.parse(arguments, c.out)) return done;
    const auto words = options.words("words");
    if (words.size() != 2) throw config_error("weir replay", "what, on what?", "weir replay TRACE PLATFORM");
    platforms::load_options how;
    how.hardware = options.words("hw");
    const replay_result result = c.simulator.replay(platforms::load_platform(words[1], how), words[0]);
    c.out << replay_text(result);
    return result.different == 0 ? done : verdict_failed;
}

int bench(const std::vector<std::string>& arguments, const context& c) {
    if (std::find_if(arguments.begin(), arguments.end(), [](const auto& a) { return a == "--help" || a == "-h"; }) !=
        arguments.end()) {
        c.out << "usage: weir bench\n\nMeasures link-hops per CPU second on one core beside a bare kernel loop of the "
                 "same shape, register\naccesses per second, start-up time and memory, and prints them.\n";
        return done;
    }
    return c.simulator.bench(arguments);
}

struct command {
    const char* name;
    const char* about;
    int (*action)(const std::vector<std::string>&, const context&);
};

constexpr command commands[] = {
    {"run", "boot a platform and run its workload", run},
    {"console", "the same, and then talk to the firmware", open_session},
    {"check", "explain what a platform is programmed to, and what is wrong with it", check},
    {"headroom", "what a lossless class needs as headroom, by every model", headroom},
    {"show", "what the driver shows of a finished run; diagnose what is wrong with PFC", show},
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
        return bad_input;
    }
    const std::string& word = arguments.front();
    if (word == "--help" || word == "-h" || word == "help") {
        c.out << help();
        return done;
    }
    if (word == "--version") {
        fmt::print(c.out, "weir {}\n", version());
        return done;
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
        return bad_input;
    };
    try {
        return dispatch(arguments, {simulator, out, err});
    } catch (const po::error& e) {
        fmt::print(err, "weir {}: {}\n  weir {} --help lists the options\n", arguments.front(), e.what(),
                   arguments.front());
        return bad_input;
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
    } catch (const std::exception& e) {
        fmt::print(err, "weir: a defect of the program itself: {}\n", e.what());
        return bad_input;
    }
}

}  // namespace weir::vp
