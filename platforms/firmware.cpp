// SPDX-License-Identifier: Apache-2.0
#include "platforms/firmware.h"

#include <fmt/format.h>

#include <utility>

#include "platforms/config.h"
#include "sw/firmware/image.h"

namespace weir::platforms {
namespace {

constexpr const char* prompt = "weir> ";
constexpr const char* complaint_mark = "% ";

cpu::elf_file read_program(const std::string& image) {
    if (!image.empty()) return cpu::elf_file::from_file(image);
    return cpu::elf_file::from_memory({weir_firmware_image, weir_firmware_image_end}, "the built-in firmware");
}

}  // namespace

firmware_driver::firmware_driver(cpu::board& board, timeline& time, const std::string& image)
    : board_(board), time_(time) {
    try {
        board_.load(read_program(image));
    } catch (const cpu::elf_error& e) {
        throw config_error(image, e.what(), "cpu.firmware is an ELF file for RV32IMAC at 0x80000000");
    }
    board_.uart().on_transmit([this](char c) { hear(c); });
    board_.end().on_finish([this](std::uint32_t code) {
        finished_ = true;
        if (code != 0) {
            fail(fmt::format("the firmware ended with code {}", code));
        } else if (booting_) {
            fail("the firmware ended before its boot did");
        }
    });
}

void firmware_driver::program(std::vector<script_line> lines) {
    lines_ = std::move(lines);
    booting_ = true;
}

void firmware_driver::type(const std::string& text) {
    if (booting_) return;
    at_prompt_ = false;
    board_.uart().receive(text);
}

void firmware_driver::carry_out(std::vector<script_line> lines) {
    for (auto& line : lines) {
        type(line.text + "\r");
        later_.push_back(std::move(line));
    }
}

void firmware_driver::hear(char c) {
    const char text[] = {c, '\0'};
    if (print_ && c != '\r') print_(text);
    if (c == '\n') {
        if (heard_.rfind(complaint_mark, 0) == 0 && complaint_.empty()) complaint_ = heard_.substr(2);
        heard_.clear();
        return;
    }
    if (c != '\r') heard_ += c;
    at_prompt_ = false;  // it has gone on: with what it was given beforehand
    if (heard_ == prompt) prompted();
}

void firmware_driver::prompted() {
    heard_.clear();
    at_prompt_ = true;
    if (!booting_) {
        if (later_.empty()) return;
        if (!complaint_.empty() && error_.empty()) error_ = fmt::format("{}: {}", later_.front().where, complaint_);
        complaint_.clear();
        later_.pop_front();
        return;
    }
    if (!complaint_.empty()) {
        const std::string where = next_ == 0 ? board_.name() : lines_[next_ - 1].where;
        fail(fmt::format("{}: {}", where, complaint_));
        return;
    }
    commands_ = next_;
    if (next_ == lines_.size()) {
        booting_ = false;
        booted_at_ = time_.now();
        return;
    }
    at_prompt_ = false;
    board_.uart().receive(lines_[next_++].text + "\r");
}

void firmware_driver::fail(const std::string& why) {
    if (!error_.empty()) return;
    error_ = why;
    booting_ = false;
    booted_at_ = time_.now();
}

}  // namespace weir::platforms
