// SPDX-License-Identifier: Apache-2.0
// The commands that make the prototype do wrong: chip, bus, tables, interrupts, counters, links and peers. What each
// does and what a driver should make of it is in docs/bring-up.md.
#include "vp/remote/fault_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/ethernet/mac_control.h"

namespace weir::vp::remote {
namespace {

constexpr std::uint64_t longest_distance = 1'000'000'000'000;  // ns
constexpr std::uint64_t most_frames = 100'000;

const argument of_switch{"switch", argument_kind::text, "", false, "name or number; default: the first"};
const argument of_port{"port", argument_kind::number, "", true, "number of the front port"};

std::string word_of(const json& arguments, const char* name) {
    return arguments.contains(name) ? arguments[name].get<std::string>() : std::string{};
}

std::uint64_t number_of(const json& arguments, const char* name, std::uint64_t fallback, std::uint64_t most) {
    if (!arguments.contains(name)) return fallback;
    const auto value = arguments[name].get<std::uint64_t>();
    if (value <= most) return value;
    throw command_error("bad_value", fmt::format("{} {} is too great", name, value), fmt::format("at most {}", most));
}

picoseconds time_of(const json& arguments, const char* name, std::uint64_t fallback) {
    return nanoseconds(static_cast<std::int64_t>(number_of(arguments, name, fallback, longest_distance)));
}

template <std::size_t N>
std::size_t choice_of(const json& arguments, const char* name, const std::array<const char*, N>& words) {
    const std::string word = word_of(arguments, name);
    const auto found = std::find_if(words.begin(), words.end(), [&](const char* w) { return word == w; });
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    throw command_error("bad_argument", fmt::format("{} \"{}\" is unknown", name, word),
                        fmt::format("one of: {}", fmt::join(words, " ")));
}

/// Gets the switch that the arguments mean, and the arguments; what it does is then judged by the chip.
using chip_action = std::function<void(asic::switch_asic&, const json&)>;

command on_chip(session& s, std::string name, std::string doc, std::vector<argument> arguments, chip_action action) {
    arguments.push_back(of_switch);
    return {std::move(name), std::move(doc), std::move(arguments),
            [&s, action = std::move(action)](const json& given, caller&) {
                const std::size_t n = s.switch_number(word_of(given, "switch"));
                s.bring_to_present();
                action(s.machine().chip(n), given);
                s.machine().chip(n).judge_faults();
                return json{{"switch", s.switch_name(n)}, {"time_ps", s.now().count()}};
            }};
}

void add_chip_faults(registry& commands, session& s) {
    commands.add(on_chip(s, "fault_start", "keep the chip from getting ready: reset that does not end, memories, core",
                         {{"what", argument_kind::text, "", true, "reset, memories, core"},
                          {"on", argument_kind::flag, "", true, "off takes it back"}},
                         [](asic::switch_asic& chip, const json& a) {
                             static constexpr std::array words{"reset", "memories", "core"};
                             const std::array members{&chip.faults.reset_never_ends, &chip.faults.memories_never_clear,
                                                      &chip.faults.core_never_ready};
                             *members[choice_of(a, "what", words)] = a["on"].get<bool>();
                         }));
    commands.add(
        on_chip(s, "fault_late", "let the memories' initialisation take longer",
                {{"ns", argument_kind::number, "ns", true, "so much longer; 0 takes it back"}},
                [](asic::switch_asic& chip, const json& a) { chip.faults.memories_late = time_of(a, "ns", 0); }));
    commands.add({"fault_bus",
                  "refuse accesses to a register, or to so many octets from it on, with a bus error",
                  {{"name", argument_kind::text, "", true, "a register or an address"},
                   {"octets", argument_kind::number, "octets", false, "how far; default: 4"},
                   {"access", argument_kind::text, "", false, "reads, writes; default: both"},
                   of_switch},
                  [&s](const json& a, caller&) {
                      const std::size_t n = s.switch_number(word_of(a, "switch"));
                      const register_place place = find_register(s.bank(n), word_of(a, "name"));
                      const auto octets = static_cast<std::uint32_t>(number_of(a, "octets", 4, 1U << 24U));
                      static constexpr std::array words{"", "reads", "writes"};
                      const std::size_t access = choice_of(a, "access", words);
                      s.machine().chip(n).target().refuse(place.address, place.address + std::max(octets, 1U) - 1,
                                                          access != 2, access != 1);
                      return json{{"first", fmt::format("{:#x}", place.address)}, {"octets", octets}};
                  }});
    commands.add(on_chip(s, "fault_table", "refuse table commands, delay them, or never end them",
                         {{"refused", argument_kind::number, "commands", false, "so many to come are NACKed"},
                          {"ns", argument_kind::number, "ns", false, "each takes so long"},
                          {"never", argument_kind::flag, "", false, "none ends"}},
                         [](asic::switch_asic& chip, const json& a) {
                             auto& faults = chip.table_faults();
                             faults.refused =
                                 static_cast<std::uint32_t>(number_of(a, "refused", faults.refused, 1'000'000));
                             if (a.contains("ns")) faults.late = time_of(a, "ns", 0);
                             if (a.contains("never")) faults.never = a["never"].get<bool>();
                         }));
    commands.add(on_chip(s, "fault_ecc", "give the entry that is read next of a table a bit error",
                         {{"table", argument_kind::text, "", true, "mac, ipv4, ipv6, ecmp"},
                          {"bits", argument_kind::number, "bits", true, "1: can be corrected, 2: cannot, 0: none"}},
                         [](asic::switch_asic& chip, const json& a) {
                             static constexpr std::array words{"mac", "ipv4", "ipv6", "ecmp"};
                             const auto bits = number_of(a, "bits", 0, 2);
                             chip.table_faults().error[choice_of(a, "table", words)] =
                                 static_cast<pipeline::bit_error>(bits);
                         }));
    commands.add(
        {"fault_counter",
         "let a counter count on from a value, to see its wrap",
         {{"name", argument_kind::text, "", true, "a counter's field: port.rx_frames.frames[0]"},
          {"value", argument_kind::number, "", true, "that it shows now"},
          of_switch},
         [&s](const json& a, caller&) {
             const std::size_t n = s.switch_number(word_of(a, "switch"));
             const register_place place = find_register(s.bank(n), word_of(a, "name"));
             if (place.field == nullptr || !place.field->counter) {
                 throw command_error("bad_argument", fmt::format("{} is no counter's field", word_of(a, "name")),
                                     "regs describe NAME says which fields there are");
             }
             const auto value = a["value"].get<std::uint64_t>();
             check_fits(place, value);
             s.bring_to_present();
             auto& chip = s.bank(n);
             chip.preload(chip.field(fmt::format("{}.{}.{}", place.about->block, place.about->name, place.field->name)),
                          place.at, value);
             return json{{"name", register_text(place)}, {"value", value}};
         }});
}

void add_interrupt_faults(registry& commands, session& s) {
    commands.add(on_chip(s, "fault_interrupt", "lose rises of the interrupt line, or hold it asserted",
                         {{"lose", argument_kind::number, "rises", false, "so many to come reach nobody"},
                          {"stuck", argument_kind::flag, "", false, "asserted whatever the causes are"}},
                         [](asic::switch_asic& chip, const json& a) {
                             chip.faults.interrupts_to_lose = static_cast<std::uint32_t>(
                                 number_of(a, "lose", chip.faults.interrupts_to_lose, 1'000'000));
                             if (a.contains("stuck")) chip.faults.interrupt_stuck = a["stuck"].get<bool>();
                         }));
    commands.add(on_chip(s, "fault_storm", "raise an interrupt cause again and again",
                         {{"cause", argument_kind::text, "", true, "a field of global.int_status"},
                          {"times", argument_kind::number, "times", true, "how often; 0 ends it"},
                          {"ns", argument_kind::number, "ns", false, "how far apart; default: 1000"}},
                         [](asic::switch_asic& chip, const json& a) {
                             static constexpr std::array words{
                                 "access_error", "config_error", "link",     "cpu_rx", "fault",
                                 "threshold",    "conformance",  "watchdog", "stall",  "ecc"};
                             static_assert(words.size() == asic::interrupts);
                             const auto which = static_cast<asic::interrupt>(choice_of(a, "cause", words));
                             chip.storm(which, std::max(time_of(a, "ns", 1000), nanoseconds(1)),
                                        static_cast<std::uint32_t>(number_of(a, "times", 0, 1'000'000)));
                         }));
}

/// The host at the port that the arguments mean.
std::size_t host_of(session& s, const json& a) {
    const std::size_t n = s.switch_number(word_of(a, "switch"));
    const auto port = number_of(a, "port", 0, UINT32_MAX);
    const auto& hosts = s.machine().config().hosts;
    for (std::size_t h = 0; h < hosts.size(); ++h) {
        if (hosts[h].switch_index == n && hosts[h].port == port) return h;
    }
    throw command_error("not_connected", fmt::format("nothing hangs on port {} of {}", port, s.switch_name(n)),
                        "a port with a host");
}

/// A PFC frame without its FCS, wrong in the way that `kind` says.
ethernet::captured_frame pfc_frame(std::size_t kind, std::uint8_t vector, std::uint16_t quanta) {
    ethernet::captured_frame f;
    f.octets = {0x01, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 0, 9, 0x88, 0x08, 0x01, 0x01, 0, vector};
    for (unsigned p = 0; p < 8; ++p) {
        const std::uint16_t time = (vector >> p & 1U) != 0 ? quanta : std::uint16_t{0};
        f.octets.push_back(static_cast<std::uint8_t>(time >> 8U));
        f.octets.push_back(static_cast<std::uint8_t>(time));
    }
    f.octets.resize(60);
    f.fcs_good = true;
    if (kind == 1) f.octets[17] = 0;     // names no priority
    if (kind == 2) f.octets[15] = 0x02;  // an opcode that nobody has
    if (kind == 3) f.octets.resize(96);  // longer than such frames are
    if (kind == 4) f.octets[5] = 0x02;   // to another address
    if (kind == 5) f.fcs_good = false;
    f.wire_length = static_cast<std::uint32_t>(f.octets.size() + 4);
    return f;
}

void add_peer_faults(registry& commands, session& s) {
    commands.add({"fault_flap",
                  "let a link go down and up again and again",
                  {of_port,
                   {"times", argument_kind::number, "times", true, "how often it goes down"},
                   {"ns", argument_kind::number, "ns", false, "between two changes; default: 10000"},
                   of_switch},
                  [&s](const json& a, caller&) {
                      const std::size_t host = host_of(s, a);
                      s.bring_to_present();
                      s.machine().flap(host, static_cast<std::uint32_t>(number_of(a, "times", 0, 1'000'000)),
                                       std::max(time_of(a, "ns", 10'000), nanoseconds(1)));
                      return json{{"host", s.machine().config().hosts[host].name}};
                  }});
    commands.add({"fault_peer",
                  "let the station at a port ignore PFC, or obey it again",
                  {of_port, {"obeys", argument_kind::flag, "", true, "off: it sends on"}, of_switch},
                  [&s](const json& a, caller&) {
                      const std::size_t host = host_of(s, a);
                      s.bring_to_present();
                      s.machine().host(host).flow.receiver.set_enabled(a["obeys"].get<bool>() ? 0xff : 0);
                      return json{{"host", s.machine().config().hosts[host].name}};
                  }});
    commands.add(
        {"fault_pfc",
         "let the station at a port send PFC frames: a flood that stops priorities, or malformed ones",
         {of_port,
          {"kind", argument_kind::text, "", true, "flood, empty_vector, opcode, length, address, fcs"},
          {"vector", argument_kind::number, "", false, "priorities, a bit each; default: 8, which is priority 3"},
          {"quanta", argument_kind::number, "quanta", false, "default: 65535"},
          {"frames", argument_kind::number, "frames", false, "how many; default: 1"},
          {"ns", argument_kind::number, "ns", false, "how far apart; default: 1000"},
          of_switch},
         [&s](const json& a, caller&) {
             static constexpr std::array words{"flood", "empty_vector", "opcode", "length", "address", "fcs"};
             const std::size_t host = host_of(s, a);
             const std::size_t kind = choice_of(a, "kind", words);
             const auto vector = static_cast<std::uint8_t>(number_of(a, "vector", 8, 255));
             const auto quanta = static_cast<std::uint16_t>(number_of(a, "quanta", 65535, 65535));
             const picoseconds distance = time_of(a, "ns", 1000);
             std::vector<ethernet::captured_frame> frames(number_of(a, "frames", 1, most_frames),
                                                          pfc_frame(kind, vector, quanta));
             for (std::size_t i = 0; i < frames.size(); ++i) frames[i].time = static_cast<std::int64_t>(i) * distance;
             s.bring_to_present();
             if (!s.machine().host(host).player.finished()) {
                 throw command_error("busy", "the station still sends what it was given last", "wait until it has");
             }
             s.machine().host(host).player.play(std::move(frames), s.now(), 1.0);
             return json{{"host", s.machine().config().hosts[host].name}};
         }});
    commands.add(on_chip(s, "fault_clear", "take back every fault of a chip: not those of its peers", {},
                         [](asic::switch_asic& chip, const json&) {
                             chip.faults = {};
                             chip.table_faults() = {};
                             chip.target().allow_all();
                             chip.bank().forget_preloads();
                             chip.storm(asic::interrupt::fault, nanoseconds(1), 0);
                         }));
}

}  // namespace

void add_fault_commands(registry& commands, session& s) {
    add_chip_faults(commands, s);
    add_interrupt_faults(commands, s);
    add_peer_faults(commands, s);
}

}  // namespace weir::vp::remote
