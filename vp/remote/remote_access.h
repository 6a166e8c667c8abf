// SPDX-License-Identifier: Apache-2.0
// A run's doors and what is behind them, tied to a machine. The engine calls it from a few places:
//
//   remote_access doors(request)      opens them, before anything is built; an address in use is an error then
//   doors.attach(machine, …)          commands get something to act on; a run that begins halted waits here
//   doors.run_programs()              boots: the CPUs' programs, or with a register port until its client says READY
//   doors.run_until(t)                as machine::run_until, serving the doors
//   doors.workload_begins(origin)
//   doors.control()                   between steps
//   doors.finish(reason)              the clients are told
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "platforms/machine.h"
#include "vp/remote/json_door.h"
#include "vp/remote/register_port.h"
#include "vp/remote/registry.h"
#include "vp/remote/run_control.h"
#include "vp/remote/session.h"
#include "vp/remote/stream.h"

namespace weir::vp::remote {

/// Which doors a run opens; by default none.
struct remote_request {
    std::optional<address> json;
    std::optional<address> port;  ///< its client is the driver: no other runs
    bool halted{false};           ///< the run begins halted
    [[nodiscard]] bool any() const { return json || port; }
};

/// From the texts of --json and --port, empty when not given, and whether --halt and --remote-any-address were. Throws
/// config_error.
[[nodiscard]] remote_request read_remote_request(const std::string& json_at, const std::string& port_at, bool halted,
                                                 bool anywhere);

class remote_access {
public:
    /// Throws config_error when a door cannot be opened.
    explicit remote_access(const remote_request& request);
    ~remote_access();
    remote_access(const remote_access&) = delete;
    remote_access& operator=(const remote_access&) = delete;

    /// To be called before the CPUs have programs. `about`: what `hello` says of the program. `driver_log`: the port's
    /// client's messages.
    void attach(platforms::machine& machine, const json& about, register_port::log_function driver_log);
    /// Boots. False: it was ended, or a CPU's program did not return within ten simulated seconds; with a port there is
    /// no limit.
    bool run_programs();
    /// Lets time pass up to and including `time`, with halts on the way; not as far when the run is ended.
    void run_until(picoseconds time);
    void workload_begins(picoseconds time);
    void finish(const std::string& reason);

    /// A client of the port is the driver.
    [[nodiscard]] bool drives() const { return port_listener_ != nullptr; }
    [[nodiscard]] run_control& control() { return *control_; }
    /// For more commands, and for other doors: gdb's `monitor`.
    [[nodiscard]] registry& commands() { return commands_; }
    [[nodiscard]] session& acts_on() { return *session_; }
    [[nodiscard]] std::uint64_t reads() const { return port_ ? port_->reads() : 0; }
    [[nodiscard]] std::uint64_t writes() const { return port_ ? port_->writes() : 0; }

private:
    remote_request request_;
    std::unique_ptr<listener> json_listener_;
    std::unique_ptr<listener> port_listener_;
    platforms::machine* machine_{nullptr};
    registry commands_;
    std::unique_ptr<run_control> control_;
    std::unique_ptr<session> session_;
    std::unique_ptr<json_door> json_;
    std::unique_ptr<register_port> port_;
};

}  // namespace weir::vp::remote
