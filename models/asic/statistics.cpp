// SPDX-License-Identifier: Apache-2.0
// The switch's statistics as a whole (cnt.*): snapshot, clearing, occupancy thresholds.
#include "models/asic/switch_asic.h"

namespace weir::asic {

void switch_asic::clear_counters() {
    bank_.forget_preloads();
    memory_.clear_counters();
    cpu_.clear_counters();
    for (auto& p : ports_) {
        p->mac.counters = {};
        p->flow.clear_statistics();
        p->egress.clear_statistics();
    }
    for (auto& w : watchdogs_) w->clear_statistics();
    cpu_.egress.clear_statistics();
    if (crossbar_) crossbar_->clear_statistics();
}

void switch_asic::bind_statistics() {
    using registers::index;
    bank_.on_write("cnt.control.snapshot", [this](const index&, std::uint64_t) {
        // What is copied is the present, whatever the view shows.
        bank_.show_snapshot(false);
        bank_.take_snapshot();
        bank_.show_snapshot(bank_.get(bank_.field("cnt.view.snapshot")) != 0);
        snapshot_at_ = time_.now();
    });
    bank_.on_write("cnt.control.clear_counters", [this](const index&, std::uint64_t) { clear_counters(); });
    bank_.on_write("cnt.control.clear_watermarks", [this](const index&, std::uint64_t) {
        memory_.restart_watermarks();
        for (auto& p : ports_) p->flow.stall.clear_longest();
    });
    bank_.on_write("cnt.view.snapshot", [this](const index&, std::uint64_t on) { bank_.show_snapshot(on != 0); });
    bank_.drive("cnt.snapshot_time.time",
                [this](const index&) { return static_cast<std::uint64_t>(snapshot_at_ / nanoseconds(1)); });

    const auto cells_of = [this](registers::bank::field_ref f, std::uint64_t value) {
        return value == bank_.all_ones(f) ? mmu::unlimited : static_cast<mmu::cells>(value);
    };
    bank_.on_write("cnt.group_threshold.cells", [this, cells_of, f = bank_.field("cnt.group_threshold.cells")](
                                                    const index& at, std::uint64_t value) {
        memory_.group(static_cast<std::uint16_t>(at[0]), static_cast<std::uint8_t>(at[1])).threshold =
            cells_of(f, value);
    });
    bank_.on_write("cnt.queue_threshold.cells", [this, cells_of, f = bank_.field("cnt.queue_threshold.cells")](
                                                    const index& at, std::uint64_t value) {
        memory_.queue(static_cast<std::uint16_t>(at[0]), static_cast<std::uint8_t>(at[1])).threshold =
            cells_of(f, value);
    });
    memory_.on_threshold(
        [this, group_hit = bank_.field("cnt.group_hit.groups"), queue_hit = bank_.field("cnt.queue_hit.queues")](
            bool is_queue, std::uint16_t port, std::uint8_t which) {
            bank_.raise(is_queue ? queue_hit : group_hit, {port, 0, 0}, std::uint64_t{1} << which);
            raise(interrupt::threshold);
        });
}

}  // namespace weir::asic
