// SPDX-License-Identifier: Apache-2.0
// Reading a platform: walks the tree section by section, expands ports, places hosts, and judges the whole.
#include "platforms/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "models/timeline/natural_order.h"
#include "platforms/failures.h"
#include "platforms/host_transport.h"
#include "platforms/keys.h"
#include "platforms/part_checks.h"
#include "platforms/routes.h"
#include "platforms/sizes.h"
#include "platforms/text.h"
#include "platforms/topology.h"

namespace weir::platforms {
namespace {

constexpr std::size_t most_ports = 128;
constexpr std::size_t longest_name = 64;

std::string joined(const std::vector<std::string>& names) {
    return fmt::format("{}", fmt::join(names, " "));
}

std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& names) {
    const auto near = nearest_name(wanted, names);
    return near ? fmt::format("did you mean \"{}\"?", *near) : fmt::format("known here: {}", joined(names));
}

std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw config_error(path, fmt::format("cannot be read: {}", std::strerror(errno)));
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

/// Names stand in commands, in files' names and in messages, and tell the parts of a simulation apart.
void check_name(const std::string& where, const std::string& what, std::string_view name) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto inner = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
    if (!name.empty() && name.size() <= longest_name && letter(name.front()) &&
        std::all_of(name.begin(), name.end(), inner))
        return;
    throw config_error(where, fmt::format("\"{}\" cannot be a {}'s name", name, what),
                       fmt::format("a letter, then letters, digits, _ and -: {} at most", longest_name));
}

class platform_reader {
public:
    platform_reader(config_node root, std::string file) : root_(std::move(root)) {
        result_.file = std::move(file);
        const std::filesystem::path path{result_.file};
        folder_ = path.parent_path();
        result_.name = path.stem().string();
    }

    platform_config read(const load_options& options) {
        for (const auto& assignment : options.hardware) override_node(root_, assignment);
        check_names(root_, "",
                    {"platform", "program", "topology", "routes", "failure", "switches", "switch", "hosts", "host",
                     "registers", "cpu", "workload", "replay"});
        if (const auto* node = root_.find("platform")) read_section(*node, "platform", result_);
        resolve(result_.program, "platform.program");
        if (const auto* node = root_.find("registers")) read_section(*node, "registers", result_.registers);
        if (const auto* node = root_.find("cpu")) read_section(*node, "cpu", result_.cpu);
        resolve(result_.cpu.firmware, "cpu.firmware");
        if (const auto* node = root_.find("topology")) read_section(*node, "topology", result_.topology);
        resolve(result_.topology.file, "topology.file");
        read_switches();
        result_.links = match_links(result_);
        place_hosts();
        check_parts(result_);
        read_routes();
        read_failures();
        read_program(options.program, options.program_option);
        read_workload(options.workload_file);
        read_replays();
        return std::move(result_);
    }

private:
    const config_node::table& table_of(const config_node& node, const std::string& path) {
        const auto* children = node.as_table();
        if (children == nullptr) {
            throw config_error(node.where, fmt::format("{} is {}", path, node.description()),
                               fmt::format("wanted: a table, [{}]", path));
        }
        return *children;
    }

    void check_names(const config_node& node, const std::string& path, const std::vector<std::string>& known) {
        for (const auto& [name, child] : table_of(node, path)) {
            if (std::find(known.begin(), known.end(), name) != known.end()) continue;
            throw config_error(child.key_where,
                               path.empty() ? fmt::format("unknown table [{}]", name)
                                            : fmt::format("unknown key \"{}\" in [{}]", name, path),
                               did_you_mean(name, known));
        }
    }

    /// Sets every member that the table gives. `besides`: names in it that somebody else reads.
    template <typename Section>
    void read_section(const config_node& node, const std::string& path, Section& section,
                      const std::vector<std::string>& besides = {}, const std::string& source_path = {}) {
        std::vector<std::string> known = besides;
        for (const auto& bound : keys_of<Section>()) known.emplace_back(bound.key.name());
        check_names(node, path, known);
        const std::string prefix = source_path.empty() ? path : source_path;
        for (const auto& bound : keys_of<Section>()) {
            const auto* value = node.find(bound.key.name());
            if (value == nullptr) continue;
            set_value(section, bound, *value);
            result_.sources[prefix + "." + std::string{bound.key.name()}] = value->where;
        }
    }

