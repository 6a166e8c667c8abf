// SPDX-License-Identifier: Apache-2.0
// The blocks of pcapng: section header, interface description, enhanced packet. Little-endian throughout.
#include "models/ethernet/capture_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "models/ethernet/fcs.h"

namespace weir::ethernet {
namespace {

constexpr std::uint32_t section_header_block = 0x0a0d0d0a;
constexpr std::uint32_t interface_block = 1;
constexpr std::uint32_t packet_block = 6;
constexpr std::uint32_t byte_order_magic = 0x1a2b3c4d;
constexpr std::uint32_t link_type_ethernet = 1;

namespace option {
constexpr std::uint16_t comment = 1;
constexpr std::uint16_t packet_flags = 2;
constexpr std::uint16_t interface_name = 2;
constexpr std::uint16_t interface_description = 3;
constexpr std::uint16_t application = 4;
constexpr std::uint16_t interface_speed = 8;
constexpr std::uint16_t time_resolution = 9;
constexpr std::uint16_t fcs_length = 13;
}  // namespace option

constexpr char picosecond_resolution = 12;  // negative power of ten
constexpr std::uint32_t flags_fcs_octets = fcs_octets << 5;
constexpr std::uint32_t flags_crc_error = 1U << 24;

std::string little(std::uint64_t value, int octets) {
    std::string text;
    for (int i = 0; i < octets; ++i) text.push_back(static_cast<char>(value >> (8 * i) & 0xff));
    return text;
}

}  // namespace

capture_writer::capture_writer(const std::string& path, const std::vector<capture_interface>& interfaces,
                               std::uint32_t snap_octets)
    : path_(path),
      file_(std::fopen(path.c_str(), "wb")),
      snap_octets_(snap_octets),
      interfaces_(static_cast<std::uint32_t>(interfaces.size())) {
    if (!file_) fail();
    begin_block(section_header_block);
    put32(byte_order_magic);
    put16(1);
    put16(0);
    put32(0xffffffff);
    put32(0xffffffff);  // length of the section: not given
    put_option(option::application, "Weir");
    end_options();
    end_block();
    for (const auto& each : interfaces) {
        begin_block(interface_block);
        put16(link_type_ethernet);
        put16(0);
        put32(snap_octets_);
        put_option(option::interface_name, each.name);
        if (!each.description.empty()) put_option(option::interface_description, each.description);
        put_option(option::interface_speed, little(static_cast<std::uint64_t>(each.rate.bits_per_second()), 8));
        put_option(option::time_resolution, std::string_view{&picosecond_resolution, 1});
        put_option(option::fcs_length, little(fcs_octets, 1));
        end_options();
        end_block();
    }
}

capture_writer::~capture_writer() = default;

void capture_writer::write(std::uint32_t interface, picoseconds time, const frame& f, capture_direction direction,
                           std::string_view comment) {
    if (interface >= interfaces_ || time.count() < 0) {
        throw std::invalid_argument("a captured frame needs an interface of the file and a time that is not negative");
    }
    const std::uint32_t captured = snap_octets_ == 0 ? f.length : std::min(f.length, snap_octets_);
    const auto stamp = static_cast<std::uint64_t>(time.count());
    begin_block(packet_block);
    put32(interface);
    put32(static_cast<std::uint32_t>(stamp >> 32));
    put32(static_cast<std::uint32_t>(stamp));
    put32(captured);
    put32(f.length);
    put_frame(f, captured);
    if (!comment.empty()) put_option(option::comment, comment);
    const std::uint32_t flags =
        static_cast<std::uint32_t>(direction) | flags_fcs_octets | (f.fcs_good ? 0 : flags_crc_error);
    put_option(option::packet_flags, little(flags, 4));
    end_options();
    end_block();
    ++frames_;
}

void capture_writer::put_frame(const frame& f, std::uint32_t captured) {
    const std::uint32_t body = f.length - fcs_octets;
    put_octets(f.octets(), std::min(f.stored, captured));
    if (captured > f.stored) block_.resize(block_.size() + std::min(body, captured) - f.stored, 0);
    if (captured > body) {
        std::uint32_t check = frame_check_sequence(f.octets(), f.stored, body - f.stored);
        if (!f.fcs_good) check = ~check;
        put_octets(little(check, fcs_octets).data(), captured - body);
    }
    block_.resize((block_.size() + 3) / 4 * 4, 0);
}

void capture_writer::continue_in(const std::string& path) {
    path_ = path;
    file_.reset(std::freopen(path.c_str(), "ab", file_.release()));
    if (!file_) fail();
}

void capture_writer::close() {
    if (!file_) return;
    std::FILE* file = file_.release();
    const bool good = std::fflush(file) == 0 && std::ferror(file) == 0;
    if (!good && failure_ == 0) failure_ = errno;
    const bool closed = std::fclose(file) == 0;
    if (failure_ != 0) errno = failure_;
    if (failure_ != 0 || !closed) fail();
}

void capture_writer::begin_block(std::uint32_t type) {
    block_.clear();
    put32(type);
    put32(0);  // length: set at the end
}

void capture_writer::end_block() {
    const auto length = static_cast<std::uint32_t>(block_.size() + 4);
    const std::string text = little(length, 4);
    std::memcpy(block_.data() + 4, text.data(), 4);
    put32(length);
    if (!file_) fail();
    // Nothing is thrown through the simulation that sends the frames; `close` tells.
    if (failure_ == 0 && std::fwrite(block_.data(), 1, block_.size(), file_.get()) != block_.size()) failure_ = errno;
}

void capture_writer::put16(std::uint32_t value) {
    block_.push_back(static_cast<std::uint8_t>(value));
    block_.push_back(static_cast<std::uint8_t>(value >> 8));
}

void capture_writer::put32(std::uint32_t value) {
    put16(value);
    put16(value >> 16);
}

void capture_writer::put_octets(const void* data, std::size_t count) {
    const auto* first = static_cast<const std::uint8_t*>(data);
    block_.insert(block_.end(), first, first + count);
}

void capture_writer::put_option(std::uint16_t code, std::string_view value) {
    value = value.substr(0, 0xffff);
    put16(code);
    put16(static_cast<std::uint32_t>(value.size()));
    put_octets(value.data(), value.size());
    block_.resize((block_.size() + 3) / 4 * 4, 0);
}

void capture_writer::end_options() {
    put32(0);
}

void capture_writer::fail() const {
    throw capture_write_error(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
}

}  // namespace weir::ethernet
