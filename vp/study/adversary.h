// SPDX-License-Identifier: Apache-2.0
// The worst that a network can do to a lossless port, on purpose.
//
// The receiver stops its port for good, so nothing drains. Senders fill their groups at line rate with frames that are
// all alike; what one holds stays where it is, so those of many ports and classes add up, whenever they came. Just
// before a group asks its sender to stop, the port towards that sender begins a long frame of another class, behind
// which the pause frame has to wait. When that moment comes depends on everything that is programmed, so it is
// observed: a first run shows it, the next one has the long frame there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vp/engine.h"

namespace weir::vp {

/// What frames are that go into a lossless group.
struct adversary_class {
    std::uint32_t priority{0};
    std::uint32_t dscp{0};
};

struct adversary {
    std::string receiver{"0"};  ///< a host, by name or number, as all of them
    /// Whose groups are to overflow; empty: all but receiver and helper. The receiver among them sends last, to the
    /// first of them, which stops its port, too.
    std::vector<std::string> senders;
    std::string helper;  ///< sends the frames that hold up the pauses, the receiver perhaps; empty: there are none
    /// A switch whose ports to other switches are to overflow before, by all hosts whose frames to the receiver come
    /// by them; empty: none. Without senders they alone.
    std::string through;
    std::uint32_t congested{0};  ///< so many of the senders only, the first; 0: all
    std::uint32_t priority{3};
    std::uint32_t dscp{256};            ///< more than 63: eight times the priority
    std::vector<adversary_class> more;  ///< attacked after that, one by one
    std::uint32_t frame{1518};          ///< octets of each frame, FCS counted
    std::uint32_t own{0};    ///< octets of the frame that holds up a pause; 0: 1518, or `frame` if that is longer
    std::uint32_t shift{0};  ///< so many frames of 64 octets first: they move where in a frame XOFF is crossed
    bool staggered{true};    ///< senders begin one after the other, so that the helper has time for each
};

/// Names of the numbers among its members, as studies call them, and setting one by name.
[[nodiscard]] const std::vector<std::string>& adversary_numbers();
void set_adversary_number(adversary& a, const std::string& name, std::uint64_t number);

/// Throws config_error at `where` for hosts that the platform does not have, or has twice.
void check_adversary(const adversary& a, const platforms::platform_config& platform, const std::string& where);

/// The flow list that lets this adversary loose, its long frames sent at `held_up` (by target; negative: none).
[[nodiscard]] std::string adversary_flows(const adversary& a, const platforms::platform_config& platform,
                                          const std::vector<picoseconds>& held_up);

struct adversary_result {
    std::string told;     ///< what `tell` made of the run
    std::string flows;    ///< its flow list: with it and the receiver's storm, `weir run` repeats the run
    std::string failed;   ///< why there was no run; empty: there was one
    bool aligned{false};  ///< every pause found its frame in the way
};

/// Runs the adversary against a platform in processes of its own, until its frames are where they should be.
[[nodiscard]] adversary_result run_adversary(const engine& simulator, const platforms::platform_config& platform,
                                             const adversary& a, const run_request& request,
                                             const std::function<std::string(const run_result&)>& tell);

/// What the platform needs besides the flow list, as arguments of `weir run`.
[[nodiscard]] std::string adversary_arguments(const adversary& a, const platforms::platform_config& platform);

}  // namespace weir::vp
