// SPDX-License-Identifier: Apache-2.0
// One reader and one printer for each kind of value.
#include "platforms/values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "platforms/text.h"

namespace weir::platforms {
namespace {

constexpr std::string_view mac_form = "six octets in hex: 02:00:00:00:00:01";

/// What is wanted, with the key's name in front: for type errors.
[[noreturn]] void wrong_type(const key_descriptor& key, const config_node& node) {
    throw config_error(node.where, fmt::format("{} is {}", key.name(), node.description()),
                       fmt::format("wanted: {}", kind_text(key)));
}

[[noreturn]] void out_of_range(const key_descriptor& key, const config_node& node, const std::string& shown) {
    throw config_error(node.where, fmt::format("{} {} is out of range", key.name(), shown), range_text(key));
}

bool has_range(const key_descriptor& key) {
    return key.low != 0 || key.high != 0;
}

std::int64_t read_whole(const key_descriptor& key, const config_node& node) {
    const auto* value = std::get_if<std::int64_t>(&node.value);
    if (value == nullptr) wrong_type(key, node);
    const auto number = static_cast<double>(*value);
    if (number < key.low || number > key.high) out_of_range(key, node, fmt::format("{}", *value));
    return *value;
}

const std::string& read_text(const key_descriptor& key, const config_node& node) {
    const auto* value = std::get_if<std::string>(&node.value);
    if (value == nullptr) wrong_type(key, node);
    return *value;
}

/// A quantity is text with a unit; a bare number stands only where the parser takes one (0, octets).
template <typename Parse>
auto read_quantity(const key_descriptor& key, const config_node& node, Parse parse, double scale) {
    std::string text;
    if (const auto* whole = std::get_if<std::int64_t>(&node.value)) {
        text = fmt::format("{}", *whole);
    } else if (const auto* written = std::get_if<std::string>(&node.value)) {
        text = *written;
    } else {
        wrong_type(key, node);
    }
    const auto value = parse(text);
    if (!value) wrong_type(key, node);
    double number = 0;
    if constexpr (std::is_same_v<std::decay_t<decltype(*value)>, picoseconds>) {
        number = static_cast<double>(value->count());
    } else {
        number = static_cast<double>(*value);
    }
    if (has_range(key) && (number < key.low * scale || number > key.high * scale)) out_of_range(key, node, text);
    return *value;
}

std::string read_host(const key_descriptor& key, const config_node& node) {
    if (const auto* number = std::get_if<std::int64_t>(&node.value)) return fmt::format("{}", *number);
    return read_text(key, node);
}

constexpr std::uint64_t most_in_a_list = 1024;

/// [1, "h2"], or for the command line "1,h2,4-6".
std::vector<std::string> read_hosts(const key_descriptor& key, const config_node& node) {
    std::vector<std::string> hosts;
    if (const auto* items = node.as_array()) {
        for (const auto& item : *items) hosts.push_back(read_host(key, item));
        return hosts;
    }
    const std::string text = read_host(key, node);
    for (const auto part : split(text, ',')) {
        const auto dash = part.find('-');
        const auto first = parse_number(part.substr(0, dash));
        const auto last = dash == std::string_view::npos ? std::nullopt : parse_number(part.substr(dash + 1));
        if (!first || !last) {
            hosts.emplace_back(part);
            continue;
        }
        if (*first > *last || *last - *first >= most_in_a_list) {
            throw config_error(node.where, fmt::format("{} \"{}\" is no range of hosts", key.name(), part),
                               "the lower number first: 4-7");
        }
        for (auto host = *first; host <= *last; ++host) hosts.push_back(fmt::format("{}", host));
    }
    return hosts;
}

std::size_t read_choice(const key_descriptor& key, const config_node& node) {
    const std::string& word = read_text(key, node);
    const auto words = split(key.unit, ' ');
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end()) {
        throw config_error(node.where, fmt::format("{} \"{}\" is unknown", key.name(), word),
                           fmt::format("one of: {}", key.unit));
    }
    return static_cast<std::size_t>(found - words.begin());
}

ethernet::mac_address read_mac(const key_descriptor& key, const config_node& node) {
    const std::string& text = read_text(key, node);
    ethernet::mac_address mac{};
    const auto parts = split(text, ':');
    bool good = parts.size() == mac.size();
    for (std::size_t i = 0; good && i < mac.size(); ++i) {
        unsigned octet = 0;
        int used = 0;
        good = parts[i].size() == 2 && std::sscanf(std::string{parts[i]}.c_str(), "%2x%n", &octet, &used) == 1 &&
               used == 2;
        mac[i] = static_cast<std::uint8_t>(octet);
    }
    if (!good) throw config_error(node.where, fmt::format("mac \"{}\" is no MAC address", text), std::string{mac_form});
    if ((mac[0] & 1) != 0) {
        throw config_error(node.where, fmt::format("mac \"{}\" is a group address", text),
                           "a station's address has an even first octet");
    }
    return mac;
}

ethernet::ipv4_address read_ipv4(const key_descriptor& key, const config_node& node) {
    const std::string& text = read_text(key, node);
    ethernet::ipv4_address ip{};
    const auto parts = split(text, '.');
    bool good = parts.size() == ip.size();
    for (std::size_t i = 0; good && i < ip.size(); ++i) {
        const auto octet = parse_number(parts[i]);
        good = octet && *octet <= 255;
        if (good) ip[i] = static_cast<std::uint8_t>(*octet);
    }
    if (!good)
        throw config_error(node.where, fmt::format("ip \"{}\" is no IPv4 address", text), "for example 10.0.0.1");
    return ip;
}

std::string shortest(double value) {
    return fmt::format("{}", value);
}

}  // namespace

