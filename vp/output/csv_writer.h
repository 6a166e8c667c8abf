// SPDX-License-Identifier: Apache-2.0
// Time series as CSV: a header, then a row of whole numbers a sample.
#pragma once

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace weir::vp {

class csv_writer {
public:
    /// Throws output_error (output_directory.h) when the file cannot be made.
    csv_writer(const std::string& path, const std::vector<std::string>& columns);

    /// As many numbers as there are columns; std::invalid_argument otherwise.
    void row(std::initializer_list<std::int64_t> values);
    /// A row with words in it, its values joined already.
    void row(const std::string& values);

    /// What was written is in the file; errors come out at `close`.
    void flush() { std::fflush(file_.get()); }
    /// Goes on at the end of another file. Throws output_error.
    void continue_in(const std::string& path);

    /// Flushes and closes; throws output_error when anything could not be written.
    void close();

private:
    struct close_file {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::string path_;
    std::unique_ptr<std::FILE, close_file> file_;
    std::size_t columns_;
    std::string line_;
};

/// Columns of occupancy.csv, a row for each group that holds or held cells at a sample.
[[nodiscard]] const std::vector<std::string>& occupancy_columns();

}  // namespace weir::vp
