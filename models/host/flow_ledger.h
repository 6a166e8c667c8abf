// SPDX-License-Identifier: Apache-2.0
// What became of every flow: written by the end stations at its two ends, read by reports, and by whoever waits for a
// flow to arrive before another starts.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "models/timeline/time.h"

namespace weir::host {

/// How long a station's gate has been shut for a priority, altogether until now.
using shut_time = std::function<picoseconds(std::uint8_t priority)>;

struct flow_record {
    std::uint64_t frames{0};       ///< of the whole message
    std::uint64_t frames_sent{0};  ///< those that were sent again count again
    picoseconds started{never};    ///< when it could begin; later where it waits for other flows
    picoseconds first_sent{never};
    picoseconds shut_before{0};        ///< how long altogether its source's gate had been shut when it started
    picoseconds shut{never};           ///< how long of its time, while it had something to send; never: it still has
    std::uint64_t frames_received{0};  ///< of a reliable connection: accepted in order
    picoseconds last_received{0};
    picoseconds delivered{never};   ///< when the whole message had arrived
    std::uint64_t marked{0};        ///< arrived as CE
    std::uint64_t out_of_order{0};  ///< arrived with another sequence number than the next
    std::uint32_t expected{0};
    bool connected{false};            ///< over a reliable connection; what follows is of those alone
    std::uint64_t retransmitted{0};   ///< of frames_sent: those sent before
    std::uint64_t discarded{0};       ///< arrived, but neither accepted nor kept
    std::uint64_t timeouts{0};        ///< of the retransmission timer
    picoseconds acknowledged{never};  ///< when the sender knew that the whole message had arrived
    picoseconds given_up{never};      ///< when the sender gave up: too many timeouts without progress
};

class flow_ledger {
public:
    /// Opens the next flow's record and returns its number.
    std::uint32_t add(std::uint64_t frames) {
        records_.emplace_back();
        records_.back().frames = frames;
        return static_cast<std::uint32_t>(records_.size() - 1);
    }
    /// Notes that the whole message has arrived.
    void deliver(std::uint32_t flow, picoseconds now) {
        records_[flow].delivered = now;
        if (on_delivered_) on_delivered_(flow, now);
    }
    /// Called when a whole message has arrived, once a flow.
    void on_delivered(std::function<void(std::uint32_t flow, picoseconds now)> hook) {
        on_delivered_ = std::move(hook);
    }

    /// A flow starts, or has nothing left to send; its source's gate was shut for `shut` altogether until now.
    void begin_sending(std::uint32_t flow, picoseconds shut) { records_[flow].shut_before = shut; }
    void end_sending(std::uint32_t flow, picoseconds shut) { records_[flow].shut = shut - records_[flow].shut_before; }

    [[nodiscard]] flow_record& operator[](std::size_t flow) { return records_[flow]; }
    [[nodiscard]] const flow_record& operator[](std::size_t flow) const { return records_[flow]; }
    [[nodiscard]] std::size_t size() const { return records_.size(); }
    [[nodiscard]] auto begin() const { return records_.begin(); }
    [[nodiscard]] auto end() const { return records_.end(); }

private:
    std::vector<flow_record> records_;
    std::function<void(std::uint32_t, picoseconds)> on_delivered_;
};

}  // namespace weir::host
