// SPDX-License-Identifier: Apache-2.0
#include "vp/results/stored_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "vp/output/table.h"

namespace weir::vp {
namespace {

using json = nlohmann::ordered_json;

/// Groups, queues or priorities.
constexpr std::size_t rows_of_a_port = 8;

std::string table_or(const table& rows, const char* none) {
    return rows.empty() ? fmt::format("{}\n", none) : rows.text(0);
}

std::string microseconds_of(const json& ps) {
    return ps.is_null() ? std::string{} : fmt::format("{:.3f}", ps.get<double>() / 1e6);
}

std::string microseconds_of_ns(std::uint64_t ns) {
    return fmt::format("{:.3f}", static_cast<double>(ns) / 1e3);
}

/// What a port's registers say at one index.
class port_row {
public:
    port_row(const json& port, std::size_t at) : port_(port), at_(at) {}
    [[nodiscard]] std::uint64_t number(const char* block, const char* name) const {
        return port_.at(block).at(name).at(at_).get<std::uint64_t>();
    }
    [[nodiscard]] std::string text(const char* block, const char* name) const { return grouped(number(block, name)); }
    [[nodiscard]] bool mode(const char* block, const char* field) const {
        return port_.at(block).at("mode").at(at_).at(field).get<std::uint64_t>() != 0;
    }
    /// Whether that PFC register's bit for this priority is set.
    [[nodiscard]] bool pfc_bit(const char* name) const {
        const json& value = port_.at("pfc").at(name);
        const json& priorities = value.is_object() ? value.at("priorities") : value;
        return (priorities.get<std::uint64_t>() >> at_ & 1) != 0;
    }

private:
    const json& port_;
    std::size_t at_;
};

/// Calls `add(name of the port, row)` for all ports of all switches.
template <typename Add>
void each_row(const json& result, const Add& add) {
    for (const json& chip : result.at("switches")) {
        for (const json& port : chip.at("ports")) {
            const auto name = port.at("name").get<std::string>();
            for (std::size_t at = 0; at < rows_of_a_port; ++at) add(name, at, port_row(port, at));
        }
    }
}

std::string groups_table(const json& result) {
    constexpr std::uint64_t unlimited = 0xff'ffff;  // all ones of a cell count
    table rows({"port", ">PG", "mode", ">frames", ">octets", ">cells", ">peak", ">guaranteed", ">service peak", ">xoff",
                ">headroom peak", ">of", ">drop frames", ">drop octets"});
    each_row(result, [&](const std::string& port, std::size_t group, const port_row& r) {
        if (r.number("pg", "frames") + r.number("pg", "max") + r.number("pg", "drop_frames") == 0) return;
        const bool lossless = r.mode("pg", "lossless");
        rows.row({port, fmt::format("{}", group), lossless ? "lossless" : "lossy", r.text("pg", "frames"),
                  r.text("pg", "octets"), r.text("pg", "used"), r.text("pg", "max"), r.text("pg", "guaranteed"),
                  r.text("pg", "service_max"),
                  !lossless || r.number("pg", "xoff") == unlimited ? "-" : r.text("pg", "xoff"),
                  lossless ? r.text("pg", "headroom_max") : "-", lossless ? r.text("pg", "headroom") : "-",
                  r.text("pg", "drop_frames"), r.text("pg", "drop_octets")});
    });
    return table_or(rows, "no priority group saw a frame");
}

std::string queues_table(const json& result) {
    table rows({"port", ">queue", "mode", ">frames", ">octets", ">cells", ">peak", ">CE marked", ">WRED drops",
                ">drop frames", ">drop octets"});
    each_row(result, [&](const std::string& port, std::size_t queue, const port_row& r) {
        if (r.number("queue", "frames") + r.number("queue", "max") + r.number("queue", "drop_frames") +
                r.number("wred", "wred_drops") ==
            0)
            return;
        rows.row({port, fmt::format("{}", queue), r.mode("queue", "lossless") ? "lossless" : "lossy",
                  r.text("queue", "frames"), r.text("queue", "octets"), r.text("queue", "used"), r.text("queue", "max"),
                  r.text("wred", "ce_marked"), r.text("wred", "wred_drops"), r.text("queue", "drop_frames"),
                  r.text("queue", "drop_octets")});
    });
    return table_or(rows, "no queue saw a frame");
}

std::string pauses_table(const json& result) {
    table rows({"port", ">priority", ">sent", ">pauses", ">us", "asking", ">received", ">pauses", ">us", "stopped"});
    each_row(result, [&](const std::string& port, std::size_t priority, const port_row& r) {
        const bool asking = r.pfc_bit("tx_paused");
        const bool stopped = r.pfc_bit("rx_paused");
        // A pause is counted where it ends; one that stands has begun, too.
        const std::uint64_t asked = r.number("pfc", "tx_transitions") + (asking ? 1 : 0);
        const std::uint64_t obeyed = r.number("pfc", "rx_transitions") + (stopped ? 1 : 0);
        if (r.number("pfc", "tx_requests") + r.number("pfc", "rx_frames") + asked + obeyed == 0) return;
        rows.row({port, fmt::format("{}", priority), r.text("pfc", "tx_requests"), grouped(asked),
                  microseconds_of_ns(r.number("pfc", "tx_paused_ns")), asking ? "yes" : "no",
                  r.text("pfc", "rx_frames"), grouped(obeyed), microseconds_of_ns(r.number("pfc", "rx_paused_ns")),
                  stopped ? "yes" : "no"});
    });
    return table_or(rows, "no priority was paused");
}

std::string flows_table(const json& result) {
    table rows({">flow", "id", "source", "destination", ">priority", ">octets", ">start us", ">finish us", ">slowdown",
                ">delivered", ">lost frames", ">CE", ">sent again", ">paused us"});
    const json& flows = result.at("flows");
    for (std::size_t f = 0; f < flows.size(); ++f) {
        const json& flow = flows[f];
        const auto count = [&flow](const char* key) { return grouped(flow.at(key).get<std::uint64_t>()); };
        const bool given_up = !flow.at("given_up_ps").is_null();
        rows.row({fmt::format("{}", f), flow.at("id").get<std::string>(), flow.at("source").get<std::string>(),
                  flow.at("destination").get<std::string>(), count("priority"), count("octets"),
                  flow.at("start_ps").is_null() ? "never" : microseconds_of(flow.at("start_ps")),
                  !flow.at("finish_ps").is_null() ? microseconds_of(flow.at("finish_ps"))
                  : given_up                      ? "given up"
                                                  : "never",
                  flow.at("slowdown").is_null() ? "" : fmt::format("{:.2f}", flow.at("slowdown").get<double>()),
                  count("delivered_octets"), count("lost_frames"), count("marked_frames"),
                  count("retransmitted_frames"), microseconds_of(flow.at("paused_ps"))});
    }
    return table_or(rows, "the run had no flows");
}

std::string drops_table(const json& result) {
    table rows({"port", ">PG", "class", "reason", ">frames"});
    for (const bool lossless : {true, false}) {
        for (const json& each : result.at("losses")) {
            if (each.at("lossless").get<bool>() != lossless) continue;
            rows.row({fmt::format("{}.{}", each.at("switch").get<std::string>(), each.at("port").get<std::uint32_t>()),
                      fmt::format("{}", each.at("group").get<std::uint32_t>()), lossless ? "lossless" : "lossy",
                      each.at("reason").get<std::string>(), grouped(each.at("frames").get<std::uint64_t>())});
        }
    }
    return table_or(rows, "no frame was dropped");
}

}  // namespace

std::optional<std::string> stored_table(const nlohmann::ordered_json& result, const std::string& name) {
    if (name == "pg") return groups_table(result);
    if (name == "queue") return queues_table(result);
    if (name == "pfc") return pauses_table(result);
    if (name == "flows") return flows_table(result);
    if (name == "drops") return drops_table(result);
    return std::nullopt;
}

}  // namespace weir::vp
