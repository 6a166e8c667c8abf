// SPDX-License-Identifier: Apache-2.0
#include "models/scheduler/registers.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "models/scheduler/shaper_rate.h"

namespace weir::scheduler {

namespace {

using registers::index;
using scheduler_access = std::function<scheduler&(std::uint32_t)>;

// Each cause is shown in whole nanoseconds, and the sums are sums of what is shown.
void bind_waiting(const scheduler_access& at, const timeline& time, registers::bank& bank, const crossbar* inputs) {
    const auto drive = [&](const char* field, std::initializer_list<wait_cause> of) {
        bank.drive(field, [at, &time, inputs, causes = std::vector<wait_cause>(of)](const index& i) {
            std::uint64_t sum = 0;
            for (const wait_cause why : causes) {
                const auto queue = static_cast<std::uint8_t>(i[1]);
                const picoseconds waited =
                    inputs != nullptr ? inputs->waited(static_cast<std::uint16_t>(i[0]), queue, why, time.now())
                                      : at(i[0]).waiting().waited(queue, why, time.now());
                sum += static_cast<std::uint64_t>(waited / nanoseconds(1));
            }
            return sum;
        });
    };
    using c = wait_cause;
    drive("sched.hol_ns.time", {c::self_paused, c::second_order, c::first_order, c::none});
    drive("sched.hol_self_paused_ns.time", {c::self_paused});
    drive("sched.hol_second_order_ns.time", {c::second_order});
    drive("sched.hol_first_order_ns.time", {c::first_order});
    drive("sched.hol_none_ns.time", {c::none});
    drive("sched.gated_ns.time", {c::self_paused, c::second_order});
    bank.drive("sched.blocked_ns.time", [at, &time](const index& i) {
        return static_cast<std::uint64_t>(at(i[0]).waiting().blocked(time.now()) / nanoseconds(1));
    });
    bank.drive("sched.gate.nonempty", [at](const index& i) { return at(i[0]).waiting().holding(); });
    bank.drive("sched.gate.eligible", [at](const index& i) { return at(i[0]).waiting().eligible_now(); });
    bank.drive("sched.gate.all_blocked", [at](const index& i) { return at(i[0]).waiting().blocked_now() ? 1U : 0U; });
}

}  // namespace

void bind_registers(const std::function<scheduler&(std::uint32_t)>& at, std::uint32_t ports, const timeline& time,
                    registers::bank& bank, const crossbar* inputs) {
    bind_waiting(at, time, bank, inputs);
    const auto queue_of = [](const index& i) { return static_cast<std::uint8_t>(i[1]); };

    bank.on_write("queue.mode.dequeue_enable", [at, queue_of](const index& i, std::uint64_t on) {
        at(i[0]).set_dequeue_enabled(queue_of(i), on != 0);
    });
    bank.on_write(
        "sched.queue_mode.mode", [&bank, at, queue_of, mode = bank.field("sched.queue_mode.mode"),
                                  weight = bank.field("sched.queue_mode.weight"),
                                  group = bank.field("sched.queue_mode.group")](const index& i, std::uint64_t) {
            at(i[0]).set_group(queue_of(i), static_cast<std::uint8_t>(bank.get(group, i)));
            // The code 3 is reserved and reads as strict.
            const std::uint64_t code = bank.get(mode, i);
            at(i[0]).set_discipline(queue_of(i), code <= 2 ? static_cast<discipline>(code) : discipline::strict,
                                    static_cast<std::uint8_t>(bank.get(weight, i)));
        });
    const auto queue_shaper = [&bank, at, queue_of, rate = bank.field("sched.queue_rate.kbps"),
                               burst = bank.field("sched.queue_burst.octets")](const index& i, std::uint64_t) {
        at(i[0]).set_queue_shaper(queue_of(i), rate_at_most(static_cast<std::uint32_t>(bank.get(rate, i))),
                                  static_cast<std::uint32_t>(bank.get(burst, i)));
    };
    const auto queue_minimum = [&bank, at, queue_of, rate = bank.field("sched.queue_min_rate.kbps"),
                                burst = bank.field("sched.queue_min_burst.octets")](const index& i, std::uint64_t) {
        at(i[0]).set_queue_minimum(queue_of(i), rate_at_least(static_cast<std::uint32_t>(bank.get(rate, i))),
                                   static_cast<std::uint32_t>(bank.get(burst, i)));
    };
    bank.on_write("sched.queue_min_rate.kbps", queue_minimum);
    bank.on_write("sched.queue_min_burst.octets", queue_minimum);
    bank.on_write("sched.group_weight.weight", [at](const index& i, std::uint64_t weight) {
        at(i[0]).set_group_weight(static_cast<std::uint8_t>(i[1]), static_cast<std::uint8_t>(weight));
    });
    bank.on_write("sched.queue_rate.kbps", queue_shaper);
    bank.on_write("sched.queue_burst.octets", queue_shaper);
    const auto port_shaper = [&bank, at, rate = bank.field("sched.port_rate.kbps"),
                              burst = bank.field("sched.port_burst.octets")](const index& i, std::uint64_t) {
        at(i[0]).set_port_shaper(rate_at_most(static_cast<std::uint32_t>(bank.get(rate, i))),
                                 static_cast<std::uint32_t>(bank.get(burst, i)));
    };
    bank.on_write("sched.port_rate.kbps", port_shaper);
    bank.on_write("sched.port_burst.octets", port_shaper);
    // What a shaper holds is what operates, up to the line rate.
    const auto drive_operating = [&bank, at](const char* field, const char* asked, auto held) {
        bank.drive(field, [&bank, at, held, f = bank.field(asked)](const index& i) {
            return std::min<std::uint64_t>(held(static_cast<std::uint32_t>(bank.get(f, i))),
                                           std::uint64_t{at(i[0]).rate().megabits()} * 1000);
        });
    };
    drive_operating("sched.queue_rate_oper.kbps", "sched.queue_rate.kbps", rate_at_most);
    drive_operating("sched.queue_min_rate_oper.kbps", "sched.queue_min_rate.kbps", rate_at_least);
    drive_operating("sched.port_rate_oper.kbps", "sched.port_rate.kbps", rate_at_most);
    bank.on_write("sched.accounting.frame_octets_only", [at, ports](const index&, std::uint64_t on) {
        for (std::uint32_t port = 0; port < ports; ++port) at(port).set_frame_octets_only(on != 0);
    });
}

}  // namespace weir::scheduler
