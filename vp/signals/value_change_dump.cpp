// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "vp/signals/signal_export.h"
#include "vp/signals/signal_order.h"

namespace weir::vp {
namespace {

/// Short identifiers of printable characters, as the format has them: "!", "\"", … "~", "!!", …
std::string identifier(std::uint32_t number) {
    constexpr std::uint32_t first = '!';
    constexpr std::uint32_t count = '~' - '!' + 1;
    std::string text;
    for (++number; number > 0; number = (number - 1) / count) text += static_cast<char>(first + (number - 1) % count);
    return text;
}

/// Names have no dots in them here.
std::string plain(std::string name) {
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
}

enum class variable : std::uint8_t { bit, cells, happening, words };

variable variable_of(const report::signal& s) {
    if (s.kind == "asked" || s.kind == "stopped" || s.kind == "interrupt") return variable::bit;
    if (s.kind == "drop" || s.kind == "mark") return variable::happening;
    if (s.kind == "function") return variable::words;
    return variable::cells;
}

std::string_view declaration(variable v) {
    switch (v) {
        case variable::bit:
            return "wire 1";
        case variable::happening:
            return "event 1";
        case variable::words:
            return "string 1";
        case variable::cells:
            break;
    }
    return "integer 32";
}

std::string changed(const report::recording& signals, std::uint32_t number, std::int64_t value) {
    const std::string id = identifier(number);
    switch (variable_of(signals.signals[number])) {
        case variable::bit:
            return fmt::format("{}{}\n", value != 0 ? 1 : 0, id);
        case variable::happening:
            return fmt::format("1{}\n", id);
        case variable::words: {
            const std::string& name = name_at(signals.functions, value);
            return fmt::format("s{} {}\n", name.empty() ? "-" : name, id);
        }
        case variable::cells:
            break;
    }
    return fmt::format("b{:b} {}\n", value, id);
}

/// The name's part behind the device and, where it has one, the port: "pg3_service".
std::string own_name(const report::signal& s) {
    std::string rest = s.name.substr(s.device.size() + 1);
    const std::string port = fmt::format("{}.", s.port);
    if (rest.rfind(port, 0) == 0) rest.erase(0, port.size());
    return plain(rest);
}

}  // namespace

std::string value_change_dump(const report::recording& signals) {
    std::string text = "$version weir $end\n$timescale 1 ps $end\n";
    // Devices and their ports by name and number; the signals of one keep their order.
    std::map<std::string, std::map<std::int64_t, std::vector<std::uint32_t>>> scopes;
    for (std::uint32_t n = 0; n < signals.signals.size(); ++n) {
        const report::signal& s = signals.signals[n];
        const bool of_port = s.name.rfind(fmt::format("{}.{}.", s.device, s.port), 0) == 0;
        scopes[s.device][of_port ? std::int64_t{s.port} : -1].push_back(n);
    }
    for (const auto& [device, ports] : scopes) {
        text += fmt::format("$scope module {} $end\n", plain(device));
        for (const auto& [port, members] : ports) {
            if (port >= 0) text += fmt::format("$scope module port{} $end\n", port);
            for (const std::uint32_t n : members) {
                const report::signal& s = signals.signals[n];
                text += fmt::format("$var {} {} {} $end\n", declaration(variable_of(s)), identifier(n), own_name(s));
            }
            if (port >= 0) text += "$upscope $end\n";
        }
        text += "$upscope $end\n";
    }
    text += fmt::format("$enddefinitions $end\n#{}\n$dumpvars\n", signals.begin);
    for (std::uint32_t n = 0; n < signals.signals.size(); ++n) {
        if (variable_of(signals.signals[n]) != variable::happening) text += changed(signals, n, 0);
    }
    text += "$end\n";
    std::int64_t now = signals.begin;
    for (const ordered_change& c : ordered_changes(signals)) {
        if (c.time != now) text += fmt::format("#{}\n", c.time);
        now = c.time;
        text += changed(signals, c.signal, c.value);
    }
    if (signals.end != now) text += fmt::format("#{}\n", signals.end);
    return text;
}

}  // namespace weir::vp
