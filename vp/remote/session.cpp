// SPDX-License-Identifier: Apache-2.0
#include "vp/remote/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "platforms/text.h"

namespace weir::vp::remote {
namespace {

std::string no_register(const register_place& place) {
    return fmt::format("no register of this chip stands at {:#x}", place.address);
}

/// What a write of one field has to write: the stored bits beside it as they are, nothing that clears or starts.
std::uint64_t merged(const register_place& place, std::uint64_t word, std::uint64_t value) {
    const auto& r = *place.about;
    std::uint64_t kept = 0;
    for (std::uint32_t f = 0; f < r.field_count; ++f) {
        const auto& field = r.fields[f];
        if (field.sw != registers::software::ro && field.onwrite == registers::write_effect::store)
            kept |= field.mask();
    }
    const std::uint64_t mask = place.field->mask();
    const std::uint64_t made = value << place.field->low;
    if (r.write_mask) return mask << 16U | made;  // the register keeps the others by itself
    return (word & kept & ~mask) | made;
}

/// The low word's share of a register's value, or the high one's.
std::uint32_t half(std::uint64_t value, bool high) {
    return static_cast<std::uint32_t>(high ? value >> 32U : value);
}

std::uint64_t part_of(const register_place& place, std::uint64_t word) {
    if (place.field == nullptr) return word;
    return (word >> place.field->low) & place.field->all_ones();
}

}  // namespace

session::session(platforms::machine& machine, run_control& control) : machine_(machine), control_(control) {
    for (std::size_t s = 0; s < machine_.switches(); ++s) {
        asic::switch_asic& chip = machine_.chip(s);
        chip.target().observe([this](const asic::register_access& done) { last_error_ = done.result.error; });
        chip.on_interrupt([this, s](bool asserted) {
            if (!asserted) return;
            control_.publish("interrupt", {{"switch", switch_name(s)}, {"time_ps", machine_.time().now().count()}});
        });
    }
}

picoseconds session::now() const {
    return control_.now();
}

// What is changed by hand must not lie in the kernel's past.
void session::bring_to_present() {
    machine_.time().advance_to(from_kernel(sc_core::sc_time_stamp()));
}

std::size_t session::switch_number(const std::string& name) const {
    if (name.empty()) return 0;
    std::vector<std::string> names;
    for (const auto& s : machine_.config().switches) {
        if (s.name == name) return names.size();
        names.push_back(s.name);
    }
    const auto number = platforms::parse_number(name);
    if (number && *number < names.size()) return static_cast<std::size_t>(*number);
    throw command_error("bad_argument", fmt::format("there is no switch \"{}\"", name),
                        fmt::format("one of: {}", fmt::join(names, " ")));
}

std::uint32_t session::access(std::size_t s, std::uint32_t address, bool write, std::uint32_t value) {
    static initiator_name who{"remote"};
    asic::switch_asic& chip = machine_.chip(s);
    const bool little = chip.bank().layout().order == registers::byte_order::little;
    unsigned char octets[4];
    for (unsigned i = 0; i < 4; ++i) octets[i] = static_cast<unsigned char>(value >> (little ? 8 * i : 8 * (3 - i)));
    tlm::tlm_generic_payload payload;
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(octets);
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    payload.set_extension(&who);
    sc_core::sc_time delay = to_kernel(now()) - sc_core::sc_time_stamp();
    last_error_ = registers::access_error::none;
    chip.target().b_transport(payload, delay);
    payload.clear_extension(&who);
    if (last_error_ != registers::access_error::none) {
        register_place place;
        place.address = address;
        if (const auto found = chip.bank().locate(address); found) {
            place.about = found->where;
            place.at = found->at;
            place.high = found->high;
        }
        throw command_error("access_error",
                            fmt::format("{} of {} at {:#x} was refused: {}", write ? "write" : "read",
                                        register_text(place), address, registers::name_of(last_error_)),
                            "peek and poke work at any time");
    }
    std::uint32_t word = 0;
    for (unsigned i = 0; i < 4; ++i) word |= std::uint32_t{octets[i]} << (little ? 8 * i : 8 * (3 - i));
    return word;
}

std::uint64_t session::read(std::size_t s, const register_place& place) {
    std::uint64_t word = access(s, place.address, false, 0);
    if (!place.one_word) word |= std::uint64_t{access(s, place.address + 4, false, 0)} << 32U;
    return part_of(place, word);
}

void session::write(std::size_t s, const register_place& place, std::uint64_t value) {
    check_fits(place, value);
    std::uint64_t word = value;
    if (place.field != nullptr) {
        register_place whole = place;
        whole.field = nullptr;
        word = merged(place, peek(s, whole), value);
    }
    access(s, place.address, true, half(word, false));
    if (!place.one_word) access(s, place.address + 4, true, half(word, true));
}

std::uint32_t session::peek_word(std::size_t s, const register_place& place, std::uint32_t address) {
    const auto word = bank(s).peek(address);
    if (!word) throw command_error("no_register", no_register(place), "regs list shows all; decode an address");
    return *word;
}

std::uint64_t session::peek(std::size_t s, const register_place& place) {
    bring_to_present();
    std::uint64_t word = peek_word(s, place, place.address);
    if (!place.one_word) word |= std::uint64_t{peek_word(s, place, place.address + 4)} << 32U;
    return part_of(place, word);
}

void session::poke(std::size_t s, const register_place& place, std::uint64_t value) {
    check_fits(place, value);
    std::uint64_t word = value;
    if (place.field != nullptr) {
        register_place whole = place;
        whole.field = nullptr;
        const std::uint64_t mask = place.field->mask();
        word = (peek(s, whole) & ~mask) | value << place.field->low;
    } else {
        (void)peek_word(s, place, place.address);
    }
    bool stored = bank(s).poke(place.address, half(word, false));
    if (!place.one_word) stored = bank(s).poke(place.address + 4, half(word, true)) || stored;
    if (!stored) {
        throw command_error("nothing_stored",
                            fmt::format("{} keeps nothing: its value comes from the hardware", register_text(place)),
                            "write reaches the hardware as software does");
    }
}

void session::plug(std::size_t s, std::uint32_t port, bool in) {
    const auto& hosts = machine_.config().hosts;
    for (std::size_t h = 0; h < hosts.size(); ++h) {
        if (hosts[h].switch_index != s || hosts[h].port != port) continue;
        bring_to_present();
        machine_.cable(h).set_plugged(in);
        return;
    }
    const std::size_t ports = machine_.chip(s).ports();
    if (port >= ports) {
        throw command_error("bad_index", fmt::format("{} has no port {}", switch_name(s), port),
                            fmt::format("0 to {}", ports - 1));
    }
    throw command_error("not_connected", fmt::format("nothing hangs on port {} of {}", port, switch_name(s)),
                        "a port with a host");
}

json session::interrupts(std::size_t s) {
    const registers::bank& chip = bank(s);
    const register_place status = find_kind(chip.layout(), "global.int_status");
    const register_place mask = find_kind(chip.layout(), "global.int_mask");
    const std::uint64_t set = peek(s, status);
    const std::uint64_t enabled = peek(s, mask);
    json causes = json::object();
    for (std::uint32_t f = 0; f < status.about->field_count; ++f) {
        const auto& field = status.about->fields[f];
        causes[std::string(field.name)] = {{"set", (set & field.mask()) != 0},
                                           {"enabled", (enabled & field.mask()) != 0}};
    }
    return {{"line", machine_.chip(s).interrupt_pending()}, {"causes", causes}};
}

json fields_of(const register_place& place, std::uint64_t value) {
    json made = json::object();
    if (place.about == nullptr) return made;
    const auto add = [&made](const registers::field_descriptor& f, std::uint64_t field_value) {
        made[std::string(f.name)] = field_value;
        for (std::uint32_t i = 0; i < f.value_count; ++i) {
            if (f.values[i].value == field_value) made[std::string(f.name) + "_means"] = std::string(f.values[i].name);
        }
    };
    if (place.field != nullptr) {
        add(*place.field, value);
        return made;
    }
    const std::uint64_t word = place.high ? value << 32U : value;
    for (std::uint32_t f = 0; f < place.about->field_count; ++f) {
        const auto& field = place.about->fields[f];
        // Of one word of two: the fields that lie in it whole.
        const bool in_high = field.low >= 32;
        const bool in_low = field.low + field.width <= 32;
        if (place.one_word && place.about->width == 64 && (place.high ? !in_high : !in_low)) continue;
        add(field, (word >> field.low) & field.all_ones());
    }
    return made;
}

void check_fits(const register_place& place, std::uint64_t value) {
    const std::uint64_t most = place.field != nullptr ? place.field->all_ones()
                               : place.one_word       ? UINT32_MAX
                                                      : UINT64_MAX;
    if (value <= most) return;
    throw command_error("bad_value", fmt::format("{:#x} does not fit into {}", value, register_text(place)),
                        fmt::format("at most {:#x}", most));
}

}  // namespace weir::vp::remote
