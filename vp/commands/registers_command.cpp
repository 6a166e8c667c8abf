// SPDX-License-Identifier: Apache-2.0
// Walking the map's tables.
#include "vp/commands/registers_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "models/registers/bank.h"
#include "platforms/config.h"
#include "platforms/text.h"
#include "vp/commands/exports.h"
#include "vp/output/table.h"

namespace weir::vp {
namespace {

using platforms::config_error;
using registers::field_descriptor;
using registers::register_descriptor;

std::string lower(std::string_view text) {
    std::string made{text};
    std::transform(made.begin(), made.end(), made.begin(), [](unsigned char c) { return std::tolower(c); });
    return made;
}

std::string first_sentence(std::string_view text) {
    const auto end = text.find(". ");
    return std::string{end == std::string_view::npos ? text : text.substr(0, end + 1)};
}

std::string path_of(const register_descriptor& r) {
    return fmt::format("{}.{}", r.block, r.name);
}

std::string dimensions(const register_descriptor& r) {
    std::string text;
    for (std::size_t k = 0; k < r.dim_count; ++k) text += fmt::format("[{} {}]", r.dims[k].name, r.dims[k].count);
    return text;
}

std::string software_access(const field_descriptor& f) {
    std::string text{f.sw == registers::software::rw ? "rw" : f.sw == registers::software::ro ? "ro" : "wo"};
    switch (f.onwrite) {
        case registers::write_effect::w1c:
            text += ", write 1 to clear";
            break;
        case registers::write_effect::w1s:
            text += ", write 1 to set";
            break;
        case registers::write_effect::oneshot:
            text += ", a pulse that clears itself";
            break;
        case registers::write_effect::store:
            break;
    }
    switch (f.onread) {
        case registers::read_effect::clear:
            text += ", read clears";
            break;
        case registers::read_effect::restart:
            text += ", read restarts";
            break;
        case registers::read_effect::none:
            break;
    }
    if (f.counter) text += ", counter";
    return text;
}

std::string bits(const field_descriptor& f) {
    return f.width == 1 ? fmt::format("{}", f.low) : fmt::format("{}:{}", f.low + f.width - 1, f.low);
}

std::string field_text(const field_descriptor& f) {
    std::string text = fmt::format("  {} [{}] {}{}\n    {}\n", f.name, bits(f), software_access(f),
                                   f.unit.empty() ? "" : fmt::format(", {}", f.unit), f.doc);
    if (f.reset == f.all_ones() && f.width > 1) {
        text += "    reset: all ones\n";
    } else {
        text += fmt::format("    reset: {}\n", f.reset);
    }
    for (std::uint32_t i = 0; i < f.value_count; ++i) {
        text += fmt::format("    {} = {}\n", f.values[i].value, f.values[i].name);
    }
    return text;
}

std::string register_head(const register_descriptor& r) {
    std::string text = fmt::format("{}{} at {:#07x}, {} bits\n", path_of(r), dimensions(r), r.address, r.width);
    text += fmt::format("  {}\n", r.doc);
    for (std::size_t k = 0; k < r.dim_count; ++k) {
        text += fmt::format("  {}: every {:#x} octets\n", r.dims[k].name, r.dims[k].stride);
    }
    if (r.early) text += "  answers before initialisation\n";
    if (r.write_mask) text += "  bits 31:16 of a write choose which of bits 15:0 change\n";
    if (!r.lock.empty()) text += fmt::format("  writable only while {} is 0\n", r.lock);
    return text;
}

}  // namespace

std::string list_registers(const registers::map& map, std::string_view block) {
    table rows({"address", "register", ">bits", "meaning"});
    std::vector<std::string> blocks;
    for (std::uint32_t i = 0; i < map.block_count; ++i) blocks.emplace_back(map.blocks[i].name);
    if (!block.empty() && std::find(blocks.begin(), blocks.end(), block) == blocks.end()) {
        const auto near = platforms::nearest_name(block, blocks);
        throw config_error(
            fmt::format("regs list {}", block), "there is no such block",
            near ? fmt::format("did you mean {}?", *near) : fmt::format("blocks: {}", fmt::join(blocks, " ")));
    }
    for (std::uint32_t i = 0; i < map.register_count; ++i) {
        const auto& r = map.registers[i];
        if (!block.empty() && r.block != block) continue;
        rows.row({fmt::format("{:#07x}", r.address), path_of(r) + dimensions(r), fmt::format("{}", r.width),
                  first_sentence(r.doc)});
    }
    return rows.text(0);
}

std::string find_registers(const registers::map& map, std::string_view word) {
    table rows({"address", "register or field", "meaning"});
    const std::string wanted = lower(word);
    const auto holds = [&](std::string_view text) { return lower(text).find(wanted) != std::string::npos; };
    for (std::uint32_t i = 0; i < map.register_count; ++i) {
        const auto& r = map.registers[i];
        if (holds(path_of(r)) || holds(r.doc)) {
            rows.row({fmt::format("{:#07x}", r.address), path_of(r) + dimensions(r), first_sentence(r.doc)});
        }
        for (std::uint32_t f = 0; f < r.field_count; ++f) {
            if (holds(r.fields[f].name) || holds(r.fields[f].doc)) {
                rows.row({fmt::format("{:#07x}", r.address), fmt::format("{}.{}", path_of(r), r.fields[f].name),
                          first_sentence(r.fields[f].doc)});
            }
        }
    }
    if (rows.empty()) {
        throw config_error(fmt::format("regs find {}", word), "no register and no field speaks of it",
                           "weir regs list shows all registers");
    }
    return rows.text(0);
}

std::string decode_address(const registers::map& map, std::string_view address) {
    const std::string where = fmt::format("regs decode {}", address);
    const std::string copy{address};
    char* end = nullptr;
    const std::uint64_t number = std::strtoull(copy.c_str(), &end, 0);
    if (copy.empty() || *end != '\0' || copy.front() == '-') {
        throw config_error(where, "this is no address", "for example 0x1000 or 4096");
    }
    const registers::bank bank(map);
    const auto place = bank.locate(number & ~std::uint64_t{3});
    if (!place) {
        throw config_error(where, "no register stands there", fmt::format("the map ends at {:#x}", map.span));
    }
    std::string text = registers::describe(*place);
    if (number % 4 != 0) text += fmt::format(", octet {} of its word: accesses must be aligned to 4", number % 4);
    return text + "\n" + explain_register(map, path_of(*place->where));
}

std::string explain_register(const registers::map& map, std::string_view name) {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < map.register_count; ++i) {
        const auto& r = map.registers[i];
        names.push_back(path_of(r));
        if (names.back() == name) {
            std::string text = register_head(r);
            for (std::uint32_t f = 0; f < r.field_count; ++f) text += field_text(r.fields[f]);
            return text;
        }
        for (std::uint32_t f = 0; f < r.field_count; ++f) {
            names.push_back(fmt::format("{}.{}", path_of(r), r.fields[f].name));
            if (names.back() == name) return register_head(r) + field_text(r.fields[f]);
        }
    }
    const auto near = platforms::nearest_name(name, names);
    throw config_error(fmt::format("regs explain {}", name), "there is no such register or field",
                       near ? fmt::format("did you mean {}?", *near) : "weir regs find WORD searches");
}

std::string_view exported_map(std::string_view format) {
    if (format == "header") return exports::header;
    if (format == "svd") return exports::svd;
    if (format == "rdl") return exports::rdl;
    if (format == "markdown") return exports::markdown;
    throw config_error(fmt::format("regs export {}", format), "there is no such format",
                       "one of: header svd rdl markdown");
}

}  // namespace weir::vp
