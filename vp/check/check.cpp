// SPDX-License-Identifier: Apache-2.0
// Budget, headroom, order of thresholds, pools and limits: a table each, and what follows from it.
#include "vp/check/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>

#include "platforms/routes.h"
#include "platforms/text.h"
#include "vp/headroom/port_loop.h"
#include "vp/output/table.h"

namespace weir::vp {
namespace {

using platforms::format_duration;

std::string limit_text(const cell_limit& limit) {
    return limit ? grouped(*limit) : "-";
}

/// "0-7", "0,2-3".
std::string ranges(const std::vector<std::uint32_t>& numbers) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t j = i;
        while (j + 1 < numbers.size() && numbers[j + 1] == numbers[j] + 1) ++j;
        parts.push_back(i == j ? fmt::format("{}", numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[j]));
        i = j + 1;
    }
    return fmt::format("{}", fmt::join(parts, ","));
}

/// Service occupancy at which a group resumes (R6); nothing when the dynamic limit alone decides.
cell_limit resume_point(const programmed_group& group) {
    if (!group.xoff) return std::nullopt;
    const std::uint64_t offset = std::max<std::uint64_t>(group.xon_offset, 1);
    return *group.xoff > offset ? *group.xoff - offset : 0;
}

/// Lossless groups that are programmed alike on ports that are alike.
struct lossless_class {
    std::vector<std::uint32_t> ports;
    std::uint32_t group{0};
    programmed_group program;
    platforms::port_config port;
    pause_loop loop;

    [[nodiscard]] bool like(const lossless_class& other) const {
        const auto key = [](const lossless_class& c) {
            return std::tuple{c.group,
                              c.program.pool,
                              c.program.dynamic,
                              c.program.alpha,
                              c.program.guaranteed,
                              c.program.limit,
                              c.program.xoff,
                              c.program.xon_offset,
                              c.program.headroom,
                              c.program.shared_headroom,
                              c.port.rate.megabits(),
                              c.port.cable_metres,
                              c.loop.response.count()};
        };
        return key(*this) == key(other);
    }
    [[nodiscard]] std::string name(const std::string& owner) const {
        return fmt::format("{}.{} PG {}", owner, ranges(ports), group);
    }
};

class switch_check {
public:
    switch_check(const platforms::platform_config& platform, std::uint32_t number, const programmed_state& state,
                 check_report& report)
        : platform_(platform),
          number_(number),
          hardware_(platform.switches.at(number)),
          state_(state),
          report_(report) {
        frame_ = workload_frame(platform);
        collect();
    }

    void run() {
        report_.text += fmt::format("switch {}: {} ports, {} cells of {} octets\n", state_.name, state_.ports.size(),
                                    grouped(hardware_.cells), hardware_.cell_octets);
        budget();
        thresholds();
        headroom();
        pools();
        dynamic_limits();
    }

private:
    template <typename... Args>
    void error(fmt::format_string<Args...> text, Args&&... args) {
        report_.errors.push_back(fmt::format(text, std::forward<Args>(args)...));
    }
    template <typename... Args>
    void warning(fmt::format_string<Args...> text, Args&&... args) {
        report_.warnings.push_back(fmt::format(text, std::forward<Args>(args)...));
    }

    void collect() {
        for (std::uint32_t port = 0; port < state_.ports.size() && port < hardware_.ports.size(); ++port) {
            for (std::uint32_t group = 0; group < 8; ++group) {
                const programmed_group& program = state_.ports[port].groups[group];
                if (!program.enabled || !program.lossless) continue;
                lossless_class made{
                    {port}, group, program, hardware_.ports[port], port_loop(platform_, number_, port, frame_)};
                if ((program.priorities & state_.ports[port].pfc_tx_enable) == 0) {
                    error("{} is lossless but pauses no priority: map a priority to it and enable PFC on it",
                          made.name(state_.name));
                }
                const auto same =
                    std::find_if(classes_.begin(), classes_.end(), [&](const auto& c) { return c.like(made); });
                if (same == classes_.end()) {
                    classes_.push_back(made);
                } else {
                    same->ports.push_back(port);
                }
            }
        }
    }