template <typename Section>
void set_value(Section& section, const bound_key<Section>& bound, const config_node& node) {
    const key_descriptor& key = bound.key;
    std::visit(
        [&](auto target) {
            auto& member = section.*target;
            using type = std::decay_t<decltype(member)>;
            if constexpr (std::is_same_v<type, bool>) {
                const auto* truth = std::get_if<bool>(&node.value);
                if (truth == nullptr) wrong_type(key, node);
                member = *truth;
            } else if constexpr (std::is_same_v<type, double>) {
                const auto* whole = std::get_if<std::int64_t>(&node.value);
                const auto* real = std::get_if<double>(&node.value);
                if (whole == nullptr && real == nullptr) wrong_type(key, node);
                member = real != nullptr ? *real : static_cast<double>(*whole);
                if (!(member >= key.low && member <= key.high)) out_of_range(key, node, shortest(member));
            } else if constexpr (std::is_same_v<type, std::string>) {
                member = key.kind == value_kind::host ? read_host(key, node) : read_text(key, node);
            } else if constexpr (std::is_same_v<type, picoseconds>) {
                member = read_quantity(key, node, parse_duration, 1000);
            } else if constexpr (std::is_same_v<type, data_rate>) {
                const std::string& name = read_text(key, node);
                const auto rate = data_rate::from_name(name);
                if (!rate) {
                    throw config_error(node.where, fmt::format("{} \"{}\" is not an Ethernet rate", key.name(), name),
                                       fmt::format("one of: {}", data_rate::names()));
                }
                member = *rate;
            } else if constexpr (std::is_same_v<type, ethernet::mac_address>) {
                member = read_mac(key, node);
            } else if constexpr (std::is_same_v<type, ethernet::ipv4_address>) {
                member = read_ipv4(key, node);
            } else if constexpr (std::is_same_v<type, std::vector<std::string>>) {
                member = read_hosts(key, node);
            } else if constexpr (std::is_same_v<type, ethernet::ecn>) {
                constexpr std::array<ethernet::ecn, 3> codepoints{ethernet::ecn::not_ect, ethernet::ecn::ect0,
                                                                  ethernet::ecn::ect1};
                member = codepoints[read_choice(key, node)];
            } else if constexpr (std::is_enum_v<type>) {
                member = static_cast<type>(read_choice(key, node));
            } else {
                if (key.kind == value_kind::octets) {
                    member = static_cast<type>(read_quantity(key, node, parse_octets, 1));
                } else if (key.kind == value_kind::metres) {
                    member = static_cast<type>(read_quantity(key, node, parse_metres, 1));
                } else if (key.kind == value_kind::bit_rate) {
                    member = static_cast<type>(read_quantity(
                        key, node,
                        [](const std::string& text) {
                            return text == "0" ? std::optional<std::int64_t>{0} : parse_bit_rate(text);
                        },
                        1));
                } else {
                    member = static_cast<type>(read_whole(key, node));
                }
            }
        },
        bound.target);
}

