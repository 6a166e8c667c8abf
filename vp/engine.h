// SPDX-License-Identifier: Apache-2.0
// What the command line needs of the simulator, and what it tells it: the seam between options and models.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/timeline/time.h"
#include "platforms/config.h"
#include "vp/record/strict_checks.h"
#include "vp/remote/remote_access.h"
#include "vp/results/result.h"
#include "vp/run/turn_request.h"

namespace weir::vp {

/// How a run goes, beyond what the platform says.
struct run_request {
    std::uint64_t seed{1};
    std::optional<picoseconds> traffic_at;  ///< workload time zero; default: the first whole 100 µs after boot
    std::optional<picoseconds> until;       ///< after workload time zero; default: until everything is delivered
    std::string output;                     ///< folder for captures and series; empty: none are written
    std::vector<std::uint32_t> captured;    ///< ports whose frames go to "<switch>.<port>.pcapng", in every switch
    std::uint32_t snap_octets{0};           ///< of each captured frame; 0: all of it
    picoseconds series_interval{0};         ///< of occupancy.csv; 0: none
    std::string console{"print"};           ///< where the guests' console leads (vp/run/console.h)
    bool stay{false};                       ///< after the workload the console goes on, until it is closed
    remote::remote_request remote;          ///< doors through which the run can be reached
    std::string register_trace;             ///< file of register accesses; empty: none
    strict_mode strict{strict_mode::off};   ///< tells of register accesses that silicon would swallow
    bool signals{false};                    ///< whether every change is recorded (vp/signals/signal_recorder.h)
    bool observe{false};                    ///< whether the network is watched from outside (vp/results/observation.h)
    bool check{false};                      ///< whether properties P1 to P32 are checked while it runs
    std::optional<turn_request> turn;       ///< where it stops and is changed; nothing: nowhere
};

struct progress_report {
    picoseconds now{0};       ///< simulated, from workload time zero
    double fraction{-1};      ///< of the work done; negative: unknown
    std::uint64_t frames{0};  ///< handled so far
};

/// A platform after its script has run.
struct programmed_platform {
    std::vector<switch_result> switches;
    driver_result driver;
};

/// What became of a register trace that was played.
struct replay_result {
    std::uint64_t reads{0};
    std::uint64_t writes{0};
    std::uint64_t compared{0};             ///< reads of which something does not change by itself
    std::uint64_t different{0};            ///< accesses that came out otherwise
    std::vector<std::string> differences;  ///< the first of them, a line each
};

/// What `weir replay` prints (vp/record/register_trace.cpp).
[[nodiscard]] std::string replay_text(const replay_result& result);

/// Bad programming: what the driver's shell said ("file:line: command: reason"). The program prints it, exits with 2.
class boot_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct engine {
    /// Builds, boots, runs the workload. Throws config_error, boot_error, capture_error, output_error.
    std::function<run_result(const platforms::platform_config&, const run_request&,
                             const std::function<void(const progress_report&)>&)>
        run;
    /// Builds and boots only.
    std::function<programmed_platform(const platforms::platform_config&)> boot;
    /// What the driver's `show WORDS` prints of the finished run in a folder. Throws config_error.
    std::function<std::string(const std::string& folder, const std::string& words)> show;
    /// Plays a register trace against a platform. Throws config_error.
    std::function<replay_result(const platforms::platform_config&, const std::string& trace)> replay;
    /// Measures speed and prints it; `arguments` are those of `weir bench`. An exit code.
    std::function<int(const std::vector<std::string>& arguments)> bench;
};

/// The simulator (vp/engine.cpp).
[[nodiscard]] engine make_engine();

}  // namespace weir::vp
