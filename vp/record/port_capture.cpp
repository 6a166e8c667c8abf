// SPDX-License-Identifier: Apache-2.0
#include "vp/record/port_capture.h"

#include <fmt/format.h>

namespace weir::vp {

port_capture::port_capture(const std::string& path, const std::string& name, data_rate rate, picoseconds origin,
                           std::uint32_t snap_octets)
    : file_(path, {{name, fmt::format("port {}, {}", name, rate.name()), rate}}, snap_octets), origin_(origin) {}

void port_capture::received(const ethernet::frame& f, picoseconds now, mmu::drop_reason dropped) {
    if (now < origin_) return;
    std::string comment;
    if (dropped != mmu::drop_reason::none) {
        // Only the MMU's reasons know a group and a queue.
        const bool classified = dropped >= mmu::drop_reason::no_cell && dropped <= mmu::drop_reason::wred;
        comment = classified ? fmt::format("dropped: {}, group {}, queue {}", mmu::name_of(dropped), f.note.group,
                                           f.note.queue)
                             : fmt::format("dropped: {}", mmu::name_of(dropped));
    }
    file_.write(0, now - origin_, f, ethernet::capture_direction::inbound, comment);
}

void port_capture::sent(const ethernet::frame& f, picoseconds now) {
    if (now < origin_) return;
    const std::string comment =
        f.note.marked ? fmt::format("marked: congestion experienced, group {}, queue {}", f.note.group, f.note.queue)
                      : std::string();
    file_.write(0, now - origin_, f, ethernet::capture_direction::outbound, comment);
}

}  // namespace weir::vp
