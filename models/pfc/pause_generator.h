// SPDX-License-Identifier: Apache-2.0
// What a port asks its peer to stop: wishes of the priority groups in, PFC or PAUSE frames out.
//
// One slot, always current (G1): nothing queues. The frame is built when it leaves, from the wishes of that moment, and
// names every priority that is paused now with its quanta and every one just released with time 0 (G2). That is right
// for a peer that leaves unnamed timers alone and for one that takes a clear bit as a release (F7).
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "models/ethernet/frame.h"
#include "models/ethernet/headers.h"
#include "models/pfc/conformance_monitor.h"
#include "models/pfc/pfc_if.h"
#include "models/timeline/timeline.h"

namespace weir::pfc {

constexpr std::size_t priorities = 8;

struct generator_counters {
    std::uint64_t frames{0};                              ///< PFC frames sent
    std::uint64_t pause_frames{0};                        ///< 802.3x frames sent
    std::array<std::uint64_t, priorities> requests{};     ///< frames that named the priority, time 0 included
    std::array<std::uint64_t, priorities> transitions{};  ///< XOFF to XON, whether or not a frame told of it
};

class pause_generator : private actor {
public:
    /// `wake` is called when there is something to send.
    pause_generator(timeline& time, const std::string& name, ethernet::frame_pool& frames, std::function<void()> wake);

    /// Who hears of what is wanted and of what is sent.
    void tell(conformance_monitor* monitor) { monitor_ = monitor; }
    void set_source(const ethernet::mac_address& source) { source_ = source; }
    [[nodiscard]] const ethernet::mac_address& source() const { return source_; }
    void set_rate(data_rate rate) { rate_ = rate; }
    /// Pause time asked for, and after how many quanta it is asked for again; a refresh of 0 never comes.
    void set_quanta(std::uint16_t quanta) { quanta_ = quanta; }
    void set_refresh(std::uint16_t quanta) { refresh_ = quanta; }
    [[nodiscard]] std::uint16_t quanta() const { return quanta_; }
    /// Send 802.3x PAUSE for the whole link instead of PFC.
    void set_whole_link(bool on);
    /// The priorities that a group pauses; several groups on one priority: OR.
    void set_group_priorities(std::uint8_t group, bitmap which);
    [[nodiscard]] bitmap group_priorities(std::uint8_t group) const { return group_priorities_[group]; }
    void set_enabled(bitmap which);
    void set_forced(bitmap which);

    void group_wishes(std::uint8_t group, bool pause);
    void link_changed(bool up);

    /// Builds the frame for what differs from what the peer was told, or for a refresh that is due; else none.
    [[nodiscard]] ethernet::frame* next(picoseconds now);

    /// Priorities wanted stopped now.
    [[nodiscard]] bitmap wanted() const { return wanted_; }
    /// For how long altogether a priority was wanted stopped, up to `now`.
    [[nodiscard]] picoseconds paused_for(std::uint8_t priority, picoseconds now) const;

    generator_counters counters;
    void clear_statistics();

private:
    void due(std::uint32_t what) override;
    void update();
    [[nodiscard]] picoseconds refresh_time() const { return sent_at_ + rate_.quanta(refresh_); }
    void watch_refresh();

    timeline& time_;
    ethernet::frame_pool& frames_;
    std::function<void()> wake_;
    conformance_monitor* monitor_{nullptr};
    ethernet::mac_address source_{};
    data_rate rate_;
    std::uint16_t quanta_{0xffff};
    std::uint16_t refresh_{0x8000};
    bool whole_link_{false};
    bool link_{false};
    std::array<bitmap, priorities> group_priorities_{};
    bitmap wishing_groups_{0};
    bitmap enabled_{0};
    bitmap forced_{0};
    bitmap wanted_{0};
    bitmap announced_{0};
    bool announced_whole_link_{false};  // what was announced was announced by PAUSE
    bool refresh_due_{false};
    bool watching_{false};
    picoseconds sent_at_{0};
    std::array<picoseconds, priorities> since_{};
    std::array<picoseconds, priorities> paused_{};
};

}  // namespace weir::pfc
