// SPDX-License-Identifier: Apache-2.0
#include "vp/results/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "platforms/text.h"
#include "vp/output/table.h"
#include "vp/remote/register_name.h"
#include "vp/remote/registry.h"
#include "vp/results/completion.h"

namespace weir::vp {
namespace {

using platforms::config_error;

constexpr const char* flow_goodput_meaning =
    "payload of flow N delivered, from its first octet sent to its last received, or to the run's end";

double in_us(picoseconds time) {
    return static_cast<double>(time.count()) / 1e6;
}

/// Calls `visit` with every value of a field of front ports or of the whole chip, over all switches.
template <typename Visit>
void each_value(const run_result& result, std::string_view block, std::string_view name, Visit visit) {
    for (const switch_result& each : result.switches) {
        const std::uint32_t front = each.registers.front_ports();
        for (const register_values& values : each.registers.registers()) {
            if (values.about->block != block || values.about->name != name) continue;
            const bool by_port = values.about->dim_count > 0 && values.about->dims[0].symbol == "ports";
            registers::index at{};
            for (at[0] = 0; at[0] < (by_port ? front : values.sizes[0]); ++at[0]) {
                for (at[1] = 0; at[1] < values.sizes[1]; ++at[1]) visit(values.field(values.about->fields[0], at));
            }
        }
    }
}

std::uint64_t sum_of(const run_result& result, std::string_view block, std::string_view name) {
    std::uint64_t sum = 0;
    each_value(result, block, name, [&sum](std::uint64_t value) { sum += value; });
    return sum;
}

std::uint64_t greatest_of(const run_result& result, std::string_view block, std::string_view name) {
    std::uint64_t most = 0;
    each_value(result, block, name, [&most](std::uint64_t value) { most = std::max(most, value); });
    return most;
}

std::uint64_t bits_of(const run_result& result, std::string_view block, std::string_view name) {
    std::uint64_t bits = 0;
    each_value(result, block, name,
               [&bits](std::uint64_t value) { bits += static_cast<std::uint64_t>(__builtin_popcountll(value)); });
    return bits;
}

std::uint64_t lost(const run_result& result, bool lossless_only) {
    std::uint64_t frames = 0;
    for (const loss& each : result.losses) {
        if (each.lossless || !lossless_only) frames += each.frames;
    }
    return frames;
}

std::optional<double> pause_fraction(const run_result& result) {
    const std::uint64_t places = bits_of(result, "pfc", "tx_enable");
    const picoseconds time = result.end - result.traffic_at;
    if (places == 0 || time <= picoseconds{0}) return std::nullopt;
    const auto asked = static_cast<double>(sum_of(result, "pfc", "tx_paused_ns")) * 1e3;
    return asked / (static_cast<double>(time.count()) * static_cast<double>(places));
}

std::optional<double> goodput(const run_result& result) {
    std::uint64_t octets = 0;
    std::optional<picoseconds> first;
    for (const flow_result& f : result.flows) {
        octets += f.delivered_octets;
        if (f.first && (!first || *f.first < *first)) first = f.first;
    }
    std::optional<picoseconds> last;
    for (const host_result& h : result.hosts) {
        if (h.last_data && (!last || *h.last_data > *last)) last = h.last_data;
    }
    if (octets == 0 || !first || !last || *last <= result.traffic_at + *first) return std::nullopt;
    const auto time = static_cast<double>((*last - result.traffic_at - *first).count());
    return static_cast<double>(octets) * 8e3 / time;
}

std::uint64_t finished(const run_result& result) {
    return static_cast<std::uint64_t>(
        std::count_if(result.flows.begin(), result.flows.end(), [](const auto& f) { return f.finish.has_value(); }));
}

/// A percentile of all flows, by its place among told_names.
std::size_t told_place(std::string_view name) {
    return static_cast<std::size_t>(std::find(told_names.begin(), told_names.end(), name) - told_names.begin());
}

figure completion_figure(std::string_view percentile, const std::string& meaning) {
    const std::size_t place = told_place(percentile);
    return {fmt::format("completion_{}", percentile), "us", meaning,
            [place](const run_result& result) -> std::optional<double> {
                const auto bins = completion_bins(result.flows);
                if (bins.empty() || bins.back().finished == 0) return std::nullopt;
                return in_us(bins.back().time[place]);
            }};
}

figure slowdown_figure(std::string_view percentile, const std::string& meaning) {
    const std::size_t place = told_place(percentile);
    return {fmt::format("slowdown_{}", percentile), "", meaning,
            [place](const run_result& result) -> std::optional<double> {
                const auto bins = completion_bins(result.flows);
                if (bins.empty() || bins.back().slowdown[place] <= 0) return std::nullopt;
                return bins.back().slowdown[place];
            }};
}

template <typename Count>
figure counted(std::string name, std::string unit, std::string meaning, Count count) {
    return {std::move(name), std::move(unit), std::move(meaning),
            [count](const run_result& result) -> std::optional<double> { return static_cast<double>(count(result)); }};
}

template <typename Member>
auto transport_sum(Member member) {
    return [member](const run_result& result) {
        std::uint64_t sum = 0;
        for (const host_result& h : result.hosts) sum += h.transport.*member;
        return sum;
    };
}

/// What the observer saw.
template <typename Seen>
figure observed(std::string name, std::string unit, std::string meaning, Seen seen) {
    return {std::move(name), std::move(unit), std::move(meaning),
            [seen](const run_result& r) -> std::optional<double> {
                if (!r.seen) return std::nullopt;
                return static_cast<double>(seen(*r.seen));
            },
            true};
}

std::ptrdiff_t deadlocks(const observation& seen) {
    return std::count_if(seen.circles.begin(), seen.circles.end(),
                         [](const wait_circle& c) { return c.stands_since.has_value(); });
}

double victim_time(const observation& seen) {
    picoseconds sum{0};
    for (const flow_loss& l : seen.losses) sum += l.foreign;
    return in_us(sum);
}

std::uint32_t most_stopped_links(const observation& seen) {
    std::uint32_t most = 0;
    for (const observer::spread& s : seen.spread) most = std::max(most, s.links);
    return most;
}

auto register_sum(std::string_view block, std::string_view name) {
    return [block, name](const run_result& result) { return sum_of(result, block, name); };
}

auto register_peak(std::string_view block, std::string_view name) {
    return [block, name](const run_result& result) { return greatest_of(result, block, name); };
}

std::vector<figure> make_figures() {
    using host::transport_counters;
    return {
        counted("passed", "", "1: the run's verdict is good; 0: it is not",
                [](const run_result& r) { return r.passed(); }),
        counted("lossless_drops", "frames",
                "that lossless groups lost: discarded by switches, or on a cable when its link went down",
                [](const run_result& r) { return lost(r, true); }),
        counted("drops", "frames", "that were lost, whatever their group and the reason",
                [](const run_result& r) { return lost(r, false); }),
        counted("marked_frames", "frames", "whose ECN field a switch turned into CE",
                register_sum("wred", "ce_marked")),
        counted(
            "pauses", "times", "that a switch asked a neighbour to stop a priority",
            [](const run_result& r) { return sum_of(r, "pfc", "tx_transitions") + bits_of(r, "pfc", "tx_paused"); }),
        {"pause_time", "us", "for which switches asked neighbours to stop, all ports and priorities added up",
         [](const run_result& r) -> std::optional<double> {
             return static_cast<double>(sum_of(r, "pfc", "tx_paused_ns")) / 1e3;
         }},
        {"pause_fraction", "",
         "pause_time over the run's length times the number of ports and priorities that may pause (0 to 1)",
         pause_fraction},
        {"goodput", "Gb/s", "payload delivered by flows, from the first octet sent to the last one received", goodput},
        completion_figure("p50", "half of the finished flows took at most so long"),
        completion_figure("p99", "99 % of the finished flows took at most so long"),
        completion_figure("max", "the longest that a finished flow took"),
        slowdown_figure("p50", "completion time over that of an idle network: half of the flows had at most this"),
        slowdown_figure("p99", "the same of 99 % of the flows"),
        slowdown_figure("max", "the same of the slowest flow"),
        counted("finished_flows", "flows", "that were delivered whole", finished),
        counted("unfinished_flows", "flows", "that were not",
                [](const run_result& r) { return r.flows.size() - finished(r); }),
        counted("headroom_peak", "cells", "most Headroom that any one group held", register_peak("pg", "headroom_max")),
        counted("service_peak", "cells", "most of the Service region that any one group held",
                register_peak("pg", "service_max")),
        counted("queue_peak", "cells", "most that any one egress queue held", register_peak("queue", "max")),
        counted("pool_peak", "cells", "most that was in use of any one pool", register_peak("bm", "pool_max")),
        counted("headroom_pool_peak", "cells", "most that was in use of any one shared headroom pool",
                register_peak("bm", "pool_headroom_max")),
        counted("memory_peak", "cells", "most that any one switch held in all", register_peak("bm", "max")),
        counted("retransmitted_frames", "frames", "that reliable connections sent again",
                transport_sum(&transport_counters::retransmitted)),
        counted("timeouts", "times", "that a reliable connection waited in vain",
                transport_sum(&transport_counters::timeouts)),
        counted("cnps", "frames", "congestion notifications that hosts sent",
                transport_sum(&transport_counters::cnps_sent)),
        observed("deadlocks", "circles", "of waits that stand at the end of the run", deadlocks),
        observed("victim_time", "us", "that flows lost to pauses which they had no part in, all flows added up",
                 victim_time),
        observed("stopped_links", "links", "between switches that were stopped at once, at most", most_stopped_links),
        {"run_time", "us", "simulated, from workload time zero to the run's end",
         [](const run_result& r) -> std::optional<double> { return in_us(r.end - r.traffic_at); }},
    };
}

std::vector<std::string> names_of(const std::vector<figure>& all) {
    std::vector<std::string> names;
    for (const figure& each : all) names.push_back(each.name);
    return names;
}

/// "[1][3]" of a register that has as many dimensions.
registers::index read_indices(std::string_view text, const registers::register_descriptor& about,
                              const std::string& where, std::string_view name) {
    registers::index at{};
    std::size_t count = 0;
    std::string shape;
    for (std::size_t k = 0; k < about.dim_count; ++k) shape += fmt::format("[{}]", about.dims[k].name);
    const auto wrong = [&](const std::string& what) {
        return config_error(where, fmt::format("\"{}\": {}", name, what),
                            fmt::format("SWITCH.{}.{}{}", about.block, about.name, shape));
    };
    while (!text.empty()) {
        const std::size_t close = text.find(']');
        if (text.front() != '[' || close == std::string_view::npos) throw wrong("indices stand in brackets");
        const auto number = platforms::parse_number(text.substr(1, close - 1));
        if (!number) throw wrong(fmt::format("\"{}\" is no index", text.substr(1, close - 1)));
        if (count == about.dim_count) throw wrong("too many indices");
        if (*number >= about.dims[count].count)
            throw wrong(fmt::format("there is no {} {}", about.dims[count].name, *number));
        at[count++] = static_cast<std::uint32_t>(*number);
        text.remove_prefix(close + 1);
    }
    if (count < about.dim_count) throw wrong("an index is missing");
    return at;
}

/// Of "flow[8].goodput"; nothing: the name is no flow's.
std::optional<figure> flow_figure(std::string_view name, const std::string& where) {
    constexpr std::string_view begin = "flow[";
    constexpr std::string_view end = "].goodput";
    if (name.size() <= begin.size() + end.size() || name.substr(0, begin.size()) != begin ||
        name.substr(name.size() - end.size()) != end) {
        return std::nullopt;
    }
    const auto number = platforms::parse_number(name.substr(begin.size(), name.size() - begin.size() - end.size()));
    if (!number) throw config_error(where, fmt::format("\"{}\" names no flow", name), "flow[0].goodput");
    const auto value = [where, number = *number](const run_result& result) -> std::optional<double> {
        if (number >= result.flows.size()) {
            throw config_error(where, fmt::format("there is no flow {}", number),
                               fmt::format("the run has {}, counted from 0", result.flows.size()));
        }
        const flow_result& f = result.flows[number];
        if (!f.first) return std::nullopt;
        const picoseconds until = f.finish.value_or(result.end - result.traffic_at);
        return static_cast<double>(f.delivered_octets) * 8e3 / static_cast<double>((until - *f.first).count());
    };
    return figure{std::string{name}, "Gb/s", flow_goodput_meaning, value};
}

figure register_figure(std::string_view name, const platforms::switch_config& of, std::string_view rest,
                       const std::string& where) {
    const std::size_t bracket = std::min(rest.find('['), rest.size());
    remote::register_place place;
    try {
        place = remote::find_kind(registers::weir_map(), rest.substr(0, bracket));
    } catch (const remote::command_error& e) {
        throw config_error(where, e.what(), e.hint());
    }
    const registers::register_descriptor& about = *place.about;
    if (place.field == nullptr && about.field_count > 1) {
        std::string all;
        for (std::uint32_t f = 0; f < about.field_count; ++f) all += fmt::format(" {}", about.fields[f].name);
        throw config_error(where, fmt::format("\"{}\": which field of {}.{}?", name, about.block, about.name),
                           "one of:" + all);
    }
    const registers::field_descriptor& field = place.field != nullptr ? *place.field : about.fields[0];
    const registers::index at = read_indices(rest.substr(bracket), about, where, name);
    for (std::uint32_t k = 0; k < about.dim_count; ++k) {
        // The CPU's port stands behind the others.
        if (about.dims[k].symbol != "ports" || at.at(k) <= of.ports.size()) continue;
        throw config_error(where, fmt::format("\"{}\": the chip has no such index", name),
                           fmt::format("port 0 to {}", of.ports.size()));
    }
    const auto value = [where, name = std::string{name}, owner = of.name,
                        path = fmt::format("{}.{}.{}", about.block, about.name, field.name),
                        at](const run_result& result) -> std::optional<double> {
        for (const switch_result& each : result.switches) {
            if (each.name != owner) continue;
            try {
                return static_cast<double>(each.registers.value(path, at));
            } catch (const std::out_of_range&) {
                throw config_error(where, fmt::format("\"{}\": the chip has no such index", name));
            } catch (const std::logic_error&) {
                throw config_error(where, fmt::format("\"{}\": runs do not keep this register", name),
                                   "one of the blocks global bm pg queue wred pfc port sched");
            }
        }
        throw config_error(where, fmt::format("\"{}\": the run has no such switch", name));
    };
    return {std::string{name}, std::string{field.unit}, std::string{about.doc}, value, false};
}

}  // namespace

const std::vector<figure>& figures() {
    static const std::vector<figure> all = make_figures();
    return all;
}

figure find_figure(std::string_view name, const std::string& where, const platforms::platform_config& platform) {
    for (const figure& each : figures()) {
        if (each.name == name) return each;
    }
    if (const auto flow = flow_figure(name, where)) return *flow;
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) {
        const auto near = platforms::nearest_name(name, names_of(figures()));
        throw config_error(where, fmt::format("there is no figure \"{}\"", name),
                           near ? fmt::format("did you mean \"{}\"?", *near) : "weir sweep --figures lists them");
    }
    std::vector<std::string> owners;
    for (const auto& each : platform.switches) owners.push_back(each.name);
    const auto owner = std::find(owners.begin(), owners.end(), name.substr(0, dot));
    if (owner == owners.end()) {
        throw config_error(where, fmt::format("\"{}\": there is no switch \"{}\"", name, name.substr(0, dot)),
                           fmt::format("one of: {}", fmt::join(owners, " ")));
    }
    return register_figure(name, platform.switches[static_cast<std::size_t>(owner - owners.begin())],
                           name.substr(dot + 1), where);
}

std::string figures_text() {
    table rows({"figure", "unit", "meaning"});
    for (const figure& each : figures()) rows.row({each.name, each.unit, each.meaning});
    rows.row({"flow[N].goodput", "Gb/s", flow_goodput_meaning});
    return rows.text(0) + "and every register of a chip: SWITCH.block.register[.field][i][j]\n";
}

}  // namespace weir::vp
