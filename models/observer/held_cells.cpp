// SPDX-License-Identifier: Apache-2.0
#include "models/observer/held_cells.h"

#include <algorithm>
#include <utility>

#include "models/mmu/mmu.h"

namespace weir::observer {
namespace {

std::size_t index(std::uint16_t port, std::uint8_t group) {
    return port * mmu::groups_per_port + group;
}

template <typename Shares>
auto find(Shares& shares, std::uint16_t egress, std::uint8_t queue) {
    return std::find_if(shares.begin(), shares.end(),
                        [&](const egress_share& s) { return s.port == egress && s.queue == queue; });
}

}  // namespace

held_cells::held_cells(std::size_t ports) : groups_(ports * mmu::groups_per_port) {}

void held_cells::add(std::uint16_t ingress, std::uint8_t group, std::uint16_t egress, std::uint8_t queue,
                     mmu::cells size, picoseconds now) {
    auto& shares = groups_[index(ingress, group)];
    auto share = find(shares, egress, queue);
    if (share == shares.end()) share = shares.insert(shares.end(), egress_share{egress, queue, 0, {}});
    share->held += size;
    share->since.push_back(now);
}

void held_cells::remove(std::uint16_t ingress, std::uint8_t group, std::uint16_t egress, std::uint8_t queue,
                        mmu::cells size) {
    auto& shares = groups_[index(ingress, group)];
    const auto share = find(shares, egress, queue);
    if (share == shares.end()) return;
    share->held -= std::min(size, share->held);
    share->since.pop_front();
    if (share->since.empty()) shares.erase(share);
}

bool held_cells::holds(std::uint16_t ingress, std::uint8_t group, std::uint16_t egress, std::uint8_t queue) const {
    const auto& of_group = shares(ingress, group);
    return find(of_group, egress, queue) != of_group.end();
}

const std::vector<egress_share>& held_cells::shares(std::uint16_t ingress, std::uint8_t group) const {
    return groups_[index(ingress, group)];
}

const egress_share* held_cells::largest(std::uint16_t ingress, std::uint8_t group) const {
    const egress_share* most = nullptr;
    for (const egress_share& s : shares(ingress, group)) {
        if (most == nullptr || s.held > most->held ||
            (s.held == most->held && std::pair(s.port, s.queue) < std::pair(most->port, most->queue))) {
            most = &s;
        }
    }
    return most;
}

mmu::cells held_cells::held(std::uint16_t ingress, std::uint8_t group) const {
    mmu::cells all = 0;
    for (const egress_share& s : shares(ingress, group)) all += s.held;
    return all;
}

}  // namespace weir::observer
