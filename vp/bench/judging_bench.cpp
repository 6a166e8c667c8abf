// SPDX-License-Identifier: Apache-2.0
#include "vp/bench/judging_bench.h"

#include <fmt/format.h>

#include <ctime>
#include <memory>
#include <vector>

#include "models/mmu/mmu.h"
#include "models/timeline/fifo.h"
#include "models/timeline/random_stream.h"

namespace weir::vp {
namespace {

constexpr std::uint16_t judged_ports = 128;
constexpr mmu::cells share = 20;

/// An MMU whose queues keep what they get and whose wishes nobody hears.
class judging_bench : public sc_core::sc_module, public scheduler::enqueue_if, public pfc::pause_wish_if {
public:
    explicit judging_bench(std::uint32_t groups)
        : sc_module(sc_core::sc_module_name("judging")),
          time_("time"),
          memory("mmu", time_, {judged_ports + 1, 65'536, 256, 0}, 1),
          groups_(groups) {
        for (std::uint16_t port = 0; port <= judged_ports; ++port) {
            memory.queues_out[port].bind(*this);
            if (port < judged_ports) memory.wishes[port].bind(*this);
        }
        // alpha 1: half of the pool is free, and no group gets near that.
        memory.set_pool(0, mmu::direction::ingress, 2 * share * static_cast<mmu::cells>(groups + 1), 0);
        mmu::group_profile p;
        p.enabled = p.lossless = p.dynamic = true;
        p.headroom = 1000;
        p.xon_offset = 1;
        for (std::uint32_t n = 0; n < groups; ++n) memory.set_group_profile(port_of(n), group_of(n), p);
        mmu::queue_profile q;
        q.enabled = q.lossless = true;
        memory.set_queue_profile(judged_ports, 0, q);
    }
    ~judging_bench() override {
        while (!held_.empty()) held_.pop().frame->release();
    }

    void enqueue(std::uint8_t, const mmu::queued_frame& f) override { held_.push(f); }
    void group_wishes(std::uint8_t, bool) override {}
    void group_overflowed(std::uint8_t) override {}

    void put(std::uint32_t n) {
        ethernet::frame* f = frames_.take();
        f->length = ethernet::minimum_frame_octets;
        if (memory.admit({*f, port_of(n), judged_ports, group_of(n), 0, mmu::colour::green}) != mmu::drop_reason::none)
            f->release();
    }
    void take() {
        const mmu::queued_frame f = held_.pop();
        memory.depart(judged_ports, 0, f, picoseconds{0});
        f.frame->release();
    }
    void fill() {
        for (mmu::cells n = 0; n < share; ++n) {
            for (std::uint32_t g = 0; g < groups_; ++g) put(g);
        }
    }

private:
    [[nodiscard]] static std::uint16_t port_of(std::uint32_t n) { return static_cast<std::uint16_t>(n % judged_ports); }
    [[nodiscard]] static std::uint8_t group_of(std::uint32_t n) { return static_cast<std::uint8_t>(n / judged_ports); }

    ethernet::frame_pool frames_;
    timeline time_;

public:
    mmu::mmu memory;

private:
    std::uint32_t groups_;
    fifo<mmu::queued_frame> held_;
};

}  // namespace

double judging_seconds(std::uint32_t groups, std::uint64_t frames) {
    judging_bench bench(groups);
    bench.fill();
    random_stream random(1, "judging");
    const auto now = [] {
        timespec t{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
    };
    const double begin = now();
    for (std::uint64_t n = 0; n < frames; ++n) {
        bench.put(static_cast<std::uint32_t>(std::uint64_t{random.next()} * groups >> 32U));
        bench.take();
    }
    return now() - begin;
}

}  // namespace weir::vp
