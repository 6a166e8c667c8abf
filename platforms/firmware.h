// SPDX-License-Identifier: Apache-2.0
// A switch's driver as firmware on a board: booted over its console, as an operator would.
//
//   script ─► a line is typed when the prompt comes ─► UART ─► firmware ─► registers
//                what it prints ◄─ UART ◄─────────────────────┘
//
// What the firmware must do for that, ours or one's own: write "weir> " when it is ready for a line, and begin a line
// with
// "% " when one failed. Nothing else leads from here into it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/cpu/board.h"
#include "platforms/guest.h"

namespace weir::platforms {

class firmware_driver : public guest {
public:
    /// `image`: an ELF file; empty: the driver that comes with Weir. Throws config_error when it is none.
    firmware_driver(cpu::board& board, timeline& time, const std::string& image);

    void program(std::vector<script_line> lines) override;
    [[nodiscard]] bool booting() const override { return booting_; }
    [[nodiscard]] picoseconds booted_at() const override { return booted_at_; }
    [[nodiscard]] const std::string& error() const override { return error_; }
    [[nodiscard]] std::uint64_t commands() const override { return commands_; }
    void on_print(std::function<void(const char*)> print) override { print_ = std::move(print); }
    void keep_serving() override {}  // it never stops
    void carry_out(std::vector<script_line> lines) override;

    /// Types text, as a terminal would. While the boot goes on the script has the keyboard.
    void type(const std::string& text);
    /// The program came to its end (models/cpu/finisher.h).
    [[nodiscard]] bool finished() const { return finished_; }
    /// It stands at its prompt, and all that was typed has been answered.
    [[nodiscard]] bool at_prompt() const {
        return at_prompt_ && board_.core().sleeping() && board_.uart().unread() == 0;
    }

private:
    void hear(char c);
    void prompted();
    void fail(const std::string& why);

    cpu::board& board_;
    timeline& time_;
    std::function<void(const char*)> print_;
    std::vector<script_line> lines_;
    std::size_t next_{0};            // line to type
    std::deque<script_line> later_;  // typed after the boot and not answered yet
    std::string heard_;              // of the line that is being printed
    std::string complaint_;          // what came after "% " since the last line was typed
    std::string error_;
    std::uint64_t commands_{0};
    picoseconds booted_at_{0};
    bool booting_{false};
    bool at_prompt_{false};
    bool finished_{false};
};

}  // namespace weir::platforms
