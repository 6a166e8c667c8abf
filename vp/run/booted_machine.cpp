// SPDX-License-Identifier: Apache-2.0
#include "vp/run/booted_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <systemc>

#include "platforms/boot.h"
#include "platforms/reprogram.h"
#include "platforms/routes.h"
#include "vp/engine.h"
#include "vp/run/interruption.h"
#include "vp/version.h"

namespace weir::vp {

using platforms::machine;
using platforms::platform_config;

namespace {

/// How long a boot may take, and how often it is looked at.
constexpr picoseconds longest_boot = microseconds(10'000'000);
constexpr picoseconds boot_step = microseconds(100);

/// A driver's messages that people want to see.
void log_of_driver(const std::string& name, picoseconds time, weir_log_level level, const char* text) {
    if (level == WEIR_LOG_INFO) return;
    const double us = static_cast<double>(time.count()) / 1e6;
    SC_REPORT_INFO("weir/driver", fmt::format("{:.3f} us: {}: {}", us, name, text).c_str());
}

std::unique_ptr<platforms::guest> make_guest(machine& m, std::size_t s) {
    const platform_config& config = m.config();
    if (cpu::board* board = m.board(s)) {
        return std::make_unique<platforms::firmware_driver>(*board, m.time(), config.cpu.firmware);
    }
    platforms::native_initiator& cpu = m.cpu(s);
    cpu.on_log([&cpu, name = config.switches[s].name](weir_log_level level, const char* text) {
        log_of_driver(name, cpu.local_time(), level, text);
    });
    return std::make_unique<platforms::switch_driver>(cpu);
}

}  // namespace

booted_machine boot(const platform_config& config, std::uint64_t seed, const std::string& console_place,
                    remote::remote_access* doors, const std::function<void(machine&)>& built) {
    const bool driven_from_outside = doors != nullptr && doors->drives();
    booted_machine m;
    std::vector<std::vector<platforms::script_line>> scripts;
    const platforms::routing_table table = platforms::plan_routes(config);
    for (std::uint32_t s = 0; s < config.switches.size() && !driven_from_outside; ++s) {
        scripts.push_back(platforms::boot_script(config, s));
        m.told.emplace_back(config, s);
        if (table.empty()) continue;
        for (auto& line : m.told[s].change_to(table[s])) scripts[s].push_back(std::move(line));
    }
    m.terminal = open_console(console_place, [](const std::string& line) { fmt::print(stderr, "{}\n", line); });
    m.hardware = std::make_unique<machine>(config, seed);
    m.programmed = config;
    if (built) built(*m.hardware);
    if (doors != nullptr) {
        doors->attach(
            *m.hardware, {{"program", "weir"}, {"version", version()}, {"seed", seed}},
            [&cpu = m.hardware->cpu(0), name = config.switches[0].name](weir_log_level level, const std::string& text) {
                log_of_driver(name, cpu.local_time(), level, text.c_str());
            });
    }
    const std::size_t own_guests = driven_from_outside ? 0 : m.hardware->switches();
    for (std::size_t s = 0; s < own_guests; ++s) {
        m.guests.push_back(make_guest(*m.hardware, s));
        m.guests.back()->on_print([terminal = m.terminal.get()](const char* text) { terminal->print(text); });
        m.guests.back()->program(std::move(scripts[s]));
    }
    if (own_guests > 0) m.typed_to = dynamic_cast<platforms::firmware_driver*>(m.guests.front().get());
    const auto booting = [&m] {
        return std::any_of(m.guests.begin(), m.guests.end(), [](const auto& g) { return g->booting(); });
    };
    const bool done = doors != nullptr ? doors->boot(booting) : m.hardware->run_while(booting, longest_boot, boot_step);
    throw_if_interrupted();
    if (doors != nullptr && doors->control().failure()) std::rethrow_exception(doors->control().failure());
    if (doors != nullptr && doors->control().ended()) throw boot_error("the run was ended before its workload began");
    m.booted_at = m.hardware->cpu(0).local_time();
    for (const auto& guest : m.guests) {
        if (!guest->error().empty()) throw boot_error(guest->error());
    }
    if (!done) throw boot_error("the boot script did not end within ten simulated seconds");
    for (const auto& guest : m.guests) {
        m.booted_at = std::max(m.booted_at, guest->booted_at());
        guest->keep_serving();
    }
    return m;
}

std::size_t change_program(booted_machine& m, const std::vector<std::string>& assignments, const std::string& where) {
    const auto lines = platforms::change_program(m.programmed, assignments, where);
    std::size_t count = 0;
    for (std::size_t s = 0; s < m.guests.size(); ++s) {
        count += lines[s].size();
        if (!lines[s].empty()) m.guests[s]->carry_out(lines[s]);
    }
    return count;
}

}  // namespace weir::vp
