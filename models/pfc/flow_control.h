// SPDX-License-Identifier: Apache-2.0
// A port's flow control: what it asks of its peer and what its peer asks of it, side by side.
#pragma once

#include <algorithm>
#include <systemc>

#include <functional>
#include <utility>
#include <vector>

#include "models/pfc/conformance_monitor.h"
#include "models/pfc/pause_generator.h"
#include "models/pfc/pause_receiver.h"
#include "models/pfc/pfc_if.h"
#include "models/pfc/stall_detector.h"
#include "models/port/port_if.h"

namespace weir::pfc {

class flow_control : public sc_core::sc_module,
                     public pause_wish_if,
                     public control_if,
                     public gate_if,
                     public arrival_if,
                     public progress_if {
public:
    flow_control(sc_core::sc_module_name module_name, timeline& time, ethernet::frame_pool& frames)
        : sc_module(module_name),
          generator(time, std::string(name()) + ".generator", frames, [this] { transmitter->wake(); }),
          receiver(time, std::string(name()) + ".receiver", [this](bool opens) { gate_moved(opens); }),
          monitor(time),
          stall(time, std::string(name()) + ".stall",
                {[this] { return gated.size() > 0 ? gated->holding() : bitmap{0}; },
                 [this](bitmap queues) {
                     if (gated.size() > 0) gated->watch(queues);
                 },
                 [this](std::uint8_t queue) { return gated.size() > 0 ? gated->throw_away(queue) : 0; }}) {
        generator.tell(&monitor);
        receiver.on_ignored_tag([this] { monitor.tagged_ignored(); });
        arrival.bind(*this);
        wish.bind(*this);
        control.bind(*this);
        gate.bind(*this);
        progress.bind(*this);
    }

    sc_core::sc_export<pause_wish_if> wish{"wish"};
    sc_core::sc_export<control_if> control{"control"};
    sc_core::sc_export<gate_if> gate{"gate"};
    sc_core::sc_export<arrival_if> arrival{"arrival"};
    sc_core::sc_export<progress_if> progress{"progress"};
    sc_core::sc_port<port::transmit_if> transmitter{"transmitter"};
    /// A switch's queues. What feeds an end station's port is asked for nothing.
    sc_core::sc_port<gated_queues_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND> gated{"gated"};

    pause_generator generator;
    pause_receiver receiver;
    conformance_monitor monitor;
    stall_detector stall;

    /// From a frame's last octet at the MAC to the pipeline, where its class is known.
    void set_pipeline_latency(picoseconds latency) { pipeline_latency_ = latency; }

    void set_rate(data_rate rate) {
        rate_ = rate;
        generator.set_rate(rate);
        receiver.set_rate(rate);
        stall.set_rate(rate);
    }

    [[nodiscard]] data_rate rate() const { return rate_; }

    /// For observers: one more that is called with the queues that are stopped whenever these may have changed, until
    /// its owner is forgotten.
    void on_gate(const void* owner, std::function<void(bitmap stopped)> hook) {
        on_gate_.push_back({owner, std::move(hook)});
    }
    void forget_gate(const void* owner) {
        on_gate_.erase(
            std::remove_if(on_gate_.begin(), on_gate_.end(), [owner](const gate_hook& h) { return h.owner == owner; }),
            on_gate_.end());
    }

    /// Counters and accumulated times to zero.
    void clear_statistics() {
        generator.clear_statistics();
        receiver.clear_statistics();
        monitor.clear_counts();
        stall.counters = {};
    }

    void group_wishes(std::uint8_t group, bool pause) override { generator.group_wishes(group, pause); }
    void group_overflowed(std::uint8_t group) override { monitor.overflow(group); }
    void arrived(std::uint8_t traffic_class, picoseconds now) override {
        monitor.arrived(traffic_class, now - pipeline_latency_);
    }
    bool receive(const ethernet::frame& f, picoseconds now) override { return receiver.receive(f, now); }
    ethernet::frame* next_control_frame(picoseconds now) override { return generator.next(now); }
    void link_changed(bool up) override {
        generator.link_changed(up);
        receiver.link_changed(up);
    }
    [[nodiscard]] bitmap stopped_queues() const override { return receiver.stopped_queues(); }
    [[nodiscard]] bitmap queues_stopped_by_pfc() const override { return receiver.queues_stopped_by_pfc(); }
    [[nodiscard]] bool link_stopped() const override { return receiver.link_stopped(); }
    void queue_filled(std::uint8_t queue) override { stall.filled(queue); }
    void frame_left(std::uint8_t queue) override { stall.left(queue); }
    void queue_emptied(std::uint8_t queue) override { stall.emptied(queue); }

private:
    struct gate_hook {
        const void* owner;
        std::function<void(bitmap)> call;
    };

    // The queues' accounts first, then who judges them, then who may send again.
    void gate_moved(bool opens) {
        if (gated.size() > 0) gated->gate_moved();
        stall.gate_moved(receiver.stopped_queues());
        for (const gate_hook& h : on_gate_) h.call(receiver.stopped_queues());
        if (opens) transmitter->wake();
    }

    data_rate rate_;
    picoseconds pipeline_latency_{0};
    std::vector<gate_hook> on_gate_;
};

}  // namespace weir::pfc
