// SPDX-License-Identifier: Apache-2.0
// What an observer looks at: the chips and end stations of a network, and which port leads where.
#pragma once

#include <cstdint>
#include <vector>

#include "models/asic/switch_asic.h"
#include "models/host/end_station.h"

namespace weir::observer {

/// A port of a switch.
struct place {
    std::uint32_t chip{0};
    std::uint32_t port{0};
    [[nodiscard]] bool operator==(const place& other) const { return chip == other.chip && port == other.port; }
};

/// What a port's cable leads to.
struct peer {
    enum class kind : std::uint8_t { none, chip, host };
    kind what{kind::none};
    place at;               ///< of a chip: its port
    std::uint32_t host{0};  ///< of a host: its number
};

struct fabric {
    std::vector<asic::switch_asic*> chips;
    std::vector<host::end_station*> hosts;
    std::vector<std::vector<peer>> peers;  ///< by chip and port
    std::vector<place> host_places;        ///< the port that a host is plugged into

    [[nodiscard]] pfc::flow_control& flow(const place& at) const { return chips[at.chip]->port(at.port).flow; }
    /// The groups of a port that stop a queue of their peer's port by PFC: what they name, the peer's maps say.
    [[nodiscard]] pfc::bitmap groups_that_stop(const place& from, const pfc::flow_control& peer_flow,
                                               std::uint8_t peer_queue) const;
};

}  // namespace weir::observer
