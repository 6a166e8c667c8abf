// SPDX-License-Identifier: Apache-2.0
// Reading the file, as strictly as a platform's.
#include "vp/study/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "platforms/config_tree.h"
#include "platforms/text.h"
#include "vp/study/ranges.h"
#include "vp/study/section.h"

namespace weir::vp {
namespace {

using platforms::config_error;
using platforms::config_node;
using reading::count_of;
using reading::number_of;
using reading::section;
using reading::text_of;
using reading::texts_of;
using reading::wrong_kind;

constexpr std::array<std::string_view, 5> relation_names{"below", "at_most", "above", "at_least", "equals"};
constexpr std::uint64_t most_seeds = 1'000'000;
constexpr double largest_whole = 9'007'199'254'740'992;  // from there on a double leaves some out

study_value value_of(const config_node& node, std::string_view key) {
    if (const auto* whole = std::get_if<std::int64_t>(&node.value)) return {fmt::format("{}", *whole), true};
    if (const auto* real = std::get_if<double>(&node.value); real != nullptr && std::isfinite(*real))
        return {fmt::format("{}", *real), true};
    if (const auto* truth = std::get_if<bool>(&node.value)) return {*truth ? "true" : "false", false};
    return {text_of(node, key), false};
}

std::vector<std::uint64_t> read_seeds(const config_node& node) {
    std::vector<std::uint64_t> seeds;
    if (const auto* items = node.as_array()) {
        for (const auto& each : *items) seeds.push_back(count_of(each, "seeds", 0, INT64_MAX));
        if (seeds.empty()) throw config_error(node.where, "seeds is an empty list", "seeds = 5, or [1, 2, 3]");
        if (std::set<std::uint64_t>(seeds.begin(), seeds.end()).size() != seeds.size())
            throw config_error(node.where, "a seed stands here twice", "each once: it would be the same run");
        return seeds;
    }
    const std::uint64_t count = count_of(node, "seeds", 1, most_seeds);
    for (std::uint64_t seed = 1; seed <= count; ++seed) seeds.push_back(seed);
    return seeds;
}

/// A range's ends; `log` has them in a table of its own.
void read_ends(const section& s, study_parameter& made, const std::string& example) {
    const config_node& from = s.needed("from", example);
    const config_node& to = s.needed("to", example);
    made.from = number_of(from, "from");
    made.to = number_of(to, "to");
    made.whole = std::holds_alternative<std::int64_t>(from.value) && std::holds_alternative<std::int64_t>(to.value);
    if (made.from > made.to)
        throw config_error(from.where, fmt::format("{} to {} is empty", made.from, made.to),
                           "the smaller number first");
    if (made.logarithmic && made.from <= 0)
        throw config_error(from.where, fmt::format("{} has no logarithm", made.from), "more than 0");
    if (made.whole && std::max(-made.from, made.to) > largest_whole) {
        throw config_error(from.where, fmt::format("{} to {} has whole numbers that are too large", made.from, made.to),
                           fmt::format("{:.0f} at most", largest_whole));
    }
    if (!std::isfinite(made.logarithmic ? made.to / made.from : made.to - made.from))
        throw config_error(from.where, fmt::format("{} to {} is too wide", made.from, made.to),
                           "ends nearer each other");
}

study_parameter read_parameter(const config_node& node, bool drawn) {
    const section s(node, "[[vary]]", {"name", "names", "values", "from", "to", "step", "log", "unit"});
    study_parameter made;
    made.where = node.where;
    if (const auto* names = s.find("names")) made.names = texts_of(*names, "names", "a list of names");
    if (const auto* name = s.find("name")) made.names.insert(made.names.begin(), text_of(*name, "name"));
    if (made.names.empty()) throw config_error(node.where, "[[vary]] lacks \"name\"", "name = \"xoff\"");
    if (const auto* unit = s.find("unit")) made.unit = text_of(*unit, "unit");
    const int ways = (s.find("values") != nullptr ? 1 : 0) + (s.find("from") != nullptr ? 1 : 0) +
                     (s.find("log") != nullptr ? 1 : 0);
    const std::string example = "values = [1, 2], or from, to and step, or log = { from = 1, to = 1000, points = 4 }";
    if (ways != 1) {
        throw config_error(
            node.where, fmt::format("{} is varied in {}", made.name(), ways == 0 ? "no way" : "several ways"), example);
    }
    if (const auto* values = s.find("values")) {
        const auto* items = values->as_array();
        if (items == nullptr) wrong_kind(*values, "values", "a list");
        std::set<std::string> texts;
        for (const auto& each : *items) {
            made.values.push_back(value_of(each, "values"));
            if (!texts.insert(made.values.back().text).second) {
                throw config_error(each.where, fmt::format("{} stands here twice", made.values.back().text),
                                   "each once: it would be the same run");
            }
        }
        if (made.values.empty())
            throw config_error(values->where, fmt::format("{} has no values", made.name()), example);
        for (study_value& each : made.values) add_unit(each, made.unit);
    } else if (const auto* log = s.find("log")) {
        const section range(*log, "log", {"from", "to", "points"});
        made.logarithmic = true;
        read_ends(range, made, example);
        if (const auto* points = range.find("points")) {
            made.values = logarithmic_values(made, count_of(*points, "points", 1, 1'000'000));
        } else if (!drawn) {
            throw config_error(log->where, "log lacks \"points\"", example);
        }
    } else {
        read_ends(s, made, example);
        if (const auto* step = s.find("step")) {
            const double width = number_of(*step, "step");
            if (width <= 0) wrong_kind(*step, "step", "a number above 0");
            if ((made.to - made.from) / width > 1e7)
                throw config_error(step->where, "more than 10 million values", "a wider step");
            made.whole = made.whole && std::holds_alternative<std::int64_t>(step->value);
            made.values = stepped_values(made, width);
        } else if (!drawn) {
            throw config_error(node.where, fmt::format("{} lacks \"step\"", made.name()),
                               example + "; or a [latin_hypercube]");
        }
    }
    return made;
}

study_constraint read_constraint(const config_node& node) {
    std::vector<std::string> known{"figure"};
    known.insert(known.end(), relation_names.begin(), relation_names.end());
    const section s(node, "[[constraint]]", known);
    study_constraint made;
    made.figure = text_of(s.needed("figure", "figure = \"lossless_drops\""), "figure");
    int relations = 0;
    for (std::size_t i = 0; i < relation_names.size(); ++i) {
        const auto* bound = s.find(relation_names[i]);
        if (bound == nullptr) continue;
        ++relations;
        made.relation = static_cast<relation_kind>(i);
        made.bound = number_of(*bound, relation_names[i]);
    }
    if (relations != 1) {
        throw config_error(node.where, fmt::format("{} has {} bounds", made.figure, relations),
                           fmt::format("one of: {}", fmt::join(relation_names, " ")));
    }
    return made;
}

size_question read_size(const config_node& node) {
    const section s(node, "[size]", {"find", "direction", "from", "to", "step", "confirm", "each", "headroom_of"});
    const std::string example = "find = \"headroom\", from = 0, to = 2000, step = 1";
    const auto whole = [](const config_node& from, std::string_view key) {
        return static_cast<std::int64_t>(count_of(from, key, 0, INT64_MAX / 4));
    };
    size_question made;
    made.where = node.where;
    made.find = text_of(s.needed("find", example), "find");
    if (made.find == "seed" || made.find.rfind("adversary.", 0) == 0) {
        throw config_error(s.needed("find", example).where, fmt::format("{} is nothing that one programs", made.find),
                           "a value of the boot script, or a hardware key");
    }
    made.from = whole(s.needed("from", example), "from");
    made.to = whole(s.needed("to", example), "to");
    if (const auto* step = s.find("step"))
        made.step = static_cast<std::int64_t>(count_of(*step, "step", 1, INT64_MAX / 4));
    if (const auto* confirm = s.find("confirm"))
        made.confirm = static_cast<std::int64_t>(count_of(*confirm, "confirm", 0, 1'000'000));
    if (made.from >= made.to)
        throw config_error(node.where, fmt::format("from {} to {} there is nothing to look for", made.from, made.to),
                           example);
    // The last value of the search stands on its grid.
    made.to = made.from + (made.to - made.from) / made.step * made.step;
    if (const auto* direction = s.find("direction")) {
        const std::string word = text_of(*direction, "direction");
        if (word != "smallest" && word != "largest") wrong_kind(*direction, "direction", "smallest or largest");
        made.smallest = word == "smallest";
    }
    if (const auto* each = s.find("each")) made.each = texts_of(*each, "each", "a list of names that are varied");
    if (const auto* port = s.find("headroom_of")) made.headroom_of = text_of(*port, "headroom_of");
    return made;
}

adversary read_adversary(const config_node& node) {
    const section s(node, "[adversary]",
                    {"receiver", "senders", "helper", "congested", "priority", "dscp", "frame", "own", "shift"});
    const auto host = [](const config_node& from, std::string_view key) {
        const auto* number = std::get_if<std::int64_t>(&from.value);
        return number != nullptr ? fmt::format("{}", *number) : text_of(from, key);
    };
    adversary made;
    made.receiver = host(s.needed("receiver", "receiver = 0"), "receiver");
    if (const auto* helper = s.find("helper")) made.helper = host(*helper, "helper");
    if (const auto* senders = s.find("senders")) {
        const auto* items = senders->as_array();
        if (items == nullptr) wrong_kind(*senders, "senders", "a list of hosts: [1, \"h2\"]");
        for (const auto& each : *items) made.senders.push_back(host(each, "senders"));
    }
    for (const auto& name : adversary_numbers()) {
        const auto* value = s.find(name);
        if (value != nullptr) set_adversary_number(made, name, count_of(*value, name, 0, 1'000'000));
    }
    return made;
}

const config_node::array& tables_of(const config_node& node, const std::string& name) {
    const auto* tables = node.as_array();
    if (tables == nullptr) wrong_kind(node, name, fmt::format("an array of tables, [[{}]]", name));
    return *tables;
}

void check_names(const study& made) {
    std::set<std::string> names;
    const auto take = [&names](const std::string& name, const std::string& where) {
        if (!names.insert(name).second)
            throw config_error(where, fmt::format("{} is varied twice", name), "one way each");
    };
    if (made.size) take(made.size->find, made.size->where);
    for (const study_parameter& p : made.parameters) {
        for (const std::string& name : p.names) take(name, p.where);
        if (p.varies_seed() && made.seeds.size() > 1)
            throw config_error(p.where, "seed is varied, and there are seeds besides", "one of both");
    }
    if (!made.size) return;
    std::vector<std::string> varied;
    for (const study_parameter& p : made.parameters) varied.push_back(p.name());
    for (const std::string& name : made.size->each) {
        if (std::find(varied.begin(), varied.end(), name) != varied.end()) continue;
        throw config_error(made.size->where, fmt::format("each: {} is not varied", name),
                           fmt::format("one of: {}", fmt::join(varied, " ")));
    }
}

}  // namespace

std::string_view relation_name(relation_kind relation) {
    return relation_names.at(static_cast<std::size_t>(relation));
}

bool study_constraint::holds(std::optional<double> value) const {
    if (!value) return false;
    switch (relation) {
        case relation_kind::below:
            return *value < bound;
        case relation_kind::at_most:
            return *value <= bound;
        case relation_kind::above:
            return *value > bound;
        case relation_kind::at_least:
            return *value >= bound;
        case relation_kind::equals:
            return *value == bound;
    }
    return false;
}

study parse_study(std::string_view text, const std::string& file) {
    const config_node root = platforms::parse_toml(text, file);
    const section s(root, "the study",
                    {"platform", "workload", "set", "hw", "until", "traffic_at", "seeds", "figures", "vary",
                     "latin_hypercube", "constraint", "limits", "size", "adversary"});
    study made;
    made.file = file;
    const std::filesystem::path path{file};
    made.name = path.stem().string();
    const auto resolved = [&path](const std::string& name) {
        return std::filesystem::path{name}.is_absolute() ? name
                                                         : (path.parent_path() / name).lexically_normal().string();
    };
    made.platform = resolved(text_of(s.needed("platform", "platform = \"one_switch_8x400g\""), "platform"));
    if (const auto* node = s.find("workload")) made.workload = resolved(text_of(*node, "workload"));
    if (const auto* node = s.find("set")) made.program = texts_of(*node, "set", "a list: [\"xoff=1000\"]");
    if (const auto* node = s.find("hw")) made.hardware = texts_of(*node, "hw", "a list: [\"switch.s0.cells=4096\"]");
    if (const auto* node = s.find("until")) made.until = reading::time_of(*node, "until");
    if (const auto* node = s.find("traffic_at")) made.traffic_at = reading::time_of(*node, "traffic_at");
    if (const auto* node = s.find("seeds")) made.seeds = read_seeds(*node);
    if (const auto* node = s.find("latin_hypercube")) {
        const section drawn(*node, "[latin_hypercube]", {"points", "seed"});
        made.drawn_points = count_of(drawn.needed("points", "points = 50"), "points", 1, 100'000'000);
        if (const auto* seed = drawn.find("seed")) made.drawn_seed = count_of(*seed, "seed", 0, INT64_MAX);
    }
    if (const auto* node = s.find("vary")) {
        for (const auto& each : tables_of(*node, "vary"))
            made.parameters.push_back(read_parameter(each, made.drawn_points > 0));
    }
    if (made.drawn_points > 0 && made.parameters.empty())
        throw config_error(s.find("latin_hypercube")->where, "nothing is varied", "[[vary]] with from and to");
    if (const auto* node = s.find("figures")) {
        const auto* items = node->as_array();
        if (items == nullptr) wrong_kind(*node, "figures", "a list of names; weir sweep --figures lists them");
        for (const auto& each : *items) {
            made.figures.push_back(text_of(each, "figures"));
            made.figures_where.push_back(each.where);
        }
    }
    if (const auto* node = s.find("constraint")) {
        for (const auto& each : tables_of(*node, "constraint")) {
            made.constraints.push_back(read_constraint(each));
            made.figures.push_back(made.constraints.back().figure);
            made.figures_where.push_back(each.find("figure")->where);
        }
    }
    if (const auto* node = s.find("limits")) {
        const section limits(*node, "[limits]", {"memory", "jobs"});
        if (const auto* memory = limits.find("memory")) {
            made.memory = platforms::parse_octets(text_of(*memory, "memory"));
            if (!made.memory || *made.memory == 0) wrong_kind(*memory, "memory", "a size: \"2GiB\"");
        }
        if (const auto* jobs = limits.find("jobs")) made.jobs = count_of(*jobs, "jobs", 1, 1024);
    }
    if (const auto* node = s.find("size")) made.size = read_size(*node);
    if (const auto* node = s.find("adversary")) {
        made.against = read_adversary(*node);
        made.against_where = node->where;
    }
    check_names(made);
    return made;
}

study load_study(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw config_error(path, "cannot be read: it is a folder", "a study's TOML file");
    if (in) text << in.rdbuf();
    if (!in) throw config_error(path, fmt::format("cannot be read: {}", std::strerror(errno)), "a study's TOML file");
    return parse_study(text.str(), path);
}

}  // namespace weir::vp