template <typename Section>
nlohmann::ordered_json value_json(const Section& section, const bound_key<Section>& bound) {
    const key_descriptor& key = bound.key;
    return std::visit(
        [&](auto target) -> nlohmann::ordered_json {
            const auto& member = section.*target;
            using type = std::decay_t<decltype(member)>;
            if constexpr (std::is_same_v<type, picoseconds>) {
                return format_duration(member);
            } else if constexpr (std::is_same_v<type, data_rate>) {
                return std::string{member.name()};
            } else if constexpr (std::is_same_v<type, ethernet::mac_address>) {
                return format_mac(member);
            } else if constexpr (std::is_same_v<type, ethernet::ipv4_address>) {
                return format_ipv4(member);
            } else if constexpr (std::is_same_v<type, ethernet::ecn>) {
                return member == ethernet::ecn::not_ect ? "not_ect" : member == ethernet::ecn::ect0 ? "ect0" : "ect1";
            } else if constexpr (std::is_enum_v<type>) {
                return std::string{split(key.unit, ' ')[static_cast<std::size_t>(member)]};
            } else if constexpr (std::is_arithmetic_v<type> && !std::is_same_v<type, bool>) {
                if (key.kind == value_kind::octets) return format_octets(static_cast<std::uint64_t>(member));
                if (key.kind == value_kind::metres) return fmt::format("{}m", member);
                if (key.kind == value_kind::bit_rate && member != 0) {
                    return format_bit_rate(static_cast<std::int64_t>(member));
                }
                return member;
            } else {
                return member;
            }
        },
        bound.target);
}

template <typename Section>
std::string value_text(const Section& section, const bound_key<Section>& bound) {
    const auto json = value_json(section, bound);
    if (json.is_string()) return json.template get<std::string>();
    return json.dump();
}

template void set_value(platform_config&, const bound_key<platform_config>&, const config_node&);
template void set_value(register_config&, const bound_key<register_config>&, const config_node&);
template void set_value(cpu_config&, const bound_key<cpu_config>&, const config_node&);
template void set_value(failure_config&, const bound_key<failure_config>&, const config_node&);
template void set_value(routes_config&, const bound_key<routes_config>&, const config_node&);
template void set_value(topology_config&, const bound_key<topology_config>&, const config_node&);
template void set_value(switch_config&, const bound_key<switch_config>&, const config_node&);
template void set_value(port_config&, const bound_key<port_config>&, const config_node&);
template void set_value(host_config&, const bound_key<host_config>&, const config_node&);
template void set_value(workload_config&, const bound_key<workload_config>&, const config_node&);
template void set_value(replay_config&, const bound_key<replay_config>&, const config_node&);

template nlohmann::ordered_json value_json(const platform_config&, const bound_key<platform_config>&);
template nlohmann::ordered_json value_json(const register_config&, const bound_key<register_config>&);
template nlohmann::ordered_json value_json(const cpu_config&, const bound_key<cpu_config>&);
template nlohmann::ordered_json value_json(const failure_config&, const bound_key<failure_config>&);
template nlohmann::ordered_json value_json(const routes_config&, const bound_key<routes_config>&);
template nlohmann::ordered_json value_json(const topology_config&, const bound_key<topology_config>&);
template nlohmann::ordered_json value_json(const switch_config&, const bound_key<switch_config>&);
template nlohmann::ordered_json value_json(const port_config&, const bound_key<port_config>&);
template nlohmann::ordered_json value_json(const host_config&, const bound_key<host_config>&);
template nlohmann::ordered_json value_json(const workload_config&, const bound_key<workload_config>&);
template nlohmann::ordered_json value_json(const replay_config&, const bound_key<replay_config>&);

