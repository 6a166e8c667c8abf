// SPDX-License-Identifier: Apache-2.0
// The folder that a run's results go to: filled beside its place and moved there whole, or not at all.
#pragma once

#include <stdexcept>
#include <string>

namespace weir::vp {

/// One line: what could not be written, and why.
class output_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Writes a file beside its place and then moves it there: whole, or not at all. Throws output_error, also when what
/// stands there is no regular file.
void write_whole(const std::string& path, const std::string& text);

class output_directory {
public:
    /// Makes "PATH.partial". Throws output_error when PATH exists and is not the result of an earlier run (which the
    /// new one replaces), or when its parent does not exist.
    /// `mark`: the file that tells such a result from others.
    explicit output_directory(const std::string& path, const std::string& mark = "result.json");
    /// Removes what was not committed.
    ~output_directory();
    output_directory(const output_directory&) = delete;
    output_directory& operator=(const output_directory&) = delete;

    /// Where a file of that name is to be written until `commit`.
    [[nodiscard]] std::string file(const std::string& name) const { return partial_ + "/" + name; }
    /// Writes a whole file.
    void write(const std::string& name, const std::string& text) const;

    /// Moves the folder to its place.
    void commit();

private:
    std::string path_;
    std::string partial_;
    bool committed_{false};
};

}  // namespace weir::vp
