// SPDX-License-Identifier: Apache-2.0
// Making, filling and moving the folder.
#include "vp/output_directory.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace weir::vp {
namespace fs = std::filesystem;

output_directory::output_directory(const std::string& path) : path_(path) {
    while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
    std::error_code error;
    if (fs::exists(path_, error) &&
        !(fs::is_directory(path_, error) &&
          (fs::is_empty(path_, error) || fs::exists(fs::path{path_} / "result.json", error)))) {
        throw output_error(fmt::format(
            "--out {}: exists and is no result of an earlier run\n  give a new name, or one that holds a result.json",
            path));
    }
    partial_ = path_ + ".partial";
    fs::remove_all(partial_, error);
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
