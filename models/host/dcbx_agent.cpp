// SPDX-License-Identifier: Apache-2.0
#include "models/host/dcbx_agent.h"

namespace weir::host {
namespace {

constexpr picoseconds repeat_after = microseconds(30'000'000);  // 802.1AB's message interval

}  // namespace

void dcbx_agent::speak(const ethernet::mac_address& source, const ethernet::dcbx_message& own) {
    source_ = source;
    own_ = own;
    const bool begins = !speaks_;
    speaks_ = true;
    adopt();
    if (!link_) return;
    if (begins) time_.at(time_.now() + repeat_after, phase::timer, *this, links_);
    say();
}

void dcbx_agent::link_changed(bool up) {
    link_ = up;
    pending_ = false;
    ++links_;
    peer_.reset();
    if (!speaks_) return;
    adopt();
    if (!up) return;
    time_.at(time_.now() + repeat_after, phase::timer, *this, links_);
    say();
}

void dcbx_agent::due(std::uint32_t link) {
    if (link != links_ || !link_) return;
    time_.at(time_.now() + repeat_after, phase::timer, *this, links_);
    say();
}

void dcbx_agent::say() {
    pending_ = true;
    wake_();
}

ethernet::frame* dcbx_agent::next() {
    if (!pending_) return nullptr;
    pending_ = false;
    ethernet::frame* f = frames_.take();
    ethernet::build_dcbx(*f, source_, in_effect_);
    return f;
}

bool dcbx_agent::receive(const ethernet::frame& f) {
    if (!speaks_) return false;
    ethernet::dcbx_message heard;
    const ethernet::dcbx_error error = ethernet::parse_dcbx(f, heard);
    if (error == ethernet::dcbx_error::not_lldp) return false;
    if (error != ethernet::dcbx_error::none) {
        last_error_ = error;
        return true;
    }
    peer_ = heard;
    if (heard.seconds == 0) peer_.reset();
    adopt();
    return true;
}

// Where it is willing and the peer is not, it does as the peer does, and says so.
void dcbx_agent::adopt() {
    ethernet::dcbx_message now = own_;
    if (peer_ && own_.pfc && own_.pfc->willing && peer_->pfc && !peer_->pfc->willing) {
        now.pfc->enabled = peer_->pfc->enabled;
    }
    if (peer_ && own_.ets && own_.ets->willing && peer_->ets && !peer_->ets->willing)
        now.ets->table = peer_->ets->table;
    const bool pfc_changed = now.pfc && (!in_effect_.pfc || now.pfc->enabled != in_effect_.pfc->enabled);
    const bool ets_changed = now.ets && (!in_effect_.ets || !(now.ets->table == in_effect_.ets->table));
    in_effect_ = now;
    if (pfc_changed && on_pfc_) on_pfc_(now.pfc->enabled);
    if ((pfc_changed || ets_changed) && link_) say();
}

}  // namespace weir::host
