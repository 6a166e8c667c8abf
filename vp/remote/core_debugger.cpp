// SPDX-License-Identifier: Apache-2.0
#include "vp/remote/core_debugger.h"

#include <fmt/format.h>

#include <array>

#include "platforms/config.h"

namespace weir::vp::remote {
namespace {

/// An octet of memory, or of a device; some of them show whole words only.
bool look_at(cpu::core& core, std::uint32_t address, std::uint8_t& octet) {
    if (core.look(address, &octet, 1) == 1) return true;
    std::array<std::uint8_t, 4> word{};
    if (core.look(address & ~std::uint32_t{3}, word.data(), word.size()) != word.size()) return false;
    octet = word.at(address % 4);
    return true;
}

/// Who types `monitor`: cannot be told of events, and does not wait.
class monitor_caller : public caller {};

gdb_stub::settings settings_of(const address& where, run_control& control) {
    gdb_stub::settings s;
    s.endpoint = {where.port, where.local ? where.path : std::string{}};
    s.log = [](const std::string& line) { say(line); };
    s.give_up = [&control] {
        control.attend();
        return control.ended();
    };
    return s;
}

}  // namespace

core_debugger::target::target(cpu::board& board, registry& commands)
    : hart_gdb_target(
          board.core().processor(),
          {[&board](std::uint32_t address, std::uint8_t& octet) { return look_at(board.core(), address, octet); },
           [&board](std::uint32_t address, const std::uint8_t* octets, std::uint32_t count) {
               return board.core().alter(address, octets, count) == count;
           },
           [&commands](const std::string& text) {
               monitor_caller who;
               return commands.call_line(text, who);
           }}),
      board_(board) {}

std::optional<gdb_stop> core_debugger::target::step() {
    board_.core().single_step();
    return std::nullopt;
}

core_debugger::core_debugger(const address& where, run_control& control, cpu::board& board, registry& commands)
    : control_(control), board_(board), target_(board, commands), stub_(target_, settings_of(where, control)) {
    board_.core().on_stop([this](cpu::stop why) {
        stub_.stopped(target_.stop_of(why));
        stand();
    });
    say(fmt::format("gdb: target remote {}", stub_.address()));
}

void core_debugger::wait_for_client() {
    if (stub_.wait_for_client()) board_.core().halt();
}

void core_debugger::finish() {
    gdb_stop end;
    end.reason = gdb_stop_reason::ended;
    stub_.stopped(end);
}

void core_debugger::stand() {
    standing_ = true;
    stub_.serve_until_resumed();
    standing_ = false;
}

void core_debugger::waits_for(std::vector<pollfd>& all) const {
    for (const int number : stub_.sockets()) all.push_back({number, POLLIN, 0});
}

// A core that stands still is not halted anew: it would stop again right after it was let go. In a run that is halted,
// by `monitor halt` for one, the core does not come to its next turn: then the debugger has its say here.
void core_debugger::serve() {
    if (!stub_.poll() || standing_) return;
    if (control_.halted()) {
        stand();
    } else {
        board_.core().halt();
    }
}

}  // namespace weir::vp::remote
