// SPDX-License-Identifier: Apache-2.0
// A platform come alive: switches, end stations and cables as its configuration says, and the CPU of each switch.
//
//   platform_config ─► machine ─► cpu(i).program(driver…) ─► run_programs ─► add_flow, play ─► run
//
// One machine a process: the kernel elaborates once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/asic/switch_asic.h"
#include "models/cpu/board.h"
#include "models/ethernet/link.h"
#include "models/host/end_station.h"
#include "models/timeline/digest.h"
#include "models/timeline/timeline.h"
#include "platforms/config.h"
#include "platforms/flow_starter.h"
#include "platforms/native_initiator.h"
#include "platforms/workload.h"

namespace weir::platforms {

class machine {
public:
    /// `layout`: the register map of every switch.
    machine(const platform_config& config, std::uint64_t seed, const registers::map& layout = registers::weir_map());
    ~machine();
    machine(const machine&) = delete;
    machine& operator=(const machine&) = delete;

    [[nodiscard]] std::size_t switches() const { return switches_.size(); }
    [[nodiscard]] asic::switch_asic& chip(std::size_t s) { return *switches_[s]; }
    /// The native CPU of a switch; idle where the driver runs on a board.
    [[nodiscard]] native_initiator& cpu(std::size_t s) { return *cpus_[s]; }
    /// The board of a switch; null when the platform's CPUs are native.
    [[nodiscard]] cpu::board* board(std::size_t s) { return boards_.empty() ? nullptr : boards_[s].get(); }
    [[nodiscard]] std::size_t hosts() const { return hosts_.size(); }
    [[nodiscard]] host::end_station& host(std::size_t h) { return *hosts_[h]; }
    /// The cable between a host and its switch; end `a` is the switch's.
    [[nodiscard]] ethernet::link& cable(std::size_t h) { return *cables_[h]; }
    /// The cable between two switches, by the number of the platform's link.
    [[nodiscard]] ethernet::link& trunk(std::size_t l) { return *trunks_[l]; }
    /// Pulls a host's cable and plugs it in again, `times` times, `distance` between two changes, from now on. It ends
    /// plugged in. A later call takes the place of one that goes on.
    void flap(std::size_t h, std::uint32_t times, picoseconds distance);
    [[nodiscard]] const platform_config& config() const { return config_; }
    [[nodiscard]] timeline& time() { return time_; }
    [[nodiscard]] ethernet::frame_pool& frames() { return frames_; }
    [[nodiscard]] digest& record() { return record_; }
    [[nodiscard]] const host::flow_ledger& ledger() const { return ledger_; }

    /// Runs, by `step`, until every CPU's program has returned. False: one had not after `limit`.
    bool run_programs(picoseconds limit = microseconds(10'000'000), picoseconds step = microseconds(100));
    /// The same while `busy` says so.
    bool run_while(const std::function<bool()>& busy, picoseconds limit, picoseconds step);
    /// The first whole 100 µs after the programs returned.
    [[nodiscard]] picoseconds first_traffic_time() const;
    /// The first whole 100 µs after `booted`.
    [[nodiscard]] static picoseconds first_traffic_time(picoseconds booted);

    /// The workload begins at `origin`: what hosts do by themselves counts from there.
    void begin(picoseconds origin);
    /// Adds flows whose times count from `origin`. They are numbered in their order; what they wait for is among them.
    void add_flows(const std::vector<flow>& flows, picoseconds origin);
    /// Adds one that waits for nothing.
    void add_flow(const flow& f, picoseconds origin) { add_flows({f}, origin); }
    /// Replays a capture from `origin` on. Throws capture_error.
    void play(const replay& r, picoseconds origin);

    void run_until(picoseconds t) { time_.run_until(t); }
    /// When the next frame is going to leave by itself: a flow's start, a paced flow's or a capture's next frame, a
    /// shaper's next token. `never` when nothing moves unless something else does first.
    [[nodiscard]] picoseconds next_departure() const;
    /// Frames that somebody holds, and end stations that have not sent everything.
    [[nodiscard]] std::size_t frames_under_way() const { return frames_.in_use(); }
    [[nodiscard]] std::size_t unfinished_hosts() const;
    /// Everything was sent and nothing is under way.
    [[nodiscard]] bool drained() const;
    /// Data frames that ports have received so far: each is a link-hop.
    [[nodiscard]] std::uint64_t link_hops() const;
    /// Folds the ports' final counters into the digest.
    void finish_record();

private:
    struct unplugged;
    class flapper;
    void start_flow(std::uint32_t number, const flow& f, picoseconds start);

    void build_switch(const switch_config& s, std::uint64_t seed, const registers::map& layout);
    void build_cpu(const switch_config& s);
    void build_host(const host_config& h, std::uint64_t seed);
    /// A cable in a switch's port, at its end a.
    std::unique_ptr<ethernet::link> cable_at(const link_end& end);
    void connect(const host_config& h, host::end_station& station);
    void connect(const link_config& l);
    void leave_open(const link_end& end);

    platform_config config_;
    ethernet::frame_pool frames_;  // before the modules, which give their frames back when they go
    host::flow_ledger ledger_;
    digest record_;
    timeline time_;
    flow_starter starter_;
    std::vector<std::unique_ptr<asic::switch_asic>> switches_;
    std::vector<std::unique_ptr<native_initiator>> cpus_;
    std::vector<std::unique_ptr<cpu::board>> boards_;  // one a switch, or none
    std::vector<std::unique_ptr<host::end_station>> hosts_;
    std::vector<std::unique_ptr<ethernet::link>> cables_;
    std::vector<std::unique_ptr<ethernet::link>> trunks_;
    std::vector<std::unique_ptr<ethernet::link>> open_cables_;
    std::vector<std::unique_ptr<unplugged>> unplugged_;
    std::unique_ptr<flapper> flapper_;
    std::vector<picoseconds> jitter_;  // a host's delay of its workload
};

}  // namespace weir::platforms
