// SPDX-License-Identifier: Apache-2.0
#include "vp/commands/size_command.h"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>

#include "vp/commands/option_parser.h"
#include "vp/commands/worker_options.h"
#include "vp/output/output_directory.h"
#include "vp/output/table.h"
#include "vp/run/interruption.h"
#include "vp/study/progress.h"
#include "vp/study/size_search.h"

namespace weir::vp {
namespace {

namespace po = boost::program_options;
using platforms::config_error;
using ordered_json = nlohmann::ordered_json;

/// The value next to the answer, on the side where the constraints should not hold; nothing beyond the range's end.
std::optional<std::int64_t> neighbour(const size_question& size, std::int64_t answer) {
    const std::int64_t next = size.smallest ? answer - size.step : answer + size.step;
    if (next < size.from || next > size.to) return std::nullopt;
    return next;
}

std::string run_text(const study_row& row, const study_points& points) {
    const std::uint64_t seeds = points.of().seeds.size();
    const std::string at = points.text(row.run / seeds);
    return fmt::format("{}{}seed {}: {}", at, at.empty() ? "" : " ", points.seed(row.run / seeds, row.run % seeds),
                       complaint_of(row, points));
}

/// What stands against the next value; nothing when the answer is the range's end.
std::string binding_text(const size_answer& answer, const study_points& points) {
    const auto next = neighbour(*points.of().size, *answer.found.answer);
    if (!next) return "the end of the range";
    const auto found = answer.against.find(*next);
    return found == answer.against.end() ? "" : run_text(found->second, points);
}

std::string scan_text(const size_answer& answer, const study_points& points) {
    table rows({">" + points.of().size->find, "holds", "the first run that does not"});
    for (const auto& [value, good] : answer.found.tried) {
        const auto against = answer.against.find(value);
        rows.row({fmt::format("{}", value), good ? "yes" : "no",
                  good || against == answer.against.end() ? "" : run_text(against->second, points)});
    }
    return rows.text(4);
}

std::string question_text(const study_points& points) {
    const size_question& size = *points.of().size;
    std::string text = fmt::format("{}: the {} {} from {} to {} in steps of {} with ", points.of().name,
                                   size.smallest ? "smallest" : "largest", size.find, size.from, size.to, size.step);
    bool first = true;
    for (const study_constraint& c : points.of().constraints) {
        text += fmt::format("{}{} {} {}", first ? "" : ", ", c.figure, relation_name(c.relation), c.bound);
        first = false;
    }
    return text + "\n";
}

/// How much the answer rests on: what was tried on either side of it, of how many values.
std::string confirmed_text(const size_answer& answer, const study_points& points) {
    const size_question& size = *points.of().size;
    const std::int64_t at = *answer.found.answer;
    std::int64_t below = 0;
    std::int64_t above = 0;
    for (const auto& [value, good] : answer.found.tried) {
        below += value < at ? 1 : 0;
        above += value > at ? 1 : 0;
    }
    const auto side = [](std::int64_t tried, std::int64_t of, const char* name, bool good) {
        if (of == 0) return fmt::format("none {}", name);
        return fmt::format("{} of {} {}, {}", tried, of, name, good ? "all hold" : "none holds");
    };
    return fmt::format("  values tried besides: {}; {}\n",
                       side(above, (size.to - at) / size.step, "above", size.smallest),
                       side(below, (at - size.from) / size.step, "below", !size.smallest));
}

/// One answer, in full.
std::string whole_text(const size_answer& answer, const study_points& points) {
    const size_question& size = *points.of().size;
    if (!answer.found.answer) return {};
    std::string text = fmt::format("  {} = {}\n", size.find, *answer.found.answer);
    const auto next = neighbour(size, *answer.found.answer);
    if (!next) {
        text += "  nothing that was tried fails: the answer may lie beyond the range\n";
    } else if (const auto against = answer.against.find(*next); against != answer.against.end()) {
        const std::uint64_t seeds = points.of().seeds.size();
        const std::uint64_t run = against->second.run;
        text += fmt::format("  {} = {} does not hold: {}\n", size.find, *next, run_text(against->second, points));
        if (!points.of().against) {
            text += fmt::format("    {}\n", points.command(run / seeds, points.seed(run / seeds, run % seeds),
                                                           fmt::format("{}={}", size.find, *next)));
        }
    }
    text += confirmed_text(answer, points);
    if (answer.theory.empty()) return text;
    table rows({"headroom by", ">cells", ">against the answer"});
    for (const auto& [name, cells] : answer.theory) {
        rows.row({name, grouped(cells), fmt::format("{:+}", static_cast<std::int64_t>(cells) - *answer.found.answer)});
    }
    return text + "\n" + rows.text();
}

/// Many answers, a line each; what has a column in one line has one in all.
std::string table_text(const std::vector<size_group>& groups, const std::vector<size_answer>& answers,
                       const study_points& points) {
    std::vector<std::string> models;
    for (const auto& each : answers) {
        for (const auto& t : each.theory) {
            if (std::find(models.begin(), models.end(), t.name) == models.end()) models.push_back(t.name);
        }
    }
    std::vector<std::string> titles = points.of().size->each;
    titles.push_back(">" + points.of().size->find);
    for (const auto& name : models) titles.push_back(">" + name);
    titles.emplace_back("the next value fails by");
    table rows(titles);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        std::vector<std::string> cells = groups[i].names;
        const auto& found = answers[i].found;
        cells.push_back(found.answer ? fmt::format("{}", *found.answer) : found.monotone ? "none" : "not monotone");
        for (const auto& name : models) {
            const auto t = std::find_if(answers[i].theory.begin(), answers[i].theory.end(),
                                        [&](const auto& each) { return each.name == name; });
            cells.push_back(t == answers[i].theory.end() ? "" : fmt::format("{}", t->cells));
        }
        cells.push_back(found.answer ? binding_text(answers[i], points) : "");
        rows.row(std::move(cells));
    }
    return rows.text();
}

std::string json_text(const std::vector<size_group>& groups, const std::vector<size_answer>& answers,
                      const study_points& points) {
    const size_question& size = *points.of().size;
    ordered_json out{{"schema", "weir-size"},
                     {"schema_version", 1},
                     {"study", points.of().name},
                     {"find", size.find},
                     {"direction", size.smallest ? "smallest" : "largest"}};
    out["answers"] = ordered_json::array();
    for (std::size_t i = 0; i < groups.size(); ++i) {
        ordered_json line{{"parameters", ordered_json::object()}};
        for (std::size_t k = 0; k < groups[i].names.size(); ++k) line["parameters"][size.each[k]] = groups[i].names[k];
        const auto& found = answers[i].found;
        line["answer"] = found.answer ? ordered_json(*found.answer) : ordered_json(nullptr);
        line["monotone"] = found.monotone;
        line["binding"] = found.answer ? binding_text(answers[i], points) : std::string{};
        line["theory"] = ordered_json::object();
        for (const auto& t : answers[i].theory) line["theory"][t.name] = t.cells;
        line["tried"] = ordered_json::array();
        for (const auto& [value, good] : found.tried) line["tried"].push_back({{"value", value}, {"holds", good}});
        out["answers"].push_back(std::move(line));
    }
    return out.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

/// Before a search of hours: throws output_error when no file can be made there.
void check_place(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (access(folder.empty() ? "." : folder.c_str(), W_OK) != 0 || std::filesystem::is_directory(path)) {
        throw output_error(fmt::format("--out {}: cannot be written: {}", path,
                                       std::filesystem::is_directory(path) ? "it is a folder" : std::strerror(errno)));
    }
}

}  // namespace

int size_command(const std::vector<std::string>& arguments, const context& c) {
    option_parser options("weir size STUDY.toml [options]",
                          "Finds the smallest, or greatest, value for which a study's constraints hold at all its "
                          "points and with all\nits seeds (docs/sizing.md), and the run that fails with the next one.\n"
                          "Exit code: 0 answered, 1 no value holds or there is no monotone answer, 2 bad input.");
    options.positional("study");
    options.options()("out", po::value<std::string>(), "FILE for the answers and everything tried, as JSON");
    add_worker_options(options);
    if (!options.parse(arguments, c.out)) return exit_code::done;
    const study of = load_study(options.word("study", "no study was named"));
    const worker_options how = read_worker_options(options, of);
    if (!of.size)
        throw config_error(of.file, "the study has no [size]", "[size] with find, from and to; or weir sweep");
    if (of.constraints.empty())
        throw config_error(of.size->where, "nothing has to hold",
                           "[[constraint]] figure = \"lossless_drops\", at_most = 0");
    const study_points points(of);
    constexpr std::uint64_t most_points = 1'000'000;
    if (points.runs() > most_points)
        throw config_error(of.file, fmt::format("{} runs for each value are too many", points.runs()),
                           fmt::format("at most {}", most_points));
    if (options.given("out")) check_place(options.text("out"));
    const std::vector<size_group> groups = size_groups(points);

    std::vector<size_answer> answers;
    {
        const interruption_watch watch;
        study_progress progress(stderr, groups.size(), 0, "answers");
        worker_pool pool(how.workers, how.memory_each());
        size_search search(c.simulator, points, pool);
        for (const size_group& group : groups) {
            answers.push_back(search.answer(group));
            progress.update(answers.size(), 0);
        }
    }
    if (options.given("out")) write_whole(options.text("out"), json_text(groups, answers, points));
    c.out << question_text(points);
    if (groups.size() == 1) {
        c.out << whole_text(answers.front(), points);
    } else {
        c.out << "\n" << table_text(groups, answers, points);
        fmt::print(c.out,
                   "\n  tried besides on either side of each answer: the two values next to it, and {} spread evenly\n",
                   of.size->confirm);
    }
    int code = exit_code::done;
    std::size_t exact = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const auto& found = answers[i].found;
        if (found.answer) {
            if (!answers[i].theory.empty() && static_cast<std::int64_t>(answers[i].theory[0].cells) == *found.answer)
                ++exact;
            continue;
        }
        code = exit_code::verdict_failed;
        fmt::print(c.out, "\n  {}{}\n{}", fmt::join(groups[i].names, " "),
                   found.monotone ? "no value that was tried holds:" : "there is no monotone answer; what was tried:",
                   scan_text(answers[i], points));
    }
    if (groups.size() > 1 && !of.size->headroom_of.empty())
        fmt::print(c.out, "\n  {} of {} answers are the closed form's to the cell\n", exact, groups.size());
    return code;
}

}  // namespace weir::vp
