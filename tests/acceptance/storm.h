// SPDX-License-Identifier: Apache-2.0
// A bench for watchdogs: 1G ports, a frame each millisecond, and end stations that pause the switch for as long as
// told.
#pragma once

#include <algorithm>

#include "sw/include/weir/watchdog.h"
#include "tests/acceptance/lab.h"

namespace weir::acceptance {

/// Priorities 3 and 4 lossless and roomy, DSCP 24 and 32; everything else class 0, lossy.
inline std::string storm_script() {
    thresholds t;
    t.xoff = 2000;
    t.headroom = 100;
    t.lossy_limit = 2000;
    return usual_script(t) +
           "\nmap dscp 32 tc 4\nmap tc 4 pg 4\ninterface all\npg 4 pool lossless\npfc enable priority 4\nexit";
}

class storm_bench {
public:
    explicit storm_bench(std::uint32_t ports = 4) : l(options(ports), storm_script()) {
        origin = from_kernel(sc_core::sc_time_stamp());
    }

    /// One frame of one cell each millisecond, for `ms` of them, from `start` on (ms after the bench's beginning).
    void flow(std::uint32_t from, std::uint32_t to, std::uint8_t dscp, std::int64_t start, std::int64_t ms) {
        platforms::flow f;
        f.source = from;
        f.destination = to;
        f.priority = static_cast<std::uint8_t>(dscp / 8);
        f.dscp = dscp;
        f.payload = small_payload;
        f.octets = static_cast<std::uint64_t>(ms) * small_payload;
        f.rate = (66 + 20) * 8 * 1000;  // 66 octets and what the wire adds
        l.machine().add_flow(f, origin + milliseconds(start));
    }

    struct storm {
        std::int64_t from, to;  ///< ms
    };
    /// The end station pauses the switch's priorities: a PFC frame every 20 ms with 65535 quanta, 33.5 ms at 1G, and
    /// one with time 0 at the end.
    void storms(std::uint32_t host, std::uint8_t vector, const std::vector<storm>& all) {
        std::vector<ethernet::captured_frame> frames;
        const auto add = [&](std::int64_t ms, std::uint16_t quanta) {
            ethernet::captured_frame f;
            std::array<std::uint16_t, 8> times{};
            for (std::size_t p = 0; p < 8; ++p) times[p] = (vector >> p & 1U) != 0 ? quanta : std::uint16_t{0};
            f.time = milliseconds(ms);
            f.octets = lab::pfc(vector, times);
            f.wire_length = 64;
            f.fcs_good = true;
            frames.push_back(f);
        };
        for (const storm& s : all) {
            for (std::int64_t t = s.from; t < s.to; t += 20) add(t, 0xffff);
            add(s.to, 0);
        }
        l.machine().host(host).player.play(std::move(frames), origin, 1.0);
    }

    /// Runs `body` on the CPU until it returns; time goes on to the next whole step.
    void run(const std::function<void()>& body, picoseconds step = microseconds(10)) {
        l.machine().cpu(0).program(body);
        ASSERT_TRUE(l.machine().run_programs(milliseconds(100'000), step));
    }
    /// Lets time pass until `ms` after the bench's beginning.
    void until(std::int64_t ms) { l.machine().run_until(origin + milliseconds(ms)); }

    lab l;
    picoseconds origin{0};

private:
    static lab_options options(std::uint32_t ports) {
        lab_options o;
        o.ports = ports;
        o.rate = "1G";
        return o;
    }
};

}  // namespace weir::acceptance
