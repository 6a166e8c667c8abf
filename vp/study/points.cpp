// SPDX-License-Identifier: Apache-2.0
#include "vp/study/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include "models/timeline/digest.h"
#include "platforms/text.h"
#include "vp/study/ranges.h"
#include "vp/version.h"

namespace weir::vp {
namespace {

using platforms::config_error;

/// A product that stays at the greatest number instead of wrapping.
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    std::uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}

constexpr std::string_view adversary_prefix = "adversary.";

enum class target : std::uint8_t { program, hardware, adversary, seed };

/// Hardware keys have dots, values of the program have none.
target target_of(std::string_view name) {
    if (name == "seed") return target::seed;
    if (name.substr(0, adversary_prefix.size()) == adversary_prefix) return target::adversary;
    return name.find('.') != std::string::npos ? target::hardware : target::program;
}

std::string content_of(const std::string& path) {
    std::ostringstream text;
    if (!path.empty()) text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

std::uint64_t seed_of(const study_value& value, const std::string& where) {
    const auto seed = platforms::parse_number(value.text);
    if (!seed) throw config_error(where, fmt::format("\"{}\" is no seed", value.text), "a whole number");
    return *seed;
}

/// What config_error says that comes out of it; empty: none.
template <typename Action>
std::string complaint_of(Action action) {
    try {
        action();
    } catch (const config_error& e) {
        return e.what();
    }
    return {};
}

}  // namespace

std::string shell_word(const std::string& word) {
    const bool plain = std::all_of(word.begin(), word.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view{"_-+./=,:@%"}.find(c) != std::string_view::npos;
    });
    if (plain && !word.empty()) return word;
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string{"'\\''"} : std::string{c};
    return quoted + "'";
}

study_points::study_points(const study& of) : of_(of) {
    if (of.drawn_points > 0) {
        points_ = of.drawn_points;
        for (const auto& p : of.parameters) shares_.push_back(stratified_shares(points_, of.drawn_seed, p.name()));
    } else {
        for (const auto& p : of.parameters) points_ = times(points_, p.values.size());
    }
    for (const auto& p : of.parameters) {
        if (p.varies_seed()) {
            for (const auto& each : p.values) (void)seed_of(each, p.where);
        }
    }
    const std::string more = of.size ? fmt::format("{}={}", of.size->find, of.size->from) : std::string{};
    const platforms::platform_config first = load_first(more);
    platform_name_ = first.name;
    for (const auto& p : of.parameters) check_adversary_names(p);
    if (of.against) (void)against(0, first);
    read_figures(first);
    make_digest(first);
}

platforms::platform_config study_points::load_first(const std::string& more) const {
    const std::string complaint = complaint_of([&] { (void)load(0, more); });
    if (complaint.empty()) return load(0, more);
    // Whose fault it is: each name on its own.
    if (!more.empty()) {
        platforms::load_options how;
        (target_of(more.substr(0, more.find('='))) == target::hardware ? how.hardware : how.program).push_back(more);
        const std::string own = complaint_of([&] { (void)platforms::load_platform(of_.platform, how); });
        if (own.rfind("--", 0) == 0) throw config_error(of_.size->where, own);
    }
    const auto values_of_first = values(0);
    for (std::size_t i = 0; i < of_.parameters.size(); ++i) {
        for (const std::string& name : of_.parameters[i].names) {
            platforms::load_options how;
            const target at = target_of(name);
            if (at != target::hardware && at != target::program) continue;
            auto& assigned = at == target::hardware ? how.hardware : how.program;
            assigned.push_back(name + "=" + values_of_first[i].text);
            const std::string own = complaint_of([&] { (void)platforms::load_platform(of_.platform, how); });
            if (own.rfind("--", 0) == 0) throw config_error(of_.parameters[i].where, own);
        }
    }
    throw config_error(of_.file, complaint);
}

std::uint64_t study_points::runs() const {
    return times(points_, of_.seeds.size());
}

std::vector<study_value> study_points::values(std::uint64_t point) const {
    std::vector<study_value> all(of_.parameters.size());
    for (std::size_t i = of_.parameters.size(); i-- > 0;) {
        const study_parameter& p = of_.parameters[i];
        if (of_.drawn_points > 0) {
            all[i] = value_at(p, shares_[i][point]);
        } else {
            all[i] = p.values[point % p.values.size()];
            point /= p.values.size();
        }
    }
    return all;
}

std::uint64_t study_points::seed(std::uint64_t point, std::uint64_t nth) const {
    const auto at = values(point);
    for (std::size_t i = 0; i < at.size(); ++i) {
        if (of_.parameters[i].varies_seed()) return seed_of(at[i], of_.parameters[i].where);
    }
    return of_.seeds[nth];
}

std::vector<std::string> study_points::assignments(std::uint64_t point, const std::string& more, bool hardware) const {
    std::vector<std::string> all = hardware ? of_.hardware : of_.program;
    const auto at = values(point);
    for (std::size_t i = 0; i < at.size(); ++i) {
        for (const std::string& name : of_.parameters[i].names) {
            if (target_of(name) == (hardware ? target::hardware : target::program))
                all.push_back(name + "=" + at[i].text);
        }
    }
    if (!more.empty() && target_of(more.substr(0, more.find('='))) == (hardware ? target::hardware : target::program))
        all.push_back(more);
    return all;
}

