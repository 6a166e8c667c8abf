// SPDX-License-Identifier: Apache-2.0
#include "vp/remote/json_door.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace weir::vp::remote {
namespace {

/// Of what is read at one go from one client: the others have their turn, too.
constexpr std::size_t read_octets = 16 * 1024;

struct nested_too_deeply {};

json error_json(const std::string& code, const std::string& message, const std::string& hint) {
    json error{{"code", code}, {"message", message}};
    if (!hint.empty()) error["hint"] = hint;
    return error;
}

json failed_reply(const json& id, const std::string& code, const std::string& message, const std::string& hint) {
    return {{"id", id}, {"ok", false}, {"error", error_json(code, message, hint)}};
}

}  // namespace

struct json_door::client : caller {
    explicit client(descriptor d) : socket(std::move(d)) {}

    void subscribe(const std::vector<std::string>& events) override { wanted = events; }
    bool answer_at_stop(const std::function<json()>& result) override {
        waiting.emplace_back(id, result);
        deferred = true;
        return true;
    }

    descriptor socket;
    std::string in;
    std::string out;
    std::vector<std::string> wanted;
    json id;               // of the request being answered
    bool deferred{false};  // … whose answer comes at the next stop
    std::vector<std::pair<json, std::function<json()>>> waiting;
    bool leaving{false};  // nothing more is read; goes when all is written
    bool gone{false};
};

json_door::json_door(const listener& where, const registry& commands, run_control& control,
                     const json_door_limits& limits)
    : where_(where), commands_(commands), control_(control), limits_(limits) {
    control_.on_event([this](const std::string& name, const json& what) { event(name, what); });
}

json_door::~json_door() = default;

void json_door::waits_for(std::vector<pollfd>& all) const {
    all.push_back({where_.waiting().number(), POLLIN, 0});
    for (const auto& c : clients_) {
        const int reading = c->leaving ? 0 : POLLIN;
        const int writing = c->out.empty() ? 0 : POLLOUT;
        all.push_back({c->socket.number(), static_cast<short>(reading | writing), 0});
    }
}

void json_door::serve() {
    accept();
    for (const auto& c : clients_) {
        if (!c->gone && !c->leaving) read_from(*c);
        if (!c->gone) flush(*c);
    }
    clients_.remove_if([](const auto& c) { return c->gone; });
}

void json_door::accept() {
    for (descriptor next = where_.accept(); next.open(); next = where_.accept()) {
        clients_.push_back(std::make_unique<client>(std::move(next)));
        if (clients_.size() <= limits_.clients) continue;
        client& c = *clients_.back();
        push(c, failed_reply(nullptr, "too_many_clients", fmt::format("{} clients are connected", limits_.clients),
                             "one of them has to go first"));
        c.leaving = true;
        flush(c);
        c.gone = true;  // it does not get to keep a place by not reading
    }
    clients_.remove_if([](const auto& c) { return c->gone; });
}

void json_door::read_from(client& c) {
    std::array<char, read_octets> part{};
    std::size_t octets = 0;
    switch (receive(c.socket, part.data(), part.size(), octets)) {
        case transfer::later:
            return;
        case transfer::gone:
            c.leaving = true;  // it may still read what it asked for
            return;
        case transfer::some:
            break;
    }
    c.in.append(part.data(), octets);
    take_lines(c);
}

void json_door::take_lines(client& c) {
    std::size_t begin = 0;
    for (std::size_t end = c.in.find('\n'); end != std::string::npos && !c.leaving && !c.gone;
         end = c.in.find('\n', begin)) {
        std::string line = c.in.substr(begin, end - begin);
        begin = end + 1;
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (line.size() > limits_.line_octets) {
            begin = 0;  // judged below
            break;
        }
        if (line.find_first_not_of(" \t") != std::string::npos) answer(c, line);
    }
    c.in.erase(0, begin);
    const bool endless = std::min(c.in.find('\n'), c.in.size()) > limits_.line_octets;
    if (!endless || c.leaving) return;
    push(c, failed_reply(nullptr, "line_too_long", fmt::format("the line has more than {} octets", limits_.line_octets),
                         "a request a line"));
    c.leaving = true;
    c.in.clear();
}

