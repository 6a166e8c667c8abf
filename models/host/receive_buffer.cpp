// SPDX-License-Identifier: Apache-2.0
#include "models/host/receive_buffer.h"

#include <algorithm>

namespace weir::host {
namespace {

__extension__ using wide = __int128;

constexpr std::int64_t second = 1'000'000'000'000;  // in picoseconds

std::uint8_t priority_of(const ethernet::frame& f) {
    if (f.headers.network != ethernet::network_protocol::none) return static_cast<std::uint8_t>(f.headers.dscp >> 3);
    return f.headers.tagged ? f.headers.pcp : std::uint8_t{0};
}

}  // namespace

receive_buffer::receive_buffer(timeline& time, const std::string& name, pfc::pause_generator& generator,
                               const receive_parameters& p)
    : actor(time, name), time_(time), generator_(generator), p_(p) {
    if (p_.bits_per_second == 0 || p_.xoff == 0) return;
    for (std::uint8_t priority = 0; priority < pfc::priorities; ++priority) {
        generator_.set_group_priorities(priority, static_cast<pfc::bitmap>(1U << priority));
    }
    generator_.set_enabled(0xff);
}

bool receive_buffer::take(const ethernet::frame& f, picoseconds now) {
    if (p_.bits_per_second == 0) return true;
    drain(now);
    const std::int64_t bits = std::int64_t{f.length} * 8;
    if (bits_ + bits > static_cast<std::int64_t>(p_.octets) * 8) {
        ++overruns_;
        return false;
    }
    bits_ += bits;
    if (p_.xoff == 0 || bits_ < static_cast<std::int64_t>(p_.xoff) * 8) return true;
    const auto bit = static_cast<pfc::bitmap>(1U << priority_of(f));
    if ((paused_ & bit) == 0) {
        paused_ = static_cast<pfc::bitmap>(paused_ | bit);
        generator_.group_wishes(priority_of(f), true);
    }
    watch(now);
    return true;
}

void receive_buffer::drain(picoseconds now) {
    const wide gone = static_cast<wide>((now - drained_to_).count()) * p_.bits_per_second + remainder_;
    drained_to_ = now;
    const wide bits = gone / second;
    if (bits >= bits_) {
        bits_ = 0;
        remainder_ = 0;
        return;
    }
    bits_ -= static_cast<std::int64_t>(bits);
    remainder_ = static_cast<std::int64_t>(gone % second);
}

void receive_buffer::watch(picoseconds now) {
    if (watching_) return;
    watching_ = true;
    const wide above = std::max<std::int64_t>(bits_ - static_cast<std::int64_t>(p_.xon) * 8, 0);
    const wide wait = (above * second - remainder_ + p_.bits_per_second - 1) / p_.bits_per_second;
    time_.at(now + picoseconds{std::max<std::int64_t>(static_cast<std::int64_t>(wait), 0)}, phase::timer, *this, 0);
}

void receive_buffer::due(std::uint32_t) {
    watching_ = false;
    drain(time_.now());
    if (bits_ > static_cast<std::int64_t>(p_.xon) * 8) {
        watch(time_.now());  // more came meanwhile
        return;
    }
    for (std::uint8_t priority = 0; priority < pfc::priorities; ++priority) {
        if ((paused_ >> priority & 1U) != 0) generator_.group_wishes(priority, false);
    }
    paused_ = 0;
}

}  // namespace weir::host
