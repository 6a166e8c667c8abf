// SPDX-License-Identifier: Apache-2.0
// A port's frames as a pcapng file: what arrived, what was sent, and on each frame that was dropped or marked here a
// comment that says so.
#pragma once

#include <cstdint>
#include <string>

#include "models/ethernet/capture_writer.h"
#include "models/port/tap.h"

namespace weir::vp {

class port_capture : public port::tap {
public:
    /// `name`: of the port ("s0.3"). Times in the file count from `origin`; earlier frames are left out.
    port_capture(const std::string& path, const std::string& name, data_rate rate, picoseconds origin,
                 std::uint32_t snap_octets);

    void received(const ethernet::frame& f, picoseconds now, mmu::drop_reason dropped) override;
    void sent(const ethernet::frame& f, picoseconds now) override;
    void flush() { file_.flush(); }
    /// Goes on at the end of another file.
    void continue_in(const std::string& path) { file_.continue_in(path); }
    /// Throws capture_write_error when anything could not be written.
    void close() { file_.close(); }

private:
    ethernet::capture_writer file_;
    picoseconds origin_;
};

}  // namespace weir::vp
