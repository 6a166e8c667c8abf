// SPDX-License-Identifier: Apache-2.0
// The verdict, result.json and flows.csv.
#include "vp/results/result.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "platforms/keys.h"
#include "vp/output/table.h"
#include "vp/results/completion.h"
#include "vp/version.h"

namespace weir::vp {
namespace {

using json = nlohmann::ordered_json;

/// A register with one field is a number; one with several is an object of its fields.
json register_json(const register_values& values, const registers::index& at) {
    const auto& about = *values.about;
    if (about.field_count == 1) return values.field(about.fields[0], at);
    json fields = json::object();
    for (std::uint32_t f = 0; f < about.field_count; ++f) {
        fields[std::string{about.fields[f].name}] = values.field(about.fields[f], at);
    }
    return fields;
}

/// Registers that say something of a run; maps and tables are in the configuration's script.
bool reported(const registers::register_descriptor& about) {
    return about.block != "map" && about.block != "fwd" && about.block != "cpu";
}

json inner_json(const register_values& values, registers::index at, std::size_t level) {
    if (level >= at.size() || level >= values.about->dim_count) return register_json(values, at);
    json list = json::array();
    for (at[level] = 0; at[level] < values.sizes[level]; ++at[level]) {
        list.push_back(inner_json(values, at, level + 1));
    }
    return list;
}

json drops_json(const register_values& values, std::uint32_t port, const std::vector<std::string>& reasons) {
    json drops = json::object();
    for (std::uint32_t reason = 0; reason < values.sizes[1] && reason < reasons.size(); ++reason) {
        if (reasons[reason].empty()) continue;
        drops[reasons[reason]] = values.field(values.about->fields[0], {port, reason, 0});
    }
    return drops;
}

json switch_json(const switch_result& result, const std::vector<std::string>& reasons) {
    json out;
    out["name"] = result.name;
    json chip = json::object();
    json ports = json::array();
    const std::uint32_t front = result.registers.front_ports();
    for (std::uint32_t port = 0; port < front; ++port) {
        ports.push_back(json::object({{"name", fmt::format("{}.{}", result.name, port)}}));
    }
    for (const auto& values : result.registers.registers()) {
        const auto& about = *values.about;
        if (!reported(about)) continue;
        const std::string block{about.block};
        const std::string name{about.name};
        if (about.dim_count == 0 || about.dims[0].symbol != "ports") {
            chip[block][name] = inner_json(values, {}, 0);
            continue;
        }
        for (std::uint32_t port = 0; port < front && port < values.sizes[0]; ++port) {
            ports[port][block][name] = block == "port" && name == "drops" ? drops_json(values, port, reasons)
                                                                          : inner_json(values, {port, 0, 0}, 1);
        }
    }
    out["chip"] = std::move(chip);
    out["ports"] = std::move(ports);
    return out;
}

json optional_ps(const std::optional<picoseconds>& time) {
    return time ? json(time->count()) : json(nullptr);
}

json host_json(const host_result& host, const std::vector<switch_result>& switches) {
    json paused = json::array();
    for (const auto& time : host.paused) paused.push_back(time.count());
    json out;
    out["name"] = host.name;
    out["switch"] = switches.at(host.switch_index).name;
    out["port"] = host.port;
    out["rate"] = std::string{host.rate.name()};
    out["tx_frames"] = host.tx_frames;
    out["tx_octets"] = host.tx_octets;
    out["rx_frames"] = host.rx_frames;
    out["rx_octets"] = host.rx_octets;
    out["rx_marked"] = host.rx_marked;
    out["overruns"] = host.overruns;
    out["data_frames"] = host.data_frames;
    out["data_octets"] = host.data_octets;
    out["first_data_ps"] = optional_ps(host.first_data);
    out["last_data_ps"] = optional_ps(host.last_data);
    const auto used = host.utilisation();
    out["utilisation"] = used ? json(*used) : json(nullptr);
    out["pfc_received"] = host.pfc_received;
    out["pause_received"] = host.pause_received;
    out["paused_ps"] = std::move(paused);
    out["link_paused_ps"] = host.link_paused.count();
    const host::transport_counters& t = host.transport;
    out["transport"] = {{"retransmitted", t.retransmitted}, {"timeouts", t.timeouts},
                        {"acks_sent", t.acks_sent},         {"acks_received", t.acks_received},
                        {"naks_sent", t.naks_sent},         {"naks_received", t.naks_received},
                        {"cnps_sent", t.cnps_sent},         {"cnps_received", t.cnps_received}};
    return out;
}

json flow_json(const flow_result& flow) {
    const auto slowdown = flow.slowdown();
    return {{"id", flow.id},
            {"source", flow.source},
            {"destination", flow.destination},
            {"priority", flow.priority},
            {"dscp", flow.dscp},
            {"octets", flow.octets},
            {"start_ps", optional_ps(flow.start)},
            {"first_ps", optional_ps(flow.first)},
            {"finish_ps", optional_ps(flow.finish)},
            {"delivered_octets", flow.delivered_octets},
            {"lost_frames", flow.lost_frames},
            {"marked_frames", flow.marked_frames},
            {"retransmitted_frames", flow.retransmitted_frames},
            {"acknowledged_ps", optional_ps(flow.acknowledged)},
            {"given_up_ps", optional_ps(flow.given_up)},
            {"paused_ps", flow.paused.count()},
            {"ideal_ps", optional_ps(flow.ideal)},
            {"slowdown", slowdown ? json(*slowdown) : json(nullptr)}};
}

json completion_json(const completion_bin& bin) {
    json out{{"least_octets", bin.least}, {"most_octets", bin.most}, {"flows", bin.flows}, {"finished", bin.finished}};
    for (std::size_t i = 0; i < told_names.size(); ++i) {
        const std::string name{told_names[i]};
        out["time_ps"][name] = bin.finished > 0 ? json(bin.time[i].count()) : json(nullptr);
        out["slowdown"][name] = bin.slowdown[i] > 0 ? json(bin.slowdown[i]) : json(nullptr);
    }
    return out;
}

json observation_json(const observation& seen) {
    json out;
    out["circles"] = json::array();
    for (const wait_circle& c : seen.circles) {
        json members = json::array();
        for (const circle_member& m : c.members) {
            members.push_back({{"switch", m.chip}, {"port", m.port}, {"priority", m.priority}});
        }
        out["circles"].push_back({{"members", std::move(members)},
                                  {"first_ps", c.first.count()},
                                  {"times", c.times},
                                  {"stands_since_ps", optional_ps(c.stands_since)}});
    }
    out["causes"] = json::array();
    for (const pause_cause& c : seen.causes) {
        out["causes"].push_back({{"depth", c.depth},
                                 {"what", c.what},
                                 {"where", c.chip},
                                 {"port", c.port},
                                 {"queue_or_group", c.which},
                                 {"stops", c.stops},
                                 {"in_circle", c.circular},
                                 {"times", c.times},
                                 {"time_ps", c.time.count()},
                                 {"most_octets", c.octets}});
    }
    out["victims"] = json::array();
    for (const flow_loss& l : seen.losses) {
        out["victims"].push_back({{"flow", l.flow},
                                  {"source", l.source},
                                  {"destination", l.destination},
                                  {"priority", l.priority},
                                  {"lost_ps", l.lost.count()},
                                  {"lost_to_others_ps", l.foreign.count()},
                                  {"worst_cause", l.worst}});
    }
    out["headroom"] = json::array();
    for (const headroom_use& u : seen.headroom) {
        out["headroom"].push_back({{"switch", u.chip},
                                   {"port", u.port},
                                   {"group", u.group},
                                   {"used", u.used},
                                   {"needed", u.needed},
                                   {"programmed", u.programmed}});
    }
    return out;
}

std::string number_or_empty(const std::optional<picoseconds>& time) {
    return time ? fmt::format("{}", time->count()) : std::string{};
}

}  // namespace

std::optional<double> host_result::utilisation() const {
    if (data_frames < 2 || !first_data || !last_data || *last_data <= *first_data) return std::nullopt;
    // n frames on a full wire: their octets and n − 1 times what lies between two.
    const auto octets =
        static_cast<std::int64_t>(data_octets) + wire_overhead_octets * (static_cast<std::int64_t>(data_frames) - 1);
    return static_cast<double>(rate.octets(octets).count()) / static_cast<double>((*last_data - *first_data).count());
}

std::optional<picoseconds> flow_result::completion() const {
    if (!finish || !start) return std::nullopt;
    return *finish - *start;
}

std::optional<double> flow_result::slowdown() const {
    const auto time = completion();
    if (!time || !ideal || *ideal <= picoseconds{0}) return std::nullopt;
    return static_cast<double>(time->count()) / static_cast<double>(ideal->count());
}

std::vector<std::string> run_result::failures() const {
    std::vector<std::string> lines = violations;
    for (const auto& each : losses) {
        if (!each.lossless) continue;
        lines.push_back(fmt::format("{}.{} PG {} lost {} lossless frame{}: {}", switches.at(each.switch_index).name,
                                    each.port, each.group, each.frames, each.frames == 1 ? "" : "s", each.reason));
    }
    if (seen) {
        for (const wait_circle& c : seen->circles) {
            if (!c.stands_since) continue;
            const circle_member& first = c.members.front();
            lines.push_back(fmt::format("deadlock since {} us: a circle of {} waits, one of them at {}.{} priority {}",
                                        us(*c.stands_since), c.members.size(), first.chip, first.port, first.priority));
        }
    }
    return lines;
}

std::string result_json(const run_result& result) {
    json out;
    out["schema"] = "weir-result";
    out["schema_version"] = result_schema_version;
    out["weir"] = std::string{version()};
    out["digest"] = result.digest;
    out["verdict"] = {{"passed", result.passed()}, {"failures", result.failures()}};
    out["run"] = {{"seed", result.seed},
                  {"traffic_at_ps", result.traffic_at.count()},
                  {"end_ps", result.end.count()},
                  {"drained", result.drained}};
    out["driver"] = {{"reads", result.driver.reads},
                     {"writes", result.driver.writes},
                     {"errors", result.driver.errors},
                     {"commands", result.driver.commands}};
    out["losses"] = json::array();
    for (const auto& each : result.losses) {
        out["losses"].push_back({{"switch", result.switches.at(each.switch_index).name},
                                 {"port", each.port},
                                 {"group", each.group},
                                 {"lossless", each.lossless},
                                 {"reason", each.reason},
                                 {"frames", each.frames}});
    }
    out["hosts"] = json::array();
    for (const auto& host : result.hosts) out["hosts"].push_back(host_json(host, result.switches));
    out["flows"] = json::array();
    for (const auto& flow : result.flows) out["flows"].push_back(flow_json(flow));
    out["completion"] = json::array();
    for (const auto& bin : completion_bins(result.flows)) out["completion"].push_back(completion_json(bin));
    out["switches"] = json::array();
    for (const auto& each : result.switches) out["switches"].push_back(switch_json(each, result.drop_reasons));
    if (result.seen) out["observation"] = observation_json(*result.seen);
    out["files"] = result.files;
    out["configuration"] = platforms::to_json(result.configuration);
    return out.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string flows_csv(const run_result& result) {
    std::string text =
        "flow,source,destination,priority,dscp,octets,start_ps,first_ps,finish_ps,delivered_octets,lost_frames,"
        "marked_frames,retransmitted_frames,acknowledged_ps,id,paused_ps,ideal_ps,slowdown\n";
    for (std::size_t i = 0; i < result.flows.size(); ++i) {
        const flow_result& f = result.flows[i];
        const auto slowdown = f.slowdown();
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", i, f.source, f.destination,
                            f.priority, f.dscp, f.octets, number_or_empty(f.start), number_or_empty(f.first),
                            number_or_empty(f.finish), f.delivered_octets, f.lost_frames, f.marked_frames,
                            f.retransmitted_frames, number_or_empty(f.acknowledged), f.id, f.paused.count(),
                            number_or_empty(f.ideal), slowdown ? fmt::format("{:.4f}", *slowdown) : std::string{});
    }
    return text;
}

}  // namespace weir::vp