    /// R9, per direction.
    void budget() {
        table rows({"budget", ">ingress", ">egress"});
        std::uint64_t guaranteed[2] = {0, 0};
        std::uint64_t headroom_cells = 0;
        std::uint64_t shared = 0;
        std::uint64_t pools[2] = {0, 0};
        for (const auto& port : state_.ports) {
            for (const auto& group : port.groups) {
                guaranteed[0] += group.guaranteed;
                if (!group.shared_headroom) headroom_cells += group.headroom;
            }
            for (const auto& queue : port.queues) guaranteed[1] += queue.guaranteed;
        }
        for (const auto& pool : state_.pools) {
            pools[pool.egress ? 1 : 0] += pool.size;
            if (!pool.egress) shared += pool.shared_headroom;
        }
        const std::uint64_t sums[2] = {guaranteed[0] + headroom_cells + shared + pools[0], guaranteed[1] + pools[1]};
        rows.row({"Guaranteed", grouped(guaranteed[0]), grouped(guaranteed[1])});
        rows.row({"private headroom", grouped(headroom_cells), "-"});
        rows.row({"shared headroom", grouped(shared), "-"});
        rows.row({"pools", grouped(pools[0]), grouped(pools[1])});
        rows.row({"sum", grouped(sums[0]), grouped(sums[1])});
        const auto spare = [&](std::uint64_t sum) {
            return sum > hardware_.cells ? "-" + grouped(sum - hardware_.cells) : grouped(hardware_.cells - sum);
        };
        rows.row({"left", spare(sums[0]), spare(sums[1])});
        report_.text += rows.text();
        const char* const names[2] = {"ingress", "egress"};
        for (std::size_t way = 0; way < 2; ++way) {
            if (sums[way] > hardware_.cells) {
                error("{} {} regions take {} cells of {}: {} too many", state_.name, names[way], grouped(sums[way]),
                      grouped(hardware_.cells), grouped(sums[way] - hardware_.cells));
            }
        }
    }

    /// 0 < Kmin ≤ Kmax < XOFF − XON < XOFF ≤ limit.
    void thresholds() {
        std::set<std::pair<std::uint64_t, std::uint64_t>> markings;
        for (const auto& port : state_.ports) {
            for (const auto& queue : port.queues) {
                if (queue.enabled && queue.lossless && queue.ecn) markings.insert({queue.kmin, queue.kmax});
            }
        }
        for (const auto& [kmin, kmax] : markings) {
            if (kmin == 0 || kmin > kmax) {
                error("{} marks between Kmin {} and Kmax {}: 0 < Kmin <= Kmax is wanted", state_.name, kmin, kmax);
            }
        }
        table rows({"thresholds", ">Kmin", ">Kmax", ">resume", ">XOFF", ">limit", ">headroom", ">pool"});
        for (const auto& each : classes_) {
            const programmed_group& g = each.program;
            const std::string name = each.name(state_.name);
            const cell_limit resume = resume_point(g);
            rows.row({name, markings.size() == 1 ? grouped(markings.begin()->first) : "-",
                      markings.size() == 1 ? grouped(markings.begin()->second) : "-", limit_text(resume),
                      limit_text(g.xoff), g.dynamic ? fmt::format("alpha {}", g.alpha) : limit_text(g.limit),
                      grouped(g.headroom), fmt::format("{}", g.pool)});
            if (g.xoff && *g.xoff == 0) error("{}: XOFF 0 pauses always", name);
            if (g.xoff && *g.xoff != 0 && g.xon_offset >= *g.xoff) {
                error("{}: XON {} is not below XOFF {}: the offset must leave something to resume at", name,
                      g.xon_offset, *g.xoff);
            }
            if (g.xoff && !g.dynamic && g.limit && *g.xoff > *g.limit) {
                warning("{}: XOFF {} lies above the limit {}, which decides instead", name, *g.xoff, *g.limit);
            }
            for (const auto& [kmin, kmax] : markings) {
                if (kmax >= resume.value_or(UINT64_MAX)) {
                    warning("{}: Kmax {} is not below the resume point {}: pauses come before marking is complete",
                            name, kmax, resume.value_or(0));
                }
            }
            if (resume) underflow(each, *resume);
            window(each);
        }
        if (!rows.empty()) report_.text += "\n" + rows.text();
    }

