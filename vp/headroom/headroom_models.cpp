// SPDX-License-Identifier: Apache-2.0
#include "vp/headroom/headroom_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "platforms/text.h"
#include "vp/headroom/headroom.h"
#include "vp/output/table.h"

namespace weir::vp {
namespace {

constexpr std::int64_t control_frame_wire_octets = 84;

std::uint64_t ceiling_of(std::uint64_t a, std::uint64_t b) {
    return (a + b - 1) / b;
}

picoseconds one_leg(const headroom_question& q) {
    return cable_delay_per_metre * std::int64_t{q.metres};
}

}  // namespace

double headroom_need::octets() const {
    return static_cast<double>(wire_.count()) / static_cast<double>(rate_.octet_time().count());
}

std::uint64_t headroom_need::cells(std::uint32_t cell_octets) const {
    return ceiling_of(static_cast<std::uint64_t>(wire_.count()),
                      static_cast<std::uint64_t>(rate_.octets(cell_octets).count()));
}

std::uint64_t headroom_need::truncated_cells(std::uint32_t cell_octets) const {
    return ceiling_of(static_cast<std::uint64_t>(wire_ / rate_.octet_time()), cell_octets);
}

headroom_need chapter_headroom(const headroom_question& q) {
    return headroom_need::of_time(q.rate.octets(control_frame_wire_octets + q.mtu) + one_leg(q), q.rate);
}

headroom_need two_leg_headroom(const headroom_question& q, picoseconds response) {
    const picoseconds loop =
        q.rate.octets(q.mtu + wire_overhead_octets + control_frame_wire_octets) + 2 * one_leg(q) + response;
    return headroom_need::of_time(loop + q.rate.octets(q.mtu), q.rate);
}

std::optional<std::uint16_t> annex_31b_quanta(data_rate rate) {
    constexpr std::array<std::pair<std::uint32_t, std::uint16_t>, 9> allowed{{{1'000, 2},
                                                                              {10'000, 67},
                                                                              {25'000, 80},
                                                                              {40'000, 118},
                                                                              {50'000, 147},
                                                                              {100'000, 394},
                                                                              {200'000, 453},
                                                                              {400'000, 905},
                                                                              {800'000, 905}}};
    for (const auto& [megabits, quanta] : allowed) {
        if (megabits == rate.megabits()) return quanta;
    }
    return std::nullopt;
}

std::optional<headroom_need> annex_o_headroom(const headroom_question& q, std::uint32_t interface_bits) {
    if (q.rate.megabits() != 10'000) return std::nullopt;
    constexpr std::uint64_t control_frame_bits = 672;
    constexpr std::uint64_t higher_layer_bits = 6144;
    constexpr std::uint64_t copper_bits_100m = 5556;
    const std::uint64_t cable = copper_bits_100m * q.metres / 100;
    const std::uint64_t loop =
        8ULL * q.mtu + control_frame_bits + 2 * cable + 2ULL * interface_bits + higher_layer_bits;
    // 36/25: what frames that fill cells badly cost the controller.
    const std::uint64_t bits = ceiling_of(loop * 36, 25) + 2ULL * 8 * q.mtu;
    return headroom_need::of_octets(ceiling_of(bits, 8), q.rate);
}

std::optional<headroom_need> sonic_headroom(const headroom_question& q) {
    const auto quanta = annex_31b_quanta(q.rate);
    if (!quanta) return std::nullopt;
    constexpr std::uint64_t lossless_mtu = 1024;
    constexpr std::uint64_t metres_a_second = 198'000'000;
    const std::uint64_t cable =
        2ULL * q.metres * static_cast<std::uint64_t>(q.rate.bits_per_second()) / (8 * metres_a_second);
    // What a 64-octet frame occupies of its cell, at worst.
    const std::uint64_t cell = q.cell_octets;
    const std::uint64_t occupancy = cell > 128 ? ceiling_of(cell, 64) : ceiling_of(2 * cell, 1 + cell);
    const std::uint64_t octets = lossless_mtu + (q.mtu + cable + std::uint64_t{*quanta} * quantum_octets) * occupancy;
    constexpr std::uint64_t kibi = 1024;
    return headroom_need::of_octets(ceiling_of(octets, kibi) * kibi, q.rate);
}

std::optional<headroom_need> mlx5_headroom(const headroom_question& q) {
    if (q.rate.megabits() < 40'000) return std::nullopt;
    const std::uint64_t gigabits = q.rate.megabits() / 1000;
    // The driver divides the cable's share first.
    const std::uint64_t loop = 301 + 216ULL * q.metres / 100;
    return headroom_need::of_octets(loop * gigabits + 272ULL * q.mtu / 100, q.rate);
}

std::optional<headroom_need> ac5p_headroom(const headroom_question& q) {
    if (q.rate.megabits() != 400'000) return std::nullopt;
    // Loop times in tenths of a microsecond, each up to its length of cable.
    constexpr std::array<std::pair<std::uint32_t, std::uint64_t>, 4> loops{{{3, 15}, {100, 30}, {300, 50}, {500, 70}}};
    for (const auto& [metres, loop] : loops) {
        if (q.metres <= metres) return headroom_need::of_octets(loop * 5'000 + 20'000, q.rate);
    }
    return std::nullopt;
}

exact_cells exact_form(const headroom_question& q, picoseconds response) {
    pause_loop loop;
    loop.rate = q.rate;
    loop.cable = one_leg(q);
    loop.response = response;
    loop.own_octets = q.mtu;
    loop.cell_octets = q.cell_octets;
    return {exact_headroom(loop, q.frame, false), exact_headroom(loop, q.frame, true)};
}

const std::vector<published_headroom>& published_headrooms() {
    static const std::vector<published_headroom> values{
        {"Marvell Teralynx table", "400G", 5, 129'920},   {"Marvell Teralynx table", "400G", 40, 147'072},
        {"Marvell Teralynx table", "400G", 100, 178'560}, {"Marvell Teralynx table", "400G", 300, 280'960},
        {"Marvell Teralynx table", "100G", 100, 52'224},  {"Marvell Teralynx table", "800G", 100, 345'984},
        {"Nokia table (TH3)", "100G", 100, 89'040},       {"Nokia table (TH3)", "400G", 100, 209'562},
        {"Arista table (TH1)", "100G", 300, 268'736}};
    return values;
}

std::vector<named_headroom> headrooms_by_model(const headroom_question& q) {
    std::vector<named_headroom> all;
    const auto add = [&all](std::string_view name, const std::optional<headroom_need>& need) {
        if (need) all.push_back({name, *need});
    };
    add("chapter, one leg", chapter_headroom(q));
    add("ideal, two legs", two_leg_headroom(q));
    if (const auto quanta = annex_31b_quanta(q.rate))
        add("+ response of 802.3 Annex 31B", two_leg_headroom(q, q.rate.quanta(*quanta)));
    add("802.1Qbb Annex O, 82599", annex_o_headroom(q, 18'944));
    add("802.1Qbb Annex O, X540", annex_o_headroom(q, 37'888));
    add("SONiC", sonic_headroom(q));
    add("mlx5", mlx5_headroom(q));
    add("AC5P buffer note", ac5p_headroom(q));
    for (const auto& each : published_headrooms()) {
        if (each.rate == q.rate.name() && each.metres == q.metres)
            add(each.source, headroom_need::of_octets(each.octets, q.rate));
    }
    return all;
}

std::string headroom_comparison(const headroom_question& q) {
    table rows({"model", ">octets", ">cells", fmt::format(">x{}", q.classes), ">of buffer", ">classes", "verdict"});
    const auto add = [&](std::string_view name, std::optional<double> octets, std::uint64_t cells) {
        const std::uint64_t all = cells * q.classes;
        const std::uint64_t possible = cells == 0 ? q.classes : q.cells / cells;
        rows.row({std::string{name},
                  octets ? fmt::format("{:.{}f}", *octets,
                                       *octets == static_cast<double>(static_cast<std::uint64_t>(*octets)) ? 0 : 1)
                         : "",
                  grouped(cells), grouped(all), fmt::format("{:.2f} %", 100.0 * static_cast<double>(all) / q.cells),
                  grouped(possible),
                  all <= q.cells ? "feasible" : fmt::format("{} cells short", grouped(all - q.cells))});
    };
    for (const auto& [name, need] : headrooms_by_model(q)) {
        add(name, need.octets(), need.cells(q.cell_octets));
        // The first is the chapter's.
        if (name.substr(0, 7) == "chapter" && need.truncated_cells(q.cell_octets) != need.cells(q.cell_octets)) {
            add("chapter, as its RTL rounds", static_cast<double>(static_cast<std::uint64_t>(need.octets())),
                need.truncated_cells(q.cell_octets));
        }
    }
    const auto quanta = annex_31b_quanta(q.rate);
    const picoseconds response = quanta ? q.rate.quanta(*quanta) : picoseconds{0};
    const auto exact = [&](std::string_view name, const exact_cells& cells) {
        add(name, std::nullopt, cells.aligned);
        if (cells.straddling != cells.aligned)
            add(fmt::format("{}, straddling XOFF", name), std::nullopt, cells.straddling);
    };
    exact(fmt::format("exact, frames of {}", q.frame), exact_form(q));
    if (quanta) exact(fmt::format("exact, frames of {}, Annex 31B", q.frame), exact_form(q, response));

    const picoseconds dead = chapter_headroom(q).wire();
    std::string text = fmt::format("{} over {} m, longest frame {}, cells of {}, {} cells a port\n", q.rate.name(),
                                   q.metres, q.mtu, q.cell_octets, grouped(q.cells));
    text += fmt::format(
        "chapter's dead time {}, of it cable {:.1f} %; quantum {}, 65535 quanta {}", platforms::format_duration(dead),
        100.0 * static_cast<double>(one_leg(q).count()) / static_cast<double>(dead.count()),
        platforms::format_duration(q.rate.quanta(1)), platforms::format_duration(q.rate.quanta(65'535)));
    if (quanta)
        text += fmt::format(", Annex 31B response {} quanta = {}", *quanta, platforms::format_duration(response));
    return text + "\n\n" + rows.text();
}

}  // namespace weir::vp
