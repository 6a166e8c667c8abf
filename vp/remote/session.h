// SPDX-License-Identifier: Apache-2.0
// What the commands act on: a machine, its run, and its registers as a debugger and as software see them.
//
//   read, write   software's way: over the bus target at the present time, with side effects and access errors
//   peek, poke    a debugger's way: no side effect, no model hears of it, before initialisation too
//
// A debugger's access takes no simulated time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/machine.h"
#include "vp/remote/register_name.h"
#include "vp/remote/registry.h"
#include "vp/remote/run_control.h"

namespace weir::vp::remote {

class session {
public:
    /// Listens to every switch's accesses and interrupt line. The machine and the control outlive it.
    session(platforms::machine& machine, run_control& control);
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    [[nodiscard]] platforms::machine& machine() { return machine_; }
    [[nodiscard]] run_control& control() { return control_; }

    /// A switch by name or number; empty: the first. Throws command_error.
    [[nodiscard]] std::size_t switch_number(const std::string& name) const;
    [[nodiscard]] const std::string& switch_name(std::size_t s) const { return machine_.config().switches[s].name; }
    [[nodiscard]] registers::bank& bank(std::size_t s) { return machine_.chip(s).bank(); }

    /// Throw command_error: access_error with the kind in words, no_register.
    [[nodiscard]] std::uint64_t read(std::size_t s, const register_place& place);
    /// Of a field: the register's other stored bits are kept; ones-to-clear and pulses beside it are not touched.
    void write(std::size_t s, const register_place& place, std::uint64_t value);
    [[nodiscard]] std::uint64_t peek(std::size_t s, const register_place& place);
    void poke(std::size_t s, const register_place& place, std::uint64_t value);

    /// The port's cable is plugged in or pulled. Throws command_error when nothing hangs on the port.
    void plug(std::size_t s, std::uint32_t port, bool in);
    /// The interrupt line and each cause: whether it is set, whether it is enabled.
    [[nodiscard]] json interrupts(std::size_t s);
    [[nodiscard]] picoseconds now() const;
    /// Before anything is done at the present time from outside the simulation.
    void bring_to_present();

private:
    std::uint32_t access(std::size_t s, std::uint32_t address, bool write, std::uint32_t value);
    std::uint32_t peek_word(std::size_t s, const register_place& place, std::uint32_t address);

    platforms::machine& machine_;
    run_control& control_;
    registers::access_error last_error_{registers::access_error::none};
};

/// A register's fields with their values, as "name": value; of one field that field alone. Words of enums as texts
/// beside them: "name_means".
[[nodiscard]] json fields_of(const register_place& place, std::uint64_t value);

/// Whether the value fits the field, register or word; throws command_error (bad_value) when it does not.
void check_fits(const register_place& place, std::uint64_t value);

/// Adds the commands about the run, the registers and the links. `about` is what `hello` says besides what the machine
/// knows: program, version, seed. Both references outlive the registry.
void add_session_commands(registry& commands, session& s, const json& about);

}  // namespace weir::vp::remote