    [[nodiscard]] bool resolves(const std::filesystem::path& path) const {
        return std::filesystem::is_regular_file(path.is_relative() ? folder_ / path : path);
    }

    /// A file named in the platform stands relative to the platform's folder.
    void resolve(std::string& path, const std::string& key) {
        if (path.empty()) return;
        if (std::filesystem::path{path}.is_relative()) path = (folder_ / path).lexically_normal().string();
        if (!std::filesystem::is_regular_file(path)) {
            throw config_error(result_.where(key), fmt::format("file \"{}\" does not exist", path));
        }
    }

    /// Those of the topology and those that stand in the file by themselves.
    void read_switches() {
        switch_config defaults;
        if (const auto* common = root_.find("switches")) {
            read_section(*common, "switches", defaults);
            resolve(defaults.program, "switches.program");
        }
        std::map<std::string, std::vector<port_config>> planned;
        for (auto& each : plan_topology(result_)) planned[each.name] = std::move(each.ports);
        const auto* switches = root_.find("switch");
        if (switches != nullptr) {
            for (const auto& [name, node] : table_of(*switches, "switch")) {
                check_name(node.key_where, "switch", name);
                result_.sources["switch." + name] = node.key_where;
                switch_config made = defaults;
                made.name = name;
                const std::string path = "switch." + name;
                read_section(node, path, made, {"ports"});
                if (result_.sources.count(path + ".program") != 0) resolve(made.program, path + ".program");
                const auto of_topology = planned.find(name);
                const auto* ports = node.find("ports");
                if (of_topology != planned.end()) {
                    if (ports != nullptr) {
                        throw config_error(ports->key_where, "ports are given here and by the topology",
                                           "give one of both");
                    }
                    made.ports = std::move(of_topology->second);
                    planned.erase(of_topology);
                } else if (result_.topology.kind != topology_kind::none) {
                    std::vector<std::string> names;
                    for (const auto& [other, of_other] : planned) names.push_back(other);
                    throw config_error(node.key_where, fmt::format("the topology has no switch {}", name),
                                       did_you_mean(name, names));
                } else if (ports != nullptr) {
                    read_ports(*ports, path, made);
                }
                if (made.ports.empty()) {
                    throw config_error(node.where, fmt::format("switch {} has no ports", name),
                                       fmt::format("wanted: [[{}.ports]] with count and rate", path));
                }
                result_.switches.push_back(std::move(made));
            }
        }
        for (auto& [name, ports] : planned) {
            switch_config made = defaults;
            made.name = name;
            made.ports = std::move(ports);
            result_.switches.push_back(std::move(made));
        }
        if (result_.switches.empty()) {
            throw config_error(result_.file, "the platform has no switch",
                               "wanted: a table [switch.s0] with ports, or a [topology]");
        }
        for (const auto& each : result_.switches) {
            if (each.ports.size() <= most_ports) continue;
            throw config_error(result_.where("topology.kind"),
                               fmt::format("{} has {} ports", each.name, each.ports.size()),
                               fmt::format("1 to {} for a switch", most_ports));
        }
        std::sort(result_.switches.begin(), result_.switches.end(),
                  [](const auto& a, const auto& b) { return natural_less(a.name, b.name); });
    }

    void read_ports(const config_node& ports, const std::string& path, switch_config& made) {
        const auto* groups = ports.as_array();
        if (groups == nullptr) {
            throw config_error(ports.where, fmt::format("ports is {}", ports.description()),
                               fmt::format("wanted: an array of tables, [[{}.ports]]", path));
        }
        for (const auto& group : *groups) {
            port_config port;
            // Sources are kept by port number, because messages speak of ports.
            const std::string numbered = fmt::format("{}.ports.{}", path, made.ports.size());
            read_section(group, path + ".ports", port, {}, numbered);
            if (made.ports.size() + port.count > most_ports) {
                throw config_error(result_.where(numbered + ".count"),
                                   fmt::format("{} ports are too many", made.ports.size() + port.count),
                                   fmt::format("1 to {} for a switch", most_ports));
            }
            const std::uint32_t count = port.count;
            port.count = 1;
            for (std::uint32_t i = 0; i < count; ++i) {
                const auto peer = result_.sources.find(numbered + ".peer");
                if (peer != result_.sources.end()) {
                    result_.sources[fmt::format("{}.ports.{}.peer", path, made.ports.size())] = peer->second;
                }
                made.ports.push_back(port);
            }
        }
    }

