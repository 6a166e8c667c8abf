// SPDX-License-Identifier: Apache-2.0
#include "models/mmu/priority_group.h"

#include <algorithm>

namespace weir::mmu {

cells priority_group::limit() const {
    if (!profile.dynamic) return profile.limit;
    return static_cast<cells>(std::min<std::int64_t>(profile.share.limit(pool->free()), unlimited));
}

cells priority_group::effective_xoff() const {
    return std::min(profile.xoff, limit());
}

group_charge priority_group::plan(cells frame) const {
    group_charge charge;
    charge.guaranteed = std::clamp(profile.guaranteed - guaranteed_, 0, frame);
    cells rest = frame - charge.guaranteed;
    if (rest > 0) {
        cells ceiling = limit();
        if (profile.lossless && !profile.service_after_xoff) ceiling = std::min(ceiling, profile.xoff);
        charge.service = std::clamp(std::min(ceiling - service_, pool->free()), 0, rest);
        rest -= charge.service;
    }
    if (rest > 0) {
        if (!profile.lossless) {
            charge.refused = drop_reason::group_limit;
            return charge;
        }
        const cells own = profile.headroom - headroom_;
        const cells room = profile.shared_headroom ? std::min(own, pool->headroom_free()) : own;
        if (rest > room) charge.refused = drop_reason::headroom;
    }
    charge.headroom = rest;
    return charge;
}

void priority_group::commit(const group_charge& charge) {
    guaranteed_ += charge.guaranteed;
    service_ += charge.service;
    headroom_ += charge.headroom;
    pool->take(charge.service, profile.shared_headroom ? charge.headroom : 0);
    max_used = std::max(max_used, used());
    max_service = std::max(max_service, service_);
    max_headroom = std::max(max_headroom, headroom_);
}

void priority_group::release(cells frame) {
    const cells headroom = std::min(headroom_, frame);
    const cells service = std::min(service_, frame - headroom);
    headroom_ -= headroom;
    service_ -= service;
    guaranteed_ -= frame - headroom - service;
    pool->give(service, profile.shared_headroom ? headroom : 0);
}

void priority_group::rebind(service_pool& to, bool shared_headroom) {
    pool->give(service_, profile.shared_headroom ? headroom_ : 0);
    pool = &to;
    profile.shared_headroom = shared_headroom;
    pool->take(service_, profile.shared_headroom ? headroom_ : 0);
}

bool priority_group::asserts() const {
    if (!profile.enabled || !profile.lossless) return false;
    if (used() == 0) return profile.xoff == 0;
    return headroom_ > 0 || judged() >= effective_xoff();
}

bool priority_group::judge() {
    const bool before = paused_;
    if (asserts()) {
        paused_ = true;
    } else if (paused_) {
        if (resumes()) paused_ = false;
    }
    return paused_ != before;
}

bool priority_group::resumes() const {
    if (!profile.enabled || !profile.lossless) return true;
    const cells floor = std::max(0, profile.xon_floor);
    if (profile.xon_absolute) return judged() <= std::max(floor, profile.xon_offset);
    return judged() <= std::max(floor, effective_xoff() - std::max(profile.xon_offset, 1));
}

std::int64_t priority_group::asserts_at_free() const {
    return profile.share.free_at_which_reached(judged());
}

std::optional<std::int64_t> priority_group::resumes_at_free() const {
    // Holding Headroom, or at XOFF itself, only this group's own departures can help.
    if (headroom_ > 0 || judged() >= profile.xoff) return std::nullopt;
    // Below the floor any limit that does not assert will do: one cell more than is judged.
    const cells floor = std::max({0, profile.xon_floor, profile.xon_absolute ? profile.xon_offset : 0});
    if (judged() <= floor) return profile.share.free_for_limit(judged() + 1);
    if (profile.xon_absolute) return std::nullopt;
    const cells wanted = judged() + std::max(profile.xon_offset, 1);
    if (wanted > profile.xoff) return std::nullopt;
    return profile.share.free_for_limit(wanted);
}

}  // namespace weir::mmu
