// SPDX-License-Identifier: Apache-2.0
#include "platforms/dependencies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "platforms/config.h"
#include "platforms/text.h"

namespace weir::platforms {

void dependency_reader::name(std::uint32_t flow, const text_field& id) {
    if (id.text.empty()) return;
    if (id.text.find_first_of(" \t;") != std::string::npos) {
        throw config_error(id.where, fmt::format("id \"{}\" has a blank or a semicolon in it", id.text),
                           "those separate ids in the column after");
    }
    if (!flows_.emplace(id.text, flow).second) {
        throw config_error(id.where, fmt::format("id \"{}\" is taken", id.text),
                           fmt::format("it stands at {}", places_.at(id.text)));
    }
    places_[id.text] = id.where;
}

void dependency_reader::waits(std::uint32_t flow, const text_field& after) {
    waiting made{flow, after.where, {}};
    std::string name;
    for (const char c : after.text + ";") {
        if (c != ' ' && c != '\t' && c != ';') {
            name += c;
        } else if (!name.empty()) {
            made.names.push_back(std::move(name));
            name.clear();
        }
    }
    if (!made.names.empty()) waiting_.push_back(std::move(made));
}

std::uint32_t dependency_reader::find(const waiting& who, const std::string& name) const {
    if (const auto found = flows_.find(name); found != flows_.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [known, flow] : flows_) names.push_back(known);
    const auto near = nearest_name(name, names);
    const auto shown = static_cast<std::ptrdiff_t>(std::min<std::size_t>(names.size(), 8));
    throw config_error(who.where, fmt::format("flow \"{}\" is unknown", name),
                       near            ? fmt::format("did you mean \"{}\"?", *near)
                       : names.empty() ? std::string{"a name of the column id"}
                                       : fmt::format("{} flows have names: {}{}", names.size(),
                                                     fmt::join(names.begin(), names.begin() + shown, " "),
                                                     names.size() > 8 ? " …" : ""));
}

void dependency_reader::resolve(std::vector<flow>& flows) const {
    for (const waiting& who : waiting_) {
        auto& after = flows[who.flow].after;
        for (const std::string& name : who.names) {
            const std::uint32_t other = find(who, name);
            if (std::find(after.begin(), after.end(), other) != after.end()) {
                throw config_error(who.where, fmt::format("flow \"{}\" is named twice", name));
            }
            after.push_back(other);
        }
    }
    check_cycles(flows);
}

// Every flow that waits for nothing left is taken away, again and again. What remains waits for something that
// remains, so following it leads into a circle.
void dependency_reader::check_cycles(const std::vector<flow>& flows) const {
    std::vector<std::size_t> left(flows.size());
    std::vector<std::vector<std::uint32_t>> waiting_for(flows.size());
    std::vector<std::uint32_t> free;
    for (const waiting& who : waiting_) {
        left[who.flow] = flows[who.flow].after.size();
        for (const std::uint32_t other : flows[who.flow].after) waiting_for[other].push_back(who.flow);
    }
    for (std::uint32_t f = 0; f < flows.size(); ++f) {
        if (left[f] == 0) free.push_back(f);
    }
    while (!free.empty()) {
        const std::uint32_t done = free.back();
        free.pop_back();
        for (const std::uint32_t other : waiting_for[done]) {
            if (--left[other] == 0) free.push_back(other);
        }
    }
    const auto stuck = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& w) { return left[w.flow] != 0; });
    if (stuck == waiting_.end()) return;
    std::vector<std::uint32_t> path{stuck->flow};
    for (;;) {
        const auto& after = flows[path.back()].after;
        const auto next = *std::find_if(after.begin(), after.end(), [&](std::uint32_t f) { return left[f] != 0; });
        const auto seen = std::find(path.begin(), path.end(), next);
        const auto first = seen - path.begin();
        const bool closed = seen != path.end();
        path.push_back(next);
        if (!closed) continue;
        path.erase(path.begin(), path.begin() + first);
        break;
    }
    std::string circle;
    for (const std::uint32_t f : path) circle += " " + flows[f].id;
    const auto place = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& w) { return w.flow == path[0]; });
    throw config_error(place->where, fmt::format("flows wait for each other:{}", circle),
                       "each after the one that follows; one of them has to start by itself");
}

void sort_by_start(std::vector<flow>& flows) {
    std::vector<std::uint32_t> order(flows.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return flows[a].start < flows[b].start; });
    std::vector<std::uint32_t> place(flows.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    std::vector<flow> sorted;
    sorted.reserve(flows.size());
    for (const std::uint32_t f : order) {
        sorted.push_back(std::move(flows[f]));
        for (std::uint32_t& other : sorted.back().after) other = place[other];
    }
    flows = std::move(sorted);
}

}  // namespace weir::platforms
