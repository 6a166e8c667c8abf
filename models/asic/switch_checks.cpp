// SPDX-License-Identifier: Apache-2.0
#include "models/asic/switch_checks.h"

#include <array>
#include <utility>

#include "models/asic/port_checks.h"

namespace weir::asic {
namespace {

constexpr std::array<const char*, pfc::faults> fault_fields{
    "pfc.fault.overflow", "pfc.fault.late", "pfc.fault.lossy_pause", "pfc.fault.escape", "pfc.fault.tagged"};

}  // namespace

switch_checks::switch_checks(const timeline& time, std::string place, mmu::mmu& memory_unit, registers::bank& bank)
    : memory(time, place + ".mmu", memory_unit, memory_unit, memory_unit),
      time_(time),
      place_(std::move(place)),
      cells_(memory_unit),
      bank_(bank),
      dead_time_(bank.field("pfc.dead_time.time")),
      truncated_(bank.field("pfc.mode.truncated_headroom")),
      conformant_(bank.field("pfc.conformant.conformant")),
      infeasible_(bank.field("pfc.infeasible.groups")),
      lossless_(bank.field("pg.mode.lossless")),
      absolute_(bank.field("pg.mode.xon_absolute")),
      headroom_(bank.field("pg.headroom.cells")),
      xoff_(bank.field("pg.xoff.cells")),
      xon_(bank.field("pg.xon_offset.cells")),
      queue_rate_(bank.field("sched.queue_rate.kbps")),
      port_rate_(bank.field("sched.port_rate.kbps")) {
    for (const char* field : fault_fields) fault_bits_.push_back(bank.field(field));
}

mmu::wish_checker& switch_checks::add(front_port& port) {
    const auto n = static_cast<std::uint32_t>(ports_.size());
    ports_.push_back(&port);
    pfc::flow_control& flow = port.flow;
    mmu::wish_checker::view seen;
    seen.group = [this, n](std::uint8_t g) -> const mmu::priority_group& {
        return cells_.group(static_cast<std::uint16_t>(n), g);
    };
    seen.dead_time = [this, n] { return picoseconds{static_cast<std::int64_t>(bank_.get(dead_time_, {n, 0, 0}))}; };
    seen.late_frames = [&flow] { return flow.monitor.count(pfc::fault::late); };
    seen.rate = [&flow] { return flow.rate(); };
    seen.cells_of = [this](std::uint32_t octets) { return cells_.cells_of(octets); };
    wishes_.push_back(std::make_unique<mmu::wish_checker>(time_, port.name(), flow, std::move(seen)));
    mmu::wish_checker& wishes = *wishes_.back();
    memory.add({&wishes, [&flow] { return flow.monitor.count(pfc::fault::escape); }});
    port.checks()->control.on_link([&wishes](bool up) { wishes.link_changed(up); });
    port.checks()->control.on_told([&wishes](pfc::bitmap, picoseconds now) { wishes.told(now); });

    port.checks()->dequeue.set_shaped([this, n] {
        unsigned shaped = bank_.get(port_rate_, {n, 0, 0}) != 0 ? 0xffU : 0U;
        for (std::uint32_t q = 0; q < 8; ++q) {
            if (bank_.get(queue_rate_, {n, q, 0}) != 0) shaped |= 1U << q;
        }
        return static_cast<pfc::bitmap>(shaped);
    });

    pfc::conformance_checker::view registers;
    registers.faults = [this, n] {
        unsigned bits = 0;
        for (std::size_t f = 0; f < fault_bits_.size(); ++f) {
            bits |= static_cast<unsigned>(bank_.get(fault_bits_[f], {n, 0, 0}) << f);
        }
        return static_cast<std::uint8_t>(bits);
    };
    registers.infeasible = [this, n] { return static_cast<std::uint8_t>(bank_.get(infeasible_, {n, 0, 0})); };
    registers.conformant = [this, n] { return bank_.get(conformant_, {n, 0, 0}) != 0; };
    registers.impossible = [this, n] { return impossible(n); };
    conformance_.push_back(std::make_unique<pfc::conformance_checker>(time_, port.name(), std::move(registers)));
    return wishes;
}

// The closed form of G10: what comes in the dead time, in whole cells, against the Headroom.
std::uint8_t switch_checks::impossible(std::uint32_t port) const {
    const auto dead_time = static_cast<std::int64_t>(bank_.get(dead_time_, {port, 0, 0}));
    if (dead_time == 0) return 0;
    const std::int64_t octet = ports_[port]->flow.rate().octets(1).count();
    const std::int64_t cell = cells_.shape().cell_octets;
    const bool truncated = bank_.get(truncated_, {port, 0, 0}) != 0;
    const std::int64_t per_cell = truncated ? cell : cell * octet;
    const std::int64_t amount = truncated ? dead_time / octet : dead_time;
    const auto need = static_cast<std::uint64_t>((amount + per_cell - 1) / per_cell);
    unsigned groups = 0;
    for (std::uint32_t g = 0; g < 8; ++g) {
        const registers::index at{port, g, 0};
        if (bank_.get(lossless_, at) == 0) continue;
        const std::uint64_t xoff = bank_.get(xoff_, at);
        const bool by_limit = bank_.get(absolute_, at) != 0 && xoff == bank_.all_ones(xoff_);
        const bool no_room = !by_limit && bank_.get(xon_, at) >= xoff;
        if (xoff == 0 || no_room || bank_.get(headroom_, at) < need) groups |= 1U << g;
    }
    return static_cast<std::uint8_t>(groups);
}

void switch_checks::watch_registers() {
    for (const char* field : {"pg.mode.lossless", "pg.headroom.cells", "pg.xoff.cells", "pg.xon_offset.cells",
                              "pfc.dead_time.time", "pfc.mode.truncated_headroom"}) {
        bank_.on_write(field, [this](const registers::index& i, std::uint64_t) {
            if (i[0] < conformance_.size()) conformance_[i[0]]->look();
        });
    }
    for (std::size_t f = 0; f < fault_bits_.size(); ++f) {
        bank_.on_write(fault_fields[f], [this, f](const registers::index& i, std::uint64_t cleared) {
            if (cleared != 0 && i[0] < conformance_.size()) {
                conformance_[i[0]]->clears(static_cast<std::uint8_t>(1U << f));
            }
        });
    }
}

void switch_checks::look() {
    for (auto& each : conformance_) each->look();
}

void switch_checks::forget() {
    for (auto& each : conformance_) each->clears(0xff);
}

}  // namespace weir::asic