template std::string value_text(const platform_config&, const bound_key<platform_config>&);
template std::string value_text(const register_config&, const bound_key<register_config>&);
template std::string value_text(const cpu_config&, const bound_key<cpu_config>&);
template std::string value_text(const failure_config&, const bound_key<failure_config>&);
template std::string value_text(const routes_config&, const bound_key<routes_config>&);
template std::string value_text(const topology_config&, const bound_key<topology_config>&);
template std::string value_text(const switch_config&, const bound_key<switch_config>&);
template std::string value_text(const port_config&, const bound_key<port_config>&);
template std::string value_text(const host_config&, const bound_key<host_config>&);
template std::string value_text(const workload_config&, const bound_key<workload_config>&);
template std::string value_text(const replay_config&, const bound_key<replay_config>&);

std::string format_mac(const ethernet::mac_address& mac) {
    return fmt::format("{:02x}", fmt::join(mac, ":"));
}

std::string format_ipv4(const ethernet::ipv4_address& ip) {
    return fmt::format("{}", fmt::join(ip, "."));
}

std::string kind_text(const key_descriptor& key) {
    switch (key.kind) {
        case value_kind::whole_number:
            return "a whole number, without quotes: 42";
        case value_kind::real_number:
            return "a number, without quotes: 1.5";
        case value_kind::truth:
            return "true or false, without quotes";
        case value_kind::text:
            return "text in quotes";
        case value_kind::file:
            return "a file's path in quotes";
        case value_kind::duration:
            return "a length of time in quotes: \"100ns\", \"1.5us\", \"3ms\"";
        case value_kind::metres:
            return "a length in quotes, in whole metres: \"3m\", \"2km\"";
        case value_kind::octets:
            return "octets: 4096, \"64KiB\", \"16MiB\", \"10MB\"";
        case value_kind::ethernet_rate:
            return fmt::format("an Ethernet rate in quotes: {}", data_rate::names());
        case value_kind::bit_rate:
            return "bits a second in quotes: \"400G\", \"2.5G\", \"100M\"; or 0";
        case value_kind::choice:
            return fmt::format("one of, in quotes: {}", key.unit);
        case value_kind::mac:
            return std::string{mac_form};
        case value_kind::ipv4:
            return "an IPv4 address in quotes: \"10.0.0.1\"";
        case value_kind::host:
            return "a host's number or its name in quotes: 3, \"h3\"";
        case value_kind::host_list:
            return "a list of hosts: [1, 2, \"h3\"]; on the command line 1,2,4-7";
    }
    return {};
}

std::string range_text(const key_descriptor& key) {
    if (!has_range(key)) return {};
    const auto number = [](double value) { return fmt::format("{}", static_cast<std::int64_t>(value)); };
    switch (key.kind) {
        case value_kind::whole_number:
            return fmt::format("{} to {}{}{}", number(key.low), number(key.high), key.unit.empty() ? "" : " ",
                               key.unit);
        case value_kind::real_number:
            return fmt::format("{} to {}", key.low, key.high);
        case value_kind::duration:
            return fmt::format("{} to {}", format_duration(nanoseconds(static_cast<std::int64_t>(key.low))),
                               format_duration(nanoseconds(static_cast<std::int64_t>(key.high))));
        case value_kind::metres:
            return fmt::format("{}m to {}m", number(key.low), number(key.high));
        case value_kind::octets:
            return fmt::format("{} to {} octets", number(key.low), number(key.high));
        case value_kind::bit_rate:
            return fmt::format("{} to {}", number(key.low), format_bit_rate(static_cast<std::int64_t>(key.high)));
        default:
            return {};
    }
}

}  // namespace weir::platforms