platforms::platform_config study_points::load(std::uint64_t point, const std::string& more) const {
    platforms::load_options how;
    how.hardware = assignments(point, more, true);
    how.program = assignments(point, more, false);
    how.workload_file = of_.workload;
    return platforms::load_platform(of_.platform, how);
}

void study_points::check_adversary_names(const study_parameter& p) const {
    for (const std::string& name : p.names) {
        if (target_of(name) != target::adversary) continue;
        if (!of_.against)
            throw config_error(p.where, fmt::format("{}: the study has no adversary", name), "[adversary]");
        const std::string own = name.substr(adversary_prefix.size());
        const auto& known = adversary_numbers();
        if (std::find(known.begin(), known.end(), own) == known.end()) {
            throw config_error(p.where, fmt::format("an adversary has no \"{}\"", own),
                               fmt::format("one of: {}", fmt::join(known, " ")));
        }
        for (const auto& value : p.values) {
            if (!platforms::parse_number(value.text))
                throw config_error(p.where, fmt::format("{} \"{}\" is no whole number", name, value.text));
        }
    }
}

adversary study_points::against(std::uint64_t point, const platforms::platform_config& platform) const {
    adversary made = *of_.against;
    const auto at = values(point);
    for (std::size_t i = 0; i < at.size(); ++i) {
        for (const std::string& name : of_.parameters[i].names) {
            if (target_of(name) != target::adversary) continue;
            set_adversary_number(made, name.substr(adversary_prefix.size()),
                                 platforms::parse_number(at[i].text).value_or(0));
        }
    }
    check_adversary(made, platform, of_.against_where);
    return made;
}

std::string study_points::text(std::uint64_t point) const {
    std::string all;
    const auto at = values(point);
    for (std::size_t i = 0; i < at.size(); ++i)
        all += fmt::format("{}{}={}", i == 0 ? "" : " ", of_.parameters[i].name(), at[i].text);
    return all;
}

std::string study_points::command(std::uint64_t point, std::uint64_t seed, const std::string& more) const {
    std::string all = "weir run " + shell_word(of_.platform);
    for (const auto& each : assignments(point, more, true)) all += " --hw " + shell_word(each);
    for (const auto& each : assignments(point, more, false)) all += " --set " + shell_word(each);
    if (!of_.workload.empty()) all += " --workload " + shell_word(of_.workload);
    if (of_.until) all += " --until " + platforms::format_duration(*of_.until);
    if (of_.traffic_at) all += " --traffic-at " + platforms::format_duration(*of_.traffic_at);
    return all + fmt::format(" --seed {}", seed);
}

std::vector<study_value> study_points::all_values(std::size_t parameter) const {
    if (of_.drawn_points == 0) return of_.parameters[parameter].values;
    std::vector<study_value> all;
    std::set<std::string> seen;
    for (std::uint64_t point = 0; point < points_; ++point) {
        study_value value = values(point)[parameter];
        if (seen.insert(value.text).second) all.push_back(std::move(value));
    }
    std::stable_sort(all.begin(), all.end(), [](const study_value& a, const study_value& b) {
        return std::strtod(a.text.c_str(), nullptr) < std::strtod(b.text.c_str(), nullptr);
    });
    return all;
}

void study_points::read_figures(const platforms::platform_config& first) {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < of_.figures.size(); ++i) {
        if (seen.insert(of_.figures[i]).second)
            figures_.push_back(find_figure(of_.figures[i], of_.figures_where[i], first));
    }
}

void study_points::make_digest(const platforms::platform_config& first) {
    // Each part with its length before it, so that two parts are never taken for others.
    std::string all;
    const auto add = [&all](std::string_view part) { all += fmt::format("{} {}\n", part.size(), part); };
    add(version());
    for (const auto& each : of_.program) add(each);
    for (const auto& each : of_.hardware) add(each);
    add(fmt::format("{} {}", of_.until.value_or(picoseconds{-1}).count(),
                    of_.traffic_at.value_or(picoseconds{-1}).count()));
    add(fmt::format("{}", fmt::join(of_.seeds, " ")));
    if (of_.against) {
        const adversary& a = *of_.against;
        add(fmt::format("{} {} {} {} {} {} {} {} {}", a.receiver, fmt::join(a.senders, ","), a.helper, a.congested,
                        a.priority, a.dscp, a.frame, a.own, a.shift));
    }
    add(fmt::format("{} {}", of_.drawn_points, of_.drawn_seed));
    for (const auto& p : of_.parameters) {
        for (const auto& name : p.names) add(name);
        for (const auto& value : p.values) add(value.text);
        add(fmt::format("{} {} {} {} {}", p.from, p.to, p.whole, p.logarithmic, p.unit));
    }
    for (const auto& each : figures_) add(each.name);
    add(content_of(first.file));
    std::set<std::string> scripts;
    for (std::uint32_t s = 0; s < first.switches.size(); ++s) {
        if (scripts.insert(program_of(first, s)).second) add(content_of(program_of(first, s)));
    }
    for (const auto& file : {first.workload.file, first.topology.file, first.routes.file, first.cpu.firmware})
        add(content_of(file));
    for (const auto& each : first.replays) add(content_of(each.file));
    weir::digest sum;
    sum.start(picoseconds{0});
    for (const char c : all) sum.fold_word(static_cast<unsigned char>(c));
    digest_ = fmt::format("{:016x}", sum.value());
}

}  // namespace weir::vp
