// SPDX-License-Identifier: Apache-2.0
#include "models/pipeline/forwarding.h"

namespace weir::pipeline {
namespace {

std::uint64_t big_endian(const std::uint8_t* octets, unsigned count) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < count; ++i) value = value << 8 | octets[i];
    return value;
}

std::uint64_t top_bits(std::uint64_t value, unsigned width, unsigned keep) {
    if (keep == 0) return 0;
    return keep >= width ? value : value & (~std::uint64_t{0} << (width - keep));
}

constexpr unsigned ipv4_destination = 16;
constexpr unsigned ipv6_destination = 24;

}  // namespace

table_key mac_key(const std::uint8_t* address) {
    return {0, big_endian(address, 6), 0};
}

table_key prefix_table::masked(std::uint64_t high, std::uint64_t low, unsigned length) const {
    const auto qualifier = static_cast<std::uint16_t>(length);
    if (bits_ == 32) return {0, top_bits(low, 32, length), qualifier};
    return {top_bits(high, 64, length), length > 64 ? top_bits(low, 64, length - 64) : 0, qualifier};
}

const destination* prefix_table::find(std::uint64_t high, std::uint64_t low) const {
    for (const std::uint8_t length : used_) {
        if (const destination* d = table_.find(masked(high, low, length)); d != nullptr) return d;
    }
    return nullptr;
}

const destination* prefix_table::exact(table_key prefix) const {
    return table_.find(masked(prefix.high, prefix.low, prefix.qualifier));
}

bool prefix_table::insert(table_key prefix, destination value) {
    const std::size_t before = table_.size();
    if (!table_.insert(masked(prefix.high, prefix.low, prefix.qualifier), value)) return false;
    if (table_.size() != before) ++lengths_[prefix.qualifier];
    recount();
    return true;
}

bool prefix_table::erase(table_key prefix) {
    if (!table_.erase(masked(prefix.high, prefix.low, prefix.qualifier))) return false;
    --lengths_[prefix.qualifier];
    recount();
    return true;
}

void prefix_table::clear() {
    table_.clear();
    lengths_.assign(lengths_.size(), 0);
    recount();
}

void prefix_table::recount() {
    used_.clear();
    for (std::size_t length = lengths_.size(); length-- > 0;) {
        if (lengths_[length] != 0) used_.push_back(static_cast<std::uint8_t>(length));
    }
}

destination forwarding::look_up(const ethernet::frame& f, bool& by_address) const {
    const destination* found = mac.find(mac_key(f.octets()));
    by_address = found == nullptr;
    if (found == nullptr && f.headers.network == ethernet::network_protocol::ipv4) {
        found = ipv4.find(0, big_endian(f.octets() + f.headers.network_offset + ipv4_destination, 4));
    } else if (found == nullptr && f.headers.network == ethernet::network_protocol::ipv6) {
        const std::uint8_t* address = f.octets() + f.headers.network_offset + ipv6_destination;
        found = ipv6.find(big_endian(address, 8), big_endian(address + 8, 8));
    }
    if (found == nullptr) return {};
    if (found->kind != forward::ecmp) return *found;
    const ecmp_group& group = ecmp[found->target];
    if (group.count == 0) return {};
    // The seed keeps switches in a row from all choosing alike.
    const std::uint32_t hash = (f.headers.flow_hash ^ ecmp_seed) * 0x85ebca6bU;
    return {forward::port, group.port[(hash >> 16) % group.count]};
}

void forwarding::learn(const ethernet::frame& f, std::uint16_t port) {
    constexpr std::size_t source = 6;
    if ((f.octets()[source] & 1U) != 0) return;  // nobody's address
    const table_key key = mac_key(f.octets() + source);
    const destination* known = mac.find(key);
    if (known != nullptr && (!known->learned || known->target == port)) return;
    if (known != nullptr) {
        ++learning.moved;
    } else if (mac.size() == mac.capacity()) {
        ++learning.refused;
        return;
    } else {
        ++learning.learned;
    }
    (void)mac.insert(key, {forward::port, port, true});
}

void forwarding::clear() {
    mac.clear();
    ipv4.clear();
    ipv6.clear();
    ecmp = {};
    learning.learned = learning.moved = learning.refused = 0;
}

}  // namespace weir::pipeline
