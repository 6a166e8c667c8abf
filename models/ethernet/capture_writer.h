// SPDX-License-Identifier: Apache-2.0
// Writing captures: pcapng with picosecond time stamps, frames with their FCS, and a comment on any frame.
//
// libpcap cannot write comments, hence this writer. Interfaces say that frames carry an FCS of four octets (if_fcslen),
// so a reader shows honest wire lengths and can check every FCS; a frame received with a bad one is flagged as such.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/ethernet/frame.h"

namespace weir::ethernet {

/// One line: file and what the system said.
class capture_write_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct capture_interface {
    std::string name;         ///< "s0.0"
    std::string description;  ///< "switch s0, port 0, 400G"
    data_rate rate;
};

enum class capture_direction : std::uint8_t { unknown, inbound, outbound };

class capture_writer {
public:
    /// Opens `path` and writes the section header and an interface for each of `interfaces`. `snap_octets` limits how
    /// much of a frame is kept; its original length is always written. 0: everything.
    capture_writer(const std::string& path, const std::vector<capture_interface>& interfaces,
                   std::uint32_t snap_octets = 0);
    ~capture_writer();
    capture_writer(const capture_writer&) = delete;
    capture_writer& operator=(const capture_writer&) = delete;

    /// Appends a frame seen on that interface at `time` (not negative), with a comment unless it is empty. Errors come
    /// out at `close`.
    void write(std::uint32_t interface, picoseconds time, const frame& f,
               capture_direction direction = capture_direction::unknown, std::string_view comment = {});

    /// What was written is in the file; errors come out at `close`.
    void flush() { std::fflush(file_.get()); }
    /// Goes on at the end of another file, which begins as this one does. Throws capture_write_error.
    void continue_in(const std::string& path);

    /// Flushes and closes; throws capture_write_error when anything could not be written. The destructor closes without
    /// a word, so a caller that wants to know calls this.
    void close();

    [[nodiscard]] std::uint64_t frames() const { return frames_; }

private:
    void begin_block(std::uint32_t type);
    void end_block();
    void put16(std::uint32_t value);
    void put32(std::uint32_t value);
    void put_octets(const void* data, std::size_t count);
    void put_option(std::uint16_t code, std::string_view value);
    void end_options();
    void put_frame(const frame& f, std::uint32_t captured);
    [[noreturn]] void fail() const;

    struct close_file {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::string path_;
    std::unique_ptr<std::FILE, close_file> file_;
    std::vector<std::uint8_t> block_;
    std::uint32_t snap_octets_;
    std::uint32_t interfaces_;
    std::uint64_t frames_{0};
    int failure_{0};  ///< errno of the first write that failed
};

}  // namespace weir::ethernet
