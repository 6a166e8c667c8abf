// SPDX-License-Identifier: Apache-2.0
// A hart as the gdb stub sees it. Memory is looked at through two functions of whoever owns the bus.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "models/cpu/hart.h"
#include "vp/remote/gdb_target.h"

namespace weir::vp::remote {

class hart_gdb_target : public gdb_target {
public:
    struct access {
        /// As gdb_target's.
        std::function<bool(std::uint32_t address, std::uint8_t& octet)> peek;
        /// As gdb_target's; has to tell the hart with `memory_changed` if mapped memory changes.
        std::function<bool(std::uint32_t address, const std::uint8_t* octets, std::uint32_t count)> poke;
        /// Empty: every monitor command is unknown.
        std::function<std::string(const std::string& text)> monitor;
    };

    /// Makes the core's watchpoints stop before the access, as gdb takes for granted on RISC-V.
    hart_gdb_target(cpu::hart& core, access a) : core_(core), access_(std::move(a)) { core_.stop_before_watched(true); }

    std::uint32_t read_register(unsigned number) override;
    void write_register(unsigned number, std::uint32_t value) override;
    bool read_csr(unsigned number, std::uint32_t& value) override { return core_.read_csr(number, value); }
    bool write_csr(unsigned number, std::uint32_t value) override { return core_.write_csr(number, value); }
    bool peek(std::uint32_t address, std::uint8_t& octet) override { return access_.peek(address, octet); }
    bool poke(std::uint32_t address, const std::uint8_t* octets, std::uint32_t count) override {
        return access_.poke(address, octets, count);
    }
    bool insert(const gdb_point& point) override;
    void remove(const gdb_point& point) override;
    void resume() override {}
    /// For owners who need time to pass differently: the core executes one instruction, or none in wfi.
    std::optional<gdb_stop> step() override;
    std::string monitor(const std::string& text) override;

    /// How a run's end is told to gdb.
    [[nodiscard]] gdb_stop stop_of(cpu::stop why) const;

private:
    cpu::hart& core_;
    access access_;
};

}  // namespace weir::vp::remote
