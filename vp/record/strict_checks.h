// SPDX-License-Identifier: Apache-2.0
// Strict mode: tells of what a driver does that silicon would swallow without a word. Changes nothing.
//
//   - refused: an access that failed, whatever the platform shows software of it: before initialisation, unmapped, …
//   - ro_bits: ones written where nothing can be written, and nothing had them
//   - xon_xoff: a lossless group's XON at or above its XOFF (R6)
//   - unsized_pool: a group made lossless in a pool of size 0
//   - order: core enabled before the memories are clear; a WRED minimum above its maximum
//   - never_written: configuration read, and not at once changed, that nothing has written since reset
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "platforms/machine.h"
#include "vp/record/register_trace.h"

namespace weir::vp {

/// Whether a run tells of such things.
enum class strict_mode : std::uint8_t { off, report, error, all };

/// "report", "error" (a run fails by a finding), "all" (never_written too). Throws config_error.
[[nodiscard]] strict_mode read_strict_mode(const std::string& text);

/// Watches all chips of a machine as long as they live. A finding is told once: the same kind at the same register,
/// whichever instance, from the same place in the program is one.
class strict_checks {
public:
    /// The machine outlives it. `never_written`: tells of that kind, too. Reset values are the map's promise, and many
    /// drivers live on them; this is for those that mean to set everything themselves.
    explicit strict_checks(platforms::machine& machine, bool never_written = false,
                           const program_counter& counter = {});
    ~strict_checks();
    strict_checks(const strict_checks&) = delete;
    strict_checks& operator=(const strict_checks&) = delete;

    /// Lines as they were told: "12.345 us: s0: pg.xoff[0][3]: …". A read that waits for what follows it is judged now.
    [[nodiscard]] const std::vector<std::string>& findings();

private:
    class watcher;
    struct told;
    std::shared_ptr<told> told_;
    std::vector<std::shared_ptr<watcher>> watchers_;
};

}  // namespace weir::vp
