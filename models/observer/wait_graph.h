// SPDX-License-Identifier: Apache-2.0
// Who waits for whom: a queue that its peer has stopped waits for every stopped queue that the peer's group holds
// frames for. A circle of them waits for itself: while it stands, nothing in it can move.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "models/observer/fabric.h"
#include "models/timeline/time.h"

namespace weir::observer {

/// A queue of a switch's port.
struct waiting_queue {
    place at;
    std::uint8_t queue{0};
    [[nodiscard]] bool operator<(const waiting_queue& o) const {
        return std::tuple(at.chip, at.port, queue) < std::tuple(o.at.chip, o.at.port, o.queue);
    }
    [[nodiscard]] bool operator==(const waiting_queue& o) const { return at == o.at && queue == o.queue; }
};

/// In the order of waiting, the least first: each waits for the next, the last for the first.
using circle = std::vector<waiting_queue>;

/// Called with a queue; what it waits for now.
using waits_for = std::function<std::vector<waiting_queue>(const waiting_queue&)>;

/// The circle that `from` is part of; empty: there is none.
[[nodiscard]] circle find_circle(const waiting_queue& from, const waits_for& next);
/// Every step of it still waits for the next.
[[nodiscard]] bool stands(const circle& c, const waits_for& next);

}  // namespace weir::observer
