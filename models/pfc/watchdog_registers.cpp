// SPDX-License-Identifier: Apache-2.0
#include "models/pfc/watchdog_registers.h"

#include <algorithm>

namespace weir::pfc {
namespace {

using registers::bank;
using registers::index;
using watchdog_access = std::function<watchdog*(std::uint32_t)>;

std::uint8_t limited(std::uint64_t value) {
    return static_cast<std::uint8_t>(std::min<std::uint64_t>(value, 15));
}

template <typename Action>
void for_each_bit(std::uint64_t bits, Action act) {
    for (; bits != 0; bits &= bits - 1) act(static_cast<std::uint8_t>(__builtin_ctzll(bits)));
}

void bind_watchdog_programming(const watchdog_access& at, bank& b) {
    b.on_write("wd.granularity.tick", [at, ports = b.size_of("ports")](const index&, std::uint64_t code) {
        const picoseconds tick = microseconds(code == 0 ? 1'000 : code == 1 ? 10'000 : 100'000);
        for (std::uint32_t port = 0; port < ports; ++port) {
            if (watchdog* dog = at(port); dog != nullptr) dog->set_granularity(tick);
        }
    });
    b.on_write("wd.config.enable",
               [at, &b, action = b.field("wd.config.action"), detection = b.field("wd.config.detection"),
                recovery = b.field("wd.config.recovery")](const index& i, std::uint64_t on) {
                   watchdog* dog = at(i[0]);
                   if (dog == nullptr) return;
                   watchdog_profile p;
                   p.enabled = on != 0;
                   p.action = static_cast<watchdog_action>(std::min<std::uint64_t>(b.get(action, i), 2));
                   p.detection = limited(b.get(detection, i));
                   p.recovery = limited(b.get(recovery, i));
                   dog->set_profile(static_cast<std::uint8_t>(i[1]), p);
               });
    b.on_write("wd.init.start", [at](const index& i, std::uint64_t bits) {
        if (watchdog* dog = at(i[0]); dog != nullptr) for_each_bit(bits, [&](std::uint8_t q) { dog->start(q); });
    });
    b.on_write("wd.init.stop", [at](const index& i, std::uint64_t bits) {
        if (watchdog* dog = at(i[0]); dog != nullptr) for_each_bit(bits, [&](std::uint8_t q) { dog->end(q); });
    });
}

template <typename Get>
void drive_watchdog(const watchdog_access& at, bank& b, const char* field, Get get) {
    b.drive(field, [at, get](const index& i) -> std::uint64_t {
        const watchdog* dog = at(i[0]);
        return dog != nullptr ? get(*dog, static_cast<std::uint8_t>(i[1])) : 0;
    });
}

}  // namespace

void bind_watchdogs(const std::function<watchdog*(std::uint32_t)>& at, registers::bank& bank,
                    const std::function<void()>& on_event) {
    bind_watchdog_programming(at, bank);
    const auto in_ns = [](picoseconds t) { return static_cast<std::uint64_t>(t / nanoseconds(1)); };
    drive_watchdog(at, bank, "wd.detection_time.time",
                   [in_ns](const watchdog& d, std::uint8_t q) { return in_ns(d.detection_time(q)); });
    drive_watchdog(at, bank, "wd.recovery_time.time",
                   [in_ns](const watchdog& d, std::uint8_t q) { return in_ns(d.recovery_time(q)); });
    drive_watchdog(at, bank, "wd.state.stormed",
                   [](const watchdog& d, std::uint8_t) -> std::uint64_t { return d.stormed(); });
    drive_watchdog(at, bank, "wd.detections.times", [](const watchdog& d, std::uint8_t q) { return d.detections[q]; });
    drive_watchdog(at, bank, "wd.recoveries.times", [](const watchdog& d, std::uint8_t q) { return d.recoveries[q]; });
    const auto detected = bank.field("wd.event.detected");
    const auto recovered = bank.field("wd.event.recovered");
    for (std::uint32_t port = 0; port < bank.size_of("ports"); ++port) {
        watchdog* dog = at(port);
        if (dog == nullptr) continue;
        dog->on_event([&bank, detected, recovered, port, on_event](watchdog::event e, std::uint8_t queue) {
            bank.raise(e == watchdog::event::detected ? detected : recovered, {port, 0, 0}, std::uint64_t{1} << queue);
            on_event();
        });
    }
}

}  // namespace weir::pfc