    /// The AC5P buffer note's rule for 400G and cells of 256 octets: XON between 12 and 20 % of XOFF, 1536 cells at
    /// least. Its own recommendation of 2048 at 6800 breaks it, and so do our boards that follow that.
    void window(const lossless_class& each) {
        const programmed_group& g = each.program;
        if (!g.xoff || each.port.rate.megabits() != 400'000 || hardware_.cell_octets != 256) return;
        const std::uint64_t most = std::max<std::uint64_t>(1536, *g.xoff / 5);
        if (g.xon_offset <= most) return;
        warning("{}: XON {} is {} % of XOFF {}: the AC5P buffer note's rule gives {} at most, its table 1536 to 3072",
                each.name(state_.name), g.xon_offset, 100 * std::uint64_t{g.xon_offset} / *g.xoff, *g.xoff, most);
    }

    /// Nothing is lost of throughput while what is left at the resume outlasts the way back: X − D ≥ d·t2.
    void underflow(const lossless_class& each, std::uint64_t resume) {
        const pause_loop& loop = each.loop;
        const std::int64_t frame_time = each.port.rate.octets(frame_ + wire_overhead_octets).count();
        const std::int64_t back = (loop_time(loop) + each.port.rate.octets(frame_)).count();
        const std::uint64_t drained =
            static_cast<std::uint64_t>((back + frame_time - 1) / frame_time) * frame_cells(loop, frame_);
        if (resume < drained) {
            warning(
                "{}: the resume point {} is below the {} cells that drain before the sender is back: "
                "the receiver will idle",
                each.name(state_.name), resume, drained);
        }
    }

    void headroom() {
        table rows(
            {"headroom", ">rate", ">cable", ">response", ">frame", ">needed", ">bound", ">programmed", ">tolerates"});
        const std::set<std::uint32_t> lengths{64, classic_frame, frame_};
        for (const auto& each : classes_) {
            const pause_loop& loop = each.loop;
            for (const std::uint32_t length : lengths) {
                const std::uint64_t needed = exact_headroom(loop, length, !each.program.service_after_xoff);
                const auto tolerated = tolerated_response(loop, each.program.headroom, length);
                const std::uint64_t bound =
                    (headroom_bound_octets(loop, length) + loop.cell_octets - 1) / loop.cell_octets;
                rows.row({each.name(state_.name), std::string{each.port.rate.name()}, format_duration(loop.cable),
                          format_duration(loop.response), fmt::format("{}", length), grouped(needed), grouped(bound),
                          each.program.shared_headroom ? "shared" : grouped(each.program.headroom),
                          tolerated ? format_duration(*tolerated) : "nothing"});
                if (!each.program.shared_headroom && each.program.headroom < needed) {
                    warning("{}: headroom {} is less than the {} cells that frames of {} octets need",
                            each.name(state_.name), each.program.headroom, needed, length);
                }
            }
        }
        if (!rows.empty()) report_.text += "\n" + rows.text();
    }

    void pools() {
        table rows({"pool", ">cells", "lossless groups", ">sum of XOFF", ">at XOFF together"});
        for (std::uint32_t number = 0; number < state_.pools.size(); ++number) {
            const programmed_pool& pool = state_.pools[number];
            if (pool.egress || pool.size == 0) continue;
            std::uint64_t sum = 0;
            std::uint64_t groups = 0;
            std::uint64_t largest = 0;
            for (const auto& each : classes_) {
                if (each.program.pool != number) continue;
                groups += each.ports.size();
                const std::uint64_t xoff = each.program.xoff.value_or(pool.size);
                sum += xoff * each.ports.size();
                largest = std::max(largest, xoff);
            }
            if (groups == 0) continue;
            const std::uint64_t together = largest == 0 ? groups : std::min(groups, pool.size / largest);
            rows.row({fmt::format("{}", number), grouped(pool.size), fmt::format("{}", groups), grouped(sum),
                      fmt::format("{} of {}", together, groups)});
            if (sum > pool.size) {
                warning(
                    "{} pool {}: XOFF of its {} lossless groups sums to {} cells of {}: "
                    "the pool is empty before all have paused",
                    state_.name, number, groups, grouped(sum), grouped(pool.size));
            }
        }
        if (!rows.empty()) report_.text += "\n" + rows.text();
        capacity();
    }

    void capacity() {
        for (const auto& each : classes_) {
            const std::uint64_t one = each.program.guaranteed + each.program.headroom + each.program.xoff.value_or(0);
            if (one == 0) continue;
            report_.text += fmt::format("  lossless capacity: {} groups like {} fit into the buffer\n",
                                        hardware_.cells / one, each.name(state_.name));
        }
    }

    /// Steady state of the dynamic threshold: n congested groups each hold alpha·B/(1 + n·alpha).
    void dynamic_limits() {
        table rows({"dynamic limit", ">alpha", ">1 congested", ">2", ">4", ">8", ">16"});
        for (const auto& each : classes_) {
            if (!each.program.dynamic || each.program.pool >= state_.pools.size()) continue;
            const auto size = static_cast<double>(state_.pools[each.program.pool].size);
            std::vector<std::string> cells{each.name(state_.name), fmt::format("{}", each.program.alpha)};
            for (const int n : {1, 2, 4, 8, 16}) {
                const double limit = each.program.alpha * size / (1 + n * each.program.alpha);
                cells.push_back(grouped(static_cast<std::uint64_t>(limit)));
            }
            rows.row(std::move(cells));
        }
        if (!rows.empty()) report_.text += "\n" + rows.text();
    }

    const platforms::platform_config& platform_;
    std::uint32_t number_;
    const platforms::switch_config& hardware_;
    const programmed_state& state_;
    check_report& report_;
    std::uint32_t frame_{classic_frame};
    std::vector<lossless_class> classes_;
};

}  // namespace

std::string check_report::whole() const {
    std::string all = text + "\n";
    for (const auto& line : errors) all += "error: " + line + "\n";
    for (const auto& line : warnings) all += "warning: " + line + "\n";
    if (errors.empty() && warnings.empty()) all += "nothing to complain about\n";
    return all;
}

check_report make_check_report(const platforms::platform_config& platform,
                               const std::vector<programmed_state>& states) {
    check_report report;
    for (std::uint32_t i = 0; i < states.size(); ++i) switch_check{platform, i, states[i], report}.run();
    for (const auto& fault : platforms::find_route_faults(platform, platforms::plan_routes(platform))) {
        report.warnings.push_back(platforms::describe(platform, fault));
    }
    return report;
}

}  // namespace weir::vp
