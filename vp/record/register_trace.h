// SPDX-License-Identifier: Apache-2.0
// A register trace: every access of software to a chip, a line each, in the order in which they took effect.
//
//   582360000  s0  s0_cpu  0x80001a2c program_port+0x14  w  pg.xoff[0][3]  0x00001a90  cells 16777215->6800  ok
//
// Columns are divided by one tab each: time in ps, switch, initiator, program counter, r or w, name, value, fields,
// error. The time comes first, so that `cut -f2-` leaves what can be compared between two runs.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "models/asic/register_target.h"
#include "platforms/machine.h"

namespace weir::vp {

/// What an initiator is executing, "0x80001a2c main+0x14"; empty when it cannot tell. `initiator`: its name, or null.
using program_counter = std::function<std::string(const char* initiator)>;

/// First line of a trace.
constexpr std::string_view register_trace_heading = "# weir register trace 1";

/// The line of one access, without its end. `counter` is what it was executing; empty is written "-".
[[nodiscard]] std::string register_trace_line(const asic::register_access& done, std::string_view switch_name,
                                              std::string_view counter);

/// What a line of a trace says; a trace whose times were cut away has none.
struct traced_access {
    std::optional<picoseconds> time;
    std::string switch_name;
    bool write{false};
    std::string name;  ///< "pg.xoff[0][3]", or an address where nothing stands
    std::uint32_t value{0};
    std::string error;  ///< "ok", or the kind of access error
};

/// Reads a line; nothing for an empty one or a comment. Throws config_error with `where` ("file:line") in front.
[[nodiscard]] std::optional<traced_access> parse_trace_line(const std::string& line, const std::string& where);

/// Writes a trace while it lives.
class register_trace {
public:
    /// Begins the file; a trace is kept even if the run fails. Throws output_error. The machine outlives it.
    register_trace(const std::string& path, platforms::machine& machine, const program_counter& counter = {});
    ~register_trace();
    register_trace(const register_trace&) = delete;
    register_trace& operator=(const register_trace&) = delete;

    /// Throws output_error when something could not be written.
    void close();

private:
    struct writer;
    std::shared_ptr<writer> writer_;  // shared with the observers, which live as long as the chips
};

}  // namespace weir::vp
