// SPDX-License-Identifier: Apache-2.0
// A folder with a platform to measure whole runs with; gone when the measurement is.
#pragma once

#include <string>

namespace weir::vp {

class bench_folder {
public:
    /// Writes bench.toml: seven hosts at 400G into the eighth with PFC, so that there is something of everything to
    /// see. Throws std::runtime_error.
    bench_folder();
    ~bench_folder();
    bench_folder(const bench_folder&) = delete;
    bench_folder& operator=(const bench_folder&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

}  // namespace weir::vp
