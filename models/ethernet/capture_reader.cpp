// SPDX-License-Identifier: Apache-2.0
// libpcap reads the frames; what it does not tell (pcapng's if_fcslen) is read from the blocks directly.
#include "models/ethernet/capture_reader.h"

#include <fmt/format.h>
#include <pcap/pcap.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "models/ethernet/fcs.h"

namespace weir::ethernet {
namespace {

constexpr std::int64_t longest_span_ns = 100LL * 24 * 3600 * 1'000'000'000;  // picoseconds in 64 bits hold 106 days

struct close_file {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using file_handle = std::unique_ptr<std::FILE, close_file>;

struct close_capture {
    void operator()(pcap_t* handle) const { pcap_close(handle); }
};
using capture_handle = std::unique_ptr<pcap_t, close_capture>;

template <typename... Args>
[[noreturn]] void fail(const std::string& path, fmt::format_string<Args...> text, Args&&... args) {
    throw capture_error(fmt::format("{}: {}", path, fmt::format(text, std::forward<Args>(args)...)));
}

file_handle open_file(const std::string& path) {
    file_handle file{std::fopen(path.c_str(), "rb")};
    if (!file) fail(path, "cannot be opened: {}", std::strerror(errno));
    if (std::fgetc(file.get()) == EOF) {
        if (std::ferror(file.get()) != 0) fail(path, "cannot be read: {}", std::strerror(errno));
        fail(path, "is empty: a capture starts with a pcap or pcapng header");
    }
    std::rewind(file.get());
    return file;
}

/// Walks the blocks of a pcapng file for the FCS lengths of its interfaces.
class fcs_length_scan {
public:
    fcs_length_scan(const std::string& path, std::FILE* file) : path_(path), file_(file) {}

    /// The length all interfaces agree on; nothing when the file is no pcapng or no interface says one.
    std::optional<std::uint32_t> run() {
        std::uint32_t type = 0;
        while (std::fread(&type, 4, 1, file_) == 1) {
            std::uint32_t length = 0;
            if (type == section_header) {
                std::uint32_t order = 0;
                if (std::fread(&length, 4, 1, file_) != 1 || std::fread(&order, 4, 1, file_) != 1) break;
                swapped_ = order == swap32(byte_order_magic);
                if (!swapped_ && order != byte_order_magic) break;
                length = number(length);
                if (!skip(length, 12)) break;
                continue;
            }
            if (!seen_section()) break;
            if (std::fread(&length, 4, 1, file_) != 1) break;
            type = number(type);
            length = number(length);
            if (type == interface_description) {
                if (!read_interface(length)) break;
            } else if (!skip(length, 8)) {
                break;
            }
        }
        return length_;
    }

private:
    static constexpr std::uint32_t section_header = 0x0a0d0d0a;
    static constexpr std::uint32_t byte_order_magic = 0x1a2b3c4d;
    static constexpr std::uint32_t interface_description = 1;
    static constexpr std::uint32_t longest_description = 1U << 20;
    static constexpr std::uint16_t option_end = 0;
    static constexpr std::uint16_t option_fcs_length = 13;

    static std::uint32_t swap32(std::uint32_t v) {
        return v >> 24 | (v >> 8 & 0xff00U) | (v << 8 & 0xff0000U) | v << 24;
    }
    [[nodiscard]] std::uint32_t number(std::uint32_t v) const { return *swapped_ ? swap32(v) : v; }
    [[nodiscard]] bool seen_section() const { return swapped_.has_value(); }

    bool skip(std::uint32_t length, std::uint32_t already_read) {
        if (length < already_read || length % 4 != 0) return false;
        return std::fseek(file_, static_cast<long>(length - already_read), SEEK_CUR) == 0;
    }

    bool read_interface(std::uint32_t length) {
        if (length < 20 || length > longest_description || length % 4 != 0) return false;
        std::vector<std::uint8_t> body(length - 8);
        if (std::fread(body.data(), body.size(), 1, file_) != 1) return false;
        const auto half = [&](std::size_t at) {
            const std::uint32_t low = body[at + (*swapped_ ? 1 : 0)];
            const std::uint32_t high = body[at + (*swapped_ ? 0 : 1)];
            return static_cast<std::uint16_t>(high << 8 | low);
        };
        for (std::size_t at = 8; at + 4 <= body.size() - 4;) {
            const std::uint16_t code = half(at);
            const std::uint16_t size = half(at + 2);
            if (code == option_end) break;
            if (code == option_fcs_length && size == 1 && at + 4 < body.size()) take(body[at + 4]);
            at += 4 + (size + 3U) / 4 * 4;
        }
        return true;
    }

