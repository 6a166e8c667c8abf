// SPDX-License-Identifier: Apache-2.0
// A run's doors and what is behind them, tied to a machine. The engine calls it from a few places:
//
//   remote_access doors(request)      opens them, before anything is built; an address in use is an error then
//   doors.attach(machine, …)          commands get something to act on; a run that begins halted waits here
//   doors.boot(booting)               boots: while the guests do, or with a register port until its client says READY
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
#include "vp/remote/core_debugger.h"
#include "vp/remote/json_door.h"
#include "vp/remote/register_port.h"
#include "vp/remote/registry.h"
#include "vp/remote/run_control.h"
#include "vp/remote/session.h"
#include "vp/remote/stream.h"
#include "vp/remote/timed_commands.h"

namespace weir::vp::remote {

/// Which doors a run opens; by default none.
struct remote_request {
    std::optional<address> json;
    std::optional<address> port;     ///< its client is the driver: no other runs
    std::optional<address> gdb;      ///< a debugger on the first switch's core; with `halted` the run waits for it
    bool halted{false};              ///< the run begins halted
    std::vector<std::string> timed;  ///< commands at simulated times (timed_commands.h)
    [[nodiscard]] bool any() const { return json || port || gdb || !timed.empty(); }
};

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
    /// Lets time pass while `guests_boot` says so. False: it was ended, or that took more than ten simulated seconds;
    /// with a port, whose client is the guest, there is no limit.
    bool boot(const std::function<bool()>& guests_boot);
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

private:
    remote_request request_;
    std::unique_ptr<listener> json_listener_;
    std::unique_ptr<listener> port_listener_;
    platforms::machine* machine_{nullptr};
    timed_commands timed_;
    registry commands_;
    std::unique_ptr<run_control> control_;
    std::unique_ptr<session> session_;
    std::unique_ptr<json_door> json_;
    std::unique_ptr<core_debugger> debugger_;
    std::unique_ptr<register_port> port_;
};

}  // namespace weir::vp::remote
