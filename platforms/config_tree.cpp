// SPDX-License-Identifier: Apache-2.0
// From toml++'s nodes to ours, and overrides from the command line.
#include "platforms/config_tree.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <cerrno>
#include <cstdlib>

#include "platforms/config.h"
#include "platforms/text.h"

namespace weir::platforms {
namespace {

std::string place(const std::string& file, const toml::source_region& region) {
    return fmt::format("{}:{}:{}", file, region.begin.line, region.begin.column);
}

config_node convert(const toml::node& from, const std::string& file) {
    config_node to;
    to.where = place(file, from.source());
    if (const auto* table = from.as_table()) {
        config_node::table children;
        for (const auto& [key, child] : *table) {
            children.emplace_back(std::string{key.str()}, convert(child, file));
            children.back().second.key_where = place(file, key.source());
        }
        to.value = std::move(children);
    } else if (const auto* array = from.as_array()) {
        config_node::array items;
        for (const auto& item : *array) items.push_back(convert(item, file));
        to.value = std::move(items);
    } else if (const auto* text = from.as_string()) {
        to.value = text->get();
    } else if (const auto* whole = from.as_integer()) {
        to.value = whole->get();
    } else if (const auto* real = from.as_floating_point()) {
        to.value = real->get();
    } else if (const auto* truth = from.as_boolean()) {
        to.value = truth->get();
    }
    return to;
}

/// What a command line's word means: a number or a truth value when it looks like one, else text.
config_node word(std::string_view text, const std::string& where) {
    config_node node;
    node.where = node.key_where = where;
    char* end = nullptr;
    const std::string copy{text};
    errno = 0;
    // A number that does not fit stays text, so that a message shows what was typed.
    if (const std::int64_t whole = std::strtoll(copy.c_str(), &end, 10); !copy.empty() && *end == '\0' && errno == 0) {
        node.value = whole;
    } else if (const double real = std::strtod(copy.c_str(), &end);
               errno == 0 && !copy.empty() && *end == '\0' &&
               copy.find_first_not_of("+-.0123456789eE") == std::string::npos) {
        node.value = real;
    } else if (text == "true" || text == "false") {
        node.value = text == "true";
    } else {
        node.value = copy;
    }
    return node;
}

void assign(config_node& at, const std::vector<std::string_view>& path, std::size_t step, const config_node& value) {
    if (step == path.size()) {
        at = value;
        return;
    }
    if (auto* items = std::get_if<config_node::array>(&at.value)) {
        if (const auto number = parse_number(path[step])) {
            if (*number >= items->size()) {
                throw config_error(value.where, fmt::format("there is no {} number {}", path[step - 1], *number),
                                   items->empty() ? "" : fmt::format("0 to {}", items->size() - 1));
            }
            assign((*items)[*number], path, step + 1, value);
        } else {
            for (auto& item : *items) assign(item, path, step, value);
        }
        return;
    }
    if (at.as_table() == nullptr) at.value = config_node::table{};
    config_node* child = at.find(path[step]);
    if (child == nullptr) {
        auto& children = std::get<config_node::table>(at.value);
        children.emplace_back(std::string{path[step]}, config_node{});
        child = &children.back().second;
        child->where = child->key_where = value.where;
    }
    assign(*child, path, step + 1, value);
}

}  // namespace

const config_node* config_node::find(std::string_view name) const {
    if (const auto* children = as_table()) {
        for (const auto& [key, child] : *children) {
            if (key == name) return &child;
        }
    }
    return nullptr;
}

config_node* config_node::find(std::string_view name) {
    return const_cast<config_node*>(static_cast<const config_node*>(this)->find(name));
}

std::string config_node::description() const {
    struct describe {
        std::string operator()(std::monostate) const { return "a date or time"; }
        std::string operator()(bool v) const { return v ? "true" : "false"; }
        std::string operator()(std::int64_t v) const { return fmt::format("the number {}", v); }
        std::string operator()(double v) const { return fmt::format("the number {}", v); }
        std::string operator()(const std::string& v) const { return fmt::format("the text \"{}\"", v); }
        std::string operator()(const array&) const { return "a list"; }
        std::string operator()(const table&) const { return "a table"; }
    };
    return std::visit(describe{}, value);
}

config_node parse_toml(std::string_view text, const std::string& file) {
    try {
        return convert(toml::parse(text, file), file);
    } catch (const toml::parse_error& e) {
        throw config_error(place(file, e.source()), fmt::format("not TOML: {}", e.description()));
    }
}

void override_node(config_node& root, const std::string& assignment) {
    const std::string where = "--hw " + assignment;
    const auto equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) {
        throw config_error(where, "not KEY=VALUE", "for example: --hw switch.s0.cells=4096");
    }
    const auto path = split(std::string_view{assignment}.substr(0, equals), '.');
    assign(root, path, 0, word(trimmed(std::string_view{assignment}.substr(equals + 1)), where));
}

}  // namespace weir::platforms
