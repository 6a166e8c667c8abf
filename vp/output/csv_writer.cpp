// SPDX-License-Identifier: Apache-2.0
// Writing rows.
#include "vp/output/csv_writer.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "vp/output/output_directory.h"

namespace weir::vp {

csv_writer::csv_writer(const std::string& path, const std::vector<std::string>& columns)
    : path_(path), file_(std::fopen(path.c_str(), "wb")), columns_(columns.size()) {
    if (!file_) throw output_error(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
    for (const auto& column : columns) line_ += (line_.empty() ? "" : ",") + column;
    line_ += '\n';
    std::fputs(line_.c_str(), file_.get());
}

void csv_writer::row(std::initializer_list<std::int64_t> values) {
    if (values.size() != columns_) throw std::invalid_argument("a CSV row has a number for each column");
    line_.clear();
    for (const auto value : values) {
        if (!line_.empty()) line_ += ',';
        fmt::format_to(std::back_inserter(line_), "{}", value);
    }
    line_ += '\n';
    std::fwrite(line_.data(), 1, line_.size(), file_.get());
}

void csv_writer::row(const std::string& values) {
    std::fputs(values.c_str(), file_.get());
    std::fputc('\n', file_.get());
}

void csv_writer::continue_in(const std::string& path) {
    path_ = path;
    file_.reset(std::freopen(path.c_str(), "ab", file_.release()));
    if (!file_) throw output_error(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
}

void csv_writer::close() {
    if (!file_) return;
    std::FILE* file = file_.release();
    const bool good = std::fflush(file) == 0 && std::ferror(file) == 0;
    const int reason = errno;
    const bool closed = std::fclose(file) == 0;
    if (!good || !closed) {
        throw output_error(fmt::format("{}: cannot be written: {}", path_, std::strerror(good ? errno : reason)));
    }
}

const std::vector<std::string>& occupancy_columns() {
    static const std::vector<std::string> columns{"time_ps",          "switch",        "port",           "group",
                                                  "guaranteed_cells", "service_cells", "headroom_cells", "paused"};
    return columns;
}

}  // namespace weir::vp
