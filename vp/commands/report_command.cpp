// SPDX-License-Identifier: Apache-2.0
#include "vp/commands/report_command.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "platforms/config.h"
#include "vp/commands/option_parser.h"
#include "vp/output/output_directory.h"
#include "vp/report/page.h"
#include "vp/report/run_data.h"
#include "vp/report/study.h"

namespace weir::vp {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using json = nlohmann::ordered_json;
using platforms::config_error;

constexpr std::size_t most_runs = 12;           // columns that a page can hold side by side
constexpr std::size_t most_octets = 3'000'000;  // of a page …
constexpr std::size_t least_steps = 1'000;      // … unless its tables alone are longer

/// The folders' own names; with their parents' where an earlier one is called the same.
std::vector<std::string> shown_names(const std::vector<std::string>& folders) {
    std::vector<std::string> names;
    for (const auto& each : folders) {
        const fs::path path = fs::absolute(each + "/.").lexically_normal().parent_path();
        const std::string name = path.filename().string();
        const bool taken = std::find(names.begin(), names.end(), name) != names.end();
        names.push_back(taken ? (path.parent_path().filename() / name).string() : name);
    }
    return names;
}

bool is_study(const std::string& folder) {
    std::error_code ignored;
    return fs::exists(folder + "/table.json", ignored);
}

json runs_of(const std::vector<std::string>& folders, const report::page_budget& budget) {
    const auto names = shown_names(folders);
    json runs = json::array();
    for (std::size_t i = 0; i < folders.size(); ++i) {
        if (is_study(folders[i])) {
            throw config_error(folders[i], "is a study, and other folders are named beside it",
                               "a study alone, or runs alone");
        }
        runs.push_back(report::run_data(folders[i], names[i], budget));
    }
    return runs;
}

std::string page_of(const std::vector<std::string>& folders) {
    json data{{"schema", "weir-report"}, {"runs", json::array()}};
    if (folders.size() == 1 && is_study(folders.front())) {
        data["study"] = report::study_data(folders.front());
        return report::make_page(data["study"].value("study", ""), data);
    }
    report::page_budget budget;
    budget.signals /= folders.size();
    budget.lanes /= folders.size();
    budget.steps /= folders.size();
    budget.pauses /= folders.size();
    // How long numbers are, nobody knows before; with half as many of them most pages fit at the second try.
    for (;; budget.steps /= 2, budget.pauses /= 2) {
        data["runs"] = runs_of(folders, budget);
        std::string page = report::make_page(data["runs"][0].value("platform", ""), data);
        if (page.size() <= most_octets || budget.steps < least_steps) return page;
    }
}

}  // namespace

int report_command(const std::vector<std::string>& arguments, const context& c) {
    option_parser options("weir report DIR… [--out FILE]",
                          "One HTML file that shows what weir run --out or weir sweep left in DIR: docs/report.md.\n"
                          "It needs no network. Several runs are shown side by side.");
    options.positional("folders", -1);
    options.options()("out", po::value<std::string>(), "FILE to write; default: report.html in the first DIR");
    if (!options.parse(arguments, c.out)) return exit_code::done;
    const auto folders = options.words("folders");
    if (folders.empty()) throw config_error("weir report", "no folder was named", "weir report DIR");
    if (folders.size() > most_runs) {
        throw config_error("weir report", fmt::format("{} folders are too many for a page", folders.size()),
                           fmt::format("{} at most", most_runs));
    }
    for (const auto& each : folders) {
        std::error_code ignored;
        if (!fs::is_directory(each, ignored)) {
            throw config_error(each, "is no folder", "one that weir run --out or weir sweep left");
        }
    }
    const std::string page = page_of(folders);
    const std::string file = options.given("out") ? options.text("out") : folders.front() + "/report.html";
    write_whole(file, page);
    fmt::print(c.out, "{}\n", file);
    return exit_code::done;
}

}  // namespace weir::vp
