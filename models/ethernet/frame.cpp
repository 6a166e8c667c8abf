// SPDX-License-Identifier: Apache-2.0
// Frames' octets and the pool's free list.
#include "models/ethernet/frame.h"

#include <algorithm>
#include <stdexcept>

#include "models/ethernet/fcs.h"

namespace weir::ethernet {
void frame::assign(const std::uint8_t* data, std::uint32_t count, std::uint32_t wire_length) {
    if (wire_length < fcs_octets || count > wire_length - fcs_octets) {
        throw std::invalid_argument("a frame stores at most its length less the four octets of its FCS");
    }
    if (count <= inline_octets) {
        std::copy_n(data, count, head_.begin());
        // Addresses and type are read without asking: what a cut frame lacks of them is zeros.
        if (count < ethernet_header) std::fill(head_.begin() + count, head_.begin() + ethernet_header, std::uint8_t{0});
    } else {
        body_.assign(data, data + count);
    }
    stored = count;
    length = wire_length;
    headers = find_headers(octets(), stored);
}

void frame::copy_from(const frame& other) {
    if (this == &other) return;
    length = other.length;
    stored = other.stored;
    fcs_good = other.fcs_good;
    flow = other.flow;
    sequence = other.sequence;
    note = other.note;
    headers = other.headers;
    if (stored <= inline_octets) {
        std::copy_n(other.head_.begin(), std::max(stored, ethernet_header), head_.begin());
    } else {
        body_.assign(other.body_.begin(), other.body_.begin() + stored);
    }
}

void frame::mark_congestion_experienced() {
    std::uint8_t* ip = octets() + headers.network_offset;
    if (headers.network == network_protocol::ipv4) {
        const auto before = static_cast<std::uint16_t>(ip[0] << 8 | ip[1]);
        ip[1] |= 0x03;
        const auto after = static_cast<std::uint16_t>(ip[0] << 8 | ip[1]);
        const auto checksum = static_cast<std::uint16_t>(ip[10] << 8 | ip[11]);
        const std::uint16_t updated = update_checksum(checksum, before, after);
        ip[10] = static_cast<std::uint8_t>(updated >> 8);
        ip[11] = static_cast<std::uint8_t>(updated);
    } else if (headers.network == network_protocol::ipv6) {
        ip[1] |= 0x30;  // the low two bits of the traffic class; IPv6 has no header checksum
    } else {
        return;
    }
    headers.congestion = ecn::ce;
}

std::optional<std::uint8_t> frame::hop_limit() const {
    const std::uint8_t* ip = octets() + headers.network_offset;
    if (headers.network == network_protocol::ipv4) return ip[8];
    if (headers.network == network_protocol::ipv6) return ip[7];
    return std::nullopt;
}

void frame::decrement_hop_limit() {
    std::uint8_t* ip = octets() + headers.network_offset;
    if (headers.network == network_protocol::ipv6) {
        --ip[7];  // IPv6 has no header checksum
        return;
    }
    const auto before = static_cast<std::uint16_t>(ip[8] << 8 | ip[9]);
    --ip[8];
    const auto after = static_cast<std::uint16_t>(ip[8] << 8 | ip[9]);
    const std::uint16_t updated = update_checksum(static_cast<std::uint16_t>(ip[10] << 8 | ip[11]), before, after);
    ip[10] = static_cast<std::uint8_t>(updated >> 8);
    ip[11] = static_cast<std::uint8_t>(updated);
}

std::vector<std::uint8_t> frame::wire_octets() const {
    std::vector<std::uint8_t> wire(length, 0);
    std::copy_n(octets(), stored, wire.begin());
    const std::uint32_t body = length - fcs_octets;
    std::uint32_t check = frame_check_sequence(octets(), stored, body - stored);
    if (!fcs_good) check = ~check;
    for (std::uint32_t i = 0; i < fcs_octets; ++i) wire[body + i] = static_cast<std::uint8_t>(check >> (8 * i));
    return wire;
}

void frame::release() {
    if (--references_ == 0 && pool_ != nullptr) pool_->free_.push_back(this);
}

frame* frame_pool::take() {
    if (free_.empty()) {
        blocks_.push_back(std::make_unique<frame[]>(block));
        made_ += block;
        free_.reserve(made_);
        for (std::size_t i = block; i-- > 0;) {
            frame& fresh = blocks_.back()[i];
            fresh.pool_ = this;
            free_.push_back(&fresh);
        }
    }
    frame* taken = free_.back();
    free_.pop_back();
    taken->references_ = 1;
    taken->length = 0;
    taken->stored = 0;
    taken->fcs_good = true;
    taken->flow = frame::no_flow;
    taken->sequence = 0;
    taken->note = frame_note{};
    taken->routed = false;
    taken->headers = header_view{};
    return taken;
}

}  // namespace weir::ethernet
