// SPDX-License-Identifier: Apache-2.0
// The file of a study's rows: one line of JSON a finished run, behind a first line that says which study they are of.
//
// A row is in the file, whole, before the next run is begun in its place, so whatever ends the program costs the runs
// that were under way and no other. The order of the lines is that of finishing and means nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vp/study/run.h"

namespace weir::vp {

/// Calls `visit` with each row of a file; a last line that was not finished is left out. Returns how many octets the
/// finished lines take. Throws config_error for a file of another study and for a line that is no row.
std::uint64_t read_rows(const std::string& path, const study_points& points,
                        const std::function<void(study_row&&)>& visit);

/// A file of those rows that there are.
[[nodiscard]] std::string rows_text(const std::vector<std::optional<study_row>>& rows, const study_points& points);

class study_rows {
public:
    /// Opens the file, makes it when there is none, and cuts off a last line that was not finished. Throws config_error
    /// when it belongs to another study or to a sweep that is at work, output_error when it cannot be written.
    study_rows(const std::string& path, const study_points& points);
    ~study_rows();
    study_rows(const study_rows&) = delete;
    study_rows& operator=(const study_rows&) = delete;

    /// Whether a run has its row already.
    [[nodiscard]] bool has(std::uint64_t run) const { return done_[run]; }
    /// Writes a row to the file. Throws output_error; the file then ends behind the last whole row.
    void add(const study_row& row);

private:
    void write_line(const std::string& line);

    std::string path_;
    const study_points& points_;
    std::vector<bool> done_;
    int file_{-1};
    std::uint64_t size_{0};
};

}  // namespace weir::vp
