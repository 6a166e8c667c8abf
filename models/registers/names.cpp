// SPDX-License-Identifier: Apache-2.0
// Names in and out of the register bank: resolving "block.register.field", messages, the hardware's side of a field.
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "models/registers/state.h"

namespace weir::registers {

namespace {

std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
        }
    }
    return row[b.size()];
}

std::string path_of(const register_descriptor& r) {
    return std::string(r.block) + "." + std::string(r.name);
}

}  // namespace

std::string nearest(std::string_view wanted, const std::vector<std::string>& all) {
    std::vector<std::pair<std::size_t, std::string_view>> ranked;
    ranked.reserve(all.size());
    for (const auto& name : all) ranked.emplace_back(distance(wanted, name), name);
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, ranked.size()); ++i)
        text += (i == 0 ? "" : ", ") + std::string(ranked[i].second);
    return text;
}

std::string_view name_of(access_error error) {
    static constexpr std::array<std::string_view, 9> names{"none",         "unmapped",  "misaligned",
                                                           "wrong_size",   "read_only", "write_only",
                                                           "out_of_range", "not_ready", "locked"};
    return names[static_cast<std::size_t>(error)];
}

std::string describe(const location& place) {
    if (place.where == nullptr) return "nothing";
    std::string text = std::string(place.where->block) + "." + std::string(place.where->alias);
    for (std::uint32_t k = 0; k < place.where->dim_count; ++k)
        text += "[" + std::string(place.where->dims[k].name) + " " + std::to_string(place.at[k]) + "]";
    return text + (place.high ? ".high" : "");
}

std::pair<std::uint32_t, std::uint32_t> bank::find(std::string_view name) const {
    for (std::uint32_t n = 0; n < registers_.size(); ++n) {
        const std::string path = path_of(*registers_[n].about) + ".";
        if (name.substr(0, path.size()) != path) continue;
        for (std::uint32_t f = 0; f < registers_[n].about->field_count; ++f)
            if (registers_[n].about->fields[f].name == name.substr(path.size()))
                return {n, registers_[n].first_field + f};
    }
    std::vector<std::string> all;
    for (const register_state& r : registers_)
        for (std::uint32_t f = 0; f < r.about->field_count; ++f)
            all.push_back(path_of(*r.about) + "." + std::string(r.about->fields[f].name));
    throw std::logic_error("no register field \"" + std::string(name) + "\"; nearest: " + nearest(name, all));
}

void bank::drive(std::string_view field, source value) {
    const auto [r, f] = find(field);
    if (fields_[f].driven) throw std::logic_error("register field \"" + std::string(field) + "\" is driven twice");
    fields_[f].driven = std::move(value);
    registers_[r].any_driven = true;
}

void bank::on_write(std::string_view field, write_event event) {
    const auto [r, f] = find(field);
    if (fields_[f].about->sw == software::ro)
        throw std::logic_error("register field \"" + std::string(field) + "\" is read-only: no write will ever come");
    fields_[f].writes.push_back(std::move(event));
    registers_[r].any_event = true;
}

void bank::on_read(std::string_view field, read_event event) {
    const auto [r, f] = find(field);
    if (fields_[f].about->onread == read_effect::none)
        throw std::logic_error("register field \"" + std::string(field) + "\" has no read effect");
    fields_[f].reads.push_back(std::move(event));
    registers_[r].any_onread = true;
}

bank::field_ref bank::field(std::string_view name) const {
    field_ref ref;
    std::tie(ref.reg_, ref.fld_) = find(name);
    return ref;
}

namespace {

void check(const register_descriptor& about, const std::array<std::uint32_t, 3>& size, const index& at) {
    for (std::size_t k = 0; k < 3; ++k)
        if (at[k] >= size[k]) throw std::out_of_range("no " + describe({&about, at, false}) + " on this chip");
}

}  // namespace

std::uint64_t bank::get(field_ref f, const index& at) const {
    const register_state& r = registers_[f.reg_];
    check(*r.about, r.size, at);
    const field_state& state = fields_[f.fld_];
    if (state.driven) return driven_value(state, instance(r, at) - r.first, at) & state.about->all_ones();
    return (storage_[instance(r, at)] & state.mask) >> state.about->low;
}

void bank::set(field_ref f, const index& at, std::uint64_t value) {
    const register_state& r = registers_[f.reg_];
    check(*r.about, r.size, at);
    const field_state& state = fields_[f.fld_];
    std::uint64_t& cell = storage_[instance(r, at)];
    cell = (cell & ~state.mask) | ((value << state.about->low) & state.mask);
}

void bank::raise(field_ref f, const index& at, std::uint64_t bits) {
    const register_state& r = registers_[f.reg_];
    check(*r.about, r.size, at);
    storage_[instance(r, at)] |= (bits << fields_[f.fld_].about->low) & fields_[f.fld_].mask;
}

void bank::add(field_ref f, const index& at, std::uint64_t amount) {
    set(f, at, get(f, at) + amount);
}

std::uint64_t bank::all_ones(field_ref f) const {
    return fields_[f.fld_].about->all_ones();
}

const field_descriptor& bank::describe_field(field_ref f) const {
    return *fields_[f.fld_].about;
}

std::uint64_t bank::address_of(std::string_view name, const index& at) const {
    for (const register_state& r : registers_) {
        if (path_of(*r.about) != name) continue;
        check(*r.about, r.size, at);
        std::uint64_t address = r.about->address;
        for (std::uint32_t k = 0; k < r.about->dim_count; ++k)
            address += std::uint64_t{at[k]} * r.about->dims[k].stride;
        return address;
    }
    std::vector<std::string> all;
    for (const register_state& r : registers_) all.push_back(path_of(*r.about));
    throw std::logic_error("no register \"" + std::string(name) + "\"; nearest: " + nearest(name, all));
}

std::uint32_t bank::size_of(std::string_view dimension) const {
    for (std::uint32_t d = 0; d < map_.dimension_count; ++d)
        if (map_.dimensions[d].name == dimension) return sizes_[d];
    throw std::logic_error("no dimension \"" + std::string(dimension) + "\" in the map");
}

}  // namespace weir::registers
