// SPDX-License-Identifier: Apache-2.0
// Field semantics of the register bank: address decoding, read and write effects, latches, locks, resets.
#include "models/registers/bank.h"

#include <algorithm>
#include <stdexcept>

#include "models/registers/state.h"

namespace weir::registers {

bank::bank(const map& m, const dimension_sizes& sizes) : map_(m) {
    for (std::uint32_t d = 0; d < m.dimension_count; ++d) sizes_.push_back(m.dimensions[d].count);
    for (const auto& [name, size] : sizes) {
        std::uint32_t d = 0;
        while (d < m.dimension_count && m.dimensions[d].name != name) ++d;
        if (d == m.dimension_count) throw std::logic_error("no dimension \"" + std::string(name) + "\" in the map");
        if (size > m.dimensions[d].count || size == 0)
            throw std::logic_error("dimension \"" + std::string(name) + "\" of " + std::to_string(size) +
                                   ": the map has room for 1 to " + std::to_string(m.dimensions[d].count));
        sizes_[d] = size;
    }
    std::uint32_t cells = 0;
    for (std::uint32_t n = 0; n < m.register_count; ++n) {
        registers_.emplace_back(m.registers[n], cells, static_cast<std::uint32_t>(fields_.size()));
        register_state& r = registers_.back();
        for (std::uint32_t k = 0; k < r.about->dim_count; ++k) {
            const dimension& dim = r.about->dims[k];
            r.size[k] = dim.symbol.empty() ? dim.count : size_of(dim.symbol);
            r.instances *= r.size[k];
        }
        cells += r.instances;
        for (std::uint32_t f = 0; f < r.about->field_count; ++f) fields_.emplace_back(r.about->fields[f]);
    }
    storage_.assign(cells, 0);
    for (register_state& r : registers_) std::fill_n(storage_.begin() + r.first, r.instances, r.reset_word);
    for (std::uint32_t n = 0; n < m.register_count; ++n) apply_lock(n);
    build_pages();
}

bank::~bank() = default;

void bank::apply_lock(std::uint32_t reg) {
    if (registers_[reg].about->lock.empty()) return;
    const auto [holder, fld] = find(registers_[reg].about->lock);
    registers_[reg].lock_register = static_cast<std::int32_t>(holder);
    registers_[reg].lock_field = fld;
}

void bank::build_pages() {
    pages_.resize(map_.span / (4 * page_words) + 1);
    for (std::uint32_t n = 0; n < registers_.size(); ++n) {
        const register_descriptor& about = *registers_[n].about;
        std::vector<std::uint64_t> starts{about.address};
        for (std::uint32_t k = 0; k < about.dim_count; ++k) {
            std::vector<std::uint64_t> next;
            next.reserve(starts.size() * about.dims[k].count);
            for (const std::uint64_t start : starts)
                for (std::uint32_t i = 0; i < about.dims[k].count; ++i)
                    next.push_back(start + std::uint64_t{i} * about.dims[k].stride);
            starts.swap(next);
        }
        for (const std::uint64_t start : starts)
            for (std::uint64_t word = start / 4; word < (start + about.width / 8) / 4; ++word) {
                auto& slot = pages_[word / page_words];
                if (!slot) {
                    slot = std::make_unique<page>();
                    slot->fill(UINT16_MAX);
                }
                (*slot)[word % page_words] = static_cast<std::uint16_t>(n);
            }
    }
}

const bank::register_state* bank::at_address(std::uint64_t address) const {
    const std::uint64_t word = address / 4;
    if (word / page_words >= pages_.size()) return nullptr;
    const auto& slot = pages_[word / page_words];
    if (!slot || (*slot)[word % page_words] == UINT16_MAX) return nullptr;
    return &registers_[(*slot)[word % page_words]];
}

// The instance's cell in storage_, its indices, and whether this chip has it. Strides nest, so that the greatest is
// divided off first.
std::uint32_t bank::decode(const register_state& r, std::uint64_t address, index& at, bool& inside) const {
    auto rest = static_cast<std::uint32_t>(address - r.about->address);
    inside = true;
    for (std::uint32_t k = 0; k < r.about->dim_count; ++k) {
        const std::uint32_t d = r.by_stride[k];
        const std::uint32_t stride = r.about->dims[d].stride;
        const std::uint32_t i = rest / stride;
        rest -= i * stride;
        at[d] = i;
        inside = inside && i < r.size[d];
    }
    return inside ? instance(r, at) : 0;
}

std::uint32_t bank::instance(const register_state& r, const index& at) const {
    return r.first + (at[0] * r.size[1] + at[1]) * r.size[2] + at[2];
}

std::uint64_t bank::driven_value(const field_state& f, std::uint32_t instance, const index& at) {
    const std::uint64_t value = f.driven(at);
    if (f.preloaded.empty()) return value;
    return (value + f.preloaded[instance]) & f.about->all_ones();
}

void bank::preload(field_ref f, const index& at, std::uint64_t value) {
    field_state& state = fields_[f.fld_];
    const register_state& r = registers_[f.reg_];
    if (!state.driven) {
        set(f, at, value);
        return;
    }
    state.preloaded.resize(r.instances);
    state.preloaded[instance(r, at) - r.first] = (value - state.driven(at)) & state.about->all_ones();
}

void bank::forget_preloads() {
    for (field_state& f : fields_) f.preloaded.clear();
}

std::uint64_t bank::compose(const register_state& r, std::uint32_t cell, const index& at, bool software_view) const {
    std::uint64_t word = storage_[cell];
    if (r.any_driven) {
        for (std::uint32_t f = r.first_field; f < r.first_field + r.about->field_count; ++f) {
            const field_state& state = fields_[f];
            if (!state.driven) continue;
            const bool frozen = showing_snapshot_ && !state.frozen.empty();
            const std::uint64_t value = frozen ? state.frozen[cell - r.first] : driven_value(state, cell - r.first, at);
            word = (word & ~state.mask) | ((value << state.about->low) & state.mask);
        }
    }
    return software_view ? word & r.readable : word;
}

bank::result bank::read(std::uint64_t address, std::uint32_t& value) {
    value = 0;
    if (address % 4 != 0) return {access_error::misaligned, nullptr, {}};
    auto* r = const_cast<register_state*>(at_address(address));
    if (r == nullptr) return {access_error::unmapped, nullptr, {}};
    result done{access_error::none, r->about, {}};
    bool inside = false;
    const std::uint32_t cell = decode(*r, address, done.at, inside);
    if (!inside)
        done.error = access_error::out_of_range;
    else if (!ready_ && !r->about->early)
        done.error = access_error::not_ready;
    else if (r->readable == 0)
        done.error = access_error::write_only;
    if (done.error != access_error::none) return done;

    if (r->about->width == 64) {
        if ((address - r->about->address) % 8 == 4) {
            const bool latched = r->latched_cell == cell;
            value = static_cast<std::uint32_t>((latched ? r->latched : compose(*r, cell, done.at, true)) >> 32);
            r->latched_cell = register_state::no_cell;
            return done;
        }
        r->latched = compose(*r, cell, done.at, true);
        r->latched_cell = cell;
        value = static_cast<std::uint32_t>(r->latched);
    } else {
        value = static_cast<std::uint32_t>(compose(*r, cell, done.at, true));
    }
    if (r->any_onread) {
        for (std::uint32_t f = r->first_field; f < r->first_field + r->about->field_count; ++f) {
            const field_state& state = fields_[f];
            if (state.about->onread == read_effect::none || (showing_snapshot_ && !state.frozen.empty())) continue;
            if (state.about->onread == read_effect::clear) storage_[cell] &= ~state.mask;
            for (const auto& event : state.reads) event(done.at);
        }
    }
    return done;
}

bank::result bank::write(std::uint64_t address, std::uint32_t value) {
    if (address % 4 != 0) return {access_error::misaligned, nullptr, {}};
    auto* r = const_cast<register_state*>(at_address(address));
    if (r == nullptr) return {access_error::unmapped, nullptr, {}};
    result done{access_error::none, r->about, {}};
    bool inside = false;
    const std::uint32_t cell = decode(*r, address, done.at, inside);
    if (!inside) {
        done.error = access_error::out_of_range;
    } else if (!ready_ && !r->about->early) {
        done.error = access_error::not_ready;
    } else if (r->writable == 0) {
        done.error = access_error::read_only;
    } else if (r->lock_register >= 0) {
        const register_state& holder = registers_[static_cast<std::uint32_t>(r->lock_register)];
        index lock_at{};
        for (std::uint32_t k = 0; k < holder.about->dim_count; ++k) lock_at[k] = done.at[k];
        const std::uint64_t word = compose(holder, instance(holder, lock_at), lock_at, false);
        if ((word & fields_[r->lock_field].mask) != 0) done.error = access_error::locked;
    }
    if (done.error != access_error::none) return done;

    std::uint64_t word = value;
    if (r->about->width == 64) {
        if ((address - r->about->address) % 8 == 0) {
            r->held = value;
            r->held_cell = cell;
            return done;
        }
        const std::uint64_t low = r->held_cell == cell ? r->held : storage_[cell] & UINT32_MAX;
        r->held_cell = register_state::no_cell;
        word = (std::uint64_t{value} << 32) | low;
    } else if (r->about->write_mask) {
        const std::uint64_t mask = value >> 16;
        word = (storage_[cell] & 0xffff & ~mask) | (value & mask);
    }
    commit(*r, cell, done.at, word);
    return done;
}

void bank::commit(register_state& r, std::uint32_t cell, const index& at, std::uint64_t word) {
    const std::uint64_t old = storage_[cell];
    const std::uint64_t seen = r.any_driven ? compose(r, cell, at, false) : old;
    storage_[cell] = (((old & ~r.stored) | (word & r.stored)) & ~(word & r.clearable)) | (word & r.settable);
    if (!r.any_event) return;
    // Pulses last: a `start` finds what was written beside it already known.
    for (const bool pulses : {false, true}) {
        for (std::uint32_t f = r.first_field; f < r.first_field + r.about->field_count; ++f) {
            const field_state& state = fields_[f];
            if (state.writes.empty() || state.is_pulse() != pulses) continue;
            std::uint64_t value = (word & state.mask) >> state.about->low;
            if (state.about->onwrite == write_effect::w1c) value &= (seen & state.mask) >> state.about->low;
            if (state.about->onwrite != write_effect::store && value == 0) continue;
            for (const auto& event : state.writes) event(at, value);
        }
    }
}

std::optional<std::uint32_t> bank::peek(std::uint64_t address) const {
    const register_state* r = address % 4 == 0 ? at_address(address) : nullptr;
    if (r == nullptr) return std::nullopt;
    index at{};
    bool inside = false;
    const std::uint32_t cell = decode(*r, address, at, inside);
    if (!inside) return std::nullopt;
    const std::uint64_t word = compose(*r, cell, at, true);
    const bool high = r->about->width == 64 && (address - r->about->address) % 8 == 4;
    return static_cast<std::uint32_t>(high ? word >> 32 : word);
}

bool bank::poke(std::uint64_t address, std::uint32_t value) {
    const register_state* r = address % 4 == 0 ? at_address(address) : nullptr;
    if (r == nullptr) return false;
    index at{};
    bool inside = false;
    const std::uint32_t cell = decode(*r, address, at, inside);
    if (!inside) return false;
    std::uint64_t keeps = 0;
    for (std::uint32_t f = r->first_field; f < r->first_field + r->about->field_count; ++f)
        if (!fields_[f].driven && !fields_[f].is_pulse()) keeps |= fields_[f].mask;
    const bool high = r->about->width == 64 && (address - r->about->address) % 8 == 4;
    const std::uint64_t reach = (high ? std::uint64_t{UINT32_MAX} << 32 : std::uint64_t{UINT32_MAX}) & keeps;
    storage_[cell] = (storage_[cell] & ~reach) | ((std::uint64_t{value} << (high ? 32 : 0)) & reach);
    return reach != 0;
}

void bank::reset_instance(register_state& r, const index& at, std::vector<std::pair<std::uint32_t, index>>& events) {
    storage_[instance(r, at)] = r.reset_word;
    if (!r.any_event) return;
    for (std::uint32_t f = r.first_field; f < r.first_field + r.about->field_count; ++f) {
        const field_state& state = fields_[f];
        if (!state.writes.empty() && state.about->sw == software::rw && state.about->onwrite == write_effect::store)
            events.emplace_back(f, at);
    }
}

void bank::reset(reset_level level, std::optional<std::uint32_t> port) {
    std::vector<std::pair<std::uint32_t, index>> events;  // called after everything is back: handlers may look around
    for (register_state& r : registers_) {
        if (r.about->level > level) continue;
        const bool a_port = r.about->dim_count > 0 && r.about->dims[0].symbol == "ports";
        if (level == reset_level::port && (!a_port || !port || *port >= r.size[0])) continue;
        r.latched_cell = r.held_cell = register_state::no_cell;
        const std::uint32_t begin = level == reset_level::port ? *port : 0;
        const std::uint32_t end = level == reset_level::port ? *port + 1 : r.size[0];
        for (std::uint32_t i = begin; i < end; ++i)
            for (std::uint32_t j = 0; j < r.size[1]; ++j)
                for (std::uint32_t k = 0; k < r.size[2]; ++k) reset_instance(r, {i, j, k}, events);
    }
    for (const auto& [f, at] : events)
        for (const auto& event : fields_[f].writes) event(at, fields_[f].about->reset);
}

void bank::take_snapshot() {
    for (const register_state& r : registers_) {
        for (std::uint32_t f = r.first_field; f < r.first_field + r.about->field_count; ++f) {
            field_state& state = fields_[f];
            if (!state.driven || !(state.about->counter || state.about->unit == "cells")) continue;
            state.frozen.clear();
            for (std::uint32_t i = 0; i < r.size[0]; ++i)
                for (std::uint32_t j = 0; j < r.size[1]; ++j)
                    for (std::uint32_t k = 0; k < r.size[2]; ++k) {
                        const auto n = static_cast<std::uint32_t>(state.frozen.size());
                        state.frozen.push_back(driven_value(state, n, {i, j, k}));
                    }
        }
    }
}

std::optional<location> bank::locate(std::uint64_t address) const {
    const register_state* r = address % 4 == 0 ? at_address(address) : nullptr;
    if (r == nullptr) return std::nullopt;
    location place{r->about, {}, r->about->width == 64 && (address - r->about->address) % 8 == 4};
    bool inside = false;
    decode(*r, address, place.at, inside);
    return place;
}

}  // namespace weir::registers
