// SPDX-License-Identifier: Apache-2.0
// The switch: ports around one MMU, behind one register map.
//
//   bus ─► register_target ─► bank ─► blocks
//   link ─► port rx ─► pipeline ─► MMU ─► scheduler ─► port tx ─► link
//              └─► flow control ◄─ wishes ┘    └─ gate ┘
//
// Reset and initialisation take simulated time and are polled (global.*); until they are done only global.* answers.
#pragma once

#include <systemc>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/asic/cpu_port.h"
#include "models/asic/faults.h"
#include "models/asic/front_port.h"
#include "models/asic/register_target.h"
#include "models/asic/watched_port.h"
#include "models/mmu/mmu.h"
#include "models/pfc/watchdog.h"
#include "models/pipeline/pipeline.h"
#include "models/registers/bank.h"
#include "models/scheduler/crossbar.h"

namespace weir::asic {

class switch_checks;

/// Bits of global.int_status.
enum class interrupt : std::uint8_t {
    access_error,
    config_error,
    link,
    cpu_rx,
    fault,
    threshold,
    conformance,
    watchdog,
    stall,
    ecc
};
constexpr std::size_t interrupts = 10;

struct front_port_parameters {
    data_rate rate;
    std::int32_t clock_ppm{0};
    picoseconds phy_latency{0};       ///< each way: PHY, FEC and what else stands between MAC and cable
    picoseconds pipeline_latency{0};  ///< last octet at the MAC to the MMU
    picoseconds pfc_response{0};      ///< last octet of a PFC frame to the gate
    picoseconds start_delay{0};
};

/// What the chip is; fixed in the hardware.
struct asic_parameters {
    std::vector<front_port_parameters> ports;  ///< 1 to 128
    mmu::cells cells{65536};
    std::uint32_t cell_octets{256};
    std::uint32_t frame_overhead{0};
    std::uint32_t pools{8};           ///< at most mmu::pool_count
    std::uint32_t wred_profiles{16};  ///< at most mmu::wred_profile_count
    std::uint32_t core_khz{1'000'000};
    picoseconds reset_time{microseconds(1)};
    picoseconds ram_init_time{microseconds(20)};
    bus_timing bus;
    scheduler::queueing queueing{scheduler::queueing::output};
    scheduler::matching matching{scheduler::matching::maximal};
    error_policy on_access_error{error_policy::bus_error};
    std::uint64_t seed{1};
    const registers::map* layout{&registers::weir_map()};
};

class switch_asic : public sc_core::sc_module, private actor {
public:
    switch_asic(sc_core::sc_module_name name, timeline& time, ethernet::frame_pool& frames, const asic_parameters& p,
                digest* record);
    ~switch_asic() override;

    [[nodiscard]] register_target::bus_socket& socket() { return target_.socket; }
    [[nodiscard]] register_target& target() { return target_; }
    [[nodiscard]] front_port& port(std::size_t n) { return *ports_[n]; }
    [[nodiscard]] const front_port& port(std::size_t n) const { return *ports_[n]; }
    [[nodiscard]] std::size_t ports() const { return ports_.size(); }
    [[nodiscard]] pipeline::pipeline& ingress_pipeline() { return pipeline_; }
    [[nodiscard]] mmu::mmu& memory() { return memory_; }
    /// What stands between ingress and egress; null with output queueing.
    [[nodiscard]] const scheduler::crossbar* crossbar() const { return crossbar_.get(); }
    [[nodiscard]] registers::bank& bank() { return bank_; }
    /// The level of the interrupt line.
    [[nodiscard]] bool interrupt_pending() const { return line_; }
    /// Called when the interrupt line changes, with its new level. Several may listen.
    void on_interrupt(std::function<void(bool)> hook) { on_interrupt_.push_back(std::move(hook)); }

    /// For tests: what goes wrong from now on. After a change of what concerns the line or a reset under way,
    /// `judge_faults`.
    switch_faults faults;
    [[nodiscard]] pipeline::table_faults& table_faults() { return pipeline_.faults; }
    void judge_faults();
    /// Raises the cause `times` times, `distance` apart, from now on.
    void storm(interrupt which, picoseconds distance, std::uint32_t times);

    /// Link up or down as the port's end of the cable sees it.
    void link_changed(std::size_t port, bool up);

private:
    void start_of_simulation() override;
    void due(std::uint32_t what) override;
    /// `front`: the port, when it is no CPU port.
    void connect(std::uint16_t port, scheduler::scheduler& egress, front_port* front);
    /// Where frames leave the memory.
    [[nodiscard]] mmu::departure_if& departure();
    void bind_global();
    void bind_ports();
    void bind_statistics();
    void clear_counters();
    void start_reset();
    void finish_reset();
    void finish_initialisation();
    void update_ready();
    void reset_port(std::uint32_t port);
    void raise(interrupt which);
    void update_line();
    [[nodiscard]] bool cause_pending() const;

    timeline& time_;
    asic_parameters parameters_;
    registers::bank bank_;
    register_target target_;
    pipeline::pipeline pipeline_;
    mmu::mmu memory_;
    cpu_port cpu_;
    std::vector<std::unique_ptr<front_port>> ports_;
    std::unique_ptr<scheduler::crossbar> crossbar_;  // none: output queueing
    std::vector<std::unique_ptr<watched_port>> watched_;
    std::vector<std::unique_ptr<pfc::watchdog>> watchdogs_;  // after what they watch
    std::unique_ptr<switch_checks> checks_;                  // none: built without
    struct interrupt_fields {
        registers::bank::field_ref status;
        registers::bank::field_ref mask;
    };
    std::array<interrupt_fields, interrupts> interrupts_;
    std::vector<std::function<void(bool)>> on_interrupt_;
    bool line_{false};
    bool line_lost_{false};   // the present causes were not passed on
    bool reset_held_{false};  // by a fault, after its time
    bool memories_held_{false};
    struct {
        interrupt which{interrupt::access_error};
        picoseconds distance{0};
        std::uint32_t left{0};
        std::uint32_t number{0};
    } storm_;
    bool resetting_{false};
    bool initialising_{false};
    std::uint32_t initialisations_{0};
    bool ram_done_{false};
    bool core_enabled_{false};
    picoseconds snapshot_at_{0};
    std::uint32_t error_address_{0};
    std::uint32_t error_count_{0};
};

}  // namespace weir::asic
