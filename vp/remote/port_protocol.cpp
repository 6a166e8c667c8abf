// SPDX-License-Identifier: Apache-2.0
#include "vp/remote/port_protocol.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::vp::remote {
namespace {

struct request_shape {
    port_kind kind;
    const char* name;
    std::size_t payload;  // at least; text may follow where `text` says so
    bool text;
};

constexpr request_shape request_shapes[] = {
    {port_kind::hello, "HELLO", 8, false},     {port_kind::read, "READ", 4, false},
    {port_kind::write, "WRITE", 8, false},     {port_kind::posted_write, "POSTED_WRITE", 8, false},
    {port_kind::barrier, "BARRIER", 0, false}, {port_kind::now, "NOW", 0, false},
    {port_kind::delay, "DELAY", 8, false},     {port_kind::wait_irq, "WAIT_IRQ", 8, false},
    {port_kind::log, "LOG", 4, true},          {port_kind::ready, "READY", 0, false},
    {port_kind::advance, "ADVANCE", 8, false}, {port_kind::run, "RUN", 4, false},
    {port_kind::bye, "BYE", 0, false},         {port_kind::subscribe, "SUBSCRIBE", 4, false},
};

}  // namespace

std::uint32_t load32(const unsigned char* octets) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) value |= std::uint32_t{octets[i]} << (8 * i);
    return value;
}

std::uint64_t load64(const unsigned char* octets) {
    return load32(octets) | std::uint64_t{load32(octets + 4)} << 32U;
}

port_message::port_message(port_kind kind, std::uint8_t asic, std::uint32_t tag, bool reply) {
    data_[2] = static_cast<char>(static_cast<unsigned>(kind) | (reply ? 0x80U : 0U));
    data_[3] = static_cast<char>(asic);
    for (unsigned i = 0; i < 4; ++i) data_[4 + i] = static_cast<char>(tag >> (8 * i));
}

port_message& port_message::u32(std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) data_[size_++] = static_cast<char>(value >> (8 * i));
    return *this;
}

port_message& port_message::u64(std::uint64_t value) {
    return u32(static_cast<std::uint32_t>(value)).u32(static_cast<std::uint32_t>(value >> 32U));
}

port_message& port_message::text(std::string_view words) {
    const std::size_t fits = std::min(words.size(), data_.size() - size_);
    std::copy_n(words.begin(), fits, data_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ += fits;
    return *this;
}

std::string_view port_message::octets() {
    data_[0] = static_cast<char>(size_);
    data_[1] = static_cast<char>(size_ >> 8U);
    return {data_.data(), size_};
}

std::optional<port_request> first_request(const unsigned char* data, std::size_t size, std::string& defect) {
    if (size < 2) return std::nullopt;
    port_request found{};
    found.octets = data[0] | std::size_t{data[1]} << 8U;
    if (found.octets < port_header || found.octets > port_longest_message) {
        defect = fmt::format("a message of {} octets: {} to {} are possible", found.octets, port_header,
                             port_longest_message);
        return std::nullopt;
    }
    if (size < port_header) return std::nullopt;
    found.kind = data[2];
    found.asic = data[3];
    found.tag = load32(data + 4);
    found.payload = data + port_header;
    found.payload_octets = found.octets - port_header;
    const auto* shape = std::find_if(std::begin(request_shapes), std::end(request_shapes), [&](const request_shape& s) {
        return static_cast<std::uint8_t>(s.kind) == found.kind;
    });
    if (shape == std::end(request_shapes)) {
        defect = fmt::format("there is no request of kind {}", found.kind);
        return std::nullopt;
    }
    if (shape->text ? found.payload_octets < shape->payload : found.payload_octets != shape->payload) {
        defect =
            fmt::format("{} with a payload of {} octets: it has {}", shape->name, found.payload_octets, shape->payload);
        return std::nullopt;
    }
    if (size < found.octets) return std::nullopt;
    return found;
}

}  // namespace weir::vp::remote
