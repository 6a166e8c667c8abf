// SPDX-License-Identifier: Apache-2.0
// A UDP frame between two hosts of a lab, for their players.
#pragma once

#include <cstdint>
#include <vector>

#include "models/ethernet/rocev2.h"
#include "tests/acceptance/lab.h"

namespace weir::acceptance {

/// `length` counts the FCS, which the octets do not have.
inline std::vector<std::uint8_t> udp(lab& l, std::uint32_t from, std::uint32_t to, std::uint32_t length,
                                     std::uint8_t dscp) {
    const auto& hosts = l.machine().config().hosts;
    ethernet::udp_path path;
    path.source_mac = hosts[from].mac;
    path.destination_mac = hosts[to].mac;
    path.dscp = dscp;
    path.destination_port = 9;
    ethernet::frame* f = l.machine().frames().take();
    ethernet::build_udp(*f, path, length);
    std::vector<std::uint8_t> octets = f->wire_octets();
    f->release();
    octets.resize(octets.size() - 4);
    return octets;
}

}  // namespace weir::acceptance
