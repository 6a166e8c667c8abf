// SPDX-License-Identifier: Apache-2.0
// Every pause of a run with what caused it, a row each: pause_log.csv.
#pragma once

#include <string>

#include "models/observer/observer.h"
#include "models/timeline/time.h"
#include "platforms/machine.h"
#include "vp/output/csv_writer.h"
#include "vp/results/observed_names.h"

namespace weir::vp {

class pause_log {
public:
    static constexpr const char* file = "pause_log.csv";

    /// Rows are written when pauses end; times count from `origin`. Throws output_error.
    pause_log(observer::observer& seen, const platforms::machine& m, const std::string& folder, picoseconds origin);
    pause_log(const pause_log&) = delete;
    pause_log& operator=(const pause_log&) = delete;

    void flush() { rows_.flush(); }
    /// Goes on at the end of another folder's file. Throws output_error.
    void continue_in(const std::string& folder) { rows_.continue_in(folder + "/" + file); }
    /// Throws output_error when anything could not be written.
    void close() { rows_.close(); }

private:
    void write(const observer::seen_pause& p);

    const platforms::machine& machine_;
    observed_names names_;
    picoseconds origin_;
    csv_writer rows_;
};

}  // namespace weir::vp
