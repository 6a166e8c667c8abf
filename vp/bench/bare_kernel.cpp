// SPDX-License-Identifier: Apache-2.0
#include "vp/bench/bare_kernel.h"

#include <systemc>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "models/timeline/timeline.h"

namespace weir::vp {
namespace {

struct token {
    std::uint32_t number;
};

class outlet;

/// A receiving end: what is handed over comes up after the cable's delay.
class inlet : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(inlet);
    inlet(sc_core::sc_module_name name, outlet* onward) : sc_module(name), onward_(onward) {
        SC_METHOD(receive);
        sensitive << arrival_;
        dont_initialize();
    }
    void hand_over(token* t, const sc_core::sc_time& delay) {
        const sc_core::sc_time at = sc_core::sc_time_stamp() + delay;
        if (flight_.empty()) arrival_.notify(delay);
        flight_.push_back({t, at});
    }
    std::uint64_t received{0};

private:
    struct on_the_way {
        token* what;
        sc_core::sc_time at;
    };
    void receive();
    std::deque<on_the_way> flight_;
    outlet* onward_;
    sc_core::sc_event arrival_;
};

/// A transmitting end: hands a token over each interval while it has any. One notification a token.
class outlet : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(outlet);
    outlet(sc_core::sc_module_name name, inlet& peer, picoseconds interval, picoseconds delay)
        : sc_module(name), peer_(peer), interval_(to_kernel(interval)), delay_(to_kernel(delay)) {
        SC_METHOD(send);
        sensitive << wake_;
        dont_initialize();
    }
    void add(token* t) {
        queue_.push_back(t);
        if (queue_.size() > 1) return;
        const sc_core::sc_time now = sc_core::sc_time_stamp();
        wake_.notify(free_at_ > now ? free_at_ - now : sc_core::SC_ZERO_TIME);
    }

private:
    void send() {
        peer_.hand_over(queue_.front(), delay_);
        queue_.pop_front();
        free_at_ = sc_core::sc_time_stamp() + interval_;
        if (!queue_.empty()) wake_.notify(interval_);
    }
    inlet& peer_;
    sc_core::sc_time interval_;
    sc_core::sc_time delay_;
    sc_core::sc_time free_at_;
    std::deque<token*> queue_;
    sc_core::sc_event wake_;
};

void inlet::receive() {
    token* t = flight_.front().what;
    flight_.pop_front();
    ++received;
    if (!flight_.empty()) arrival_.notify(flight_.front().at - sc_core::sc_time_stamp());
    if (onward_ != nullptr) onward_->add(t);
}

}  // namespace

std::uint64_t run_bare_kernel(const traffic_shape& shape) {
    const picoseconds frame = shape.rate.octets(shape.frame_octets + wire_overhead_octets);
    const picoseconds delay = frame + cable_delay_per_metre * 3;
    const bool converging = shape.receivers == 1;
    std::vector<token> tokens(shape.frames);
    std::vector<std::unique_ptr<inlet>> sinks;
    std::vector<std::unique_ptr<inlet>> hub_in;
    std::vector<std::unique_ptr<outlet>> hub_out;
    std::vector<std::unique_ptr<outlet>> senders;
    for (std::uint32_t r = 0; r < shape.receivers; ++r) {
        sinks.push_back(std::make_unique<inlet>(("sink" + std::to_string(r)).c_str(), nullptr));
        hub_out.push_back(std::make_unique<outlet>(("out" + std::to_string(r)).c_str(), *sinks.back(), frame, delay));
    }
    for (std::uint32_t s = 0; s < shape.senders; ++s) {
        hub_in.push_back(
            std::make_unique<inlet>(("in" + std::to_string(s)).c_str(), hub_out[converging ? 0 : s].get()));
        senders.push_back(std::make_unique<outlet>(("send" + std::to_string(s)).c_str(), *hub_in.back(),
                                                   converging ? frame * shape.senders : frame, delay));
        for (std::uint64_t f = s; f < shape.frames; f += shape.senders) senders.back()->add(&tokens[f]);
    }
    sc_core::sc_start(
        to_kernel(frame * static_cast<std::int64_t>(shape.frames + 2 * shape.senders) + microseconds(100)));
    std::uint64_t hops = 0;
    for (const auto& i : hub_in) hops += i->received;
    for (const auto& i : sinks) hops += i->received;
    return hops;
}

}  // namespace weir::vp
