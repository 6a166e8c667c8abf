// SPDX-License-Identifier: Apache-2.0
// P28: a frame of a lossless class is never discarded silently; and after each frame the groups are judged (P14, P15).
//
//   pipeline ──admission_if──► memory_checker ──► MMU ◄── memory_checker ◄──departure_if── scheduler or crossbar
//
// Explicit reasons besides the escape: Headroom or memory ran out (told as an overflow), the watchdog discards, a queue
// that is itself lossy is full, a group or queue that software has switched off, and a flush or reset. A lossless group
// is never refused for its limit, and WRED never drops on a lossless queue.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/mmu/mmu.h"
#include "models/mmu/wish_checker.h"

namespace weir::mmu {

class memory_checker : public admission_if, public departure_if {
public:
    /// What is known of a front port; the CPU port has none.
    struct front {
        wish_checker* wishes{nullptr};
        std::function<std::uint64_t()> escapes;  ///< times that a lossless queue was told to be emptied
    };
    /// `admission` and `departure`: what the checker stands before. `memory` is only looked at.
    memory_checker(const timeline& time, std::string place, admission_if& admission, departure_if& departure,
                   mmu& memory);
    /// Ports in the order of their numbers.
    void add(front port) { ports_.push_back(std::move(port)); }

    drop_reason admit(const arrival& a) override;
    void depart(std::uint16_t port, std::uint8_t queue, const queued_frame& f, picoseconds end) override;
    void discard(std::uint16_t port, std::uint8_t queue, const queued_frame& f, drop_reason why) override;

private:
    void settled(std::uint16_t port, std::uint8_t admitted);
    void broken(const char* property, const std::string& where, const std::string& text) const;

    const timeline& time_;
    std::string place_;
    admission_if& admission_;
    departure_if& departure_;
    mmu& memory_;
    std::vector<front> ports_;
};

}  // namespace weir::mmu