    void place_hosts() {
        const auto* named = root_.find("host");
        std::vector<std::string> explicit_names;
        if (named != nullptr) {
            for (const auto& [name, node] : table_of(*named, "host")) {
                // "s0.h1" is what a host is called where there are several switches.
                for (const auto part : split(name, '.')) check_name(node.key_where, "host", part);
                explicit_names.push_back(name);
                result_.sources["host." + name] = node.key_where;
            }
        }
        host_config defaults;
        const auto* common = root_.find("hosts");
        if (common != nullptr) {
            for (const auto* name : {"mac", "ip"}) {
                if (const auto* own = common->find(name)) {
                    throw config_error(own->key_where, fmt::format("{} in [hosts] would be every host's", name),
                                       fmt::format("give it in [host.NAME]"));
                }
            }
            read_section(*common, "hosts", defaults);
        }
        std::set<std::string> placed;
        for (std::uint32_t s = 0; s < result_.switches.size(); ++s) {
            switch_config& at = result_.switches[s];
            for (std::uint32_t p = 0; p < at.ports.size(); ++p) {
                port_config& port = at.ports[p];
                if (port.peer == "none" || find_switch(result_, port.peer)) continue;
                host_config host = defaults;
                host.name = port.peer;
                const std::string where = result_.where(fmt::format("switch.{}.ports.{}.peer", at.name, p));
                if (port.peer == "host") {
                    host.name =
                        result_.switches.size() == 1 ? fmt::format("h{}", p) : fmt::format("{}.h{}", at.name, p);
                } else if (result_.topology.kind == topology_kind::none &&
                           (named == nullptr || named->find(port.peer) == nullptr)) {
                    throw config_error(where, fmt::format("peer \"{}\" is unknown", port.peer),
                                       explicit_names.empty()
                                           ? "one of: host none, or the name of a [host.NAME] or of a switch"
                                           : did_you_mean(port.peer, explicit_names));
                }
                if (!placed.insert(host.name).second) {
                    throw config_error(where, fmt::format("host {} has two cables", host.name), "one port a host");
                }
                host.switch_index = s;
                host.port = p;
                const auto high = static_cast<std::uint8_t>(s >> 8);
                const auto low = static_cast<std::uint8_t>(s);
                host.mac = {0x02, 0x00, 0x00, high, low, static_cast<std::uint8_t>(p)};
                host.ip = {10, high, low, static_cast<std::uint8_t>(p + 1)};
                host.node = static_cast<std::uint32_t>(result_.hosts.size());
                if (result_.topology.kind == topology_kind::hpcc) {
                    host.node = static_cast<std::uint32_t>(*parse_number(port.peer.substr(1)));
                }
                if (named != nullptr) {
                    if (const auto* own = named->find(host.name)) read_section(*own, "host." + host.name, host);
                }
                apply_preset(host, port.rate, [&](std::string_view key) {
                    return result_.sources.count(fmt::format("host.{}.{}", host.name, key)) != 0 ||
                           result_.sources.count(fmt::format("hosts.{}", key)) != 0;
                });
                result_.hosts.push_back(std::move(host));
            }
        }
        for (const auto& name : explicit_names) {
            if (placed.count(name) != 0) continue;
            throw config_error(named->find(name)->key_where, fmt::format("no port leads to host \"{}\"", name),
                               result_.hosts.empty() ? "" : fmt::format("hosts: {}", host_names(result_)));
        }
    }

