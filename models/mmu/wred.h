// SPDX-License-Identifier: Apache-2.0
// WRED and ECN marking on one egress queue's length (R12).
//
//   probability   1 ┤              ┌────
//                 P ┤            ╱╎
//                   │         ╱   ╎
//                 0 ┼───────╱─────┴──── queue length before the frame
//                        Kmin    Kmax
#pragma once

#include <array>
#include <cstdint>

#include "models/ethernet/headers.h"
#include "models/mmu/cells.h"
#include "models/timeline/random_stream.h"

namespace weir::mmu {

enum class colour : std::uint8_t { green, yellow, red };
constexpr std::size_t colours = 3;

/// Kmin, Kmax in cells; the probability at Kmax in units of 1/65535.
struct wred_curve {
    bool enabled{false};
    cells minimum{0};
    cells maximum{0};
    std::uint16_t probability{0};

    static constexpr std::uint32_t always = 65535U << 16U;

    /// 0 at q ≤ Kmin, linear to the probability at Kmax, `always` above. Kmin = Kmax is a step. Sixteen bits finer than
    /// the probability is programmed: just above Kmin it is a few millionths.
    [[nodiscard]] std::uint32_t at(cells queue) const {
        if (queue <= minimum) return 0;
        if (queue > maximum) return always;
        const std::int64_t rise = (std::int64_t{probability} << 16) * (queue - minimum);
        return static_cast<std::uint32_t>(rise / (maximum - minimum));
    }
};

using wred_profile = std::array<wred_curve, colours>;

enum class wred_verdict : std::uint8_t { pass, mark, drop };

class wred_queue {
public:
    const wred_profile* profile{nullptr};
    bool wred_enabled{false};
    bool ecn_enabled{false};
    bool at_dequeue{false};
    std::uint8_t ewma_weight{0};  ///< the average moves by 2^-weight of the difference; 0: the instantaneous length
    random_stream random;

    [[nodiscard]] bool active() const { return wred_enabled || ecn_enabled; }

    /// Judges a frame against `queue` cells. Lossless queues are never made to drop.
    [[nodiscard]] wred_verdict judge(cells queue, colour c, ethernet::ecn codepoint, bool lossless) {
        const cells length = average(queue);
        const wred_curve& curve = (*profile)[static_cast<std::size_t>(c)];
        if (!curve.enabled || codepoint == ethernet::ecn::ce) return wred_verdict::pass;
        const std::uint32_t probability = curve.at(length);
        if (probability == 0) return wred_verdict::pass;
        // The scaled draw is uniform over 0 to always - 1.
        if (probability < wred_curve::always &&
            (std::uint64_t{random.next()} * wred_curve::always >> 32) >= probability)
            return wred_verdict::pass;
        if (codepoint != ethernet::ecn::not_ect && ecn_enabled) return wred_verdict::mark;
        return wred_enabled && !lossless ? wred_verdict::drop : wred_verdict::pass;
    }

    void forget_average() { average_ = 0; }

private:
    // The average in units of 2^-16 cell.
    cells average(cells queue) {
        if (ewma_weight == 0) return queue;
        average_ += ((std::int64_t{queue} << 16) - average_) >> ewma_weight;
        return static_cast<cells>(average_ >> 16);
    }
    std::int64_t average_{0};
};

}  // namespace weir::mmu
