// SPDX-License-Identifier: Apache-2.0
// The commands that can be given to a run from outside: one list, whichever door they come through.
//
//   JSON door ── {"command": "peek", "arguments": {"name": "pg.xoff[0][3]"}} ─┐
//                                                                             ├─► registry ─► function ─► JSON
//   gdb       ── monitor peek pg.xoff[0][3] ──────────────────────────────────┘
//
// The list checks names and kinds of arguments; a function gets only what fits. It knows no door and no simulator.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace weir::vp::remote {

using json = nlohmann::json;

/// Why a command was not carried out. `code` is for programs and never changes; the others are for people.
class command_error : public std::runtime_error {
public:
    command_error(std::string code, const std::string& message, std::string hint)
        : runtime_error(message), code_(std::move(code)), hint_(std::move(hint)) {}
    [[nodiscard]] const std::string& code() const { return code_; }
    /// What would be right; may be empty.
    [[nodiscard]] const std::string& hint() const { return hint_; }

private:
    std::string code_;
    std::string hint_;
};

/// What an argument may be. Numbers are whole and not negative, up to 64 bits: 12, "12", "0x1000".
enum class argument_kind : std::uint8_t { text, number, flag, list };

struct argument {
    std::string name;
    argument_kind kind{argument_kind::text};
    std::string unit;  ///< of a number; empty: none
    bool required{false};
    std::string doc;
};

/// Who gives a command: a client of the JSON door, a debugger.
class caller {
public:
    virtual ~caller() = default;
    /// Wants to be told of these events from now on, and of no others. By default command_error: it cannot be told.
    virtual void subscribe(const std::vector<std::string>& events);
    /// Answers the present command not now but with `result` at the run's next stop. False: the caller cannot wait.
    virtual bool answer_at_stop(const std::function<json()>& result);
};

struct command {
    std::string name;
    std::string doc;  ///< one line
    std::vector<argument> arguments;
    std::function<json(const json& arguments, caller& who)> action;
};

class registry {
public:
    /// With `help`, which lists the commands.
    registry();
    registry(const registry&) = delete;
    registry& operator=(const registry&) = delete;

    /// Adds a command. std::logic_error when there is one of this name.
    void add(command c);
    [[nodiscard]] std::vector<std::string> names() const;

    /// Carries out a command. Throws command_error: unknown_command, bad_argument, or what the command itself throws.
    [[nodiscard]] json call(const std::string& name, const json& arguments, caller& who) const;

    /// The same from a line of words: arguments by position, or NAME=VALUE; what came of it, for people. An error is
    /// text too and begins with "error: ". Ends with a line end unless it is empty.
    [[nodiscard]] std::string call_line(std::string_view line, caller& who) const;

private:
    [[nodiscard]] const command& find(const std::string& name) const;
    [[nodiscard]] json described(const command& c) const;
    std::map<std::string, command> commands_;
};

/// A result as people read it: "name: value" lines; lists one a line; a text as it is.
[[nodiscard]] std::string text_of(const json& result);

}  // namespace weir::vp::remote
