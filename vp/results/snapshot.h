// SPDX-License-Identifier: Apache-2.0
// What all registers of a chip say at one moment, read by peek, which disturbs nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/registers/bank.h"

namespace weir::vp {

/// All instances of one register that the chip has.
struct register_values {
    const registers::register_descriptor* about{nullptr};
    registers::index sizes{1, 1, 1};   ///< of each dimension on this chip; 1 where there is none
    std::vector<std::uint64_t> words;  ///< outermost dimension first

    [[nodiscard]] std::uint64_t word(const registers::index& at) const;
    [[nodiscard]] std::uint64_t field(const registers::field_descriptor& f, const registers::index& at) const {
        return word(at) >> f.low & f.all_ones();
    }
};

class register_snapshot {
public:
    using peek_function = std::function<std::optional<std::uint32_t>(std::uint64_t address)>;

    register_snapshot() = default;
    /// Reads every register of the blocks named (all when none is) as far as `peek` answers: where it does not, the
    /// chip ends. bank::peek and transport_dbg both fit.
    register_snapshot(const registers::map& map, const peek_function& peek,
                      const std::vector<std::string_view>& blocks = {});

    /// A field by "block.register.field"; std::logic_error names the nearest when there is none,
    /// std::out_of_range for an index that the chip does not have.
    [[nodiscard]] std::uint64_t value(std::string_view name, const registers::index& at = {}) const;
    /// True when the field holds ones only, which in sizes and thresholds means "unlimited".
    [[nodiscard]] bool all_ones(std::string_view name, const registers::index& at = {}) const;

    [[nodiscard]] const std::vector<register_values>& registers() const { return registers_; }
    /// How many ports the chip has, the CPU port not counted; 0 when nothing was read.
    [[nodiscard]] std::uint32_t front_ports() const;

private:
    std::pair<const register_values*, const registers::field_descriptor*> find(std::string_view name) const;
    std::vector<register_values> registers_;
};

}  // namespace weir::vp
