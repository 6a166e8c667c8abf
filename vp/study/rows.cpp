// SPDX-License-Identifier: Apache-2.0
#include "vp/study/rows.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "vp/output/output_directory.h"

namespace weir::vp {
namespace {

using json = nlohmann::ordered_json;
using platforms::config_error;

std::string header_of(const study_points& points) {
    return json{{"schema", "weir-rows"},
                {"schema_version", 1},
                {"study", points.of().name},
                {"digest", points.digest()},
                {"runs", points.runs()}}
        .dump(-1, ' ', false, json::error_handler_t::replace);
}

void check_header(const std::string& line, const std::string& path, const study_points& points) {
    const json in = json::parse(line, nullptr, false);
    // Compared as they are: a value of another kind is merely another one.
    const auto says = [&in](const char* key) { return in.contains(key) ? in[key] : json(); };
    if (!in.is_object() || says("schema") != "weir-rows")
        throw config_error(path + ":1", "this is no file of rows", "another --out, or move it away");
    if (says("digest") == points.digest()) return;
    throw config_error(path + ":1",
                       fmt::format("these are rows of another study: {}, or this one before it or its platform was "
                                   "changed",
                                   says("study").dump()),
                       "another --out, or move it away");
}

/// Whether the one line of the file is a header of these rows that was cut short.
bool is_begun_header(const std::string& path, const study_points& points) {
    std::ifstream in(path, std::ios::binary);
    std::string line;
    std::getline(in, line);
    return header_of(points).rfind(line, 0) == 0;
}

}  // namespace

std::uint64_t read_rows(const std::string& path, const study_points& points,
                        const std::function<void(study_row&&)>& visit) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw config_error(path, fmt::format("cannot be read: {}", std::strerror(errno)));
    std::uint64_t whole = 0;
    std::string line;
    for (std::uint64_t number = 1; std::getline(in, line) && !in.eof(); ++number) {
        if (number == 1) {
            check_header(line, path, points);
        } else {
            auto row = read_row(line, points);
            if (!row) {
                throw config_error(fmt::format("{}:{}", path, number), "this is no row of the study",
                                   "take the line away: its run is done again");
            }
            visit(std::move(*row));
        }
        whole += line.size() + 1;
    }
    return whole;
}

std::string rows_text(const std::vector<std::optional<study_row>>& rows, const study_points& points) {
    std::string text = header_of(points) + "\n";
    for (const auto& row : rows) {
        if (row) text += row_text(*row, points) + "\n";
    }
    return text;
}

study_rows::study_rows(const std::string& path, const study_points& points)
    : path_(path), points_(points), done_(points.runs()) {
    file_ = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file_ < 0) throw output_error(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
    struct stat about {};
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    try {
        // Of this process alone: a worker that outlives it holds nothing.
        if (fcntl(file_, F_SETLK, &lock) != 0)
            throw config_error(path, "another sweep is writing to it", "wait for it, or another --out");
        // What is no whole line was never a row; a file of something else is left as it is.
        if (fstat(file_, &about) == 0 && about.st_size > 0) {
            size_ = read_rows(path, points, [this](study_row&& row) { done_[row.run] = done_[row.run] || !row.died; });
            if (size_ == 0 && !is_begun_header(path, points)) check_header("", path, points);
            if (ftruncate(file_, static_cast<off_t>(size_)) != 0)
                throw output_error(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
        }
        if (size_ == 0) {
            write_line(header_of(points));
        }
    } catch (...) {
        close(file_);
        throw;
    }
}

study_rows::~study_rows() {
    close(file_);
}

void study_rows::write_line(const std::string& line) {
    const std::string text = line + "\n";
    std::size_t at = 0;
    while (at < text.size()) {
        const ssize_t count = write(file_, text.data() + at, text.size() - at);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            const std::string why = std::strerror(errno);
            if (ftruncate(file_, static_cast<off_t>(size_)) != 0) size_ += at;  // the next reader cuts it off
            throw output_error(
                fmt::format("{}: cannot be written: {}\n  the rows in it are kept: the same command goes on from them",
                            path_, why));
        }
        at += static_cast<std::size_t>(count);
    }
    size_ += text.size();
}

void study_rows::add(const study_row& row) {
    write_line(row_text(row, points_));
    done_[row.run] = true;
}

}  // namespace weir::vp
