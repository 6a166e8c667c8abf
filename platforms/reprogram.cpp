// SPDX-License-Identifier: Apache-2.0
#include "platforms/reprogram.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "platforms/boot.h"
#include "platforms/text.h"

namespace weir::platforms {
namespace {

bool begins_with(std::string_view line, std::string_view words) {
    return line.substr(0, words.size()) == words && (line.size() == words.size() || line[words.size()] == ' ');
}

/// "pool create NAME ingress size 50000 …" made over for a pool that is there: "pool resize NAME size 50000 …".
std::string resized(std::string_view line) {
    constexpr std::string_view create = "pool create ";
    const std::size_t name = create.size();
    const std::size_t direction = line.find(' ', name);
    const std::size_t sizes = line.find("size ", name);
    if (direction == std::string_view::npos || sizes == std::string_view::npos) return std::string(line);
    return fmt::format("pool resize {} {}", line.substr(name, direction - name), line.substr(sizes));
}

/// Takes over one assignment.
void assign(platform_config& platform, const std::string& assignment, const std::string& where) {
    const auto equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) {
        throw config_error(fmt::format("{} {}", where, assignment), "not NAME=VALUE", "for example: xoff=6800");
    }
    const std::string name{trimmed(std::string_view{assignment}.substr(0, equals))};
    if (platform.program_values.count(name) == 0) {
        std::vector<std::string> known;
        for (const auto& [each, value] : platform.program_values) known.push_back(each);
        const auto near = nearest_name(name, known);
        throw config_error(
            fmt::format("{} {}", where, assignment), fmt::format("the program has no value \"{}\"", name),
            near ? fmt::format("did you mean \"{}\"?", *near) : fmt::format("known here: {}", fmt::join(known, " ")));
    }
    platform.program_values[name] = trimmed(std::string_view{assignment}.substr(equals + 1));
}

/// The lines of a switch's script that are others than before.
void add_changed(const std::vector<script_line>& before, const std::vector<script_line>& after,
                 std::vector<script_line>& lines) {
    script_line under;  // the interface line that is open; empty: none
    bool entered = false;
    const auto leave = [&] {
        if (entered) lines.push_back({under.where, "exit"});
        entered = false;
    };
    // Values have no line ends in them, so the lines pair.
    for (std::size_t i = 0; i < after.size(); ++i) {
        const std::string_view text = trimmed(after[i].text);
        const bool same = before[i].text == after[i].text;
        if (begins_with(text, "interface") || text == "exit") {
            if (!same) {
                throw config_error(after[i].where, "the ports that a line is about cannot change while it runs",
                                   fmt::format("it was \"{}\"", trimmed(before[i].text)));
            }
            leave();
            under = text == "exit" ? script_line{} : after[i];
            continue;
        }
        if (same) continue;
        if (!under.text.empty() && !entered) lines.push_back(under);
        entered = !under.text.empty();
        lines.push_back({after[i].where, begins_with(text, "pool create") ? resized(text) : std::string(text)});
    }
    leave();
}

}  // namespace

std::vector<std::vector<script_line>> change_program(platform_config& platform,
                                                     const std::vector<std::string>& assignments,
                                                     const std::string& where) {
    std::vector<std::vector<script_line>> all(platform.switches.size());
    for (const std::string& assignment : assignments) {
        platform_config after = platform;
        assign(after, assignment, where);
        for (std::uint32_t s = 0; s < all.size(); ++s) {
            add_changed(boot_script(platform, s), boot_script(after, s), all[s]);
        }
        platform.program_values = std::move(after.program_values);
    }
    return all;
}

}  // namespace weir::platforms
