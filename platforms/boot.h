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
#include "platforms/guest.h"
#include "platforms/native_initiator.h"
#include "sw/include/weir/dcbx.h"
#include "sw/include/weir/device.h"
#include "sw/include/weir/service.h"
#include "sw/include/weir/shell.h"
#include "sw/include/weir/watchdog.h"

namespace weir::platforms {

/// Reads a script and puts in the values of its ${names}. Throws config_error for a missing file, an unknown name, or
/// "${" without "}", with line and column.
[[nodiscard]] std::vector<script_line> read_script(const std::string& path,
                                                   const std::map<std::string, std::string>& values);

/// The same from text; `file` is what messages call it.
[[nodiscard]] std::vector<script_line> parse_script(const std::string& text, const std::string& file,
                                                    const std::map<std::string, std::string>& values);

/// What the driver of a switch carries out at its boot: its script, then its routes. Beside the platform's values the
/// script can use ${switch}, the switch's name, ${last_port}, the number of its last port, and ${mac}, an address for
/// its first port that no other switch has. Throws config_error.
[[nodiscard]] std::vector<script_line> boot_script(const platform_config& platform, std::uint32_t switch_index);

/// The driver of one switch, with its shell, on a native CPU.
class switch_driver : public guest {
public:
    explicit switch_driver(native_initiator& cpu);

    void program(std::vector<script_line> lines) override;
    [[nodiscard]] bool booting() const override { return cpu_.running(); }
    [[nodiscard]] picoseconds booted_at() const override { return cpu_.local_time(); }
    [[nodiscard]] const std::string& error() const override { return error_; }
    [[nodiscard]] std::uint64_t commands() const override { return commands_; }
    void on_print(std::function<void(const char*)> print) override { print_ = std::move(print); }
    void keep_serving() override;
    void carry_out(std::vector<script_line> lines) override;

    [[nodiscard]] weir_dev& device() { return *device_; }
    [[nodiscard]] weir_shell& shell() { return *shell_; }
    [[nodiscard]] weir_watchdog& watchdog() { return *watchdog_; }
    [[nodiscard]] weir_dcbx& dcbx() { return *dcbx_; }
    [[nodiscard]] weir_service& service() { return *service_; }

    /// Brings the device up; for programs of one's own on the same CPU.
    weir_status start();
    /// Runs one line; a failure's text is shell's error.
    weir_status execute(const std::string& line);

private:
    /// Carries out what came after the boot.
    void catch_up();

    native_initiator& cpu_;
    std::unique_ptr<weir_dev> device_;
    std::unique_ptr<weir_shell> shell_;
    std::unique_ptr<weir_watchdog> watchdog_;
    std::unique_ptr<weir_dcbx> dcbx_;
    std::unique_ptr<weir_service> service_;
    std::function<void(const char*)> print_;
    std::string error_;
    std::uint64_t commands_{0};
    std::vector<script_line> later_;
};

}  // namespace weir::platforms
