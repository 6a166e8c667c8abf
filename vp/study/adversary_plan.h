// SPDX-License-Identifier: Apache-2.0
// Where the adversary's hosts stand, and when each has to begin.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vp/study/adversary.h"

namespace weir::vp {

class adversary_plan {
public:
    /// Keeps references to both. Precondition: check_adversary passed.
    adversary_plan(const adversary& a, const platforms::platform_config& platform);

    /// Numbers of the hosts that send, in their order.
    [[nodiscard]] const std::vector<std::uint32_t>& senders() const { return senders_; }
    [[nodiscard]] std::uint32_t receiver() const { return receiver_; }
    /// Of the frame that holds up a pause.
    [[nodiscard]] std::uint32_t own_octets() const;
    /// When everything has come to rest.
    [[nodiscard]] picoseconds end() const;
    /// How long a frame of a sender takes, gap and preamble counted.
    [[nodiscard]] picoseconds frame_time(std::size_t sender) const;

    /// When the helper has to send a frame, for it to begin to leave the sender's port at that time.
    [[nodiscard]] picoseconds sent_for(picoseconds leaving) const;
    /// When a frame that arrived at a sender then had begun to leave its port.
    [[nodiscard]] picoseconds left_at(std::size_t sender, picoseconds arrived) const;

    /// The flow list; `held_up` as of adversary_flows.
    [[nodiscard]] std::string flows(const std::vector<picoseconds>& held_up) const;

private:
    [[nodiscard]] const platforms::port_config& port(std::uint32_t host) const;
    [[nodiscard]] const platforms::switch_config& at(std::uint32_t host) const;
    /// Of the cable, and of what lies between it and the port.
    [[nodiscard]] picoseconds leg(std::uint32_t host) const;
    [[nodiscard]] picoseconds begin(std::size_t sender) const;
    [[nodiscard]] picoseconds stagger() const;
    /// More than the whole switch holds.
    [[nodiscard]] std::uint64_t frames(std::uint32_t host) const;

    const adversary& a_;
    const platforms::platform_config& platform_;
    std::uint32_t receiver_;
    std::uint32_t helper_{0};  ///< if there is one
    std::vector<std::uint32_t> senders_;
};

}  // namespace weir::vp