void json_door::answer(client& c, const std::string& line) {
    json request;
    c.id = nullptr;
    try {
        const auto depth_checked = [this](int depth, json::parse_event_t, json&) {
            if (depth > static_cast<int>(limits_.nesting)) throw nested_too_deeply{};
            return true;
        };
        request = json::parse(line, depth_checked);
    } catch (const nested_too_deeply&) {
        push(c, failed_reply(nullptr, "nested_too_deeply", fmt::format("more than {} levels", limits_.nesting),
                             R"({"id": 1, "command": "help"})"));
        c.leaving = true;
        return;
    } catch (const json::exception&) {
        push(c, failed_reply(nullptr, "no_json", "this line is no JSON", R"({"id": 1, "command": "help"})"));
        c.leaving = true;
        return;
    }
    const bool good = request.is_object() && request.contains("command") && request["command"].is_string();
    if (request.is_object() && request.contains("id") && !request["id"].is_structured()) c.id = request["id"];
    if (!good) {
        push(c, failed_reply(c.id, "no_request", "a request is an object with a \"command\"",
                             R"({"id": 1, "command": "help"})"));
        c.leaving = true;
        return;
    }
    c.deferred = false;
    try {
        const json arguments = request.contains("arguments") ? request["arguments"] : json::object();
        json result = commands_.call(request["command"].get<std::string>(), arguments, c);
        if (!c.deferred) push(c, {{"id", c.id}, {"ok", true}, {"result", std::move(result)}});
    } catch (const command_error& e) {
        push(c, failed_reply(c.id, e.code(), e.what(), e.hint()));
    } catch (const std::exception& e) {
        push(c, failed_reply(c.id, "defect", fmt::format("a defect of Weir itself: {}", e.what()), ""));
    }
}

void json_door::event(const std::string& name, const json& what) {
    for (const auto& c : clients_) {
        if (c->gone || c->leaving) continue;
        if (name == "stop") {
            for (auto& [id, result] : std::exchange(c->waiting, {}))
                push(*c, {{"id", id}, {"ok", true}, {"result", result()}});
        }
        if (std::find(c->wanted.begin(), c->wanted.end(), name) == c->wanted.end()) continue;
        json message = what;
        message["event"] = name;
        push(*c, message);
    }
}

// What does not fit into the queue ends the connection: Weir waits for nobody, and half an answer is none.
void json_door::push(client& c, const json& message) {
    if (c.gone) return;
    std::string line = message.dump(-1, ' ', false, json::error_handler_t::replace);
    line += '\n';
    if (c.out.size() + line.size() > limits_.unread_octets) flush(c);
    if (!c.gone && c.out.size() + line.size() > limits_.unread_octets) {
        c.gone = true;
        c.wanted.clear();  // the log line below is not for it
        say(fmt::format("a JSON client has not read {} octets of what it asked for: it is dropped", c.out.size()));
        return;
    }
    c.out += line;
}

void json_door::flush(client& c) {
    while (!c.out.empty()) {
        std::size_t octets = 0;
        const transfer done = send(c.socket, c.out.data(), c.out.size(), octets);
        if (done == transfer::later) return;
        if (done == transfer::gone) {
            c.gone = true;
            return;
        }
        c.out.erase(0, octets);
    }
    if (c.leaving) c.gone = true;
}

void json_door::close() {
    constexpr int patience = 1000;
    for (const auto& c : clients_) {
        if (c->gone) continue;
        for (auto& [id, result] : std::exchange(c->waiting, {}))
            push(*c, failed_reply(id, "ended", "the run has ended", ""));
        flush(*c);
        if (!c->gone && !c->out.empty() && wait_for(c->socket, true, patience)) flush(*c);
    }
    clients_.clear();
}

}  // namespace weir::vp::remote
