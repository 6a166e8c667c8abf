// SPDX-License-Identifier: Apache-2.0
// The register bank on the bus: a TLM-2.0 target for 32-bit accesses in the map's byte order.
//
// An access happens at the initiator's local time; whoever initiates has made sure that nothing earlier is left in the
// packet plane. A posted write answers at once and takes effect later, in order; a read pushes it through.
#pragma once

#include <systemc>
#include <tlm>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "models/registers/bank.h"
#include "models/timeline/fifo.h"
#include "models/timeline/initiator_name.h"
#include "models/timeline/timeline.h"

namespace weir::asic {

struct bus_timing {
    picoseconds read_latency{nanoseconds(100)};
    picoseconds write_latency{nanoseconds(10)};
    picoseconds posted_delay{0};  ///< 0: a write has taken effect when it answers
};

/// What software sees of a refused access. The sticky bits, the count and the message come in any case.
enum class error_policy : std::uint8_t { bus_error, logged, ignored };

/// One access as it was carried out. A posted write is one when it takes effect.
struct register_access {
    picoseconds time{0};
    const char* initiator{nullptr};  ///< null: it did not say
    std::uint64_t address{0};
    bool write{false};
    std::uint32_t value{0};               ///< written or read, as a number
    std::optional<std::uint32_t> before;  ///< of a write: what a debugger saw there just before it
    registers::bank::result result;
};

class register_target : public sc_core::sc_module, public tlm::tlm_fw_transport_if<>, private actor {
public:
    register_target(sc_core::sc_module_name name, timeline& time, registers::bank& bank, const bus_timing& timing,
                    error_policy policy);

    /// Takes any number of initiators: a CPU, and whoever else is on the bus.
    using bus_socket = tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 0>;
    bus_socket socket{"socket"};

    /// Called for every refused access, with its address.
    void on_error(std::function<void(const registers::bank::result&, std::uint64_t)> hook) {
        on_error_ = std::move(hook);
    }
    /// From now on accesses to the octets from `first` to `last` get a bus error, before the chip sees them; a fault
    /// for tests. `allow_all` takes it back.
    void refuse(std::uint32_t first, std::uint32_t last, bool reads, bool writes) {
        refused_.push_back({first, last, reads, writes});
    }
    void allow_all() { refused_.clear(); }
    /// Accesses that software made, refused ones too.
    [[nodiscard]] std::uint64_t reads() const { return reads_; }
    [[nodiscard]] std::uint64_t writes() const { return writes_; }
    /// Called after every access; several may listen.
    void observe(std::function<void(const register_access&)> observer) { observers_.push_back(std::move(observer)); }
    /// When the last posted write takes effect: a read must not happen earlier.
    [[nodiscard]] picoseconds posted_until() const { return posted_until_; }

    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
    unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }

private:
    struct posted_write {
        std::uint64_t address;
        std::uint32_t value;
        const char* initiator;
    };
    struct refused_range {
        std::uint32_t first, last;
        bool reads, writes;
    };
    [[nodiscard]] bool refuses(std::uint64_t address, bool write) const;
    registers::bank::result write(std::uint64_t address, std::uint32_t value, const char* initiator);
    void tell(const register_access& done) const;
    void due(std::uint32_t what) override;
    void push_posted_writes();
    void carry_out(const posted_write& w);
    void report(const registers::bank::result& r, std::uint64_t address, const initiator_name* who);
    [[nodiscard]] std::uint32_t from_bus(const unsigned char* octets) const;
    void to_bus(std::uint32_t value, unsigned char* octets) const;

    timeline& time_;
    registers::bank& bank_;
    bus_timing timing_;
    error_policy policy_;
    std::function<void(const registers::bank::result&, std::uint64_t)> on_error_;
    std::vector<std::function<void(const register_access&)>> observers_;
    std::vector<refused_range> refused_;
    fifo<posted_write> posted_;
    picoseconds posted_until_{0};
    std::uint32_t drained_{0};  // entries of the timeline whose writes a read has pushed through
    std::uint64_t reads_{0};
    std::uint64_t writes_{0};
};

}  // namespace weir::asic
