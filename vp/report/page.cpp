// SPDX-License-Identifier: Apache-2.0
#include "vp/report/page.h"

#include <nlohmann/json.hpp>

namespace weir::vp::report {
namespace {

/// Text between tags.
std::string escaped(const std::string& text) {
    std::string made;
    for (const char c : text) {
        if (c == '<') {
            made += "&lt;";
        } else if (c == '&') {
            made += "&amp;";
        } else {
            made += c;
        }
    }
    return made;
}

/// JSON inside a script element: no "<" may begin the element's end.
std::string script_json(const nlohmann::ordered_json& data) {
    const std::string text = data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    std::string made;
    made.reserve(text.size());
    for (const char c : text) {
        if (c == '<') {
            made += "\\u003c";
        } else {
            made += c;
        }
    }
    return made;
}

}  // namespace

std::string make_page(const std::string& title, const nlohmann::ordered_json& data) {
    const auto part = [&](std::string_view name) -> std::string {
        if (name == "title") return escaped(title);
        if (name == "style") return std::string{assets::style};
        if (name == "script") return std::string{assets::script};
        if (name == "chart_style") return std::string{assets::chart_style};
        if (name == "chart_script") return std::string{assets::chart_script};
        if (name == "chart_licence") return std::string{assets::chart_licence};
        return script_json(data);
    };
    // {{NAME}} in page.html stands for a part.
    std::string made;
    std::string_view rest = assets::page;
    for (auto open = rest.find("{{"); open != std::string_view::npos; open = rest.find("{{")) {
        const auto close = rest.find("}}", open);
        made += rest.substr(0, open);
        made += part(rest.substr(open + 2, close - open - 2));
        rest.remove_prefix(close + 2);
    }
    return made.append(rest);
}

}  // namespace weir::vp::report
