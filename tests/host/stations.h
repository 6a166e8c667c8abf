// SPDX-License-Identifier: Apache-2.0
// Two end stations on a wire that loses chosen frames.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/ethernet/rocev2.h"
#include "models/host/end_station.h"

namespace weir::host::testing {

/// One way of a wire: a fixed delay, and frames that `loses` says get lost.
class lossy_wire : public sc_core::sc_module, public ethernet::receiver, public ethernet::sender {
public:
    lossy_wire(sc_core::sc_module_name name, picoseconds delay) : sc_module(name), delay_(to_kernel(delay)) {
        in.bind(static_cast<ethernet::fw_interface&>(*this));
        out.bind(static_cast<ethernet::bw_interface&>(*this));
    }
    tlm::tlm_sync_enum nb_transport_fw(ethernet::frame& f, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
        ++carried;
        if (seen) seen(f);
        if (loses && loses(f)) {
            f.release();
            return tlm::TLM_COMPLETED;
        }
        delay += delay_;
        return out->nb_transport_fw(f, phase, delay);
    }
    ethernet::rx_socket in{"in"};
    ethernet::tx_socket out{"out"};
    std::function<bool(const ethernet::frame&)> loses;
    std::function<void(const ethernet::frame&)> seen;
    std::uint64_t carried{0};

private:
    sc_core::sc_time delay_;
};

/// `a` sends to `b`. Frames of 1024 octets of payload at 40G take (1086 + 20) · 200 ps = 221.2 ns of the wire.
struct pair_of_stations {
    explicit pair_of_stations(const transport_parameters& transport, picoseconds delay = nanoseconds(500),
                              const char* rate = "40G")
        : to_b("to_b", delay), to_a("to_a", delay) {
        end_station_parameters p;
        p.rate = *data_rate::from_name(rate);
        p.transport = transport;
        p.address = {2, 0, 0, 0, 0, 1};
        a = std::make_unique<end_station>("a", time, frames, ledger, p, nullptr);
        p.address = {2, 0, 0, 0, 0, 2};
        b = std::make_unique<end_station>("b", time, frames, ledger, p, nullptr);
        a->mac.tx.bind(to_b.in);
        to_b.out.bind(b->mac.rx);
        b->mac.tx.bind(to_a.in);
        to_a.out.bind(a->mac.rx);
        time.settle();
        a->link_changed(true);
        b->link_changed(true);
    }

    std::uint32_t send(std::uint64_t octets, picoseconds start = microseconds(1), std::uint32_t payload = 1024) {
        flow_parameters f;
        f.number = ledger.add((octets + payload - 1) / payload);
        f.priority = 3;
        f.octets = octets;
        f.frame_payload = payload;
        f.start = start;
        f.path.source_mac = {2, 0, 0, 0, 0, 1};
        f.path.destination_mac = {2, 0, 0, 0, 0, 2};
        f.path.source_ipv4 = {10, 0, 0, 1};
        f.path.destination_ipv4 = {10, 0, 0, 2};
        ledger[f.number].connected = true;
        const std::uint32_t peer = b->answers.next_queue_pair();
        b->answers.open(f, a->connected.next_queue_pair(), a->connected.parameters(), 64);
        a->connected.open(f, peer);
        return f.number;
    }
    void run_to(picoseconds t) { time.run_until(t); }

    ethernet::frame_pool frames;
    flow_ledger ledger;
    timeline time{"time"};
    lossy_wire to_b;
    lossy_wire to_a;
    std::unique_ptr<end_station> a;
    std::unique_ptr<end_station> b;
};

}  // namespace weir::host::testing
