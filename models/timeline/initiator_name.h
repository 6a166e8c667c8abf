// SPDX-License-Identifier: Apache-2.0
// An initiator may say with a transaction who it is, and where in its program it is; what says nothing is software.
#pragma once

#include <tlm>

#include <functional>
#include <string>

namespace weir {

struct initiator_name : tlm::tlm_extension<initiator_name> {
    explicit initiator_name(const char* called) : name(called) {}
    [[nodiscard]] tlm::tlm_extension_base* clone() const override { return new initiator_name(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        name = static_cast<const initiator_name&>(other).name;
        where = static_cast<const initiator_name&>(other).where;
    }
    const char* name;
    /// What it is executing: "0x80001a2c main+0x14"; not set: it cannot tell.
    std::function<std::string()> where;
};

}  // namespace weir
