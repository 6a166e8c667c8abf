// SPDX-License-Identifier: Apache-2.0
#include "platforms/failures.h"

#include <fmt/format.h>

#include <utility>

#include "platforms/machine.h"
#include "platforms/topology.h"

namespace weir::platforms {

failing_cable find_cable(const platform_config& platform, const failure_config& failure, const std::string& where) {
    const auto from = find_switch(platform, failure.from);
    if (!from) {
        throw config_error(where, fmt::format("switch \"{}\" is unknown", failure.from), "from: the name of a switch");
    }
    const auto to = find_switch(platform, failure.to);
    if (!to) {
        const auto host = find_host(platform, failure.to);
        if (!host || platform.hosts[*host].switch_index != *from) {
            throw config_error(where, fmt::format("no cable leads from {} to \"{}\"", failure.from, failure.to),
                               "to: a switch that is linked with it, or one of its hosts");
        }
        if (failure.number != 0) {
            throw config_error(where, fmt::format("host {} has one cable", failure.to), "number 0");
        }
        return {std::nullopt, *host};
    }
    std::uint32_t number = 0;
    for (std::uint32_t i = 0; i < platform.links.size(); ++i) {
        const std::uint32_t a = platform.links[i].a.switch_index;
        const std::uint32_t b = platform.links[i].b.switch_index;
        if (!((a == *from && b == *to) || (a == *to && b == *from))) continue;
        if (number++ == failure.number) return {i, std::nullopt};
    }
    throw config_error(where, fmt::format("{} cables lead from {} to {}", number, failure.from, failure.to),
                       number == 0 ? "two switches that are linked" : fmt::format("number 0 to {}", number - 1));
}

failure_program::failure_program(machine& hardware, std::vector<guest*> drivers, std::vector<switch_routes>& told,
                                 picoseconds origin)
    : actor(hardware.time(), "failures"),
      machine_(hardware),
      drivers_(std::move(drivers)),
      told_(told),
      broken_(hardware.config().links.size(), false) {
    const platform_config& config = hardware.config();
    for (const failure_config& failure : config.failures) {
        const failing_cable cable = find_cable(config, failure, config.file);
        const auto plan = [&](picoseconds at, bool plugged) {
            steps_.push_back({origin + at, cable, plugged, false});
            if (config.routes.kind == routing_kind::shortest_path && cable.link) {
                steps_.push_back({origin + at + config.routes.delay, cable, plugged, true});
            }
        };
        plan(failure.at, false);
        if (failure.repair != picoseconds{0}) plan(failure.repair, true);
    }
    for (std::uint32_t i = 0; i < steps_.size(); ++i) hardware.time().at(steps_[i].time, phase::timer, *this, i);
}

void failure_program::due(std::uint32_t what) {
    const step& s = steps_[what];
    if (!s.reroute) {
        if (s.cable.link) broken_[*s.cable.link] = !s.plugged;
        (s.cable.link ? machine_.trunk(*s.cable.link) : machine_.cable(*s.cable.host)).set_plugged(s.plugged);
        return;
    }
    const routing_table table = shortest_paths(machine_.config(), broken_);
    for (std::uint32_t i = 0; i < drivers_.size(); ++i) {
        auto lines = told_[i].change_to(table[i]);
        if (!s.plugged) flush_dead_port(i, machine_.config().links[*s.cable.link], lines);
        drivers_[i]->carry_out(std::move(lines));
    }
}

// Frames that wait for the dead port would hold their ingress groups for as long as it is dead.
void failure_program::flush_dead_port(std::uint32_t switch_index, const link_config& link,
                                      std::vector<script_line>& lines) {
    for (const link_end& end : {link.a, link.b}) {
        if (end.switch_index != switch_index) continue;
        for (const std::string& text : {fmt::format("interface {}", end.port), std::string("shutdown"),
                                        std::string("no shutdown"), std::string("exit")}) {
            lines.push_back({"flush of a port whose link failed", text});
        }
    }
}

}  // namespace weir::platforms
