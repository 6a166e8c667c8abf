// SPDX-License-Identifier: Apache-2.0
// An MMU on a bench: stubs for the queues and for the ports' wishes, frames offered by hand.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "models/ethernet/rocev2.h"
#include "models/mmu/mmu.h"

namespace weir::mmu {

/// An MMU without ports: frames are offered by hand and leave when told.
class mmu_bench : public sc_core::sc_module {
public:
    struct queue_stub : sc_core::sc_module, scheduler::enqueue_if {
        explicit queue_stub(sc_core::sc_module_name n) : sc_module(n) {}
        void enqueue(std::uint8_t queue, const queued_frame& f) override { held[queue].push_back(f); }
        std::array<std::deque<queued_frame>, 8> held;
    };
    struct wish_stub : sc_core::sc_module, pfc::pause_wish_if {
        explicit wish_stub(sc_core::sc_module_name n) : sc_module(n) {}
        void group_wishes(std::uint8_t group, bool pause) override {
            wishes = static_cast<std::uint8_t>(pause ? wishes | 1U << group : wishes & ~(1U << group));
            ++changes;
        }
        void group_overflowed(std::uint8_t group) override { overflowed.push_back(group); }
        std::uint8_t wishes{0};
        int changes{0};
        std::vector<std::uint8_t> overflowed;
    };

    explicit mmu_bench(const geometry& g) : sc_module("bench"), time("time"), memory("mmu", time, g, 1) {
        for (std::uint16_t p = 0; p < g.ports; ++p) {
            queues.push_back(std::make_unique<queue_stub>(fmt::format("q{}", p).c_str()));
            memory.queues_out[p].bind(*queues.back());
            if (p + 1U == g.ports) break;
            wishes.push_back(std::make_unique<wish_stub>(fmt::format("w{}", p).c_str()));
            memory.wishes[p].bind(*wishes.back());
        }
        memory.check_always(true);
    }
    ~mmu_bench() override {
        for (auto& q : queues) {
            for (auto& held : q->held) {
                for (auto& f : held) f.frame->release();
            }
        }
    }

    drop_reason offer(std::uint16_t in, std::uint8_t group, std::uint16_t out, std::uint8_t queue, cells size,
                      ethernet::ecn codepoint = ethernet::ecn::not_ect) {
        ethernet::frame* f = frames.take();
        ethernet::udp_path path;
        path.congestion = codepoint;
        ethernet::build_udp(*f, path, static_cast<std::uint32_t>(size) * memory.shape().cell_octets);
        const drop_reason why = memory.admit({*f, in, out, group, queue, colour::green});
        if (why != drop_reason::none) f->release();
        return why;
    }
    /// Cell by cell.
    void fill(std::uint16_t in, std::uint8_t group, std::uint16_t out, std::uint8_t queue, cells size) {
        for (cells n = 0; n < size; ++n) ASSERT_EQ(offer(in, group, out, queue, 1), drop_reason::none);
    }
    /// Sends the oldest frame of a queue and tells whether it was CE.
    bool send(std::uint16_t out, std::uint8_t queue) {
        queued_frame f = queues[out]->held[queue].front();
        queues[out]->held[queue].pop_front();
        memory.depart(out, queue, f, picoseconds{0});
        const bool ce = f.frame->headers.congestion == ethernet::ecn::ce;
        f.frame->release();
        return ce;
    }

    ethernet::frame_pool frames;
    timeline time;
    mmu memory;
    std::vector<std::unique_ptr<queue_stub>> queues;
    std::vector<std::unique_ptr<wish_stub>> wishes;
};

constexpr std::uint8_t lossless_pool = 0;
constexpr std::uint8_t lossy_pool = 1;
constexpr std::uint8_t egress_pool = 2;

inline queue_profile open_queue(bool is_lossless) {
    queue_profile q;
    q.enabled = true;
    q.lossless = is_lossless;
    q.pool = egress_pool;
    return q;
}

inline group_profile group_of(bool is_lossless, std::uint8_t pool) {
    group_profile p;
    p.enabled = true;
    p.lossless = is_lossless;
    p.pool = pool;
    return p;
}

inline std::unique_ptr<mmu_bench> make_bench(std::uint16_t ports = 5, cells total = 10000) {
    auto bench = std::make_unique<mmu_bench>(geometry{ports, total, 128, 0});
    bench->memory.set_pool(lossless_pool, direction::ingress, total / 2, 0);
    bench->memory.set_pool(lossy_pool, direction::ingress, total / 4, 0);
    bench->memory.set_pool(egress_pool, direction::egress, total, 0);
    for (std::uint16_t p = 0; p < ports; ++p) {
        for (std::uint8_t q = 0; q < 8; ++q) bench->memory.set_queue_profile(p, q, open_queue(q == 3));
    }
    return bench;
}

}  // namespace weir::mmu
