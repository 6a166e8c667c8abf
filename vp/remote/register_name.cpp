// SPDX-License-Identifier: Apache-2.0
#include "vp/remote/register_name.h"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "platforms/text.h"
#include "vp/remote/registry.h"

namespace weir::vp::remote {
namespace {

using registers::register_descriptor;

struct name_parts {
    std::string path;                       // the name, indices taken out
    std::vector<std::string_view> indices;  // what stood in the brackets
};

name_parts split_name(std::string_view name) {
    name_parts parts;
    for (std::size_t at = 0; at < name.size(); ++at) {
        if (name[at] != '[') {
            parts.path += name[at];
            continue;
        }
        const std::size_t close = name.find(']', at);
        if (close == std::string_view::npos) {
            throw command_error("unknown_name", fmt::format("{}: \"[\" without its \"]\"", name), "pg.xoff[0][3]");
        }
        parts.indices.push_back(platforms::trimmed(name.substr(at + 1, close - at - 1)));
        at = close;
    }
    return parts;
}

std::string dimensions_of(const register_descriptor& r) {
    std::string text;
    for (std::size_t k = 0; k < r.dim_count; ++k) text += fmt::format("[{}]", r.dims[k].name);
    return text;
}

/// "3", "port 3", "port=3".
std::uint32_t index_number(const register_descriptor& r, std::size_t k, std::string_view text) {
    std::string_view digits = text;
    const std::size_t gap = text.find_first_of(" =");
    if (gap != std::string_view::npos) {
        if (text.substr(0, gap) != r.dims[k].name) {
            throw command_error("bad_index",
                                fmt::format("{}.{}: index {} is the {}, not the {}", r.block, r.name, k + 1,
                                            r.dims[k].name, text.substr(0, gap)),
                                fmt::format("{}.{}{}", r.block, r.name, dimensions_of(r)));
        }
        digits = platforms::trimmed(text.substr(gap + 1));
    }
    const auto number = platforms::parse_number(digits);
    if (!number || *number > UINT32_MAX) {
        throw command_error("bad_index", fmt::format("{}.{}: \"{}\" is no index", r.block, r.name, text),
                            fmt::format("a number: the {}", r.dims[k].name));
    }
    return static_cast<std::uint32_t>(*number);
}

register_place at_address(const registers::bank& chip, std::string_view text) {
    const std::string copy{text};
    char* end = nullptr;
    const unsigned long long number = std::strtoull(copy.c_str(), &end, 0);
    if (*end != '\0' || number > UINT32_MAX) {
        throw command_error("unknown_name", fmt::format("{}: this is no address", text),
                            "0x1000 or 4096: up to 32 bits");
    }
    register_place place;
    place.address = static_cast<std::uint32_t>(number);
    if (const auto found = chip.locate(number); found) {
        place.about = found->where;
        place.at = found->at;
        place.high = found->high;
    }
    return place;
}

}  // namespace

register_place find_kind(const registers::map& layout, std::string_view name) {
    std::vector<std::string> names;
    for (std::uint32_t n = 0; n < layout.register_count; ++n) {
        const register_descriptor& r = layout.registers[n];
        register_place place;
        place.about = &r;
        place.address = r.address;
        place.one_word = r.width == 32;
        for (const std::string_view called : {r.name, r.alias}) {
            const std::string path = fmt::format("{}.{}", r.block, called);
            if (path == name) return place;
            for (std::uint32_t f = 0; f < r.field_count; ++f) {
                names.push_back(fmt::format("{}.{}", path, r.fields[f].name));
                if (names.back() != name) continue;
                place.field = &r.fields[f];
                return place;
            }
            names.push_back(path);
        }
    }
    const auto near = platforms::nearest_name(name, names);
    throw command_error("unknown_name", fmt::format("there is no register or field \"{}\"", name),
                        near ? fmt::format("did you mean {}?", *near) : "regs find WORD searches");
}

std::uint32_t instances_along(const registers::bank& chip, const register_descriptor& about, std::size_t dimension) {
    const auto& d = about.dims[dimension];
    return d.symbol.empty() ? d.count : chip.size_of(d.symbol);
}

register_place find_register(const registers::bank& chip, std::string_view name) {
    name = platforms::trimmed(name);
    if (!name.empty() && name[0] >= '0' && name[0] <= '9') return at_address(chip, name);
    const name_parts parts = split_name(name);
    register_place place = find_kind(chip.layout(), parts.path);
    const register_descriptor& r = *place.about;
    if (parts.indices.size() != r.dim_count) {
        throw command_error("bad_index",
                            fmt::format("{} has {} {}, {} given", parts.path, r.dim_count,
                                        r.dim_count == 1 ? "index" : "indices", parts.indices.size()),
                            fmt::format("{}{}", parts.path, dimensions_of(r)));
    }
    for (std::size_t k = 0; k < r.dim_count; ++k) {
        place.at[k] = index_number(r, k, parts.indices[k]);
        const std::uint32_t most = instances_along(chip, r, k);
        if (place.at[k] >= most) {
            throw command_error("bad_index",
                                fmt::format("{}: this chip has no {} {}", name, r.dims[k].name, place.at[k]),
                                fmt::format("0 to {}", most - 1));
        }
        place.address += place.at[k] * r.dims[k].stride;
    }
    return place;
}

std::string register_text(const register_place& place) {
    if (place.about == nullptr) return fmt::format("{:#x}", place.address);
    std::string text = fmt::format("{}.{}", place.about->block, place.about->name);
    if (place.field != nullptr) text += fmt::format(".{}", place.field->name);
    for (std::size_t k = 0; k < place.about->dim_count; ++k) text += fmt::format("[{}]", place.at[k]);
    return text + (place.high ? ".high" : "");
}

}  // namespace weir::vp::remote
