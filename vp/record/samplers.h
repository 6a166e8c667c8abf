// SPDX-License-Identifier: Apache-2.0
// What is written while a run goes on: captures of ports, the occupancy series, signals.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/timeline/time.h"
#include "platforms/machine.h"
#include "vp/engine.h"
#include "vp/output/csv_writer.h"
#include "vp/record/pause_log.h"
#include "vp/record/port_capture.h"
#include "vp/signals/signal_recorder.h"

namespace weir::vp {

class samplers {
public:
    /// As `request` asks for, into its folder; `outside` sees pauses, null: nobody does. Throws output_error.
    samplers(platforms::machine& m, const run_request& request, picoseconds origin, observer::observer* outside);

    /// A row of the series for each group that holds cells, or held some at the last one.
    void sample(picoseconds now);
    /// A sample would give no row, now and as long as nothing happens.
    [[nodiscard]] bool quiet() const;

    /// What has been written is in the files.
    void flush();
    /// The files so far are copied to another folder and go on there. After `flush`. Throws output_error.
    void continue_in(const std::string& folder);
    /// Throws output_error when anything could not be written.
    void close();
    /// Names of the files in the folder.
    [[nodiscard]] const std::vector<std::string>& files() const { return files_; }

private:
    struct flag {
        bool value{false};
    };
    platforms::machine& machine_;
    picoseconds origin_;
    std::string folder_;
    std::vector<std::string> files_;
    std::vector<std::unique_ptr<port_capture>> captures_;
    std::unique_ptr<csv_writer> series_;
    std::unique_ptr<pause_log> pauses_;
    std::unique_ptr<signal_recorder> signals_;
    std::vector<std::vector<flag>> held_;  // groups that held cells at the last sample: their zero is a row too
};

}  // namespace weir::vp
