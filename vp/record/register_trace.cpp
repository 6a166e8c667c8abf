// SPDX-License-Identifier: Apache-2.0
#include "vp/record/register_trace.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <vector>

#include "platforms/config.h"
#include "vp/engine.h"
#include "vp/output/output_directory.h"
#include "vp/remote/register_name.h"

namespace weir::vp {
namespace {

using platforms::config_error;
using registers::field_descriptor;
using registers::write_effect;

constexpr std::size_t columns_without_time = 8;

remote::register_place place_of(const asic::register_access& done) {
    remote::register_place place;
    place.address = static_cast<std::uint32_t>(done.address);
    place.about = done.result.where;
    place.at = done.result.at;
    if (place.about == nullptr) return place;
    std::uint64_t first = place.about->address;
    for (std::size_t k = 0; k < place.about->dim_count; ++k)
        first += std::uint64_t{place.at[k]} * place.about->dims[k].stride;
    place.high = place.about->width == 64 && done.address - first == 4;
    return place;
}

/// The field's bits that lie in this word, as they stand in it; `shift` brings them to the field's own place.
std::uint64_t word_value(const field_descriptor& f, bool high, std::uint32_t word) {
    const std::uint64_t whole = high ? std::uint64_t{word} << 32U : word;
    return (whole >> f.low) & f.all_ones();
}

bool lies_in_word(const field_descriptor& f, bool high) {
    return high ? f.low + f.width > 32 : f.low < 32;
}

/// What a write does to one field: "cells 10->20", "cells 20" when it stays, "start=1" for ones that act.
std::string written_field(const field_descriptor& f, bool high, std::uint32_t value, std::uint32_t before) {
    const std::uint64_t made = word_value(f, high, value);
    if (f.onwrite != write_effect::store || f.sw == registers::software::wo)
        return made == 0 && f.onwrite != write_effect::store ? "" : fmt::format("{}={}", f.name, made);
    const std::uint64_t was = word_value(f, high, before);
    return was == made ? fmt::format("{} {}", f.name, made) : fmt::format("{} {}->{}", f.name, was, made);
}

std::string fields_text(const asic::register_access& done, const remote::register_place& place) {
    if (place.about == nullptr) return "-";
    const bool failed = done.result.error != registers::access_error::none;
    std::string text;
    for (std::uint32_t i = 0; i < place.about->field_count; ++i) {
        const field_descriptor& f = place.about->fields[i];
        if (failed || !lies_in_word(f, place.high)) continue;
        std::string part;
        if (!done.write) {
            if (f.sw != registers::software::wo)
                part = fmt::format("{} {}", f.name, word_value(f, place.high, done.value));
        } else if (f.sw != registers::software::ro) {
            // Bits 31:16 choose which of bits 15:0 change.
            const bool chosen = !place.about->write_mask || ((done.value >> 16U) & f.mask()) != 0;
            if (chosen) part = written_field(f, place.high, done.value, done.before.value_or(0));
        }
        if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
    }
    return text.empty() ? "-" : text;
}

std::string_view error_word(const asic::register_access& done) {
    return done.result.error == registers::access_error::none ? "ok" : registers::name_of(done.result.error);
}

std::vector<std::string> columns_of(const std::string& line) {
    std::vector<std::string> all(1);
    for (const char c : line) {
        if (c == '\t') {
            all.emplace_back();
        } else if (c != '\r') {
            all.back() += c;
        }
    }
    return all;
}

}  // namespace

std::string register_trace_line(const asic::register_access& done, std::string_view switch_name,
                                std::string_view counter) {
    const remote::register_place place = place_of(done);
    return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{:#010x}\t{}\t{}", done.time.count(), switch_name,
                       done.initiator != nullptr ? done.initiator : "-", counter.empty() ? "-" : counter,
                       done.write ? 'w' : 'r', remote::register_text(place), done.value, fields_text(done, place),
                       error_word(done));
}

std::string replay_text(const replay_result& result) {
    std::string text;
    for (const auto& line : result.differences) text += line + "\n";
    const std::uint64_t more = result.different - result.differences.size();
    if (more > 0) text += fmt::format("and {} more\n", more);
    return text + fmt::format("{} writes, {} reads, {} of them compared; {} different\n", result.writes, result.reads,
                              result.compared, result.different);
}

std::optional<traced_access> parse_trace_line(const std::string& line, const std::string& where) {
    if (line.empty() || line[0] == '#') return std::nullopt;
    std::vector<std::string> columns = columns_of(line);
    traced_access made;
    if (columns.size() == columns_without_time + 1) {
        std::int64_t time = 0;
        const std::string& digits = columns[0];
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), time);
        if (error != std::errc{} || end != digits.data() + digits.size() || time < 0) {
            throw config_error(where, fmt::format("\"{}\" is no time", digits), "picoseconds in the first column");
        }
        made.time = picoseconds{time};
        columns.erase(columns.begin());
    }
    if (columns.size() != columns_without_time) {
        throw config_error(where, fmt::format("{} columns", columns.size()),
                           "nine, divided by tabs, as weir run --register-trace writes them; eight without the time");
    }
    made.switch_name = columns[0];
    if (columns[3] != "r" && columns[3] != "w") {
        throw config_error(where, fmt::format("\"{}\" is no kind of access", columns[3]), "r or w");
    }
    made.write = columns[3] == "w";
    made.name = columns[4];
    const std::string& value = columns[5];
    const char* const begin = value.data() + (value.compare(0, 2, "0x") == 0 ? 2 : 0);
    const auto [end, error] = std::from_chars(begin, value.data() + value.size(), made.value, 16);
    if (error != std::errc{} || end != value.data() + value.size()) {
        throw config_error(where, fmt::format("\"{}\" is no value", value), "32 bits: 0x00001a90");
    }
    made.error = columns[7];
    return made;
}

/// The open file. Observers hold it as long as the chips live; after `close` they write nothing.
struct register_trace::writer {
    ~writer() {
        if (file != nullptr) std::fclose(file);
    }
    void line(const std::string& text) const {
        if (file != nullptr) fmt::print(file, "{}\n", text);
    }
    std::string path;
    std::FILE* file{nullptr};
};

register_trace::register_trace(const std::string& path, platforms::machine& machine, const program_counter& counter)
    : writer_(std::make_shared<writer>()) {
    writer_->path = path;
    writer_->file = std::fopen(path.c_str(), "w");
    if (writer_->file == nullptr) {
        throw output_error(fmt::format("--register-trace {}: {}", path, std::strerror(errno)));
    }
    writer_->line(
        fmt::format("{}; time ps, switch, initiator, pc, access, name, value, fields, error", register_trace_heading));
    for (std::size_t s = 0; s < machine.switches(); ++s) {
        machine.chip(s).target().observe(
            [to = writer_, name = machine.config().switches[s].name, counter](const asic::register_access& done) {
                to->line(register_trace_line(done, name, counter ? counter(done.initiator) : std::string{}));
            });
    }
}

register_trace::~register_trace() {
    if (writer_->file != nullptr) std::fclose(std::exchange(writer_->file, nullptr));
}

void register_trace::close() {
    std::FILE* const file = std::exchange(writer_->file, nullptr);
    if (file == nullptr) return;
    const bool bad = std::ferror(file) != 0;
    if (std::fclose(file) != 0 || bad) {
        throw output_error(fmt::format("--register-trace {}: not all of it could be written", writer_->path));
    }
}

}  // namespace weir::vp
