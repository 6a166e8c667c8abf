// SPDX-License-Identifier: Apache-2.0
#include "vp/commands/sweep_command.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>
#include <system_error>
#include <utility>

#include "platforms/text.h"
#include "vp/commands/option_parser.h"
#include "vp/commands/worker_options.h"
#include "vp/output/output_directory.h"
#include "vp/results/figures.h"
#include "vp/run/interruption.h"
#include "vp/study/progress.h"
#include "vp/study/rows.h"
#include "vp/study/table.h"

namespace weir::vp {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using platforms::config_error;

constexpr std::uint64_t most_without_yes = 1'000'000;
constexpr std::uint64_t most_shards = 1'000'000;

/// Every nth run, beginning with the given one.
struct share {
    std::uint64_t number{1};
    std::uint64_t of{1};
    [[nodiscard]] std::string file() const {
        return of == 1 ? "rows.jsonl" : fmt::format("rows-{}-of-{}.jsonl", number, of);
    }
};

share read_share(const option_parser& options) {
    if (!options.given("shard")) return {};
    const std::string text = options.text("shard");
    const auto parts = platforms::split(text, '/');
    const auto number = platforms::parse_number(parts.front());
    const auto of = parts.size() == 2 ? platforms::parse_number(parts.back()) : std::nullopt;
    if (!number || !of)
        throw config_error(fmt::format("--shard {}", text), "this is no share", "number/of: 1/4 to 4/4");
    if (*of == 0 || *of > most_shards || *number == 0 || *number > *of) {
        throw config_error(fmt::format("--shard {}", text), "out of range",
                           *of == 0 || *of > most_shards ? fmt::format("of 1 to {} shards", most_shards)
                                                         : fmt::format("1/{} to {}/{}", *of, *of, *of));
    }
    return {*number, *of};
}

void make_folder(const std::string& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error || !fs::is_directory(path))
        throw output_error(fmt::format("--out {}: cannot be made: {}", path, error ? error.message() : "it is a file"));
}

/// What does the same study, in a shell.
std::string command_for(const study_points& points, const std::string& folder) {
    return fmt::format("weir sweep {} --out {}", shell_word(points.of().file), shell_word(folder));
}

int finish(const study_table& table, const std::string& folder, const context& c) {
    write_whole(folder + "/table.csv", table.csv());
    write_whole(folder + "/table.json", table.json());
    fmt::print(c.out, "{}  {}/table.csv, {}/table.json\n", table.summary(), folder, folder);
    return table.failed() == 0 ? exit_code::done : exit_code::verdict_failed;
}

/// Does the runs of this share that have no row yet. Throws interrupted.
void run_share(const study_points& points, const share& mine, study_rows& rows, const worker_options& how,
               const context& c) {
    const std::uint64_t runs = points.runs();
    std::uint64_t there = 0;
    std::uint64_t all = 0;
    for (std::uint64_t run = mine.number - 1; run < runs; run += mine.of) {
        ++all;
        if (rows.has(run)) ++there;
    }
    study_progress progress(stderr, all, there);
    worker_pool pool(how.workers, how.memory_each());
    std::uint64_t finished = there;
    std::uint64_t failed = 0;
    const auto take = [&](worker_pool::outcome&& ended) {
        auto row = read_row(ended.text, points);
        if (!row || !ended.death.empty()) {
            row.emplace();
            row->run = ended.job;
            row->failed = ended.death.empty() ? "the worker gave no row" : ended.death;
            row->died = true;
        }
        if (!row->failed.empty()) ++failed;
        rows.add(*row);
        progress.update(++finished, failed);
    };
    for (std::uint64_t run = mine.number - 1; run < runs; run += mine.of) {
        if (rows.has(run)) continue;
        while (pool.full()) take(*pool.next());
        try {
            pool.start(run, [&] { return row_text(do_run(c.simulator, points, run), points); });
        } catch (const std::system_error& e) {
            if (pool.idle()) throw config_error("weir sweep", e.what(), "fewer --jobs");
            take(*pool.next());
            run -= mine.of;  // again, when there is room
        }
    }
    while (!pool.idle()) take(*pool.next());
}

int sweep(const study_points& points, const share& mine, const std::string& folder, const worker_options& how,
          const context& c) {
    make_folder(folder);
    const std::string path = folder + "/" + mine.file();
    {
        const interruption_watch watch;
        study_rows rows(path, points);
        try {
            run_share(points, mine, rows, how, c);
        } catch (const interrupted& e) {
            fmt::print(c.err,
                       "weir sweep: interrupted: the finished rows are in {}; the same command goes on from them\n",
                       path);
            return e.exit_code();
        }
    }
    study_table table(points);
    (void)read_rows(path, points, [&table](study_row&& row) { table.add(std::move(row)); });
    if (mine.of == 1) return finish(table, folder, c);
    fmt::print(c.out, "{}: shard {}/{}: {} runs, {} failed\n  {}; {} --merge {} makes the table\n", points.of().name,
               mine.number, mine.of, table.rows(), table.failed(), path, command_for(points, folder),
               shell_word(folder));
    return table.failed() == 0 ? exit_code::done : exit_code::verdict_failed;
}

