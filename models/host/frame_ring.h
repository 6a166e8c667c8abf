// SPDX-License-Identifier: Apache-2.0
// A set of frames of a message, of which only so many in a row can be in it: a bit each, in a ring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::host {

class frame_ring {
public:
    /// Room for the frames from any one on to `frames` later.
    void resize(std::uint64_t frames) { bits_.assign((frames + 63) / 64 + 1, 0); }
    /// Frames in a row that it has room for.
    [[nodiscard]] std::uint64_t size() const { return bits_.size() * 64; }

    [[nodiscard]] bool has(std::uint64_t frame) const { return (bits_[word(frame)] >> (frame % 64) & 1U) != 0; }
    void add(std::uint64_t frame) { bits_[word(frame)] |= std::uint64_t{1} << (frame % 64); }
    void remove(std::uint64_t frame) { bits_[word(frame)] &= ~(std::uint64_t{1} << (frame % 64)); }

private:
    [[nodiscard]] std::size_t word(std::uint64_t frame) const { return frame / 64 % bits_.size(); }
    std::vector<std::uint64_t> bits_;
};

}  // namespace weir::host
