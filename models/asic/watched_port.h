// SPDX-License-Identifier: Apache-2.0
// What the PFC watchdog of a front port sees and moves: its queues, its gate, and the memory's doors.
#pragma once

#include "models/asic/front_port.h"
#include "models/mmu/mmu.h"
#include "models/pfc/watchdog.h"
#include "models/registers/bank.h"

namespace weir::asic {

class watched_port : public pfc::watched_port_if {
public:
    watched_port(front_port& port, std::uint16_t number, mmu::mmu& memory, const registers::bank& bank)
        : port_(port),
          number_(number),
          memory_(memory),
          bank_(bank),
          group_priorities_(bank.field("map.group_priorities.priorities")),
          priority_queues_(bank.field("map.priority_queues.queues")) {}

    [[nodiscard]] pfc::bitmap holding() const override { return port_.egress.holding(); }
    [[nodiscard]] pfc::bitmap stopped() const override { return port_.flow.receiver.stopped_queues(); }
    pfc::bitmap take_moved() override {
        return static_cast<pfc::bitmap>(port_.egress.take_departed() | port_.flow.receiver.take_open());
    }
    void ignore_pauses(pfc::bitmap queues) override { port_.flow.receiver.set_ignored_queues(queues); }

    void discard(std::uint8_t queue, bool on) override {
        if (on) groups_of_[queue] = groups_of(queue);
        const auto bit = 1U << queue;
        discarding_ = static_cast<pfc::bitmap>(on ? discarding_ | bit : discarding_ & ~bit);
        memory_.set_discarding_queue(number_, queue, on);
        unsigned groups = 0;
        for (std::size_t q = 0; q < groups_of_.size(); ++q) groups |= (discarding_ >> q & 1U) != 0 ? groups_of_[q] : 0U;
        for (std::uint8_t g = 0; g < 8; ++g) memory_.set_discarding_group(number_, g, (groups >> g & 1U) != 0);
        if (!on) return;
        if (memory_.queue(number_, queue).profile.lossless) port_.flow.monitor.escape(queue);
        port_.egress.clear(queue, mmu::drop_reason::watchdog);
    }

private:
    /// The groups that may pause a priority which stops the queue.
    [[nodiscard]] pfc::bitmap groups_of(std::uint8_t queue) const {
        unsigned priorities = 0;
        for (std::uint32_t p = 0; p < 8; ++p) {
            if ((bank_.get(priority_queues_, {number_, p, 0}) >> queue & 1U) != 0) priorities |= 1U << p;
        }
        unsigned groups = 0;
        for (std::uint32_t g = 0; g < 8; ++g) {
            if ((bank_.get(group_priorities_, {number_, g, 0}) & priorities) != 0) groups |= 1U << g;
        }
        return static_cast<pfc::bitmap>(groups);
    }

    front_port& port_;
    std::uint16_t number_;
    mmu::mmu& memory_;
    const registers::bank& bank_;
    registers::bank::field_ref group_priorities_, priority_queues_;
    pfc::bitmap discarding_{0};
    std::array<pfc::bitmap, 8> groups_of_{};  // as they were when the discarding began
};

}  // namespace weir::asic
