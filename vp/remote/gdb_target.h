// SPDX-License-Identifier: Apache-2.0
// What a debugger can do to a machine: the side of the gdb stub that faces the core.
//
//   gdb ── TCP or Unix socket ── gdb_stub ──► gdb_target ──► the core and its bus
//
// Every call comes from within the stub's `poll` and `serve_until_resumed`, in the thread that runs the core, while the
// core stands between two instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace weir::vp::remote {

/// Break- and watchpoints, by their number in Z packets.
enum class gdb_point_kind : std::uint8_t { software = 0, hardware = 1, store = 2, load = 3, access = 4 };

struct gdb_point {
    gdb_point_kind kind{gdb_point_kind::software};
    std::uint32_t address{0};
    std::uint32_t octets{0};  ///< a watchpoint's size; a breakpoint's instruction length
};

/// Why a machine stands still.
enum class gdb_stop_reason : std::uint8_t {
    stepped,      ///< a step is done, or a client has come
    breakpoint,   ///< pc is at one, or at an ebreak
    watchpoint,   ///< the instruction at pc is about to touch `address`
    interrupted,  ///< the client asked for it (Ctrl-C)
    ended         ///< the run is over
};

struct gdb_stop {
    gdb_stop_reason reason{gdb_stop_reason::stepped};
    std::uint32_t address{0};  ///< of a watchpoint
    bool store{false};         ///< of a watchpoint
    std::uint8_t exit_code{0};
};

class gdb_target {
public:
    virtual ~gdb_target() = default;

    /// Register 0 to 31: x0 to x31; 32: pc.
    virtual std::uint32_t read_register(unsigned number) = 0;
    virtual void write_register(unsigned number, std::uint32_t value) = 0;
    /// False: there is no such CSR, or it cannot be written. Looking at one changes nothing.
    virtual bool read_csr(unsigned number, std::uint32_t& value) = 0;
    virtual bool write_csr(unsigned number, std::uint32_t value) = 0;

    /// One octet, as the core sees it, without any effect on the machine: no device does anything. False: nobody is
    /// there.
    virtual bool peek(std::uint32_t address, std::uint8_t& octet) = 0;
    /// Sets octets behind the machine's back; no device does anything. False: not possible, and nothing has changed.
    virtual bool poke(std::uint32_t address, const std::uint8_t* octets, std::uint32_t count) = 0;

    /// False: this kind is not possible.
    virtual bool insert(const gdb_point& point) = 0;
    virtual void remove(const gdb_point& point) = 0;

    /// The machine may go on; it does so when the stub's `serve_until_resumed` has returned.
    virtual void resume() = 0;
    /// Executes one instruction: now, and says what came of it; or, with nothing, once the stub's `serve_until_resumed`
    /// has returned, and then the stub's `stopped` is called.
    virtual std::optional<gdb_stop> step() = 0;

    /// Answer to gdb's `monitor TEXT`, with line ends; empty: nothing to say.
    virtual std::string monitor(const std::string& text) = 0;
};

}  // namespace weir::vp::remote
