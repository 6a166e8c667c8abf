// SPDX-License-Identifier: Apache-2.0
// Making, filling and moving the folder.
#include "vp/output/output_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace weir::vp {
namespace fs = std::filesystem;

namespace {

/// Files that a run leaves, or weir report beside them; whatever else stands in a folder is somebody's work.
bool is_result(const fs::directory_entry& entry) {
    static const std::array<std::string, 13> names{
        "signals.csv", "signals.json", "summary.txt",   "result.json", "flows.csv",  "completion.csv", "occupancy.csv",
        "pauses.csv",  "victims.csv",  "pause_log.csv", "spread.csv",  "whatif.txt", "report.html"};
    const std::string name = entry.path().filename().string();
    if (entry.is_directory()) return fs::exists(entry.path() / "result.json");  // one of several futures
    return entry.is_regular_file() &&
           (entry.path().extension() == ".pcapng" || std::find(names.begin(), names.end(), name) != names.end());
}

/// The name of something in the folder that no run has left; empty when there is none.
std::string foreign_in(const fs::path& folder) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (!is_result(entry)) return entry.path().filename().string();
    }
    return {};
}

}  // namespace

void write_whole(const std::string& path, const std::string& text) {
    std::error_code unseen;
    // What takes the place of a device or a folder is no file for anybody.
    if (fs::exists(path, unseen) && !fs::is_regular_file(path, unseen))
        throw output_error(fmt::format("{}: cannot be written: it is no file", path));
    const std::string partial = path + ".partial";
    const auto fail = [&](const char* why) {
        std::error_code ignored;
        fs::remove(partial, ignored);
        throw output_error(fmt::format("{}: cannot be written: {}", path, why));
    };
    errno = 0;
    std::ofstream out(partial, std::ios::binary);
    out << text;
    out.close();
    if (!out) fail(std::strerror(errno));
    std::error_code error;
    fs::rename(partial, path, error);
    if (error) fail(error.message().c_str());
}

output_directory::output_directory(const std::string& path, const std::string& mark) : path_(path) {
    while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
    const std::string name = fs::path{path_}.filename().string();
    if (name.empty() || name == "." || name == "..") {
        throw output_error(fmt::format("--out {}: is no name for a new folder\n  for example: --out result", path));
    }
    std::error_code error;
    if (fs::exists(path_, error)) {
        if (!fs::is_directory(path_, error) ||
            !(fs::is_empty(path_, error) || fs::exists(fs::path{path_} / mark, error))) {
            throw output_error(
                fmt::format("--out {}: exists and is no result of an earlier run\n  give a new name, or one that holds "
                            "a {}",
                            path, mark));
        }
        if (const std::string foreign = foreign_in(path_); !foreign.empty()) {
            throw output_error(fmt::format(
                "--out {}: holds {}, which is no result of an earlier run\n  give a new name, or move it away", path,
                foreign));
        }
    }
    partial_ = path_ + ".partial";
    // What an interrupted run has left goes; what somebody else calls so stays.
    if (fs::exists(partial_, error)) {
        if (!fs::is_directory(partial_, error) || !foreign_in(partial_).empty()) {
            throw output_error(fmt::format("--out {}: {} is in the way\n  move it away", path, partial_));
        }
        fs::remove_all(partial_, error);
    }
    if (!fs::create_directory(partial_, error)) {
        throw output_error(fmt::format("--out {}: cannot be made: {}", path,
                                       error ? error.message() : std::string{"it is in the way of itself"}));
    }
}

output_directory::~output_directory() {
    std::error_code ignored;
    if (!committed_) fs::remove_all(partial_, ignored);
}

void output_directory::write(const std::string& name, const std::string& text) const {
    std::ofstream out(file(name), std::ios::binary);
    out << text;
    out.close();
    if (!out) throw output_error(fmt::format("{}: cannot be written: {}", file(name), std::strerror(errno)));
}

void output_directory::commit() {
    std::error_code error;
    fs::remove_all(path_, error);
    if (!error) fs::rename(partial_, path_, error);
    if (error) throw output_error(fmt::format("--out {}: cannot be put in place: {}", path_, error.message()));
    committed_ = true;
}

}  // namespace weir::vp
