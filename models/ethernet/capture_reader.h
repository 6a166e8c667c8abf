// SPDX-License-Identifier: Apache-2.0
// Reading captures: pcap with microseconds or nanoseconds, and pcapng, through libpcap.
//
// A capture usually holds frames without their FCS, and frames that a host sent were often caught before its MAC padded
// them. What is read is therefore completed to what was on the wire: the length counts the FCS and is at least 64.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/ethernet/frame.h"

namespace weir::ethernet {

/// One clear line: file, frame, what is wrong, what would be right.
class capture_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct captured_frame {
    /// Since the first frame of the file; negative when the file is not in order of time.
    picoseconds time{0};
    /// What the capture holds of the frame, FCS excluded.
    std::vector<std::uint8_t> octets;
    /// Length on the wire, FCS included.
    std::uint32_t wire_length{0};
    /// False when the file holds the FCS and it is wrong.
    bool fcs_good{true};

    /// Makes `out` this frame.
    void fill(frame& out) const;
};

struct capture {
    /// Time of the first frame since 1970, in nanoseconds: the origin of every frame's time.
    std::int64_t origin_ns{0};
    /// True when the frames came with their FCS.
    bool fcs_included{false};
    std::vector<captured_frame> frames;
};

struct capture_options {
    /// Whether frames end with their FCS. Unset: what the file says of it (pcapng's if_fcslen, or the FCS length in a
    /// pcap header), and no FCS where it says nothing.
    std::optional<bool> fcs_included;
};

/// Reads a whole capture. Throws capture_error when the file is missing, empty, no capture, truncated, of a link type
/// other than Ethernet, or holds a frame longer than 16000 octets.
[[nodiscard]] capture read_capture(const std::string& path, const capture_options& options = {});

}  // namespace weir::ethernet