int merge(const study_points& points, std::vector<std::string> folders, const std::string& folder, const context& c) {
    if (fs::exists(folder + "/rows.jsonl")) folders.push_back(folder);
    study_table table(points);
    for (const std::string& each : folders) {
        std::vector<std::string> files;
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(each, error)) {
            const std::string name = entry.path().filename().string();
            if (name.rfind("rows", 0) == 0 && entry.path().extension() == ".jsonl")
                files.push_back(entry.path().string());
        }
        if (files.empty())
            throw config_error(fmt::format("--merge {}", each), "there are no rows",
                               "folders that weir sweep has filled");
        std::sort(files.begin(), files.end());
        for (const auto& file : files)
            (void)read_rows(file, points, [&table](study_row&& row) { table.add(std::move(row)); });
    }
    make_folder(folder);
    write_whole(folder + "/rows.jsonl", rows_text(table.all(), points));
    if (table.complete()) return finish(table, folder, c);
    fmt::print(c.out, "{}: {} of {} runs have no row, the first is number {} ({})\n  {} does them\n", points.of().name,
               points.runs() - table.rows(), points.runs(), table.first_missing(),
               points.text(table.first_missing() / points.of().seeds.size()), command_for(points, folder));
    return exit_code::verdict_failed;
}

int write_jobs(const study_points& points, const option_parser& options, const std::string& folder, const context& c) {
    const std::uint64_t shards = number_option(options, "shards", std::min<std::uint64_t>(points.runs(), 1000));
    if (shards == 0 || shards > points.runs()) {
        throw config_error(fmt::format("--shards {}", shards), "out of range",
                           fmt::format("1 to {}: the study's runs", points.runs()));
    }
    std::string text;
    for (std::uint64_t i = 1; i <= shards; ++i)
        text += fmt::format("{} --shard {}/{} --jobs 1{}\n", command_for(points, folder), i, shards,
                            options.given("yes") ? " --yes" : "");
    write_whole(options.text("jobs-file"), text);
    fmt::print(c.out, "{}: {} commands for {} runs; when all are done:\n{} --merge {}\n", options.text("jobs-file"),
               shards, points.runs(), command_for(points, folder), shell_word(folder));
    return exit_code::done;
}

}  // namespace

int sweep_command(const std::vector<std::string>& arguments, const context& c) {
    option_parser options(
        "weir sweep STUDY.toml [options]",
        "Runs a platform at every point of a study (docs/sizing.md), in parallel processes, and makes "
        "a table\nof its figures. Finished runs are kept: the same command goes on where it was "
        "stopped.\n"
        "Exit code: 0 all runs done, 1 some failed (the table says why) or are missing, 2 bad input.");
    options.positional("study");
    options.options()("out", po::value<std::string>(),
                      "DIR for rows.jsonl, table.csv and table.json; default: STUDY.out")(
        "shard", po::value<std::string>(), "I/N: only every Nth run, from the Ith on: for many machines")(
        "merge", po::value<std::vector<std::string>>()->multitoken(), "DIR…: make the table of what shards left there")(
        "jobs-file", po::value<std::string>(), "FILE of one command a line, for GNU parallel or a batch engine")(
        "shards", po::value<std::string>(), "N commands in the jobs file; default: one a run, 1000 at most")(
        "yes", "do more than a million runs")("figures", "list the figures that can be collected");
    add_worker_options(options);
    if (!options.parse(arguments, c.out)) return exit_code::done;
    if (options.given("figures")) {
        c.out << figures_text();
        return exit_code::done;
    }
    for (const auto& [one, other] : {std::pair{"merge", "shard"}, {"merge", "jobs-file"}, {"shard", "jobs-file"}}) {
        if (options.given(one) && options.given(other))
            throw config_error(fmt::format("--{} and --{}", one, other), "are two different tasks", "one of both");
    }
    if (options.given("shards") && !options.given("jobs-file"))
        throw config_error("--shards " + options.text("shards"), "says how many commands", "with --jobs-file FILE");
    const share mine = read_share(options);
    const study of = load_study(options.word("study", "no study was named"));
    const worker_options how = read_worker_options(options, of);
    if (of.size) throw config_error(of.size->where, "this study asks for a size", "weir size answers it");
    if (of.figures.empty())
        throw config_error(of.file, "the study collects no figures",
                           "figures = [\"lossless_drops\"]; weir sweep --figures");
    const study_points points(of);
    if (points.runs() > most_without_yes && !options.given("yes")) {
        throw config_error(of.file, fmt::format("{} runs are a great many", points.runs()),
                           "--yes does them; a [latin_hypercube] needs fewer");
    }
    if (mine.number > points.runs()) {
        throw config_error(fmt::format("--shard {}", options.text("shard")), "out of range",
                           fmt::format("the study has {} runs", points.runs()));
    }
    const std::string folder = options.given("out") ? options.text("out") : of.name + ".out";
    if (options.given("jobs-file")) return write_jobs(points, options, folder, c);
    if (options.given("merge")) return merge(points, options.words("merge"), folder, c);
    return sweep(points, mine, folder, how, c);
}

}  // namespace weir::vp
