// SPDX-License-Identifier: Apache-2.0
// A machine whose script has run: built from a platform, its drivers started, booted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/timeline/time.h"
#include "platforms/config.h"
#include "platforms/failures.h"
#include "platforms/firmware.h"
#include "platforms/machine.h"
#include "vp/remote/remote_access.h"
#include "vp/run/console.h"

namespace weir::vp {

struct booted_machine {
    std::unique_ptr<console> terminal;
    std::unique_ptr<platforms::machine> hardware;
    std::vector<std::unique_ptr<platforms::guest>> guests;
    std::vector<platforms::switch_routes> told;     // a switch's routes
    platforms::firmware_driver* typed_to{nullptr};  // the first switch's firmware, when there is one
    picoseconds booted_at{0};
    platforms::platform_config programmed;  // the platform with the values that its program has now
};

/// `doors`: null, or those of a run that can be reached from outside; they have brought a driver of their own, or not.
/// `built`: called with the machine before anything runs. Throws config_error, boot_error.
[[nodiscard]] booted_machine boot(const platforms::platform_config& config, std::uint64_t seed,
                                  const std::string& console_place, remote::remote_access* doors = nullptr,
                                  const std::function<void(platforms::machine&)>& built = {});

/// Has the drivers carry out again what other values of the program change ("NAME=VALUE" each), beginning now
/// (platforms/reprogram.h); how many lines that are.
std::size_t change_program(booted_machine& m, const std::vector<std::string>& assignments, const std::string& where);

}  // namespace weir::vp
