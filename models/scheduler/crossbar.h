// SPDX-License-Identifier: Apache-2.0
// Input queueing: a crossbar between frames that wait at their ingress port and the egress schedulers. A switch has one
// only if its platform says so; with output queueing frames go straight into the scheduler of their egress port.
//
//   MMU ─► lanes of the ingress port ─(heads, while their input is free)─► egress schedulers ─► ports
//
//   ingress_fifo  a lane for each (ingress port, queue): a head that cannot leave holds up all behind it
//   voq           a lane for each (ingress port, egress port, queue): it holds up nobody else's
//
// The head of a lane is offered to the scheduler of its egress port as long as its input is free. An input sends one
// frame at a time, for the frame's whole time on the wire: when a scheduler takes one head, the input's other heads are
// withdrawn from the others. With equal frames and rates everything therefore goes in slots, in which all inputs offer
// before any output chooses: the model of Karol, Hluchyj and Morgan. With `maximal` matching an output that comes too
// late for one head takes another. With `single` there is one iteration: every free output asks for one head at random,
// every input grants one of those that ask for its heads, and an output that was not granted has nothing in this slot.
#pragma once

#include <systemc>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/mmu/mmu_if.h"
#include "models/scheduler/attribution.h"
#include "models/scheduler/scheduler.h"
#include "models/scheduler/scheduler_if.h"
#include "models/timeline/fifo.h"
#include "models/timeline/random_stream.h"
#include "models/timeline/timeline.h"

namespace weir::scheduler {

enum class queueing : std::uint8_t { output, ingress_fifo, voq };
enum class matching : std::uint8_t { maximal, single };

class crossbar : public sc_core::sc_module, public mmu::departure_if, public backlog_if, private actor {
public:
    /// `ports`: the CPU port, which is the last, included. `structure` is not `output`.
    crossbar(sc_core::sc_module_name name, timeline& time, queueing structure, matching way, std::uint16_t ports,
             std::uint64_t seed);
    ~crossbar() override;

    /// One an egress port: what the MMU fills.
    sc_core::sc_vector<sc_core::sc_export<enqueue_if>> filling{"filling"};
    sc_core::sc_export<mmu::departure_if> departure{"departure"};
    sc_core::sc_export<backlog_if> backlog{"backlog"};
    sc_core::sc_port<mmu::departure_if> memory{"memory"};

    /// The scheduler of an egress port, whose departures come here.
    void attach(std::uint16_t egress, scheduler& its_queues);

    void depart(std::uint16_t port, std::uint8_t queue, const mmu::queued_frame& f, picoseconds end) override;
    void discard(std::uint16_t port, std::uint8_t queue, const mmu::queued_frame& f, mmu::drop_reason why) override;
    std::uint64_t discard_backlog(std::uint16_t egress, pfc::bitmap which, mmu::drop_reason why) override;
    [[nodiscard]] bool backlog_empty(std::uint16_t egress) const override { return outputs_[egress]->frames == 0; }
    void gate_moving(std::uint16_t egress) override;

    /// Whether heads are accounted for here, by ingress port: those of ingress FIFOs are.
    [[nodiscard]] bool accounts() const { return structure_ == queueing::ingress_fifo; }
    /// For how long the head of the ingress port's FIFO waited, and why (G13), judged at its egress port.
    [[nodiscard]] picoseconds waited(std::uint16_t ingress, std::uint8_t queue, wait_cause why, picoseconds now) const;
    void clear_statistics();

private:
    struct held {
        mmu::queued_frame frame;
        std::uint16_t egress;
    };
    struct lane {
        fifo<held> frames;
        bool offered{false};  // the head stands in its egress scheduler
        std::array<picoseconds, wait_causes> waited{};
        picoseconds since{0};
    };
    /// An egress port: the way in from the MMU, and what is known of the way out.
    struct output : public enqueue_if {
        output(crossbar& owner, std::uint16_t port) : fabric(owner), number(port) {}
        void enqueue(std::uint8_t queue, const mmu::queued_frame& f) override { fabric.arrive(number, queue, f); }

        crossbar& fabric;
        std::uint16_t number;
        scheduler* queues{nullptr};
        std::size_t frames{0};  // that wait for this port, offered or not
        std::uint8_t sending{8};
        picoseconds sending_until{0};
        // One iteration: the heads that it could ask for, and the lane of the one that it asks for.
        std::uint32_t choices{0};
        std::size_t asks_for{0};
    };
    /// An ingress port.
    struct input {
        bool busy{false};  // sends a frame
        // One iteration: the outputs that ask, and the one that is granted.
        std::uint32_t asked{0};
        const output* granted{nullptr};
    };

    void due(std::uint32_t what) override;
    void arrive(std::uint16_t egress, std::uint8_t queue, const mmu::queued_frame& f);
    void offer(std::size_t at);
    void offer_all_of(std::uint16_t ingress);
    void withdraw_all_of(std::uint16_t ingress);
    void withdraw(std::size_t at);
    void match_once();
    [[nodiscard]] output* output_to_ask(const lane& l, std::uint8_t queue) const;
    void take_head(std::size_t at);
    std::uint64_t thin_out(std::size_t at, std::uint16_t egress, mmu::drop_reason why);
    void settle(lane& l, std::uint8_t queue);
    void settle_heads_for(const output& out, pfc::bitmap which);
    [[nodiscard]] wait_share uncounted(const lane& l, std::uint8_t queue, picoseconds now) const;
    [[nodiscard]] std::size_t lane_of(std::uint16_t ingress, std::uint16_t egress, std::uint8_t queue) const {
        const std::size_t row = structure_ == queueing::voq ? std::size_t{ingress} * ports_ + egress : ingress;
        return row * queues + queue;
    }
    [[nodiscard]] std::uint16_t ingress_of(std::size_t at) const {
        return static_cast<std::uint16_t>(at / queues / rows_an_input_);
    }

    timeline& time_;
    queueing structure_;
    matching matching_;
    std::uint16_t ports_;
    std::size_t rows_an_input_;
    std::vector<lane> lanes_;  // by ingress, (voq) egress, queue
    std::vector<std::unique_ptr<output>> outputs_;
    std::vector<input> inputs_;
    std::vector<std::uint16_t> freed_;  // inputs that became free in this instant
    random_stream order_;
    random_stream pick_;
    picoseconds offers_at_{never};  // an entry for that instant is queued: all that are free offer
    picoseconds again_at_{0};       // another one, for heads that were not granted
};

}  // namespace weir::scheduler
