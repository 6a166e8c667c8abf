// SPDX-License-Identifier: Apache-2.0
// Where the adversary's hosts stand, and when each has to begin.
//
//   round after round, each when everything of the one before has come to rest: for each class first the ports to other
//   switches, that towards the receiver after the others, then the senders; at last the receiver itself, class after
//   class
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "vp/study/adversary.h"
#include "vp/study/frame_ways.h"

namespace weir::vp {

/// A port whose group is to overflow in a class.
struct adversary_target {
    platforms::link_end port;
    std::uint32_t fills{0};  ///< the host behind it; the port leads to a switch: the first of many
    bool link{false};        ///< it leads to a switch
    adversary_class traffic;
    picoseconds begin{0};  ///< of its traffic
    /// From whom to whom the frames go that hold up its pause, all timed to be at the port at once: at a link some may
    /// take another one of equal paths. Empty: nobody can.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> held_up_by;
};

/// How often a host that stops its port says so.
[[nodiscard]] picoseconds stopping_interval(const platforms::platform_config& platform, std::uint32_t host);

class adversary_plan {
public:
    /// Keeps references to both. Precondition: check_adversary passed.
    adversary_plan(const adversary& a, const platforms::platform_config& platform);

    [[nodiscard]] const std::vector<adversary_target>& targets() const { return targets_; }
    /// Hosts that stop, the receiver first.
    [[nodiscard]] std::vector<std::uint32_t> stopped() const;
    /// Priorities that they stop, a bit each.
    [[nodiscard]] std::uint32_t priorities() const;
    /// Of the frame that holds up a pause.
    [[nodiscard]] std::uint32_t own_octets() const;
    /// When everything has come to rest.
    [[nodiscard]] picoseconds end() const { return end_; }
    /// How long a frame on the way to a target takes there, gap and preamble counted.
    [[nodiscard]] picoseconds frame_time(const adversary_target& t) const;

    /// When the frames that hold up a target's pause have to be sent, to begin to leave its port at that time.
    [[nodiscard]] picoseconds sent_for(const adversary_target& t, picoseconds leaving) const;
    /// When they begin to leave it, if they were sent then and nothing is in their way.
    [[nodiscard]] picoseconds leaving_of(const adversary_target& t, picoseconds sent) const;
    /// When a frame that arrived at the host behind a target then had begun to leave its port.
    [[nodiscard]] picoseconds left_at(const adversary_target& t, picoseconds arrived) const;

    /// The flow list; `held_up` as of adversary_flows.
    [[nodiscard]] std::string flows(const std::vector<picoseconds>& held_up) const;

private:
    struct stream {
        picoseconds begin{0};
        std::uint32_t source{0};
        std::uint32_t destination{0};
        adversary_class traffic;
        std::uint32_t flows{1};
    };

    void choose_senders();
    std::vector<std::uint32_t> plan_links(const adversary_class& traffic, picoseconds begin, std::uint32_t receiver,
                                          std::set<std::uint32_t>& taken);
    void plan_host(std::uint32_t sender, std::uint32_t destination, const adversary_class& traffic, picoseconds begin);
    [[nodiscard]] picoseconds first_begin() const;
    [[nodiscard]] std::vector<std::uint32_t> hosts_of(std::uint32_t switch_index) const;
    [[nodiscard]] picoseconds way_to(const adversary_target& t, std::size_t nth) const;
    [[nodiscard]] platforms::link_end port_of(std::uint32_t host) const;
    [[nodiscard]] const platforms::port_config& port(std::uint32_t host) const;
    [[nodiscard]] const platforms::switch_config& at(std::uint32_t host) const;
    [[nodiscard]] picoseconds stagger() const;
    /// More than the whole switch holds.
    [[nodiscard]] std::uint64_t frames(std::uint32_t host) const;
    /// In which a host has filled its switch, and is stopped.
    [[nodiscard]] picoseconds fill_time(std::uint32_t host) const;
    /// The lowest priority that is not attacked.
    [[nodiscard]] std::uint32_t other_priority() const;

    const adversary& a_;
    const platforms::platform_config& platform_;
    frame_ways ways_;
    std::uint32_t receiver_;
    std::uint32_t helper_{0};             ///< if there is one
    std::vector<std::uint32_t> senders_;  ///< all but the receiver
    bool receiver_sends_{false};
    std::optional<std::uint32_t> second_receiver_;  ///< of frames that come by the port towards the receiver
    std::vector<adversary_class> classes_;
    std::vector<adversary_target> targets_;
    std::vector<stream> streams_;
    picoseconds end_{0};
};

}  // namespace weir::vp
