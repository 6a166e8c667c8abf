// SPDX-License-Identifier: Apache-2.0
// What different documents and drivers say a lossless class needs as headroom: one question, all answers.
//
// A model is either a time on the wire (whole picoseconds, so octets and cells are exact) or a number of octets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/timeline/time.h"

namespace weir::vp {

/// What is asked about: a link, its frames, and the memory of the port.
struct headroom_question {
    data_rate rate;
    std::uint32_t metres{100};
    std::uint32_t cell_octets{256};
    std::uint32_t mtu{1518};    ///< longest frame of the link, FCS counted: the neighbour's and the own one in progress
    std::uint32_t frame{1518};  ///< length of the frames that arrive, for the exact form
    std::uint32_t classes{8};   ///< lossless classes wanted
    std::uint32_t cells{4096};  ///< cells of the port's share of the buffer
};

/// Octets that one lossless class must hold after XOFF. A count of half octets is possible: `wire` is exact.
class headroom_need {
public:
    static headroom_need of_time(picoseconds wire, data_rate rate) { return {wire, rate}; }
    static headroom_need of_octets(std::uint64_t octets, data_rate rate) {
        return {rate.octets(static_cast<std::int64_t>(octets)), rate};
    }
    [[nodiscard]] double octets() const;
    /// Whole cells that hold it.
    [[nodiscard]] std::uint64_t cells(std::uint32_t cell_octets) const;
    /// The same after the fraction of an octet was thrown away, as integer arithmetic does that divides too early (F3).
    [[nodiscard]] std::uint64_t truncated_cells(std::uint32_t cell_octets) const;
    [[nodiscard]] picoseconds wire() const { return wire_; }

private:
    headroom_need(picoseconds wire, data_rate rate) : wire_(wire), rate_(rate) {}
    picoseconds wire_;
    data_rate rate_;
};

/// The PFC RTL chapter's dead time: one control frame, one frame of the neighbour, *one* leg of cable.
[[nodiscard]] headroom_need chapter_headroom(const headroom_question& q);
/// The bound of an ideal device, two legs: H = R/8·[(own + 20 + 84) octet times + 2 legs + response] + neighbour's
/// frame.
[[nodiscard]] headroom_need two_leg_headroom(const headroom_question& q, picoseconds response = picoseconds{0});
/// Quanta within which 802.3 Annex 31B wants a pause obeyed at that rate (800G: as 400G).
[[nodiscard]] std::optional<std::uint16_t> annex_31b_quanta(data_rate rate);
/// 802.1Qbb Annex O with the constants of a 10G controller: its interface delay in bit times, 18944 or 37888. Its
/// constants exist for 10G only: nothing at other rates.
[[nodiscard]] std::optional<headroom_need> annex_o_headroom(const headroom_question& q, std::uint32_t interface_bits);
/// SONiC's dynamic buffer model with its own defaults: lossless frames of 1024 octets, all small packets counted, no
/// gearbox.
[[nodiscard]] std::optional<headroom_need> sonic_headroom(const headroom_question& q);
/// What the mlx5 driver programs, from 40G on.
[[nodiscard]] std::optional<headroom_need> mlx5_headroom(const headroom_question& q);
/// The AC5P buffer note at 400G: 50 KB a microsecond of loop time and 20 KB, its loop time by length of cable.
[[nodiscard]] std::optional<headroom_need> ac5p_headroom(const headroom_question& q);
/// Whole frames of `q.frame` octets after the crossing (exact, rule of the closed form): cells, without and with a
/// crossing frame that straddles XOFF.
struct exact_cells {
    std::uint64_t aligned;
    std::uint64_t straddling;
};
[[nodiscard]] exact_cells exact_form(const headroom_question& q, picoseconds response = picoseconds{0});

/// A vendor's published value for just this rate and length.
struct published_headroom {
    std::string_view source;
    std::string_view rate;
    std::uint32_t metres;
    std::uint32_t octets;
};
[[nodiscard]] const std::vector<published_headroom>& published_headrooms();

struct named_headroom {
    std::string_view name;
    headroom_need need;
};
/// Every model that has an answer to this question, but the exact form.
[[nodiscard]] std::vector<named_headroom> headrooms_by_model(const headroom_question& q);

/// All models beside each other, a row each, in text.
[[nodiscard]] std::string headroom_comparison(const headroom_question& q);

}  // namespace weir::vp
