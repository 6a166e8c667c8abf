// SPDX-License-Identifier: Apache-2.0
// The inside of the hart, shared by hart_loop.cpp, hart.cpp (runs, traps) and hart_access.cpp (memory, debugging).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/cpu/csr.h"
#include "models/cpu/decode.h"
#include "models/cpu/hart.h"
#include "models/cpu/memory_map.h"

namespace weir::cpu {

struct hart::implementation {
    implementation(bus_if& b, std::uint32_t id) : bus(b), hart_id(id) {}

    // ---- hart_loop.cpp
    /// Executes from `o` until the budget is used up, somebody wants attention, or pc leaves what can be decoded in
    /// place. `code` is the memory that `o` belongs to; nullptr: a scratch op, whose successors carry their pc.
    void execute(const op* o, const memory_region* code);
    // ---- hart.cpp
    stop run(std::uint64_t instructions);
    /// Executes one instruction that is fetched anew: on the bus, across the end of a memory, or at a breakpoint.
    void execute_one();
    /// Everything that the loop does not do itself. False: the instruction was not executed, because a debugger
    /// wants to stop before it.
    bool execute_slowly(op o);
    /// Decodes the instruction at `pc`, which is in a mapped memory, into its place; false where it cannot be decoded
    /// in place.
    bool decode_in_place(std::uint32_t pc);
    void execute_csr(const op& o);
    void trap(cause why, std::uint32_t mtval);

    [[nodiscard]] std::uint64_t executed() const { return total - left - reserve; }
    /// Brings mcycle and minstret of `to` up to `executed()`.
    void count(hart_state& to) const;
    void count() {
        count(s);
        counted = executed();
    }
    /// The same with the instruction under way, which is `retired` or else replaced by a trap.
    void count_present(bool retired);

    [[nodiscard]] bool pending() const { return (s.mip & s.mie) != 0; }
    [[nodiscard]] bool interrupted() const { return pending() && (s.mstatus & mstatus::mie) != 0; }

    // ---- hart_access.cpp: false means that the trap has been taken
    bool load(std::uint32_t address, unsigned octets, std::uint32_t& value);
    bool store(std::uint32_t address, unsigned octets, std::uint32_t value);
    bool load_reserved(const op& o);
    bool store_conditional(const op& o);
    bool atomic(const op& o);
    /// Fetches the instruction at pc, wherever it is.
    bool fetch(std::uint32_t& instruction);
    bool fetch_halfword(std::uint32_t address, std::uint32_t& halfword);
    void write_memory(memory_region& r, std::uint32_t address, unsigned octets, std::uint32_t value);
    void watch(std::uint32_t address, unsigned octets, bool is_store);
    /// True, and noted, if the instruction is about to touch what is watched.
    bool will_touch(const op& o);
    [[nodiscard]] bool at_breakpoint(std::uint32_t pc) const;
    [[nodiscard]] hart_state state() const;

    bus_if& bus;
    std::uint32_t hart_id;
    hart_state s;                       ///< its x stay unused: `x` has the place for x0's results
    std::array<std::uint32_t, 33> x{};  ///< x0 to x31, and `nowhere`
    memory_map memory;
    memory_region* data{nullptr};  ///< the memory that loads and stores go to without asking; nullptr while one watches
    std::array<op, 3> scratch;     ///< an instruction that is not decoded in place, and where it may go on

    std::uint64_t total{0};    ///< instructions asked for
    std::uint64_t left{0};     ///< of those, not done yet
    std::uint64_t reserve{0};  ///< of those left, kept back while a single one is executed
    std::uint64_t counted{0};  ///< of those done, already in mcycle and minstret

    bool attention{false};  ///< leave the loop and look at the rest
    bool stop_requested{false};
    bool broke{false};    ///< at a breakpoint, or at a debugger's ebreak
    bool touched{false};  ///< a watched address was accessed
    bool ebreak_stops{false};
    bool watches_before{false};
    bool break_told{false};  ///< the breakpoint at pc has been reported: go on from it
    bool watch_told{false};  ///< what the instruction at pc will touch has been reported: let it
    std::vector<std::uint32_t> breakpoints;
    std::vector<watchpoint> watchpoints;
    watch_hit hit;
};

}  // namespace weir::cpu
