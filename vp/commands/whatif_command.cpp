// SPDX-License-Identifier: Apache-2.0
#include "vp/commands/whatif_command.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <system_error>
#include <utility>

#include "platforms/reprogram.h"
#include "platforms/text.h"
#include "platforms/workload.h"
#include "vp/commands/option_parser.h"
#include "vp/commands/progress.h"
#include "vp/commands/run_command.h"
#include "vp/output/output_directory.h"
#include "vp/output/table.h"
#include "vp/results/figures.h"
#include "vp/run/interruption.h"

namespace weir::vp {
namespace {

namespace po = boost::program_options;
using json = nlohmann::ordered_json;
using platforms::config_error;

/// One future.
struct alternative {
    std::string name;                      ///< "baseline", or "xoff=500,xon=100"
    std::string folder;                    ///< the same, but for what no file's name can have
    std::vector<std::string> assignments;  ///< empty: the baseline
    json outcome{};
};

/// "xoff=500; xon=100"
alternative read_alternative(const std::string& text) {
    alternative made;
    for (const auto part : platforms::split(text, ';')) made.assignments.emplace_back(platforms::trimmed(part));
    made.name = fmt::format("{}", fmt::join(made.assignments, ","));
    made.folder = made.name;
    std::replace_if(
        made.folder.begin(), made.folder.end(),
        [](char c) { return c == '/' || std::iscntrl(static_cast<unsigned char>(c)) != 0; }, '_');
    return made;
}

/// Throws config_error when it cannot have a folder of its own.
void check_folder(const alternative& made, const std::vector<alternative>& others, const std::string& where) {
    constexpr std::size_t longest = 200;  // of the 255 octets of a file's name; ".partial" comes behind it
    if (made.folder.size() > longest) {
        throw config_error(where, fmt::format("has {} characters: too many for its folder's name", made.folder.size()),
                           fmt::format("{} at most, or no --out", longest));
    }
    for (const alternative& other : others) {
        if (other.folder == made.folder)
            throw config_error(where, fmt::format("would have the folder of \"{}\"", other.name), "no --out");
    }
}

turn_request read_moment(const option_parser& options) {
    turn_request turn;
    if (options.given("at") == options.given("when")) {
        throw config_error("weir whatif", "when?",
                           "one of --at TIME, --when first-xoff, first-drop or \"occupancy>CELLS\"");
    }
    if (options.given("at")) {
        turn.at = time_option(options, "at").value_or(picoseconds{0});
        return turn;
    }
    const std::string event = options.text("when");
    constexpr std::string_view occupancy = "occupancy>";
    if (event == "first-xoff") {
        turn.event = turn_event::first_xoff;
    } else if (event == "first-drop") {
        turn.event = turn_event::first_drop;
    } else {
        const auto cells = event.rfind(occupancy, 0) == 0
                               ? platforms::parse_number(std::string_view{event}.substr(occupancy.size()))
                               : std::nullopt;
        if (!cells) {
            throw config_error(fmt::format("--when {}", event), "there is no such event",
                               "first-xoff, first-drop or \"occupancy>CELLS\"");
        }
        turn.event = turn_event::occupancy;
        turn.cells = static_cast<mmu::cells>(std::min<std::uint64_t>(*cells, INT32_MAX));
    }
    return turn;
}

json outcome_of(const run_result& result, const std::vector<figure>& wanted) {
    json made{{"passed", result.passed()}, {"failures", result.failures()}, {"digest", result.digest}};
    for (const figure& f : wanted) {
        const auto value = f.value(result);
        made["figures"].push_back(value ? json(*value) : json());
    }
    return made;
}

/// The processes that try an alternative each.
class futures {
public:
    futures(std::vector<alternative>& all, std::string folder, std::size_t jobs)
        : all_(all), folder_(std::move(folder)), jobs_(jobs) {}

    /// Forks one for each but the first, which is this process's own. Returns in every one of them.
    turn_choice fork_all() {
        forked_ = true;
        std::fflush(nullptr);
        for (std::size_t i = 1; i < all_.size(); ++i) {
            while (running_.size() >= jobs_) collect_one();
            int ends[2];
            if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "no more pipes");
            const pid_t parent = getpid();
            const pid_t child = fork();
            if (child < 0) throw std::system_error(errno, std::generic_category(), "no more processes");
            if (child == 0) {
                close(ends[0]);
                // A parent that is killed cannot end them.
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                if (getppid() != parent) _exit(1);
                mine_ = i;
                answer_ = ends[1];
                running_.clear();
                if (folder_.empty()) return {all_[i].assignments, ""};
                directory.emplace(folder_ + "/" + all_[i].folder);
                return {all_[i].assignments, directory->file("")};
            }
            close(ends[1]);
            running_.push_back({i, child, ends[0]});
        }
        while (!running_.empty()) collect_one();
        return {};
    }
    ~futures() {
        for (const future& each : running_) kill(each.process, SIGKILL);
        for (const future& each : running_) {
            close(each.pipe);
            while (waitpid(each.process, nullptr, 0) < 0 && errno == EINTR) {
            }
        }
    }
    futures(const futures&) = delete;
    futures& operator=(const futures&) = delete;
    [[nodiscard]] bool forked() const { return forked_; }
    [[nodiscard]] bool is_child() const { return mine_ != 0; }
    /// In a child: tells the parent, and ends.
    [[noreturn]] void answer(const json& outcome) const {
        const std::string text = outcome.dump(-1, ' ', false, json::error_handler_t::replace);
        std::size_t told = 0;
        while (told < text.size()) {
            const ssize_t n = write(answer_, text.data() + told, text.size() - told);
            if (n <= 0) break;
            told += static_cast<std::size_t>(n);
        }
        _exit(told == text.size() ? 0 : 1);
    }

