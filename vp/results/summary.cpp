// SPDX-License-Identifier: Apache-2.0
// The summary: the verdict, what is bad, then throughput, pauses, buffers, losses, the driver, and the digest.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "platforms/text.h"
#include "vp/output/colour.h"
#include "vp/output/table.h"
#include "vp/results/completion.h"
#include "vp/results/result.h"

namespace weir::vp {
namespace {

using platforms::format_octets;

std::string workload_text(const run_result& result) {
    std::uint64_t octets = 0;
    for (const auto& flow : result.flows) octets += flow.octets;
    switch (result.configuration.workload.kind) {
        case platforms::workload_kind::none:
            return "no workload";
        case platforms::workload_kind::capture:
            return fmt::format("capture {}", result.configuration.workload.file);
        default:
            return fmt::format("{} flow{}, {}", result.flows.size(), result.flows.size() == 1 ? "" : "s",
                               format_octets(octets));
    }
}

/// Paints lines, or leaves them plain.
class painter {
public:
    explicit painter(bool coloured) : coloured_(coloured) {}
    [[nodiscard]] std::string operator()(colour in, std::string line) const {
        return coloured_ ? painted(std::move(line), in) : line;
    }

private:
    bool coloured_;
};

std::string verdict_text(const run_result& result, const painter& paint) {
    const auto failures = result.failures();
    if (failures.empty()) return paint(colour::green, "  passed: no loss on lossless classes, conservation holds\n");
    std::string text = paint(colour::red, "  FAILED\n");
    for (const auto& line : failures) text += paint(colour::red, "    " + line + "\n");
    return text;
}

/// Flows that were not delivered whole; those given up are in the verdict.
std::string unfinished_text(const run_result& result, const painter& paint) {
    constexpr std::size_t named = 3;
    std::size_t count = 0;
    std::string names;
    for (std::size_t f = 0; f < result.flows.size(); ++f) {
        const flow_result& flow = result.flows[f];
        if (flow.finish || flow.given_up) continue;
        if (++count > named) continue;
        names += fmt::format("{}{} ({} to {})", count == 1 ? "" : ", ", f, flow.source, flow.destination);
    }
    if (count == 0) return "";
    if (count > named) names += fmt::format(", … and {} more", count - named);
    return paint(colour::yellow,
                 fmt::format("  {} flow{} did not finish: {}\n", grouped(count), count == 1 ? "" : "s", names));
}

/// Frames that lossy classes lost, and where most; lossless losses are in the verdict.
std::string lossy_text(const run_result& result, const painter& paint) {
    std::uint64_t frames = 0;
    const loss* worst = nullptr;
    for (const loss& each : result.losses) {
        if (each.lossless) continue;
        frames += each.frames;
        if (worst == nullptr || each.frames > worst->frames) worst = &each;
    }
    if (worst == nullptr) return "";
    return paint(colour::yellow,
                 fmt::format("  lossy classes lost {} frame{}, most at {}.{} PG {}: {} by {}\n", grouped(frames),
                             frames == 1 ? "" : "s", result.switches.at(worst->switch_index).name, worst->port,
                             worst->group, grouped(worst->frames), worst->reason));
}

std::string receivers_text(const run_result& result) {
    table rows({"receiver", "port", ">frames", ">octets", ">us", ">of the wire", ">CE"});
    for (const auto& host : result.hosts) {
        if (host.data_frames == 0) continue;
        const auto used = host.utilisation();
        rows.row({host.name, fmt::format("{}.{}", result.switches.at(host.switch_index).name, host.port),
                  grouped(host.data_frames), grouped(host.data_octets),
                  host.first_data && host.last_data ? us(*host.last_data - *host.first_data) : "",
                  used ? fmt::format("{:.2f} %", *used * 100) : "", grouped(host.rx_marked)});
    }
    return rows.empty() ? "" : "\n" + rows.text();
}

/// Pauses that each port asked of its neighbour, and that it obeyed.
std::string pauses_text(const run_result& result) {
    table rows({"port", "priority", ">pauses sent", ">resumes sent", ">us", ">pauses obeyed", ">us"});
    for (const auto& each : result.switches) {
        const auto& r = each.registers;
        for (std::uint32_t port = 0; port < r.front_ports(); ++port) {
            for (std::uint32_t priority = 0; priority < 8; ++priority) {
                const registers::index at{port, priority, 0};
                const std::uint64_t resumes = r.value("pfc.tx_transitions.times", at);
                const bool asking = (r.value("pfc.tx_paused.priorities", {port}) >> priority & 1) != 0;
                const bool stopped = (r.value("pfc.rx_paused.priorities", {port}) >> priority & 1) != 0;
                const std::uint64_t obeyed = r.value("pfc.rx_transitions.times", at) + (stopped ? 1 : 0);
                if (resumes == 0 && !asking && obeyed == 0) continue;
                const auto time = [&](std::string_view name) {
                    return us(nanoseconds(static_cast<std::int64_t>(r.value(name, at))));
                };
                rows.row({fmt::format("{}.{}", each.name, port), fmt::format("{}", priority),
                          grouped(resumes + (asking ? 1 : 0)), grouped(resumes), time("pfc.tx_paused_ns.time"),
                          grouped(obeyed), time("pfc.rx_paused_ns.time")});
            }
        }
    }
    return rows.empty() ? "\n  no pauses\n" : "\n" + rows.text();
}

std::string buffers_text(const run_result& result) {
    table rows({"peak cells", "", ">Guaranteed", ">of", ">Service", ">XOFF", ">Headroom", ">of"});
    for (const auto& each : result.switches) {
        const auto& r = each.registers;
        for (std::uint32_t port = 0; port < r.front_ports(); ++port) {
            for (std::uint32_t group = 0; group < 8; ++group) {
                const registers::index at{port, group, 0};
                const std::uint64_t peak = r.value("pg.max.cells", at);
                if (peak == 0) continue;
                const std::uint64_t guaranteed = r.value("pg.guaranteed.cells", at);
                const bool lossless = r.value("pg.mode.lossless", at) != 0;
                // Guaranteed fills first, so its peak is what of the whole peak fits into it.
                rows.row({fmt::format("{}.{}", each.name, port),
                          fmt::format("PG {} {}", group, lossless ? "lossless" : "lossy"),
                          grouped(std::min(peak, guaranteed)), grouped(guaranteed),
                          grouped(r.value("pg.service_max.cells", at)),
                          !lossless                         ? "-"
                          : r.all_ones("pg.xoff.cells", at) ? "limit"
                                                            : grouped(r.value("pg.xoff.cells", at)),
                          grouped(r.value("pg.headroom_max.cells", at)), grouped(r.value("pg.headroom.cells", at))});
            }
        }
    }
    return rows.empty() ? "" : "\n" + rows.text();
}

/// What reliable connections did, where there were any.
std::string transport_text(const run_result& result) {
    table rows({"transport", ">sent again", ">timeouts", ">ACK sent", ">received", ">NAK sent", ">received",
                ">CNP sent", ">received"});
    for (const auto& host : result.hosts) {
        const host::transport_counters& t = host.transport;
        if (t.acks_sent + t.acks_received + t.naks_sent + t.timeouts + t.retransmitted + t.cnps_sent == 0) continue;
        rows.row({host.name, grouped(t.retransmitted), grouped(t.timeouts), grouped(t.acks_sent),
                  grouped(t.acks_received), grouped(t.naks_sent), grouped(t.naks_received), grouped(t.cnps_sent),
                  grouped(t.cnps_received)});
    }
    return rows.empty() ? "" : "\n" + rows.text();
}

/// Frames that were discarded, those of lossless classes first.
std::string losses_text(const run_result& result, const painter& paint) {
    std::vector<loss> losses = result.losses;
    std::stable_partition(losses.begin(), losses.end(), [](const loss& each) { return each.lossless; });
    table rows({"lost at", "PG", "class", "reason", ">frames"});
    for (const auto& each : losses) {
        rows.row({fmt::format("{}.{}", result.switches.at(each.switch_index).name, each.port),
                  fmt::format("{}", each.group), each.lossless ? "lossless" : "lossy", each.reason,
                  grouped(each.frames)});
    }
    if (rows.empty()) return "\n  no frame was lost\n";
    std::istringstream lines(rows.text());
    std::string line;
    std::getline(lines, line);
    std::string text = "\n" + line + "\n";
    for (const auto& each : losses) {
        std::getline(lines, line);
        text += paint(each.lossless ? colour::red : colour::yellow, line + "\n");
    }
    return text;
}

}  // namespace

std::string summary_text(const run_result& result, bool coloured) {
    const painter paint(coloured);
    std::string text = fmt::format("{}: {}, seed {}\n", result.configuration.name, workload_text(result), result.seed);
    text += verdict_text(result, paint);
    text += unfinished_text(result, paint);
    text += lossy_text(result, paint);
    const auto finished = static_cast<std::size_t>(
        std::count_if(result.flows.begin(), result.flows.end(), [](const auto& f) { return f.finish.has_value(); }));
    text += fmt::format("  {} us from workload time zero{}", us(result.end - result.traffic_at),
                        result.drained ? ", drained" : ", stopped before everything was delivered");
    if (!result.flows.empty()) text += fmt::format("; {} of {} flows finished", finished, result.flows.size());
    const auto never_begun =
        std::count_if(result.flows.begin(), result.flows.end(), [](const auto& f) { return !f.start.has_value(); });
    if (never_begun > 0) text += fmt::format("; {} wait for others that did not", never_begun);
    text += "\n";
    text += completion_text(result.flows);
    text += receivers_text(result);
    text += transport_text(result);
    text += pauses_text(result);
    text += buffers_text(result);
    text += losses_text(result, paint);
    if (result.seen) text += observation_text(*result.seen);
    text += fmt::format("\n  driver: {} commands, {} register accesses ({} reads, {} writes), {} refused\n",
                        grouped(result.driver.commands), grouped(result.driver.reads + result.driver.writes),
                        grouped(result.driver.reads), grouped(result.driver.writes), grouped(result.driver.errors));
    if (result.strict_findings) {
        text +=
            fmt::format("  strict: {} finding{}\n", *result.strict_findings, *result.strict_findings == 1 ? "" : "s");
    }
    text += fmt::format("digest: {}\n", result.digest);
    return text;
}

}  // namespace weir::vp
