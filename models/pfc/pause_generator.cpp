// SPDX-License-Identifier: Apache-2.0
#include "models/pfc/pause_generator.h"

#include <utility>

#include "models/ethernet/mac_control.h"

namespace weir::pfc {

pause_generator::pause_generator(timeline& time, const std::string& name, ethernet::frame_pool& frames,
                                 std::function<void()> wake)
    : actor(time, name), time_(time), frames_(frames), wake_(std::move(wake)) {}

void pause_generator::set_whole_link(bool on) {
    whole_link_ = on;
    update();
}

void pause_generator::set_group_priorities(std::uint8_t group, bitmap which) {
    group_priorities_[group] = which;
    update();
}

void pause_generator::set_enabled(bitmap which) {
    enabled_ = which;
    update();
}

void pause_generator::set_forced(bitmap which) {
    forced_ = which;
    update();
}

void pause_generator::group_wishes(std::uint8_t group, bool pause) {
    const auto bit = 1U << group;
    wishing_groups_ = static_cast<bitmap>(pause ? wishing_groups_ | bit : wishing_groups_ & ~bit);
    update();
}

void pause_generator::link_changed(bool up) {
    link_ = up;
    if (!up) {
        // The peer's timers die with the link, so it has been told nothing (R13).
        wishing_groups_ = 0;
        announced_ = 0;
        refresh_due_ = false;
        if (monitor_ != nullptr) monitor_->forget();
    }
    update();
}

void pause_generator::update() {
    unsigned wanted = forced_;
    for (std::size_t group = 0; group < group_priorities_.size(); ++group) {
        if ((wishing_groups_ >> group & 1U) != 0) wanted |= group_priorities_[group] & enabled_;
    }
    // By PAUSE the whole link is one unit: any wish is every priority's.
    if (whole_link_ && (wanted != 0 || wishing_groups_ != 0)) wanted = 0xff;
    const picoseconds now = time_.now();
    for (unsigned changed = wanted ^ wanted_; changed != 0; changed &= changed - 1) {
        const auto priority = static_cast<std::size_t>(__builtin_ctz(changed));
        if ((wanted >> priority & 1U) != 0) {
            since_[priority] = now;
        } else {
            paused_[priority] += now - since_[priority];
            ++counters.transitions[priority];
        }
    }
    wanted_ = static_cast<bitmap>(wanted);
    if (monitor_ != nullptr) monitor_->wanted(wanted_);
    if (wanted_ != announced_ && link_) wake_();
}

ethernet::frame* pause_generator::next(picoseconds now) {
    if (!link_) return nullptr;
    const bool told = wanted_ == announced_ && (wanted_ == 0 || whole_link_ == announced_whole_link_);
    if (told && !(refresh_due_ && wanted_ != 0)) return nullptr;
    ethernet::frame* f = frames_.take();
    // What was announced one way is taken back that way before the other is used.
    const bool by_pause = announced_ != 0 ? announced_whole_link_ : whole_link_;
    const bool switch_over = announced_ != 0 && announced_whole_link_ != whole_link_;
    const auto asked = static_cast<bitmap>(switch_over ? 0 : wanted_);
    if (by_pause) {
        ethernet::build_pause(*f, source_, asked != 0 ? quanta_ : std::uint16_t{0});
        ++counters.pause_frames;
    } else {
        const auto named = static_cast<bitmap>(asked | announced_);
        ethernet::pause_times times{};
        for (std::size_t p = 0; p < priorities; ++p) {
            if ((asked >> p & 1U) != 0) times[p] = quanta_;
            if ((named >> p & 1U) != 0) ++counters.requests[p];
        }
        ethernet::build_pfc(*f, source_, named, times);
        ++counters.frames;
    }
    announced_ = asked;
    announced_whole_link_ = by_pause;
    if (monitor_ != nullptr) monitor_->announced(asked, !by_pause, rate_.quanta(quanta_));
    refresh_due_ = false;
    sent_at_ = now;
    watch_refresh();
    return f;
}

void pause_generator::watch_refresh() {
    if (announced_ == 0 || refresh_ == 0 || watching_) return;
    watching_ = true;
    time_.at(refresh_time(), phase::timer, *this, 0);
}

// One entry at most is queued. A frame sent meanwhile has moved the time, so the entry looks again.
void pause_generator::due(std::uint32_t) {
    watching_ = false;
    if (announced_ == 0) return;
    if (time_.now() < refresh_time()) {
        watch_refresh();
        return;
    }
    refresh_due_ = true;
    wake_();
}

picoseconds pause_generator::paused_for(std::uint8_t priority, picoseconds now) const {
    const bool running = (wanted_ >> priority & 1U) != 0;
    return paused_[priority] + (running ? now - since_[priority] : picoseconds{0});
}

void pause_generator::clear_statistics() {
    counters = {};
    paused_ = {};
    since_.fill(time_.now());
}

}  // namespace weir::pfc
