// SPDX-License-Identifier: Apache-2.0
// Reading the map by peek and finding fields in what was read.
#include "vp/results/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace weir::vp {
namespace {

std::uint64_t address_of(const registers::register_descriptor& r, const registers::index& at) {
    std::uint64_t address = r.address;
    for (std::size_t k = 0; k < r.dim_count; ++k) address += std::uint64_t{at[k]} * r.dims[k].stride;
    return address;
}

/// How many instances there are along one dimension: the first that peek does not know ends it.
std::uint32_t size_along(const registers::register_descriptor& r, std::size_t k,
                         const register_snapshot::peek_function& peek) {
    registers::index at{};
    while (at[k] < r.dims[k].count && peek(address_of(r, at))) ++at[k];
    return at[k];
}

}  // namespace

std::uint64_t register_values::word(const registers::index& at) const {
    std::size_t place = 0;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        if (at[k] >= sizes[k]) {
            throw std::out_of_range(fmt::format("{}.{}: index {} of {}", about->block, about->name, at[k], sizes[k]));
        }
        place = place * sizes[k] + at[k];
    }
    return words[place];
}

register_snapshot::register_snapshot(const registers::map& map, const peek_function& peek,
                                     const std::vector<std::string_view>& blocks) {
    for (std::uint32_t n = 0; n < map.register_count; ++n) {
        const auto& about = map.registers[n];
        if (!blocks.empty() && std::find(blocks.begin(), blocks.end(), about.block) == blocks.end()) continue;
        register_values read;
        read.about = &about;
        for (std::size_t k = 0; k < about.dim_count; ++k) read.sizes[k] = size_along(about, k, peek);
        read.words.reserve(std::size_t{read.sizes[0]} * read.sizes[1] * read.sizes[2]);
        registers::index at{};
        for (at[0] = 0; at[0] < read.sizes[0]; ++at[0]) {
            for (at[1] = 0; at[1] < read.sizes[1]; ++at[1]) {
                for (at[2] = 0; at[2] < read.sizes[2]; ++at[2]) {
                    const std::uint64_t address = address_of(about, at);
                    std::uint64_t word = peek(address).value_or(0);
                    if (about.width == 64) word |= std::uint64_t{peek(address + 4).value_or(0)} << 32;
                    read.words.push_back(word);
                }
            }
        }
        registers_.push_back(std::move(read));
    }
}

std::pair<const register_values*, const registers::field_descriptor*> register_snapshot::find(
    std::string_view name) const {
    std::vector<std::string> all;
    for (const auto& each : registers_) {
        for (std::uint32_t f = 0; f < each.about->field_count; ++f) {
            const auto& field = each.about->fields[f];
            all.push_back(fmt::format("{}.{}.{}", each.about->block, each.about->name, field.name));
            if (all.back() == name) return {&each, &field};
        }
    }
    throw std::logic_error(fmt::format("no register field \"{}\"; nearest: {}", name, registers::nearest(name, all)));
}

std::uint64_t register_snapshot::value(std::string_view name, const registers::index& at) const {
    const auto [found, field] = find(name);
    return found->field(*field, at);
}

bool register_snapshot::all_ones(std::string_view name, const registers::index& at) const {
    const auto [found, field] = find(name);
    return found->field(*field, at) == field->all_ones();
}

std::uint32_t register_snapshot::front_ports() const {
    for (const auto& each : registers_) {
        if (each.about->block == "port" && each.about->dim_count == 1) {
            return each.sizes[0] > 0 ? each.sizes[0] - 1 : 0;  // the CPU port is the last
        }
    }
    return 0;
}

}  // namespace weir::vp
