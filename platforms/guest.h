// SPDX-License-Identifier: Apache-2.0
// What programs a switch: the driver natively (boot.h), as firmware on a core (firmware.h), or in another process.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/timeline/time.h"

namespace weir::platforms {

struct script_line {
    std::string where;  ///< "file:line"
    std::string text;   ///< substituted
};

class guest {
public:
    virtual ~guest() = default;

    /// Makes the guest bring the device up and carry out the lines when the simulation starts.
    virtual void program(std::vector<script_line> lines) = 0;
    /// It is still at that. Not any more after a failure.
    [[nodiscard]] virtual bool booting() const = 0;
    /// When it had done that.
    [[nodiscard]] virtual picoseconds booted_at() const = 0;
    /// Why the boot failed, "file:line: reason"; empty: it did not.
    [[nodiscard]] virtual const std::string& error() const = 0;
    /// Lines that were carried out.
    [[nodiscard]] virtual std::uint64_t commands() const = 0;
    /// Where goes what the guest prints; by default nowhere.
    virtual void on_print(std::function<void(const char*)> print) = 0;
    /// After the boot: the guest goes on as long as the simulation does, serving interrupts and what else its script
    /// asked for.
    virtual void keep_serving() = 0;
    /// More lines after the boot, carried out as soon as the guest has time. What fails is told by `error`.
    virtual void carry_out(std::vector<script_line> lines) = 0;
};

}  // namespace weir::platforms
