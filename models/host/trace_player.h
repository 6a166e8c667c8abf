// SPDX-License-Identifier: Apache-2.0
// Replays a capture on an end station's port: with the capture's timing, scaled, or as fast as the line takes it.
//
// What the capture holds is sent as it stands, MAC Control frames and damaged ones included, and no pause stops it: a
// recording cannot react.
#pragma once

#include <systemc>

#include <cstdint>
#include <vector>

#include "models/ethernet/capture_reader.h"
#include "models/port/port_if.h"
#include "models/scheduler/scheduler_if.h"
#include "models/timeline/timeline.h"

namespace weir::host {

class trace_player : public sc_core::sc_module, private actor {
public:
    trace_player(sc_core::sc_module_name name, timeline& time, ethernet::frame_pool& frames);

    sc_core::sc_port<port::transmit_if> transmitter{"transmitter"};

    /// Plays from `start` on. `stretch` multiplies the capture's distances; 0: back to back.
    void play(std::vector<ethernet::captured_frame> frames, picoseconds start, double stretch);
    [[nodiscard]] bool finished() const { return next_ == frames_.size(); }
    [[nodiscard]] std::size_t sent() const { return next_; }

    /// What goes now, for whoever feeds the port.
    scheduler::selection dequeue(picoseconds now);

private:
    void due(std::uint32_t) override { transmitter->wake(); }

    timeline& time_;
    ethernet::frame_pool& pool_;
    std::vector<ethernet::captured_frame> frames_;
    std::vector<picoseconds> times_;
    std::size_t next_{0};
};

}  // namespace weir::host
