// SPDX-License-Identifier: Apache-2.0
#include "models/cpu/board.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace weir::cpu {

board::board(sc_core::sc_module_name module_name, timeline& time, const board_parameters& p)
    : sc_module(module_name),
      uart_(time, std::string{name()} + ".uart"),
      core_("core", time, clint_, p.clock_period, p.quantum),
      bus_("bus"),
      ram_("ram", p.ram_octets),
      clint_target_("clint", clint_, p.device_latency),
      plic_target_("plic", plic_, p.device_latency),
      uart_target_("uart", uart_, p.device_latency),
      finisher_target_("finisher", finisher_, p.device_latency),
      switch_socket_(bus_.attach(switch_base, switch_window)) {
    core_.socket.bind(bus_.socket);
    bus_.attach(ram_base, p.ram_octets).bind(ram_.socket);
    bus_.attach(uart_base, uart16550::size).bind(uart_target_.socket);
    bus_.attach(clint_base, clint::size).bind(clint_target_.socket);
    bus_.attach(plic_base, plic::size).bind(plic_target_.socket);
    bus_.attach(finisher_base, finisher::size).bind(finisher_target_.socket);
    plic_.on_change([this] { core_.set_external_interrupt(plic_.asserted()); });
    core_.tell_where([this] { return where(); });
    uart_.on_interrupt([this](bool asserted) { plic_.set_line(uart_source, asserted); });
}

void board::load(elf_file program) {
    auto& memory = ram_.octets();
    for (const elf_segment& s : program.segments()) {
        const bool inside =
            s.address >= ram_base && s.size <= memory.size() && s.address - ram_base <= memory.size() - s.size;
        if (!inside) {
            throw elf_error(
                fmt::format("its segment at {:#010x} of {} octets lies outside the memory of {} at {:#010x}", s.address,
                            s.size, memory.size(), ram_base));
        }
        const auto place = memory.begin() + static_cast<std::ptrdiff_t>(s.address - ram_base);
        std::fill(std::copy(s.octets.begin(), s.octets.end(), place), place + s.size, std::uint8_t{0});
    }
    program_ = std::move(program);
    core_.start(program_->entry());
}

std::optional<std::uint32_t> board::word_at(std::uint32_t address) {
    const auto& memory = ram_.octets();
    if (address < ram_base || address % 4 != 0 || address - ram_base > memory.size() - 4) return std::nullopt;
    std::uint32_t word = 0;
    for (std::uint32_t i = 0; i < 4; ++i) word |= std::uint32_t{memory[address - ram_base + i]} << (8 * i);
    return word;
}

// A frame pointer (s0) points above its frame: the return address below it and the caller's pointer below that; a
// function that calls none keeps the pointer alone, and its return address is still in ra.
std::string board::where() {
    const hart_state s = core_.processor().state();
    std::string text = fmt::format("{:#010x}", core_.processor().pc());
    if (!program_) return text;
    const auto named = [this](std::uint32_t address) -> std::string {
        const auto place = program_->function_at(address);
        return place ? std::string(place->name) : std::string{};
    };
    constexpr int deepest = 8;
    std::uint32_t frame = s.x[8];
    std::string function = named(core_.processor().pc());
    for (int depth = 0; depth < deepest && !function.empty(); ++depth) {
        text += (depth == 0 ? " " : " < ") + function;
        const auto upper = word_at(frame - 4);
        if (!upper) break;
        const bool leaf = depth == 0 && named(*upper).empty();
        const std::uint32_t back = leaf ? s.x[1] : *upper;
        const auto next = leaf ? upper : word_at(frame - 8);
        function = named(back);
        if (!next || *next <= frame) break;
        frame = *next;
    }
    return text;
}

}  // namespace weir::cpu