    void read_routes() {
        if (const auto* node = root_.find("routes")) read_section(*node, "routes", result_.routes);
        routes_config& routes = result_.routes;
        if (routes.kind == routing_kind::file && routes.file.empty()) {
            throw config_error(result_.where("routes.kind"), "these routes need a file", "file = \"…\" in [routes]");
        }
        resolve(routes.file, "routes.file");
        (void)plan_routes(result_);
    }

    void read_failures() {
        const auto* failures = root_.find("failure");
        if (failures == nullptr) return;
        const auto* tables = failures->as_array();
        if (tables == nullptr) {
            throw config_error(failures->where, fmt::format("failure is {}", failures->description()),
                               "wanted: an array of tables, [[failure]]");
        }
        for (const auto& node : *tables) {
            const std::string path = fmt::format("failure.{}", result_.failures.size());
            failure_config made;
            read_section(node, "failure", made, {}, path);
            find_cable(result_, made, node.where);
            if (made.repair != picoseconds{0} && made.repair <= made.at) {
                throw config_error(result_.where(path + ".repair"), "the repair is not after the failure",
                                   "later than `at`, or 0: never");
            }
            result_.failures.push_back(made);
        }
    }

    void read_program(const std::vector<std::string>& assignments, const std::string& option) {
        if (const auto* program = root_.find("program")) {
            for (const auto& [name, node] : table_of(*program, "program")) {
                const auto* text = std::get_if<std::string>(&node.value);
                const auto* whole = std::get_if<std::int64_t>(&node.value);
                const auto* real = std::get_if<double>(&node.value);
                const auto* truth = std::get_if<bool>(&node.value);
                if (text == nullptr && whole == nullptr && real == nullptr && truth == nullptr) {
                    throw config_error(node.where, fmt::format("{} is {}", name, node.description()),
                                       "wanted: a number or text");
                }
                result_.program_values[name] = text != nullptr    ? *text
                                               : whole != nullptr ? fmt::format("{}", *whole)
                                               : real != nullptr  ? fmt::format("{}", *real)
                                                                  : (*truth ? "true" : "false");
                result_.sources["program." + name] = node.where;
            }
        }
        std::vector<std::string> known;
        for (const auto& [name, value] : result_.program_values) known.push_back(name);
        std::set<std::string> scripts;
        for (std::uint32_t s = 0; s < result_.switches.size(); ++s) {
            const std::string& script = program_of(result_, s);
            if (!script.empty() && scripts.insert(script).second) add_script_names(read_file(script), known);
        }
        std::sort(known.begin(), known.end());
        known.erase(std::unique(known.begin(), known.end()), known.end());
        for (const auto& assignment : assignments) {
            const std::string where = option + " " + assignment;
            const auto equals = assignment.find('=');
            if (equals == std::string::npos || equals == 0) {
                throw config_error(where, "not NAME=VALUE", "for example: " + option + " headroom=768");
            }
            const std::string name{trimmed(std::string_view{assignment}.substr(0, equals))};
            if (std::find(known.begin(), known.end(), name) == known.end()) {
                throw config_error(where, fmt::format("the program has no value \"{}\"", name),
                                   did_you_mean(name, known));
            }
            result_.program_values[name] = trimmed(std::string_view{assignment}.substr(equals + 1));
            result_.sources["program." + name] = where;
        }
    }

    static void add_script_names(const std::string& script, std::vector<std::string>& names) {
        for (std::size_t at = script.find("${"); at != std::string::npos; at = script.find("${", at + 2)) {
            const auto end = script.find('}', at);
            if (end != std::string::npos) names.push_back(script.substr(at + 2, end - at - 2));
        }
    }

