// SPDX-License-Identifier: Apache-2.0
// The ingress pipeline: classifies a frame (PCP or DSCP → traffic class → priority group and queue), finds its egress
// port and offers it to the MMU.
#pragma once

#include <systemc>

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/mmu/mmu_if.h"
#include "models/pfc/pfc_if.h"
#include "models/pipeline/forwarding.h"
#include "models/pipeline/ingress_if.h"
#include "models/pipeline/table_faults.h"

namespace weir::pipeline {

enum class trust : std::uint8_t { port_default, pcp, dscp };

struct class_and_colour {
    std::uint8_t traffic_class{0};
    mmu::colour drop_precedence{mmu::colour::green};
};

/// The maps of one port. Ingress: trust to group. Egress: class to queue.
struct port_maps {
    trust trusted{trust::port_default};
    class_and_colour fallback{};  ///< for what no trusted field classifies
    std::array<class_and_colour, 64> dscp{};
    std::array<class_and_colour, 16> pcp{};  ///< index pcp * 2 + dei
    std::array<std::uint8_t, 8> class_group{};
    std::array<std::uint8_t, 8> class_queue{};
};

class pipeline : public sc_core::sc_module, public ingress_if {
public:
    /// `ports`: front ports and the CPU port, whose number is the last.
    pipeline(sc_core::sc_module_name name, std::uint16_t ports);

    sc_core::sc_export<ingress_if> ingress{"ingress"};
    sc_core::sc_port<mmu::admission_if> memory{"memory"};
    /// One a front port: who judges whether a frame came in later than it should have.
    sc_core::sc_vector<sc_core::sc_port<pfc::arrival_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND>> arrivals{"arrivals"};

    mmu::drop_reason take(ethernet::frame& f, std::uint16_t ingress_port, picoseconds now) override;
    /// The same, for a frame whose egress port is already chosen.
    mmu::drop_reason take_to(ethernet::frame& f, std::uint16_t ingress_port, std::uint16_t egress_port);

    /// A MAC Control frame came in by that port; it goes no further, but it may teach where its sender is.
    void heard_control(const ethernet::frame& f, std::uint16_t ingress_port) {
        if (tables.learning.enabled && tables.learning.control && f.fcs_good) tables.learn(f, ingress_port);
    }

    /// A frame was lost on the port's cable, either way: the simulator's view, for no device sees it.
    void lost_on_cable(const ethernet::frame& f, std::uint16_t port) {
        ++lost_on_cable_[port][maps_[port].class_group[classify(f, maps_[port]).traffic_class]];
    }
    /// Such frames, by the group that the port has for them.
    [[nodiscard]] const std::array<std::uint64_t, 8>& lost_on_cable(std::uint16_t port) const {
        return lost_on_cable_[port];
    }

    forwarding tables;
    table_faults faults;
    [[nodiscard]] port_maps& maps(std::uint16_t port) { return maps_[port]; }
    [[nodiscard]] std::uint16_t cpu_port() const { return static_cast<std::uint16_t>(maps_.size() - 1); }
    /// An egress port that is down refuses frames (drop reason port_disabled).
    void set_egress_open(std::uint16_t port, bool open) { open_[port] = open; }

    /// Tells `arrivals` of every frame that comes in by the port.
    void set_watched(std::uint16_t port, bool on) { watched_[port] = on; }
    /// A core that is not enabled refuses every frame, for the same reason.
    void set_enabled(bool on) { enabled_ = on; }

private:
    [[nodiscard]] static class_and_colour classify(const ethernet::frame& f, const port_maps& m);
    std::vector<port_maps> maps_;
    std::vector<std::array<std::uint64_t, 8>> lost_on_cable_;
    std::vector<bool> open_;
    std::vector<bool> watched_;
    bool enabled_{true};
};

}  // namespace weir::pipeline