    /// The standard once counted bits and now counts octets: both 4 and 32 are the FCS of Ethernet.
    void take(std::uint32_t length) {
        if (length == 32) length = 4;
        if (length != 0 && length != 4) {
            fail(path_, "an interface declares an FCS of {} octets; Ethernet has 4, or 0 when it is not captured",
                 length);
        }
        if (length_ && *length_ != length) {
            fail(path_, "its interfaces differ in whether frames carry their FCS; split the file by interface");
        }
        length_ = length;
    }

    const std::string& path_;
    std::FILE* file_;
    std::optional<bool> swapped_;
    std::optional<std::uint32_t> length_;
};

void check_link_type(const std::string& path, pcap_t* handle) {
    const int type = pcap_datalink(handle);
    if (type == DLT_EN10MB) return;
    const char* name = pcap_datalink_val_to_name(type);
    if (name != nullptr) fail(path, "has link type {}; only Ethernet (EN10MB) can be replayed", name);
    fail(path, "has link type {}, which has no name; only Ethernet (EN10MB) can be replayed", type);
}

captured_frame complete(const std::string& path, std::size_t number, const pcap_pkthdr& header,
                        const std::uint8_t* octets, bool fcs_included) {
    captured_frame frame;
    const std::uint64_t wire = std::uint64_t{header.len} + (fcs_included ? 0 : fcs_octets);
    if (wire > maximum_frame_octets) {
        fail(path, "frame {} is {} octets long with its FCS; {} is the longest", number, wire, maximum_frame_octets);
    }
    std::uint32_t held = std::min(header.caplen, header.len);
    frame.wire_length = static_cast<std::uint32_t>(wire);
    if (fcs_included) {
        if (header.len <= fcs_octets) {
            fail(path, "frame {} is {} octets long with its FCS: nothing is left of it without", number, header.len);
        }
        if (held == header.len) frame.fcs_good = fcs_matches(octets, held);
        held = std::min(held, header.len - fcs_octets);
    } else {
        frame.wire_length = std::max(frame.wire_length, minimum_frame_octets);
    }
    frame.octets.assign(octets, octets + held);
    return frame;
}

}  // namespace

void captured_frame::fill(frame& out) const {
    out.assign(octets.data(), static_cast<std::uint32_t>(octets.size()), wire_length);
    out.fcs_good = fcs_good;
}

capture read_capture(const std::string& path, const capture_options& options) {
    file_handle file = open_file(path);
    std::optional<bool> fcs_included = options.fcs_included;
    if (!fcs_included) {
        if (const auto length = fcs_length_scan{path, file.get()}.run()) fcs_included = *length != 0;
        std::rewind(file.get());
    }

    char message[PCAP_ERRBUF_SIZE] = "";
    capture_handle handle{pcap_fopen_offline_with_tstamp_precision(file.get(), PCAP_TSTAMP_PRECISION_NANO, message)};
    if (!handle) {
        if (std::strstr(message, "unknown file format") != nullptr) {
            fail(path, "is not a capture: it starts neither as pcap nor as pcapng");
        }
        fail(path, "has no readable capture header: {}", message);
    }
    (void)file.release();  // the handle closes it
    check_link_type(path, handle.get());
    // A pcap header may carry the FCS length, in pairs of octets, beside the link type.
    if (!fcs_included) {
        const auto extension = static_cast<std::uint32_t>(pcap_datalink_ext(handle.get()));
        fcs_included = (extension & 0x04000000U) != 0 && (extension >> 28) != 0;
    }

    capture result;
    result.fcs_included = *fcs_included;
    for (;;) {
        const std::size_t number = result.frames.size() + 1;
        const long at = std::ftell(pcap_file(handle.get()));
        pcap_pkthdr* header = nullptr;
        const u_char* octets = nullptr;
        const int status = pcap_next_ex(handle.get(), &header, &octets);
        if (status == PCAP_ERROR_BREAK) break;
        if (status != 1) {
            const std::string reason = pcap_geterr(handle.get());
            if (reason.find("truncated") != std::string::npos) {
                fail(path, "is truncated in frame {}, which starts at octet {}: the file ends inside it", number, at);
            }
            fail(path, "frame {}, at octet {}, cannot be read: {}", number, at, reason);
        }
        const std::int64_t time_ns = std::int64_t{header->ts.tv_sec} * 1'000'000'000 + header->ts.tv_usec;
        if (result.frames.empty()) result.origin_ns = time_ns;
        const std::int64_t since = time_ns - result.origin_ns;
        if (since > longest_span_ns || since < -longest_span_ns) {
            fail(path, "frame {} lies more than 100 days from the first one", number);
        }
        captured_frame frame = complete(path, number, *header, octets, result.fcs_included);
        frame.time = nanoseconds(since);
        result.frames.push_back(std::move(frame));
    }
    if (result.frames.empty()) fail(path, "holds no frames");
    return result;
}

}  // namespace weir::ethernet