    void read_workload(const std::string& file) {
        if (const auto* node = root_.find("workload")) read_section(*node, "workload", result_.workload);
        workload_config& workload = result_.workload;
        if (!file.empty()) {
            const std::string where = "--workload " + file;
            const std::string ending = std::filesystem::path{file}.extension().string();
            if (ending == ".csv") {
                workload.kind = workload_kind::flows;
            } else if (ending == ".pcap" || ending == ".pcapng" || ending == ".cap") {
                workload.kind = workload_kind::capture;
            } else if (ending == ".txt") {
                if (workload.kind != workload_kind::simai) workload.kind = workload_kind::hpcc;
            } else {
                throw config_error(
                    where, fmt::format("the ending \"{}\" says nothing of what it is", ending),
                    ".csv: flow list, .pcap .pcapng: capture, .txt: flow file of the HPCC simulator, or of "
                    "SimAI where workload.kind says so");
            }
            if (!std::filesystem::is_regular_file(file)) throw config_error(where, "the file does not exist");
            workload.file = file;
            result_.sources["workload.file"] = where;
            return;
        }
        const bool wanted = workload.kind == workload_kind::flows || workload.kind == workload_kind::capture ||
                            workload.kind == workload_kind::hpcc || workload.kind == workload_kind::simai;
        if (wanted && workload.file.empty()) {
            throw config_error(result_.where("workload.kind"), "this kind of workload needs a file",
                               "file = \"…\" in [workload], or --workload FILE");
        }
        resolve(workload.file, "workload.file");
        if (!is_known_size_name(workload.sizes)) {
            if (workload.sizes.empty() || !resolves(workload.sizes)) {
                throw config_error(result_.where("workload.sizes"),
                                   fmt::format("sizes \"{}\" is neither a name nor a file", workload.sizes),
                                   fmt::format("one of: {}; or a file", known_size_names()));
            }
            resolve(workload.sizes, "workload.sizes");
        }
    }

    void read_replays() {
        const auto* replays = root_.find("replay");
        if (replays == nullptr) return;
        const auto* tables = replays->as_array();
        if (tables == nullptr) {
            throw config_error(replays->where, fmt::format("replay is {}", replays->description()),
                               "wanted: an array of tables, [[replay]]");
        }
        for (const auto& node : *tables) {
            const std::string path = fmt::format("replay.{}", result_.replays.size());
            replay_config made;
            read_section(node, "replay", made, {}, path);
            if (made.file.empty()) throw config_error(node.where, "a replay needs a file", "file = \"…\"");
            resolve(made.file, path + ".file");
            result_.replays.push_back(std::move(made));
        }
    }

    config_node root_;
    std::filesystem::path folder_;
    platform_config result_;
};

}  // namespace

config_error::config_error(const std::string& where, const std::string& what, const std::string& right)
    : runtime_error(fmt::format("{}: {}{}{}", where, what, right.empty() ? "" : "\n  ", right)) {}

std::string platform_config::where(const std::string& key) const {
    const auto found = sources.find(key);
    return found != sources.end() ? found->second : file;
}

platform_config load_platform(const std::string& path, const load_options& options) {
    std::string file = path;
    if (!std::filesystem::is_regular_file(file)) file += ".toml";
    if (!std::filesystem::is_regular_file(file)) {
        throw config_error(path, "there is no such platform file", fmt::format("looked for {} and {}", path, file));
    }
    return parse_platform(read_file(file), file, options);
}

platform_config parse_platform(std::string_view text, const std::string& file, const load_options& options) {
    return platform_reader{parse_toml(text, file), file}.read(options);
}

std::optional<std::uint32_t> find_host(const platform_config& platform, std::string_view name) {
    if (const auto number = parse_number(name)) {
        if (*number < platform.hosts.size()) return static_cast<std::uint32_t>(*number);
        return std::nullopt;
    }
    for (std::uint32_t i = 0; i < platform.hosts.size(); ++i) {
        if (platform.hosts[i].name == name) return i;
    }
    return std::nullopt;
}

const std::string& program_of(const platform_config& platform, std::uint32_t switch_index) {
    const std::string& own = platform.switches[switch_index].program;
    return own.empty() ? platform.program : own;
}

std::string host_names(const platform_config& platform) {
    constexpr std::size_t shown = 16;
    std::vector<std::string> names;
    for (const auto& host : platform.hosts) {
        if (names.size() == shown && platform.hosts.size() > shown + 1) {
            names.push_back(fmt::format("… {}", platform.hosts.back().name));
            break;
        }
        names.push_back(host.name);
    }
    return joined(names);
}

}  // namespace weir::platforms
