// SPDX-License-Identifier: Apache-2.0
// The DCBX of an end station: says what it does when its link comes up, when that changes, and every 30 s; hears what
// its peer says; and, where it is willing, does as the peer does.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "models/ethernet/dcbx.h"
#include "models/timeline/timeline.h"

namespace weir::host {

class dcbx_agent : private actor {
public:
    /// `wake` is called when there is something to send.
    dcbx_agent(timeline& time, const std::string& name, ethernet::frame_pool& frames, std::function<void()> wake)
        : actor(time, name), time_(time), frames_(frames), wake_(std::move(wake)) {}

    /// What the station does from now on; until then it neither speaks nor listens.
    void speak(const ethernet::mac_address& source, const ethernet::dcbx_message& own);
    /// Called with the priorities that PFC is enabled for, whenever they change.
    void on_pfc(std::function<void(std::uint8_t)> hook) { on_pfc_ = std::move(hook); }
    void link_changed(bool up);

    /// The message to send now, or none.
    [[nodiscard]] ethernet::frame* next();
    /// True when the frame was LLDP for this station.
    bool receive(const ethernet::frame& f);

    /// What it does: its own configuration, or the peer's where it is willing.
    [[nodiscard]] const ethernet::dcbx_message& in_effect() const { return in_effect_; }
    /// What the peer said last on this link.
    [[nodiscard]] const std::optional<ethernet::dcbx_message>& peer() const { return peer_; }
    /// Why the last frame that was refused was.
    [[nodiscard]] ethernet::dcbx_error last_error() const { return last_error_; }

private:
    void due(std::uint32_t link) override;
    void say();
    void adopt();

    timeline& time_;
    ethernet::frame_pool& frames_;
    std::function<void()> wake_;
    std::function<void(std::uint8_t)> on_pfc_;
    ethernet::mac_address source_{};
    ethernet::dcbx_message own_;
    ethernet::dcbx_message in_effect_;
    std::optional<ethernet::dcbx_message> peer_;
    ethernet::dcbx_error last_error_{ethernet::dcbx_error::none};
    bool speaks_{false};
    bool link_{false};
    bool pending_{false};
    std::uint32_t links_{0};  // numbers the links' lives, so that an entry of an earlier one is ignored
};

}  // namespace weir::host
