// SPDX-License-Identifier: Apache-2.0
// A bench for black-box tests of one switch: end stations on every port, the driver on its CPU, and nothing between the
// test and the registers but the driver's API.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platforms/boot.h"
#include "platforms/machine.h"
#include "sw/include/weir/buffer.h"
#include "sw/include/weir/counters.h"
#include "sw/include/weir/cpu_port.h"
#include "sw/include/weir/pfc.h"
#include "sw/include/weir/port.h"
#include "sw/include/weir/qos.h"

namespace weir::acceptance {

constexpr picoseconds milliseconds(std::int64_t n) {
    return microseconds(1000 * n);
}

/// One RoCEv2 frame of the least size is one cell of 128 octets or more.
constexpr std::uint32_t small_payload = 4;

struct lab_options {
    std::uint32_t ports{4};
    std::string rate{"100G"};
    std::uint32_t cells{8192};
    std::uint32_t cell_octets{256};
    std::uint32_t cable_metres{0};
    bool obey{false};            ///< whether the end stations obey pauses: a traffic generator does not
    std::string extra_platform;  ///< more TOML
    std::string switch_keys;     ///< more keys of the switch
};

class lab {
public:
    /// Boots the chip and runs the script; a failing line fails the test.
    lab(const lab_options& options, const std::string& script);

    platforms::machine& machine() { return *machine_; }
    weir_dev* device() { return &driver_->device(); }
    weir_dcbx& dcbx() { return driver_->dcbx(); }
    weir_watchdog& watchdog() { return driver_->watchdog(); }
    weir_service& service() { return driver_->service(); }

    /// Runs shell lines on the CPU, now.
    void shell(const std::string& lines);
    /// The same, but lines may be refused; only the bus may not.
    void try_shell(const std::string& lines);
    /// Where `show` prints.
    void print(std::function<void(const char*)> to) { driver_->on_print(std::move(to)); }
    /// Runs a driver call on the CPU, now, and expects it to succeed.
    void drive(const std::function<weir_status(weir_dev*)>& call);
    /// Lets time pass.
    void settle(picoseconds time = microseconds(50));

    /// Sends `frames` of `payload` octets from one end station to another, as fast as its line, and lets them arrive.
    void send(std::uint32_t from, std::uint32_t to, std::uint64_t frames, std::uint8_t dscp = 24,
              std::uint32_t payload = small_payload);
    /// The same without waiting.
    void start(std::uint32_t from, std::uint32_t to, std::uint64_t frames, std::uint8_t dscp = 24,
               std::uint32_t payload = small_payload);
    /// Sends frames, octet by octet as given (FCS excluded), back to back.
    void inject(std::uint32_t from, const std::vector<std::vector<std::uint8_t>>& frames);
    /// A PFC or PAUSE frame of 60 octets without FCS.
    static std::vector<std::uint8_t> pfc(std::uint8_t vector, const std::array<std::uint16_t, 8>& times);
    static std::vector<std::uint8_t> pause(std::uint16_t time);
    /// A VLAN-tagged UDP frame from one end station to another.
    std::vector<std::uint8_t> tagged(std::uint32_t from, std::uint32_t to, std::uint8_t pcp);

    std::uint64_t received(std::uint32_t host) { return machine_->host(host).arrived().frames; }

    weir_port_counters port(std::uint32_t p);
    std::uint64_t drops(std::uint32_t port, weir_drop_reason reason);
    std::uint64_t all_drops();
    weir_group_counters group(std::uint32_t port, std::uint32_t g);
    weir_group_usage group_usage(std::uint32_t port, std::uint32_t g);
    weir_queue_counters queue(std::uint32_t port, std::uint32_t q);
    weir_pfc_counters pfc_counters(std::uint32_t port, std::uint32_t priority);
    struct peaks {
        std::uint32_t used, service, headroom;
    };
    peaks take_group_peak(std::uint32_t port, std::uint32_t g);
    peaks take_queue_peak(std::uint32_t port, std::uint32_t q);
    peaks take_pool_peak(std::uint32_t pool);

private:
    void run_on_cpu(const std::function<void()>& body);
    std::unique_ptr<platforms::machine> machine_;
    std::unique_ptr<platforms::switch_driver> driver_;
};

/// A switch with a lossless class 3 (DSCP 24) and everything else lossy: the pools and thresholds most tests start
/// from.
struct thresholds {
    int xoff{100};
    int xon{20};
    int headroom{40};
    int guaranteed{8};
    int lossy_limit{200};  ///< of each lossy egress queue
};
std::string usual_script(const thresholds& t = {});

}  // namespace weir::acceptance
