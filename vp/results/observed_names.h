// SPDX-License-Identifier: Apache-2.0
// What an observer's numbers are called: switches and hosts by name, roots of pauses in words.
#pragma once

#include <cstdint>
#include <string>

#include "models/observer/observer.h"
#include "platforms/machine.h"

namespace weir::vp {

class observed_names {
public:
    observed_names(const observer::observer& seen, const platforms::machine& m) : seen_(seen), machine_(m) {}

    [[nodiscard]] const std::string& chip(std::uint32_t number) const {
        return machine_.config().switches[number].name;
    }
    [[nodiscard]] const std::string& host(std::uint32_t number) const { return machine_.config().hosts[number].name; }
    /// "s0.3 queue 3", "h1", or "s0.3" of a port whose software forces pauses.
    [[nodiscard]] std::string root(observer::node_number n) const;
    /// What a port's pauses stop: a host, or "switch.port"; empty: nothing is there.
    [[nodiscard]] std::string stopped_by(const observer::place& at) const;
    /// The priority that stops a queue; of several the lowest.
    [[nodiscard]] std::uint32_t priority_of(const observer::waiting_queue& q) const;

private:
    const observer::observer& seen_;
    const platforms::machine& machine_;
};

}  // namespace weir::vp
