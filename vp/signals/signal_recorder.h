// SPDX-License-Identifier: Apache-2.0
// Everything that changes in a run's switches, change by change: occupancies, pauses, drops, marks, interrupts,
// register writes. Leaves signals.csv, a row a change, and signals.json, which names the signals (docs/results.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/timeline/time.h"
#include "platforms/machine.h"
#include "vp/output/csv_writer.h"

namespace weir::vp {

enum class signal_kind : std::uint8_t {
    guaranteed,  ///< cells of a priority group, by region
    service,
    headroom,
    queue,      ///< cells of an egress queue
    pool,       ///< cells that are taken of a service pool
    asked,      ///< a pause that the switch asks for, from the start of the frame that tells its peer
    stopped,    ///< a queue that obeys a pause; of a host: a priority
    drop,       ///< an event: a frame of that group was thrown away; the value is the reason's number
    mark,       ///< an event: a frame for that queue was marked
    interrupt,  ///< the level of the switch's line
    write,      ///< an event: a register write of software; the value is its address
    function,   ///< what the core was executing at its last register access, by number
};

class signal_recorder {
public:
    /// Records from now on, into `folder`; times count from `origin`. Throws output_error.
    signal_recorder(platforms::machine& m, const std::string& folder, picoseconds origin);
    ~signal_recorder();
    signal_recorder(const signal_recorder&) = delete;
    signal_recorder& operator=(const signal_recorder&) = delete;

    /// What has been recorded is in the file.
    void flush() { changes_.flush(); }
    /// Goes on at the end of a copy of signals.csv in another folder. Throws output_error.
    void continue_in(const std::string& folder);
    /// Writes signals.json. Throws output_error.
    void close();

    [[nodiscard]] static std::vector<std::string> files() { return {"signals.csv", "signals.json"}; }

private:
    class chip_watch;
    struct signal {
        signal_kind kind;
        std::uint32_t device;
        bool host;
        std::uint32_t port;
        std::uint32_t index;
    };
    /// Numbers of signals that have changed at least once; 0: not yet.
    using numbers = std::vector<std::uint32_t>;

    /// A row, when the value is another than before. `number`: the signal's, made when it is 0.
    void change(std::uint32_t& number, const signal& what, std::int64_t value);
    /// A row in any case.
    void happen(std::uint32_t& number, const signal& what, std::int64_t value);
    std::int64_t number_of_function(const std::string& name);

    platforms::machine& machine_;
    std::string folder_;
    picoseconds origin_;
    csv_writer changes_;
    std::vector<signal> signals_;
    std::vector<std::int64_t> values_;
    std::vector<std::string> functions_{""};  // by number; 0: none yet
    std::vector<std::unique_ptr<chip_watch>> chips_;
    std::vector<numbers> hosts_;
};

}  // namespace weir::vp
