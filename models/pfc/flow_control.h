// SPDX-License-Identifier: Apache-2.0
// A port's flow control: what it asks of its peer and what its peer asks of it, side by side.
#pragma once

#include <systemc>

#include "models/pfc/conformance_monitor.h"
#include "models/pfc/pause_generator.h"
#include "models/pfc/pause_receiver.h"
#include "models/pfc/pfc_if.h"
#include "models/port/port_if.h"

namespace weir::pfc {

class flow_control : public sc_core::sc_module,
                     public pause_wish_if,
                     public control_if,
                     public gate_if,
                     public arrival_if {
public:
    flow_control(sc_core::sc_module_name module_name, timeline& time, ethernet::frame_pool& frames)
        : sc_module(module_name),
          generator(time, std::string(name()) + ".generator", frames, [this] { transmitter->wake(); }),
          receiver(time, std::string(name()) + ".receiver", [this] { transmitter->wake(); }),
          monitor(time) {
        generator.tell(&monitor);
        receiver.on_ignored_tag([this] { monitor.tagged_ignored(); });
        arrival.bind(*this);
        wish.bind(*this);
        control.bind(*this);
        gate.bind(*this);
    }

    sc_core::sc_export<pause_wish_if> wish{"wish"};
    sc_core::sc_export<control_if> control{"control"};
    sc_core::sc_export<gate_if> gate{"gate"};
    sc_core::sc_export<arrival_if> arrival{"arrival"};
    sc_core::sc_port<port::transmit_if> transmitter{"transmitter"};

    pause_generator generator;
    pause_receiver receiver;
    conformance_monitor monitor;

    /// From a frame's last octet at the MAC to the pipeline, where its class is known.
    void set_pipeline_latency(picoseconds latency) { pipeline_latency_ = latency; }

    void set_rate(data_rate rate) {
        rate_ = rate;
        generator.set_rate(rate);
        receiver.set_rate(rate);
    }

    [[nodiscard]] data_rate rate() const { return rate_; }

    /// Counters and accumulated times to zero.
    void clear_statistics() {
        generator.clear_statistics();
        receiver.clear_statistics();
        monitor.clear_counts();
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

private:
    data_rate rate_;
    picoseconds pipeline_latency_{0};
};

}  // namespace weir::pfc
