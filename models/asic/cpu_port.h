// SPDX-License-Identifier: Apache-2.0
// The CPU port: frames that software sends and receives through registers (cpu.*). It is the port after the last front
// port; its egress queues are emptied into a receive buffer as long as that has room.
#pragma once

#include <systemc>

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "models/asic/port_flush.h"
#include "models/mmu/mmu.h"
#include "models/pipeline/pipeline.h"
#include "models/port/port_if.h"
#include "models/registers/bank.h"
#include "models/scheduler/scheduler.h"
#include "models/timeline/timeline.h"

namespace weir::asic {

class cpu_port : public sc_core::sc_module, public port::transmit_if, private actor {
public:
    static constexpr std::size_t buffered_frames = 64;

    cpu_port(sc_core::sc_module_name name, timeline& time, ethernet::frame_pool& frames, pipeline::pipeline& ingress,
             std::uint16_t number);

    sc_core::sc_export<port::transmit_if> transmitter{"transmitter"};
    scheduler::scheduler egress;
    port_flush flush{egress};

    void wake() override;
    /// `on_receive` is called when a frame comes into the receive buffer.
    void bind_registers(registers::bank& bank, mmu::mmu& memory, std::function<void()> on_receive);
    void clear();
    void clear_counters() { sent_ = received_ = 0; }

private:
    void due(std::uint32_t what) override;
    void send();
    void pop();

    timeline& time_;
    ethernet::frame_pool& frames_;
    pipeline::pipeline& ingress_;
    std::uint16_t number_;
    std::function<void()> on_receive_;
    registers::bank* bank_{nullptr};
    struct received {
        std::vector<std::uint8_t> octets;
        std::uint16_t ingress_port;
    };
    std::deque<received> buffer_;
    std::size_t read_at_{0};  // octets of the front frame that rx_data has gone past
    std::vector<std::uint8_t> to_send_;
    bool send_error_{false};
    bool woken_{false};
    std::uint64_t sent_{0};
    std::uint64_t received_{0};
};

}  // namespace weir::asic
