// SPDX-License-Identifier: Apache-2.0
// A RISC-V hart: RV32IMAC with Zicsr and Zifencei, machine mode only, one instruction after the other.
//
//   memory mapped into the hart ◄── fetch, load, store ──► bus_if: everything else
//                                        │
//                     refused ──► access fault, precise: mepc, mcause, mtval
//
// It knows no time, no SystemC and no device: whoever runs it says how many instructions a slice has, and looks at
// `executed()` when the bus asks what time it is. Written from the RISC-V ISA manual, volumes I (20191213) and II
// (20211203). Breakpoints and watchpoints are a debugger's and change nothing that the guest sees.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace weir::cpu {

/// Where accesses go that hit no mapped memory. Values stand in the low octets, little-endian as the hart sees them.
class bus_if {
public:
    virtual ~bus_if() = default;
    /// 1, 2 or 4 octets at an address that is a multiple of that. False: refused; the hart takes an access fault.
    virtual bool load(std::uint32_t address, unsigned octets, std::uint32_t& value) = 0;
    virtual bool store(std::uint32_t address, unsigned octets, std::uint32_t value) = 0;
};

/// Interrupt lines, by their bit in mip.
enum class interrupt_line : std::uint8_t { software = 3, timer = 7, external = 11 };

/// Why a run ended.
enum class stop : std::uint8_t {
    budget,      ///< all instructions asked for are done
    wait,        ///< in wfi, and no enabled interrupt is pending
    breakpoint,  ///< pc is at a breakpoint, and the instruction there has not been executed
    watchpoint,  ///< the instruction before pc touched a watched address: see `watched()`
    requested    ///< `request_stop` was called
};

/// All that software and a debugger can see of the hart; plain, so that it can be kept and put back.
struct hart_state {
    std::array<std::uint32_t, 32> x{};
    std::uint32_t pc{0};
    std::uint32_t mstatus{0}, mie{0}, mip{0}, mtvec{0}, mscratch{0}, mepc{0}, mcause{0}, mtval{0};
    std::uint32_t mcounteren{0}, mcountinhibit{0};
    std::uint64_t mcycle{0}, minstret{0};
    std::uint32_t reservation{1};  ///< address of lr.w's reservation; odd: none
    bool waiting{false};           ///< in wfi
};

struct watchpoint {
    std::uint32_t address;
    std::uint32_t octets;
    bool on_load, on_store;
};

struct watch_hit {
    std::uint32_t address{0};
    bool store{false};
};

class hart {
public:
    explicit hart(bus_if& bus, std::uint32_t hart_id = 0);
    ~hart();
    hart(const hart&) = delete;
    hart& operator=(const hart&) = delete;

    /// Memory that fetches, loads and stores reach without the bus (TLM's DMI). `base` and `size` are multiples of
    /// 4096. Whoever changes the octets from outside calls `memory_changed`.
    void map_memory(std::uint32_t base, std::uint8_t* octets, std::uint32_t size);
    void unmap_memory(std::uint32_t base, std::uint32_t size);
    void memory_changed(std::uint32_t base, std::uint32_t size);

    /// Reset state of the privileged architecture, pc as given.
    void reset(std::uint32_t pc);

    /// Executes up to `instructions`; a trap counts as the instruction that it replaced, an interrupt as none.
    /// Interrupts are taken between instructions. In wfi it returns at once until an interrupt that mie enables is
    /// pending.
    stop run(std::uint64_t instructions);
    /// Instructions completed in the run that is going on, or in the last one; the one under way is not counted.
    [[nodiscard]] std::uint64_t executed() const;
    /// For the bus and the lines' owners: the run ends after the present instruction. Between runs there is
    /// none, and nothing happens.
    void request_stop();

    void set_line(interrupt_line line, bool asserted);
    /// An interrupt is pending and enabled in mie: wfi would end, whatever mstatus.MIE says.
    [[nodiscard]] bool interrupt_pending() const;

    [[nodiscard]] hart_state state() const;
    void restore(const hart_state& s);
    /// Address of the instruction under way, or of the next one.
    [[nodiscard]] std::uint32_t pc() const;

    /// A CSR by its number, as software would read it; false: there is none. Writing behaves as csrw does.
    bool read_csr(std::uint32_t number, std::uint32_t& value) const;
    bool write_csr(std::uint32_t number, std::uint32_t value);

    void set_breakpoint(std::uint32_t address);
    void clear_breakpoint(std::uint32_t address);
    void set_watchpoint(const watchpoint& w);
    void clear_watchpoint(const watchpoint& w);
    [[nodiscard]] const watch_hit& watched() const;
    /// While on, a watchpoint ends the run before the instruction that would touch it, with pc at it (gdb expects that
    /// of RISC-V); the next run executes it. An access that will be refused may be reported, too.
    void stop_before_watched(bool on);
    /// While on, ebreak ends the run as a breakpoint does, with pc at it; else it traps (cause 3).
    void stop_at_ebreak(bool on);

private:
    struct implementation;
    std::unique_ptr<implementation> self_;
};

}  // namespace weir::cpu