    std::optional<output_directory> directory;  ///< a child's own

private:
    struct future {
        std::size_t number;
        pid_t process;
        int pipe;
    };

    void collect_one() {
        const future f = running_.front();
        std::string text;
        char piece[4096];
        ssize_t n = 0;
        while ((n = read(f.pipe, piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR)) {
            throw_if_interrupted();
            if (n > 0) text.append(piece, static_cast<std::size_t>(n));
        }
        throw_if_interrupted();
        running_.erase(running_.begin());
        close(f.pipe);
        int status = 0;
        while (waitpid(f.process, &status, 0) < 0 && errno == EINTR) {
        }
        json outcome = json::parse(text, nullptr, false);
        if (outcome.is_discarded()) {
            outcome = {{"error", WIFSIGNALED(status)
                                     ? fmt::format("its process was ended by signal {}", WTERMSIG(status))
                                     : std::string("its process ended without a word")}};
        }
        all_[f.number].outcome = std::move(outcome);
    }

    std::vector<alternative>& all_;
    std::string folder_;
    std::size_t jobs_;
    std::vector<future> running_;
    std::size_t mine_{0};
    int answer_{-1};
    bool forked_{false};
};

std::string cell_of(const json& value) {
    return value.is_null() ? "" : fmt::format("{:.6g}", value.get<double>());
}

/// The verdicts and digests, the figures that are not alike in all, and how many are.
std::string comparison(const std::vector<alternative>& all, const std::vector<figure>& wanted, picoseconds at) {
    std::vector<std::string> titles{"figure", "unit"};
    for (const alternative& a : all) titles.push_back(">" + a.name);
    table rows(titles);
    std::vector<std::string> verdicts{"verdict", ""};
    std::vector<std::string> digests{"digest", ""};
    for (const alternative& a : all) {
        verdicts.emplace_back(a.outcome.at("passed").get<bool>() ? "passed" : "FAILED");
        digests.push_back(a.outcome.at("digest").get<std::string>());
    }
    rows.row(verdicts).row(digests);
    std::size_t alike = 0;
    for (std::size_t f = 0; f < wanted.size(); ++f) {
        std::vector<std::string> cells{wanted[f].name, wanted[f].unit};
        for (const alternative& a : all) cells.push_back(cell_of(a.outcome.at("figures")[f]));
        if (std::all_of(cells.begin() + 3, cells.end(), [&](const auto& c) { return c == cells[2]; })) {
            ++alike;
        } else {
            rows.row(cells);
        }
    }
    std::string text = fmt::format("{} futures from {:.6f} us after workload time zero\n\n", all.size(),
                                   static_cast<double>(at.count()) / 1e6);
    text += rows.text() + fmt::format("\n  alike in all: {} figures\n", alike);
    for (const alternative& a : all) {
        for (const auto& line : a.outcome.at("failures"))
            text += fmt::format("  {}: {}\n", a.name, line.get<std::string>());
    }
    return text;
}

}  // namespace

int whatif_command(const std::vector<std::string>& arguments, const context& c) {
    option_parser options(
        "weir whatif PLATFORM --at TIME --set NAME=VALUE[; NAME=VALUE…] [--set …] [options]",
        "Runs to a moment once, lets the drivers program each alternative there, and compares what\n"
        "becomes of them with what would have become without. Exit code: 0 all passed, 1 one did not,\n"
        "2 bad input.");
    options.positional("platform");
    options.options()("at", po::value<std::string>(), "TIME after workload time zero")(
        "when", po::value<std::string>(), "instead: first-xoff, first-drop or \"occupancy>CELLS\" of a switch")(
        "set", po::value<std::vector<std::string>>(),
        "NAME=VALUE for ${NAME}, several between semicolons, one after the other: an alternative")(
        "base", po::value<std::vector<std::string>>(), "NAME=VALUE for ${NAME} from the start")(
        "hw", po::value<std::vector<std::string>>(), "KEY=VALUE: change a hardware key (weir explain lists them)")(
        "workload", po::value<std::string>(), "flow list (.csv), capture (.pcap, .pcapng) or HPCC flow file (.txt)")(
        "seed", po::value<std::string>(), "of all random streams; default 1")(
        "until", po::value<std::string>(), "TIME after workload time zero; default: until everything is delivered")(
        "traffic-at", po::value<std::string>(), "TIME of workload time zero; default: first whole 100us after boot")(
        "figure", po::value<std::vector<std::string>>(), "NAME of one more figure: a register, s0.pg.max[1][3]")(
        "jobs", po::value<std::string>(), "N futures at a time; default: 2")(
        "out", po::value<std::string>(), "DIR for a folder each, as weir run --out leaves it, and whatif.txt")(
        "capture", po::value<std::string>(), "PORTS whose frames go to a pcapng file each: all, or 0,3-5")(
        "snap", po::value<std::string>(), "OCTETS kept of each captured frame; default: all")(
        "series", po::value<std::string>(), "INTERVAL of occupancy.csv")(
        "signals", "signals.csv: every change of occupancies, pauses, drops, marks, interrupts, register writes")(
        "observe", "watch the network from outside (docs/provenance.md)")("check",
                                                                          "check properties P1 to P32 all the while");
    if (!options.parse(arguments, c.out)) return exit_code::done;

    platforms::load_options load;
    load.hardware = options.words("hw");
    load.program = options.words("base");
    load.program_option = "--base";
    load.workload_file = options.text("workload");
    const auto platform = platforms::load_platform(options.word("platform", "no platform was named"), load);
    run_request request = read_measurement(options, platform);
    request.console = "none";
    turn_request turn = read_moment(options);
    std::vector<alternative> all{{"baseline", "baseline", {}}};
    for (const std::string& text : options.words("set")) {
        all.push_back(read_alternative(text));
        const std::string where = "--set " + text;
        // What is wrong with an alternative is said before anything runs.
        platforms::platform_config changed = platform;
        (void)platforms::change_program(changed, all.back().assignments, "--set");
        const auto same = [&](const alternative& a) { return a.name == all.back().name; };
        if (std::count_if(all.begin(), all.end(), same) > 1) {
            throw config_error(where, "is given twice", "each alternative once");
        }
        if (options.given("out")) check_folder(all.back(), {all.begin(), all.end() - 1}, where);
    }
    if (all.size() == 1) throw config_error("weir whatif", "no alternative was given", "--set NAME=VALUE");
    std::vector<figure> wanted = figures();
    for (const std::string& name : options.words("figure"))
        wanted.push_back(find_figure(name, "--figure " + name, platform));
    (void)platforms::make_flows(platform, request.seed);
    (void)platforms::make_replays(platform);

    const std::uint64_t jobs = number_option(options, "jobs", 2);
    if (jobs == 0) throw config_error("--jobs 0", "out of range", "1 or more");

    const std::string folder = options.text("out");
    std::optional<output_directory> whole;
    std::optional<output_directory> baseline;
    std::string parts;
    if (!folder.empty()) {
        whole.emplace(folder, "whatif.txt");
        parts = whole->file("");
        parts.pop_back();
        baseline.emplace(parts + "/baseline");
        request.output = baseline->file("");
        request.output.pop_back();
    }
    futures children(all, parts, jobs);
    picoseconds forked_at{0};
    turn.choose = [&](picoseconds now) {
        forked_at = now;
        turn_choice choice = children.fork_all();
        if (!choice.output.empty()) choice.output.pop_back();
        return choice;
    };
    request.turn = std::move(turn);

    run_result result;
    try {
        std::optional<progress_bar> bar(std::in_place);
        const interruption_watch watch;
        result = c.simulator.run(platform, request, [&](const progress_report& report) {
            watch.check();
            if (!children.is_child()) bar->update(report);
        });
        if (children.is_child()) {
            if (children.directory) {
                write_run(*children.directory, result);
                children.directory->commit();
            }
            children.answer(outcome_of(result, wanted));
        }
    } catch (const std::exception& e) {
        if (!children.is_child()) throw;
        children.answer({{"error", e.what()}});
    }
    if (!children.forked()) {
        throw config_error("weir whatif",
                           fmt::format("the run ended after {:.3f} us, before that moment",
                                       static_cast<double>((result.end - result.traffic_at).count()) / 1e6),
                           "an earlier --at, or another --when");
    }
    all[0].outcome = outcome_of(result, wanted);
    for (const alternative& a : all) {
        if (!a.outcome.contains("error")) continue;
        throw config_error(fmt::format("--set {}", a.name), a.outcome["error"].get<std::string>());
    }
    const std::string text = comparison(all, wanted, forked_at);
    if (whole) {
        write_run(*baseline, result);
        baseline->commit();
        whole->write("whatif.txt", text);
        whole->commit();
    }
    c.out << text;
    const bool passed =
        std::all_of(all.begin(), all.end(), [](const auto& a) { return a.outcome.at("passed").template get<bool>(); });
    return passed ? exit_code::done : exit_code::verdict_failed;
}

}  // namespace weir::vp
