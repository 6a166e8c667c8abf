// SPDX-License-Identifier: Apache-2.0
#include "vp/remote/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "platforms/text.h"

namespace weir::vp::remote {
namespace {

const char* kind_word(argument_kind kind) {
    switch (kind) {
        case argument_kind::text:
            return "text";
        case argument_kind::number:
            return "number";
        case argument_kind::flag:
            return "flag";
        case argument_kind::list:
            return "list";
    }
    return "text";
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
    const bool hexadecimal = text.substr(0, 2) == "0x" || text.substr(0, 2) == "0X";
    if (hexadecimal) text.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

[[noreturn]] void wrong_kind(const command& c, const argument& a, const json& value) {
    const char* const wanted = a.kind == argument_kind::number ? "a whole number of at most 64 bits: 12, \"0x1000\""
                               : a.kind == argument_kind::flag ? "true or false"
                               : a.kind == argument_kind::list ? "a list of texts"
                                                               : "a text";
    throw command_error(
        "bad_argument",
        fmt::format("{}: {} is {}", c.name, a.name, value.dump(-1, ' ', true, json::error_handler_t::replace)), wanted);
}

/// The value as its kind has it.
json fitted(const command& c, const argument& a, const json& value) {
    switch (a.kind) {
        case argument_kind::text:
            if (value.is_string()) return value;
            if (value.is_number_unsigned()) return value.dump();
            break;
        case argument_kind::number:
            if (value.is_number_unsigned()) return value;
            if (value.is_number_integer() && value.get<std::int64_t>() >= 0) return value.get<std::uint64_t>();
            if (value.is_string()) {
                if (const auto number = whole_number(value.get_ref<const std::string&>())) return *number;
            }
            break;
        case argument_kind::flag:
            if (value.is_boolean()) return value;
            if (value == "true" || value == "on" || value == "1" || value == "up") return true;
            if (value == "false" || value == "off" || value == "0" || value == "down") return false;
            break;
        case argument_kind::list:
            if (value.is_array() &&
                std::all_of(value.begin(), value.end(), [](const json& v) { return v.is_string(); }))
                return value;
            if (value.is_string()) {
                json all = json::array();
                for (const auto part : platforms::split(value.get_ref<const std::string&>(), ','))
                    all.push_back(std::string(part));
                return all;
            }
            break;
    }
    wrong_kind(c, a, value);
}

std::string usage_of(const command& c) {
    std::string text = c.name;
    for (const argument& a : c.arguments) text += a.required ? " " + a.name : " [" + a.name + "]";
    return text;
}

json checked_arguments(const command& c, const json& given) {
    if (!given.is_object() && !given.is_null()) {
        throw command_error("bad_argument", fmt::format("{}: \"arguments\" is no object", c.name), usage_of(c));
    }
    json made = json::object();
    for (const auto& [name, value] : given.items()) {
        const auto known = std::find_if(c.arguments.begin(), c.arguments.end(),
                                        [&name = name](const argument& a) { return a.name == name; });
        if (known == c.arguments.end()) {
            throw command_error("bad_argument", fmt::format("{} has no argument \"{}\"", c.name, name), usage_of(c));
        }
        made[name] = fitted(c, *known, value);
    }
    for (const argument& a : c.arguments) {
        if (a.required && !made.contains(a.name)) {
            throw command_error("bad_argument", fmt::format("{} needs {}: {}", c.name, a.name, a.doc), usage_of(c));
        }
    }
    return made;
}

std::string scalar_text(const json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void append_text(std::string& text, const json& value, std::size_t indent) {
    const std::string margin(indent, ' ');
    const auto is_plain = [](const json& v) { return !v.is_structured() || v.empty(); };
    if (value.is_object()) {
        for (const auto& [name, each] : value.items()) {
            if (is_plain(each)) {
                text += fmt::format("{}{}: {}\n", margin, name, scalar_text(each));
            } else {
                text += fmt::format("{}{}:\n", margin, name);
                append_text(text, each, indent + 2);
            }
        }
    } else if (value.is_array()) {
        for (const json& each : value) {
            if (is_plain(each)) {
                text += fmt::format("{}{}\n", margin, scalar_text(each));
                continue;
            }
            std::string part;
            append_text(part, each, indent + 2);
            part[indent] = '-';
            text += part;
        }
    } else {
        text += margin + scalar_text(value);
        if (text.empty() || text.back() != '\n') text += '\n';
    }
}

}  // namespace

void caller::subscribe(const std::vector<std::string>&) {
    throw command_error("unsupported", "events cannot be pushed through this door", "the JSON door can");
}

bool caller::answer_at_stop(const std::function<json()>&) {
    return false;
}

registry::registry() {
    add({"help",
         "what can be asked for, or one command's arguments",
         {{"command", argument_kind::text, "", false, "which; default: all"}},
         [this](const json& arguments, caller&) {
             if (arguments.contains("command")) return described(find(arguments["command"]));
             json all = json::object();
             for (const auto& [name, c] : commands_) all[name] = c.doc;
             return all;
         }});
}

void registry::add(command c) {
    const std::string name = c.name;
    if (!commands_.emplace(name, std::move(c)).second) throw std::logic_error("two commands are called " + name);
}

std::vector<std::string> registry::names() const {
    std::vector<std::string> all;
    for (const auto& [name, c] : commands_) all.push_back(name);
    return all;
}

const command& registry::find(const std::string& name) const {
    const auto found = commands_.find(name);
    if (found != commands_.end()) return found->second;
    const auto near = platforms::nearest_name(name, names());
    throw command_error("unknown_command", fmt::format("there is no command \"{}\"", name),
                        near ? fmt::format("did you mean {}?", *near) : "help lists them");
}

json registry::described(const command& c) const {
    json made{{"command", c.name}, {"doc", c.doc}, {"usage", usage_of(c)}};
    json arguments = json::array();
    for (const argument& a : c.arguments) {
        json each{{"name", a.name}, {"kind", kind_word(a.kind)}, {"required", a.required}, {"doc", a.doc}};
        if (!a.unit.empty()) each["unit"] = a.unit;
        arguments.push_back(std::move(each));
    }
    made["arguments"] = std::move(arguments);
    return made;
}

json registry::call(const std::string& name, const json& arguments, caller& who) const {
    const command& c = find(name);
    return c.action(checked_arguments(c, arguments), who);
}

std::string registry::call_line(std::string_view line, caller& who) const try {
    std::vector<std::string> words;
    for (std::size_t at = line.find_first_not_of(" \t\r\n"); at != std::string_view::npos;
         at = line.find_first_not_of(" \t\r\n", at)) {
        const std::size_t end = std::min(line.find_first_of(" \t\r\n", at), line.size());
        words.emplace_back(line.substr(at, end - at));
        at = end;
    }
    if (words.empty()) words.emplace_back("help");
    const command& c = find(words[0]);
    json arguments = json::object();
    std::size_t place = 0;
    for (std::size_t w = 1; w < words.size(); ++w) {
        const std::size_t equals = words[w].find('=');
        const bool named =
            equals != std::string::npos && std::any_of(c.arguments.begin(), c.arguments.end(), [&](const argument& a) {
                return a.name == std::string_view(words[w]).substr(0, equals);
            });
        if (named) {
            arguments[words[w].substr(0, equals)] = words[w].substr(equals + 1);
            continue;
        }
        // A word stands for the first argument that has not been named.
        while (place < c.arguments.size() && arguments.contains(c.arguments[place].name)) ++place;
        if (place == c.arguments.size()) {
            throw command_error("bad_argument", fmt::format("{}: \"{}\" is one word too many", c.name, words[w]),
                                usage_of(c));
        }
        arguments[c.arguments[place].name] = words[w];
    }
    return text_of(c.action(checked_arguments(c, arguments), who));
} catch (const command_error& e) {
    return fmt::format("error: {}{}{}\n", e.what(), e.hint().empty() ? "" : "\n  ", e.hint());
}

std::string text_of(const json& result) {
    std::string text;
    if (!result.is_null() && !(result.is_structured() && result.empty())) append_text(text, result, 0);
    return text;
}

}  // namespace weir::vp::remote
