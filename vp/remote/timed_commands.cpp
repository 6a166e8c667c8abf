// SPDX-License-Identifier: Apache-2.0
#include "vp/remote/timed_commands.h"

#include <fmt/format.h>

#include <algorithm>

#include "platforms/config.h"
#include "platforms/text.h"

namespace weir::vp::remote {
namespace {

/// Nobody is there to be told of events, or to wait.
class clockwork : public caller {};

}  // namespace

timed_commands::timed_commands(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
        const std::size_t blank = line.find(' ');
        const bool from_workload = !line.empty() && line[0] == '+';
        const auto time =
            platforms::parse_duration(line.substr(from_workload ? 1 : 0, blank - (from_workload ? 1 : 0)));
        if (!time || blank == std::string::npos) {
            throw platforms::config_error(fmt::format("--at \"{}\"", line), "is no time and command",
                                          "for example: --at \"+20us fault_interrupt lose=1\"");
        }
        entries_.push_back({*time, from_workload, false, line.substr(blank + 1), line});
    }
}

std::optional<picoseconds> timed_commands::time_of(const entry& e) const {
    if (!e.from_workload) return e.time;
    if (!origin_) return std::nullopt;
    return *origin_ + e.time;
}

void timed_commands::workload_begins(picoseconds origin) {
    origin_ = origin;
}

picoseconds timed_commands::next() const {
    picoseconds first = never;
    for (const entry& e : entries_) {
        if (!e.done) first = std::min(first, time_of(e).value_or(never));
    }
    return first;
}

void timed_commands::carry_out(picoseconds now, const registry& commands) {
    clockwork who;
    while (next() <= now) {
        const auto due = std::find_if(entries_.begin(), entries_.end(),
                                      [&](const entry& e) { return !e.done && time_of(e) == next(); });
        due->done = true;
        const std::string answer = commands.call_line(due->line, who);
        constexpr const char* mark = "error: ";
        if (answer.rfind(mark, 0) != 0) continue;
        throw platforms::config_error(fmt::format("--at \"{}\"", due->given), answer.substr(7, answer.find('\n') - 7),
                                      "docs/remote.md lists the commands");
    }
}

std::vector<std::string> timed_commands::left() const {
    std::vector<std::string> lines;
    for (const entry& e : entries_) {
        if (!e.done) lines.push_back(e.given);
    }
    return lines;
}

}  // namespace weir::vp::remote
