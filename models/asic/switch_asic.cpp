// SPDX-License-Identifier: Apache-2.0
#include "models/asic/switch_asic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "models/asic/port_checks.h"
#include "models/asic/switch_checks.h"
#include "models/mmu/registers.h"
#include "models/pfc/registers.h"
#include "models/pfc/watchdog_registers.h"
#include "models/pipeline/registers.h"
#include "models/scheduler/registers.h"
#include "models/timeline/property.h"

namespace weir::asic {
namespace {

// The second plus the number of the initialisation, the third plus that of the storm.
enum due_reason : std::uint32_t { reset_done, ram_init_done, storm_tick = 0x80000000 };

constexpr std::array<const char*, interrupts> interrupt_names{
    "access_error", "config_error", "link", "cpu_rx", "fault", "threshold", "conformance", "watchdog", "stall", "ecc"};

std::uint16_t logical_ports(const asic_parameters& p) {
    return static_cast<std::uint16_t>(p.ports.size() + 1);
}

std::uint64_t number(bool b) {
    return b ? 1 : 0;
}

}  // namespace

switch_asic::switch_asic(sc_core::sc_module_name module_name, timeline& time, ethernet::frame_pool& frames,
                         const asic_parameters& p, digest* record)
    : sc_module(module_name),
      actor(time, name()),
      time_(time),
      parameters_(p),
      bank_(*p.layout, {{"ports", logical_ports(p)}, {"pools", p.pools}, {"wred_profiles", p.wred_profiles}}),
      target_("registers", time, bank_, p.bus, p.on_access_error),
      pipeline_("pipeline", logical_ports(p)),
      memory_("mmu", time, {logical_ports(p), p.cells, p.cell_octets, p.frame_overhead}, p.seed),
      cpu_("cpu", time, frames, pipeline_, static_cast<std::uint16_t>(p.ports.size())) {
    if (properties_checked()) checks_ = std::make_unique<switch_checks>(time, name(), memory_, bank_);
    if (p.queueing != scheduler::queueing::output) {
        crossbar_ =
            std::make_unique<scheduler::crossbar>("crossbar", time, p.queueing, p.matching, logical_ports(p), p.seed);
        crossbar_->memory.bind(departure());
    }
    for (std::size_t n = 0; n < p.ports.size(); ++n) {
        const auto& port = p.ports[n];
        port::port_parameters mac;
        mac.number = static_cast<std::uint16_t>(n);
        mac.rate = port.rate;
        mac.clock_ppm = port.clock_ppm;
        mac.receive_latency = mac.transmit_latency = port.phy_latency;
        mac.pipeline_latency = port.pipeline_latency;
        mac.start_delay = port.start_delay;
        ports_.push_back(std::make_unique<front_port>(fmt::format("p{}", n).c_str(), time, frames, mac, record,
                                                      crossbar_ != nullptr));
        front_port& made = *ports_.back();
        made.flow.receiver.set_response_delay(port.pfc_response);
        made.flow.set_pipeline_latency(port.pipeline_latency);
        pipeline_.arrivals[n].bind(made.flow.arrival);
        made.mac.ingress.bind(pipeline_.ingress);
        made.mac.on_control([this, port = mac.number](const ethernet::frame& f) { pipeline_.heard_control(f, port); });
        made.mac.on_lost([this, port = mac.number](const ethernet::frame& f) { pipeline_.lost_on_cable(f, port); });
        connect(mac.number, made.egress, &made);
        if (checks_) {
            memory_.wishes[n].bind(checks_->add(made));
        } else {
            memory_.wishes[n].bind(made.flow.wish);
        }
        watched_.push_back(std::make_unique<watched_port>(made, mac.number, memory_, bank_));
        watchdogs_.push_back(
            std::make_unique<pfc::watchdog>(time, fmt::format("{}.watchdog", made.name()), *watched_.back()));
    }
    if (checks_) {
        pipeline_.memory.bind(checks_->memory);
    } else {
        pipeline_.memory.bind(memory_.admission);
    }
    connect(static_cast<std::uint16_t>(p.ports.size()), cpu_.egress, nullptr);

    mmu::bind_registers(memory_, bank_, [this] { raise(interrupt::config_error); });
    const auto flow_of = [this](std::uint32_t n) { return n < ports_.size() ? &ports_[n]->flow : nullptr; };
    pfc::bind_registers(flow_of, time, bank_, [this] {
        raise(interrupt::conformance);
        if (checks_) checks_->look();
    });
    pfc::bind_stall_registers(flow_of, static_cast<std::uint32_t>(p.ports.size()), time, bank_,
                              [this] { raise(interrupt::stall); });
    pfc::bind_watchdogs([this](std::uint32_t n) { return n < watchdogs_.size() ? watchdogs_[n].get() : nullptr; },
                        bank_, [this] { raise(interrupt::watchdog); });
    pipeline::bind_registers(pipeline_, bank_, time, std::string{name()} + ".fwd", [this] { raise(interrupt::ecc); });
    scheduler::bind_registers(
        [this](std::uint32_t n) -> scheduler::scheduler& {
            return n < ports_.size() ? ports_[n]->egress : cpu_.egress;
        },
        logical_ports(p), time, bank_, crossbar_ && crossbar_->accounts() ? crossbar_.get() : nullptr);
    cpu_.bind_registers(bank_, memory_, [this] { raise(interrupt::cpu_rx); });
    bind_ports();
    bind_global();
    bind_statistics();
    if (checks_) checks_->watch_registers();
    target_.on_error([this](const registers::bank::result& r, std::uint64_t address) {
        bank_.raise(bank_.field(fmt::format("global.access_error.{}", registers::name_of(r.error))), {}, 1);
        error_address_ = static_cast<std::uint32_t>(address);
        ++error_count_;
        raise(interrupt::access_error);
    });
}

switch_asic::~switch_asic() = default;

// From the MMU to the scheduler and back, straight or through the crossbar.
void switch_asic::connect(std::uint16_t port, scheduler::scheduler& egress, front_port* front) {
    if (!crossbar_) {
        if (front != nullptr && front->checks() != nullptr) {
            memory_.queues_out[port].bind(front->checks()->waiting);
        } else {
            memory_.queues_out[port].bind(egress.filling);
        }
        egress.departure.bind(departure());
        return;
    }
    memory_.queues_out[port].bind(crossbar_->filling[port]);
    egress.departure.bind(crossbar_->departure);
    egress.backlog.bind(crossbar_->backlog);
    crossbar_->attach(port, egress);
}

mmu::departure_if& switch_asic::departure() {
    return checks_ ? static_cast<mmu::departure_if&>(checks_->memory) : memory_;
}

void switch_asic::start_of_simulation() {
    finish_reset();
}

void switch_asic::bind_global() {
    using registers::index;
    bank_.set(bank_.field("global.cap_ports.front"), {}, ports_.size());
    bank_.set(bank_.field("global.cap_ports.cpu_port"), {}, ports_.size());
    bank_.drive("global.core_clock.khz", [this](const index&) { return parameters_.core_khz; });
    bank_.drive("global.timestamp.time",
                [this](const index&) { return static_cast<std::uint64_t>(time_.now() / nanoseconds(1)); });
    bank_.drive("global.sw_reset.soft", [this](const index&) { return number(resetting_); });
    bank_.on_write("global.sw_reset.soft", [this](const index&, std::uint64_t) { start_reset(); });
    bank_.drive("global.init.ram", [this](const index&) { return number(initialising_); });
    bank_.on_write("global.init.ram", [this](const index&, std::uint64_t) {
        if (resetting_ || std::exchange(initialising_, true)) return;
        ram_done_ = false;
        update_ready();
        // What the memory held is gone.
        for (auto& port : ports_) port->egress.clear();
        cpu_.egress.clear();
        time_.at(time_.now() + parameters_.ram_init_time + faults.memories_late, phase::timer, *this,
                 ram_init_done + ++initialisations_);
    });
    bank_.on_write("global.init.core_enable", [this](const index&, std::uint64_t on) {
        core_enabled_ = on != 0;
        update_ready();
    });
    bank_.drive("global.init_status.ram_done", [this](const index&) { return number(ram_done_); });
    bank_.drive("global.init_status.ram_busy", [this](const index&) { return number(initialising_); });
    bank_.drive("global.init_status.ready", [this](const index&) { return number(bank_.ready()); });
    bank_.drive("global.access_error_address.address", [this](const index&) { return error_address_; });
    bank_.drive("global.access_error_count.count", [this](const index&) { return error_count_; });
    for (std::size_t i = 0; i < interrupt_names.size(); ++i) {
        const auto which = static_cast<interrupt>(i);
        interrupts_[i] = {bank_.field(fmt::format("global.int_status.{}", interrupt_names[i])),
                          bank_.field(fmt::format("global.int_mask.{}", interrupt_names[i]))};
        bank_.on_write(fmt::format("global.int_test.{}", interrupt_names[i]),
                       [this, which](const index&, std::uint64_t on) {
                           if (on != 0) raise(which);
                       });
        for (const char* block : {"global.int_mask", "global.int_status"}) {
            bank_.on_write(fmt::format("{}.{}", block, interrupt_names[i]),
                           [this](const index&, std::uint64_t) { update_line(); });
        }
    }
}

void switch_asic::bind_ports() {
    using registers::index;
    const auto at = [this](const index& i) -> front_port* {
        return i[0] < ports_.size() ? ports_[i[0]].get() : nullptr;
    };
    const auto on_write = [this, at](const char* field, auto set) {
        bank_.on_write(field, [at, set](const index& i, std::uint64_t value) {
            if (front_port* p = at(i); p != nullptr) set(*p, i[0], value);
        });
    };
    const auto drive = [this, at](const char* field, auto get) {
        bank_.drive(field, [at, get](const index& i) -> std::uint64_t {
            front_port* p = at(i);
            return p != nullptr ? get(*p, i) : 0;
        });
    };
    on_write("port.ctrl.admin", [this](front_port& p, std::uint32_t n, std::uint64_t on) {
        // No frame may come in behind a flush, nor behind a port that goes down.
        pipeline_.set_egress_open(static_cast<std::uint16_t>(n), on != 0 && !p.flush.under_way());
        p.set_admin(on != 0);
    });
    on_write("port.ctrl.rx_enable",
             [](front_port& p, std::uint32_t, std::uint64_t on) { p.mac.set_receive_enabled(on != 0); });
    on_write("port.ctrl.tx_enable",
             [](front_port& p, std::uint32_t, std::uint64_t on) { p.mac.set_transmit_enabled(on != 0); });
    on_write("port.speed.megabits", [this](front_port& p, std::uint32_t, std::uint64_t megabits) {
        if (!p.set_speed(static_cast<std::uint32_t>(megabits))) raise(interrupt::config_error);
    });
    const auto address = [this](front_port& p, std::uint32_t n, std::uint64_t) {
        const std::uint64_t mac = bank_.get(bank_.field("port.mac_high.address"), {n, 0, 0}) << 32 |
                                  bank_.get(bank_.field("port.mac_low.address"), {n, 0, 0});
        ethernet::mac_address octets{};
        for (std::size_t i = 0; i < 6; ++i) octets[i] = static_cast<std::uint8_t>(mac >> (40 - 8 * i));
        p.flow.generator.set_source(octets);
    };
    on_write("port.mac_low.address", address);
    on_write("port.mac_high.address", address);
    on_write("port.max_frame.octets", [](front_port& p, std::uint32_t, std::uint64_t octets) {
        p.mac.set_largest_frame(static_cast<std::uint32_t>(octets));
    });
    bank_.on_write("pfc.dead_time.time", [this](const index& i, std::uint64_t time) {
        if (i[0] < ports_.size()) pipeline_.set_watched(static_cast<std::uint16_t>(i[0]), time != 0);
    });
    const auto flush_of = [this](std::uint32_t n) -> port_flush& {
        return n < ports_.size() ? ports_[n]->flush : cpu_.flush;
    };
    bank_.on_write("port.flush.start", [this, flush_of](const index& i, std::uint64_t) {
        pipeline_.set_egress_open(static_cast<std::uint16_t>(i[0]), false);
        flush_of(i[0]).start();
    });
    for (std::uint32_t n = 0; n <= ports_.size(); ++n) {
        flush_of(n).on_end([this, n] {
            pipeline_.set_egress_open(static_cast<std::uint16_t>(n), n == ports_.size() || ports_[n]->admin());
        });
    }
    for (const char* field : {"port.status.flushing", "port.flush_status.busy"}) {
        bank_.drive(field, [flush_of](const index& i) { return number(flush_of(i[0]).under_way()); });
    }
    bank_.drive("port.flush_status.done", [flush_of](const index& i) { return number(flush_of(i[0]).done()); });
    on_write("port.reset.start", [this](front_port&, std::uint32_t n, std::uint64_t) { reset_port(n); });

    drive("port.status.link", [](front_port& p, const index&) { return number(p.mac.link_is_up()); });
    drive("port.status.tx_busy", [](front_port& p, const index&) { return number(p.mac.transmitting()); });
    drive("port.capability.megabits", [](front_port& p, const index&) { return p.capability().megabits(); });
    drive("port.rx_frames.frames", [](front_port& p, const index&) { return p.mac.counters.rx_frames; });
    drive("port.rx_octets.octets", [](front_port& p, const index&) { return p.mac.counters.rx_octets; });
    drive("port.rx_fcs_errors.frames", [](front_port& p, const index&) { return p.mac.counters.rx_fcs_errors; });
    drive("port.rx_length_errors.frames", [](front_port& p, const index&) { return p.mac.counters.rx_length_errors; });
    drive("port.tx_frames.frames", [](front_port& p, const index&) { return p.mac.counters.tx_frames; });
    drive("port.tx_octets.octets", [](front_port& p, const index&) { return p.mac.counters.tx_octets; });
    drive("port.rx_discards.frames", [](front_port& p, const index&) { return p.mac.counters.rx_discards; });
    drive("port.drops.frames", [](front_port& p, const index& i) -> std::uint64_t {
        return i[1] < mmu::drop_reasons ? p.mac.counters.drops[i[1]] : 0;
    });
}

void switch_asic::start_reset() {
    if (std::exchange(resetting_, true)) return;
    initialising_ = false;
    update_ready();
    // Nothing moves while the chip is in reset: every link goes down with it.
    for (auto& p : ports_) p->set_admin(false);
    time_.at(time_.now() + parameters_.reset_time, phase::timer, *this, reset_done);
}

void switch_asic::finish_reset() {
    for (auto& p : ports_) p->egress.clear();
    for (auto& w : watchdogs_) w->clear();
    cpu_.egress.clear();
    cpu_.clear();
    pipeline_.tables.clear();
    if (checks_) checks_->forget();
    bank_.reset(registers::reset_level::soft);
    memory_.restart_watermarks();
    clear_counters();
    for (auto& p : ports_) p->flush.forget();
    cpu_.flush.forget();
    snapshot_at_ = picoseconds{0};
    bank_.set(bank_.field("global.cap_ports.front"), {}, ports_.size());
    bank_.set(bank_.field("global.cap_ports.cpu_port"), {}, ports_.size());
    pipeline_.set_egress_open(static_cast<std::uint16_t>(ports_.size()), true);
    error_address_ = 0;
    error_count_ = 0;
    resetting_ = false;
    ram_done_ = false;
    core_enabled_ = false;
    update_ready();
    update_line();
}

void switch_asic::due(std::uint32_t what) {
    if (what == reset_done) {
        reset_held_ = faults.reset_never_ends;
        if (!reset_held_) finish_reset();
    } else if (what >= storm_tick) {
        if (what != storm_tick + storm_.number || storm_.left == 0) return;
        if (--storm_.left > 0) time_.at(time_.now() + storm_.distance, phase::timer, *this, what);
        raise(storm_.which);
    } else if (initialising_ && what == ram_init_done + initialisations_) {
        memories_held_ = faults.memories_never_clear;
        if (!memories_held_) finish_initialisation();
    }
}

void switch_asic::finish_initialisation() {
    initialising_ = false;
    ram_done_ = true;
    pipeline_.tables.clear();
    update_ready();
}

void switch_asic::judge_faults() {
    if (std::exchange(reset_held_, reset_held_ && faults.reset_never_ends) && !reset_held_) finish_reset();
    if (std::exchange(memories_held_, memories_held_ && faults.memories_never_clear) && !memories_held_ &&
        initialising_) {
        finish_initialisation();
    }
    update_ready();
    update_line();
}

void switch_asic::storm(interrupt which, picoseconds distance, std::uint32_t times) {
    storm_ = {which, distance, times, storm_.number + 1};
    if (times > 0) time_.at(time_.now(), phase::timer, *this, storm_tick + storm_.number);
}

void switch_asic::update_ready() {
    const bool ready = ram_done_ && core_enabled_ && !resetting_ && !faults.core_never_ready;
    bank_.set_ready(ready);
    pipeline_.set_enabled(ready);
}

void switch_asic::reset_port(std::uint32_t port) {
    ports_[port]->egress.clear();
    ports_[port]->mac.counters = {};
    ports_[port]->flow.clear_statistics();
    ports_[port]->egress.clear_statistics();
    ports_[port]->flush.forget();
    if (checks_) checks_->forget(port);
    bank_.reset(registers::reset_level::port, port);
}

void switch_asic::link_changed(std::size_t port, bool up) {
    ports_[port]->mac.set_link(up);
    const auto n = static_cast<std::uint16_t>(port);
    if (up) {
        memory_.judge_port(n);
    } else {
        memory_.forget_pauses(n);
        ports_[port]->wake();  // its gates are open now: a flush goes on
    }
    raise(interrupt::link);
}

void switch_asic::raise(interrupt which) {
    bank_.raise(interrupts_[static_cast<std::size_t>(which)].status, {}, 1);
    update_line();
}

bool switch_asic::cause_pending() const {
    return std::any_of(interrupts_.begin(), interrupts_.end(), [this](const interrupt_fields& i) {
        return bank_.get(i.status) != 0 && bank_.get(i.mask) != 0;
    });
}

void switch_asic::update_line() {
    const bool pending = cause_pending();
    if (!pending) {
        line_lost_ = false;
    } else if (!line_ && !line_lost_ && faults.interrupts_to_lose > 0) {
        --faults.interrupts_to_lose;
        line_lost_ = true;
    }
    const bool level = (pending && !line_lost_) || faults.interrupt_stuck;
    if (level == line_) return;
    line_ = level;
    for (const auto& hook : on_interrupt_) hook(level);
}

}  // namespace weir::asic
