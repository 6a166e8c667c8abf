// SPDX-License-Identifier: Apache-2.0
// Booting a switch: its driver brings the chip up, then runs the platform's script of shell commands.
//
//   script file ── ${name} from [program] and --set ──► lines ──► shell ──► driver ──► registers
//
// A line that fails stops the boot; nothing else leads from a configuration into a threshold.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platforms/config.h"
#include "platforms/native_initiator.h"
#include "sw/include/weir/dcbx.h"
#include "sw/include/weir/device.h"
#include "sw/include/weir/shell.h"
#include "sw/include/weir/watchdog.h"

namespace weir::platforms {

struct script_line {
    std::string where;  ///< "file:line"
    std::string text;   ///< substituted
};

/// Reads a script and puts in the values of its ${names}. Throws config_error for a missing file, an unknown name, or
/// "${" without "}", with line and column.
[[nodiscard]] std::vector<script_line> read_script(const std::string& path,
                                                   const std::map<std::string, std::string>& values);

/// The same from text; `file` is what messages call it.
[[nodiscard]] std::vector<script_line> parse_script(const std::string& text, const std::string& file,
                                                    const std::map<std::string, std::string>& values);

/// The driver of one switch, with its shell, on a native CPU.
class switch_driver {
public:
    explicit switch_driver(native_initiator& cpu);

    /// Makes the CPU bring the device up and run the lines when the simulation starts.
    void program(std::vector<script_line> lines);
    /// Why the boot failed, "file:line: reason"; empty: it did not.
    [[nodiscard]] const std::string& error() const { return error_; }
    /// Lines that ran.
    [[nodiscard]] std::uint64_t commands() const { return commands_; }
    /// Where `show` prints; by default nowhere.
    void on_print(std::function<void(const char*)> print) { print_ = std::move(print); }

    [[nodiscard]] weir_dev& device() { return *device_; }
    [[nodiscard]] weir_shell& shell() { return *shell_; }
    [[nodiscard]] weir_watchdog& watchdog() { return *watchdog_; }
    [[nodiscard]] weir_dcbx& dcbx() { return *dcbx_; }
    /// Whether the script started the watchdog in software on any port.
    [[nodiscard]] bool watches() const;
    /// Makes the CPU, which must be idle, poll the watchdog for ever.
    void keep_watching();

    /// Brings the device up; for programs of one's own on the same CPU.
    weir_status start();
    /// Runs one line; a failure's text is shell's error.
    weir_status execute(const std::string& line);

private:
    native_initiator& cpu_;
    std::unique_ptr<weir_dev> device_;
    std::unique_ptr<weir_shell> shell_;
    std::unique_ptr<weir_watchdog> watchdog_;
    std::unique_ptr<weir_dcbx> dcbx_;
    std::function<void(const char*)> print_;
    std::string error_;
    std::uint64_t commands_{0};
};

}  // namespace weir::platforms
