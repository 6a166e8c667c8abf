// SPDX-License-Identifier: Apache-2.0
#include "vp/remote/remote_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "vp/interruption.h"
#include "vp/report_log.h"

namespace weir::vp::remote {

remote_request read_remote_request(const std::string& json_at, const std::string& port_at, bool halted, bool anywhere) {
    remote_request made;
    if (!json_at.empty()) made.json = parse_address("--json", json_at, anywhere);
    if (!port_at.empty()) made.port = parse_address("--port", port_at, anywhere);
    made.halted = halted;
    if (halted && !made.json) {
        throw platforms::config_error("--halt", "nobody could resume the run", "add --json ADDRESS");
    }
    return made;
}

remote_access::remote_access(const remote_request& request) : request_(request) {
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
    if (json_listener_) {
        json_ = std::make_unique<json_door>(*json_listener_, commands_, *control_);
        control_->add(*json_);
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
            machine.chip(s).on_interrupt(
                [this, s] { port_->interrupt(static_cast<std::uint8_t>(s), machine_->time().now()); });
        }
    }
    // From here on registers can be reached, even if the run begins halted: the chips have begun to live.
    machine.time().settle();
    if (request_.halted) control_->halt("halt");
    control_->service();
    if (port_) cpu.program([this] { port_->serve_client(); });
}

bool remote_access::run_programs() {
    constexpr picoseconds step = microseconds(100);
    constexpr picoseconds limit = microseconds(10'000'000);
    const auto booting = [this] {
        if (port_) return !port_->ready();
        for (std::size_t s = 0; s < machine_->switches(); ++s) {
            if (machine_->cpu(s).running()) return true;
        }
        return false;
    };
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
    if (port_) port_->workload_begins(time);
}

void remote_access::finish(const std::string& reason) {
    if (control_) control_->publish("end", {{"reason", reason}, {"time_ps", control_->now().count()}});
    if (json_) json_->close();
    if (port_) port_->finish(reason);
}

}  // namespace weir::vp::remote
