// SPDX-License-Identifier: Apache-2.0
#include "vp/remote/remote_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "vp/output/report_log.h"
#include "vp/remote/fault_commands.h"
#include "vp/run/interruption.h"

namespace weir::vp::remote {

remote_access::remote_access(const remote_request& request) : request_(request), timed_(request.timed) {
    if (request_.json) json_listener_ = std::make_unique<listener>("--json", *request_.json);
    if (request_.port) port_listener_ = std::make_unique<listener>("--port", *request_.port);
    if (json_listener_) say(fmt::format("JSON door at {}", json_listener_->at().text()));
    if (port_listener_) say(fmt::format("register port at {}", port_listener_->at().text()));
}

remote_access::~remote_access() {
    listen_to_reports({});
}

void remote_access::attach(platforms::machine& machine, const json& about, register_port::log_function driver_log) {
    machine_ = &machine;
    control_ = std::make_unique<run_control>(
        [&machine] { return std::max(machine.time().now(), from_kernel(sc_core::sc_time_stamp())); },
        [] { return interruption_noted(); });
    session_ = std::make_unique<session>(machine, *control_);
    add_session_commands(commands_, *session_, about);
    add_fault_commands(commands_, *session_);
    if (!request_.timed.empty()) {
        control_->schedule([this] { return timed_.next(); }, [this] { timed_.carry_out(control_->now(), commands_); });
    }
    if (json_listener_) {
        json_ = std::make_unique<json_door>(*json_listener_, commands_, *control_);
        control_->add(*json_);
    }
    if (request_.gdb) {
        if (machine.board(0) == nullptr) {
            throw platforms::config_error("--gdb", "there is no core to debug: the driver runs natively",
                                          "a platform with cpu.kind = \"riscv\", or --hw cpu.kind=riscv");
        }
        debugger_ = std::make_unique<core_debugger>(*request_.gdb, *control_, *machine.board(0), commands_);
        control_->add(*debugger_);
    }
    listen_to_reports([this](const char* source, const char* text) {
        control_->publish("log", {{"source", source}, {"text", text}});
    });
    platforms::native_initiator& cpu = machine.cpu(0);
    if (port_listener_) {
        for (std::size_t s = 1; s < machine.switches(); ++s) cpu.add_chip(machine.chip(s));
        port_ = std::make_unique<register_port>(*port_listener_, *control_, cpu, machine.chip(0).bank().layout().hash,
                                                std::move(driver_log));
        control_->add(*port_);
        for (std::size_t s = 0; s < machine.switches(); ++s) {
            machine.chip(s).on_interrupt([this, s](bool asserted) {
                if (asserted) port_->interrupt(static_cast<std::uint8_t>(s), machine_->time().now());
            });
        }
    }
    // From here on registers can be reached, even if the run begins halted: the chips have begun to live.
    machine.time().settle();
    if (request_.halted && debugger_) {
        debugger_->wait_for_client();
    } else if (request_.halted) {
        control_->halt("halt");
    }
    control_->service();
    if (port_) cpu.program([this] { port_->serve_client(); });
}

bool remote_access::boot(const std::function<bool()>& guests_boot) {
    constexpr picoseconds step = microseconds(100);
    constexpr picoseconds limit = microseconds(10'000'000);
    const auto booting = [&] { return port_ ? !port_->ready() : guests_boot(); };
    const picoseconds begin = from_kernel(sc_core::sc_time_stamp());
    picoseconds next = begin + step;
    while (booting() && !control_->ended() && (port_ || next <= begin + limit)) {
        run_until(next);
        next += step;
    }
    return !booting() && !control_->ended();
}

void remote_access::run_until(picoseconds time) {
    control_->service();
    while (!control_->ended() && from_kernel(sc_core::sc_time_stamp()) < time) {
        machine_->run_until(std::min(time, std::max(control_->next_stop(), control_->now())));
        control_->service();
    }
}

void remote_access::workload_begins(picoseconds time) {
    timed_.workload_begins(time);
    if (port_) port_->workload_begins(time);
}

void remote_access::finish(const std::string& reason) {
    for (const std::string& line : timed_.left()) {
        say(fmt::format("--at \"{}\": not carried out: the run ended before that time", line));
    }
    if (control_) control_->publish("end", {{"reason", reason}, {"time_ps", control_->now().count()}});
    if (json_) json_->close();
    if (debugger_) debugger_->finish();
    if (port_) port_->finish(reason);
}

}  // namespace weir::vp::remote
