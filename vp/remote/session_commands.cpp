// SPDX-License-Identifier: Apache-2.0
// The commands about the run, the registers and the links: from checked arguments to the session and back to JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "platforms/text.h"
#include "vp/remote/session.h"

namespace weir::vp::remote {
namespace {

constexpr int json_protocol_version = 1;
/// An `advance` may be 104 days: picoseconds in 64 bits end soon after.
constexpr std::uint64_t longest_advance = 9'000'000'000'000'000;

const argument which_switch{"switch", argument_kind::text, "", false, "name or number; default: the first"};
const argument register_name{"name", argument_kind::text, "", true,
                             "pg.xoff[0][3], pg.xoff.cells[0][3], or an address: 0x80018"};

std::string text_argument(const json& arguments, const char* name) {
    return arguments.contains(name) ? arguments[name].get<std::string>() : std::string{};
}

json time_json(picoseconds time) {
    return {{"time_ps", time.count()}, {"time_ns", time / nanoseconds(1)}};
}

json value_json(const register_place& place, std::uint64_t value) {
    json made{{"name", register_text(place)}, {"address", fmt::format("{:#x}", place.address)}, {"value", value}};
    made["hex"] = fmt::format("{:#x}", value);
    json fields = fields_of(place, value);
    if (!fields.empty()) made["fields"] = std::move(fields);
    return made;
}

json status_json(session& s) {
    const run_control& control = s.control();
    json made = time_json(s.now());
    made["state"] = control.ended() ? "ended" : control.halted() ? "halted" : "running";
    if (control.halted()) made["reason"] = control.reason();
    made["frames_under_way"] = s.machine().frames_under_way();
    made["hosts_unfinished"] = s.machine().unfinished_hosts();
    made["link_hops"] = s.machine().link_hops();
    return made;
}

std::string map_version(const registers::map& layout) {
    return fmt::format("{}.{}", layout.major, layout.minor);
}

void add_run_commands(registry& commands, session& s, const json& about) {
    commands.add({"hello",
                  "who answers: protocol, program, platform, switches, register map, commands",
                  {},
                  [&s, &commands, about](const json&, caller&) {
                      json made = about;
                      made["protocol"] = json_protocol_version;
                      made["platform"] = s.machine().config().name;
                      json switches = json::array();
                      for (std::size_t n = 0; n < s.machine().switches(); ++n) {
                          switches.push_back({{"name", s.switch_name(n)}, {"ports", s.machine().chip(n).ports()}});
                      }
                      made["switches"] = std::move(switches);
                      const auto& layout = s.bank(0).layout();
                      made["map"] = {{"name", std::string(layout.name)},
                                     {"version", map_version(layout)},
                                     {"hash", fmt::format("{:#06x}", layout.hash)}};
                      made["capabilities"] = commands.names();
                      return made;
                  }});
    commands.add({"time", "the present simulated time", {}, [&s](const json&, caller&) { return time_json(s.now()); }});
    commands.add({"status", "whether the run goes on, and how much is under way", {}, [&s](const json&, caller&) {
                      return status_json(s);
                  }});
    commands.add({"halt", "stop at the next opportunity", {}, [&s](const json&, caller&) {
                      s.control().halt("halt");
                      return status_json(s);
                  }});
    commands.add({"resume", "go on after a halt", {}, [&s](const json&, caller&) {
                      s.control().resume();
                      return status_json(s);
                  }});
    commands.add({"advance",
                  "go on for a while, then halt; answered when the time has passed",
                  {{"ns", argument_kind::number, "ns", true, "how long, simulated"}},
                  [&s](const json& arguments, caller& who) {
                      const auto ns = arguments["ns"].get<std::uint64_t>();
                      if (ns > longest_advance) {
                          throw command_error("bad_argument",
                                              fmt::format("advance: {} ns is beyond the end of time", ns),
                                              fmt::format("at most {}", longest_advance));
                      }
                      s.control().advance(nanoseconds(static_cast<std::int64_t>(ns)));
                      if (who.answer_at_stop([&s] { return status_json(s); })) return json{};
                      return status_json(s);
                  }});
    commands.add({"quit", "end the run now; what has been measured is reported", {}, [&s](const json&, caller&) {
                      s.control().end();
                      return status_json(s);
                  }});
    commands.add({"subscribe",
                  "push these events from now on, and no others",
                  {{"events", argument_kind::list, "", true, "of: stop interrupt log end; an empty list: none"}},
                  [](const json& arguments, caller& who) {
                      static const std::vector<std::string> known{"stop", "interrupt", "log", "end"};
                      std::vector<std::string> events;
                      for (const auto& each : arguments["events"]) {
                          events.push_back(each.get<std::string>());
                          if (std::find(known.begin(), known.end(), events.back()) == known.end()) {
                              throw command_error("bad_argument",
                                                  fmt::format("there is no event \"{}\"", events.back()),
                                                  fmt::format("of: {}", fmt::join(known, " ")));
                          }
                      }
                      who.subscribe(events);
                      return json{{"events", events}};
                  }});
}

void add_register_commands(registry& commands, session& s) {
    const argument value{"value", argument_kind::number, "", true,
                         "as a number: the map's octet order is looked after"};
    const auto place_of = [&s](const json& arguments) {
        const std::size_t n = s.switch_number(text_argument(arguments, "switch"));
        return std::pair(n, find_register(s.bank(n), text_argument(arguments, "name")));
    };
    const auto look = [&](const char* name, const char* doc, auto get) {
        commands.add({name, doc, {register_name, which_switch}, [&s, place_of, get](const json& arguments, caller&) {
                          const auto [n, place] = place_of(arguments);
                          json made = value_json(place, get(s, n, place));
                          made["time_ps"] = s.now().count();
                          return made;
                      }});
    };
    const auto change = [&](const char* name, const char* doc, auto set) {
        commands.add(
            {name, doc, {register_name, value, which_switch}, [&s, place_of, set](const json& arguments, caller&) {
                 const auto [n, place] = place_of(arguments);
                 const auto number = arguments["value"].get<std::uint64_t>();
                 set(s, n, place, number);
                 json made = value_json(place, number);
                 made["time_ps"] = s.now().count();
                 return made;
             }});
    };
    look("read", "read a register as software does: with side effects and access errors",
         [](session& of, std::size_t n, const register_place& place) { return of.read(n, place); });
    look("peek", "look at a register without disturbing anything",
         [](session& of, std::size_t n, const register_place& place) { return of.peek(n, place); });
    change("write", "write a register or field as software does: with side effects and access errors",
           [](session& of, std::size_t n, const register_place& place, std::uint64_t v) { of.write(n, place, v); });
    change("poke", "change stored bits without telling any model",
           [](session& of, std::size_t n, const register_place& place, std::uint64_t v) { of.poke(n, place, v); });
    commands.add({"decode",
                  "what stands at an address, or what a value of a register means",
                  {register_name, {"value", argument_kind::number, "", false, "to be taken apart"}, which_switch},
                  [place_of](const json& arguments, caller&) {
                      const auto [n, place] = place_of(arguments);
                      if (place.about == nullptr) {
                          throw command_error("no_register", fmt::format("nothing stands at {:#x}", place.address),
                                              "regs list shows all registers");
                      }
                      if (arguments.contains("value")) {
                          const auto number = arguments["value"].get<std::uint64_t>();
                          check_fits(place, number);
                          return value_json(place, number);
                      }
                      return json{{"name", register_text(place)},
                                  {"address", fmt::format("{:#x}", place.address)},
                                  {"doc", std::string(place.about->doc)}};
                  }});
}

std::string field_bits(const registers::field_descriptor& f) {
    return f.width == 1 ? fmt::format("{}", f.low) : fmt::format("{}:{}", f.low + f.width - 1, f.low);
}

json field_json(const registers::field_descriptor& f) {
    static constexpr const char* software_words[] = {"rw", "ro", "wo"};
    static constexpr const char* write_words[] = {"store", "w1c", "w1s", "oneshot"};
    static constexpr const char* read_words[] = {"none", "clear", "restart"};
    json made{{"name", std::string(f.name)},
              {"bits", field_bits(f)},
              {"sw", software_words[static_cast<std::size_t>(f.sw)]},
              {"reset", f.reset},
              {"doc", std::string(f.doc)}};
    if (f.onwrite != registers::write_effect::store) made["onwrite"] = write_words[static_cast<std::size_t>(f.onwrite)];
    if (f.onread != registers::read_effect::none) made["onread"] = read_words[static_cast<std::size_t>(f.onread)];
    if (!f.unit.empty()) made["unit"] = std::string(f.unit);
    for (std::uint32_t i = 0; i < f.value_count; ++i) {
        made["values"][std::string(f.values[i].name)] = f.values[i].value;
    }
    return made;
}

json register_json(const registers::bank& chip, const registers::register_descriptor& r) {
    json made{{"name", fmt::format("{}.{}", r.block, r.name)},
              {"address", fmt::format("{:#x}", r.address)},
              {"bits", r.width},
              {"doc", std::string(r.doc)}};
    for (std::size_t k = 0; k < r.dim_count; ++k) {
        made["indices"].push_back({{"name", std::string(r.dims[k].name)}, {"count", instances_along(chip, r, k)}});
    }
    return made;
}

bool mentions(std::string_view text, const std::string& wanted) {
    return std::search(text.begin(), text.end(), wanted.begin(), wanted.end(), [](unsigned char a, unsigned char b) {
               return std::tolower(a) == std::tolower(b);
           }) != text.end();
}

json found_registers(const registers::bank& chip, const std::string& action, const std::string& word) {
    json all = json::array();
    for (std::uint32_t n = 0; n < chip.layout().register_count; ++n) {
        const auto& r = chip.layout().registers[n];
        if (action == "list") {
            if (word.empty() || r.block == word) all.push_back(register_json(chip, r));
            continue;
        }
        bool holds = mentions(fmt::format("{}.{}", r.block, r.name), word) || mentions(r.doc, word);
        for (std::uint32_t f = 0; f < r.field_count; ++f)
            holds = holds || mentions(r.fields[f].name, word) || mentions(r.fields[f].doc, word);
        if (holds) all.push_back(register_json(chip, r));
    }
    if (all.empty()) {
        throw command_error("unknown_name", fmt::format("regs {}: nothing is called \"{}\"", action, word),
                            "regs list shows all registers; list takes a block's name");
    }
    return all;
}

json search_registers(session& s, const json& arguments) {
    const registers::bank& chip = s.bank(s.switch_number(text_argument(arguments, "switch")));
    const std::string action = text_argument(arguments, "action");
    const std::string word = text_argument(arguments, "word");
    if (action == "list" || (action == "find" && !word.empty())) return found_registers(chip, action, word);
    if (action == "describe" && !word.empty()) {
        const register_place place = find_kind(chip.layout(), word);
        json made = register_json(chip, *place.about);
        for (std::uint32_t f = 0; f < place.about->field_count; ++f) {
            if (place.field != nullptr && place.field != &place.about->fields[f]) continue;
            made["fields"].push_back(field_json(place.about->fields[f]));
        }
        return made;
    }
    throw command_error("bad_argument", fmt::format("regs {} {}: what is meant?", action, word),
                        "regs list [BLOCK], regs find WORD, regs describe NAME");
}

void add_link_commands(registry& commands, session& s) {
    commands.add({"regs",
                  "the register map: list [BLOCK], find WORD, describe NAME",
                  {{"action", argument_kind::text, "", true, "list, find, describe"},
                   {"word", argument_kind::text, "", false, "a block, a word, a register's or field's name"},
                   which_switch},
                  [&s](const json& arguments, caller&) { return search_registers(s, arguments); }});
    commands.add({"interrupts",
                  "the interrupt line, and which causes are set and enabled",
                  {which_switch},
                  [&s](const json& arguments, caller&) {
                      return s.interrupts(s.switch_number(text_argument(arguments, "switch")));
                  }});
    commands.add(
        {"core", "what the core of a switch's board is doing", {which_switch}, [&s](const json& arguments, caller&) {
             const std::size_t n = s.switch_number(text_argument(arguments, "switch"));
             cpu::board* board = s.machine().board(n);
             if (board == nullptr) {
                 throw command_error(
                     "no_core", fmt::format("{} has no core: its driver runs natively or outside", s.switch_name(n)),
                     "a platform with cpu.kind = \"riscv\"");
             }
             return json{{"where", board->where()},
                         {"asleep", board->core().sleeping()},
                         {"instructions", board->core().instructions()},
                         {"time_ps", board->core().local_time().count()}};
         }});
    commands.add({"link",
                  "pull a port's cable or plug it in",
                  {{"port", argument_kind::number, "", true, "number of the front port"},
                   {"up", argument_kind::flag, "", true, "up or down"},
                   which_switch},
                  [&s](const json& arguments, caller&) {
                      const std::size_t n = s.switch_number(text_argument(arguments, "switch"));
                      const auto port = static_cast<std::uint32_t>(
                          std::min<std::uint64_t>(arguments["port"].get<std::uint64_t>(), UINT32_MAX));
                      s.plug(n, port, arguments["up"].get<bool>());
                      return json{{"switch", s.switch_name(n)},
                                  {"port", port},
                                  {"link", s.machine().chip(n).port(port).mac.link_is_up()}};
                  }});
}

}  // namespace

void add_session_commands(registry& commands, session& s, const json& about) {
    add_run_commands(commands, s, about);
    add_register_commands(commands, s);
    add_link_commands(commands, s);
}

}  // namespace weir::vp::remote
