// SPDX-License-Identifier: Apache-2.0
// A 16550-class UART: FIFOs of 16, interrupts, divisor latch; characters take the time that the divisor says.
//
//   software ─► THR, FIFO ─► one character after another ─► on_transmit (a console, a file, a socket)
//   receive() ─► waiting line, unbounded ─► FIFO, never overrun ─► RBR
//
// The far end has flow control: what the FIFO has no room for waits outside, so nothing typed is lost. No parity, no
// modem lines, 8N1 whatever LCR says of the format.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

#include "models/cpu/device.h"
#include "models/timeline/timeline.h"

namespace weir::cpu {

class uart16550 : public device, private actor {
public:
    static constexpr std::uint32_t size = 0x100;
    static constexpr std::size_t fifo_octets = 16;
    /// The input clock: a character of ten bits takes 10 x 16 x divisor of its periods, 3.33 us with divisor 1.
    static constexpr std::int64_t clock_hz = 48'000'000;

    uart16550(timeline& time, const std::string& name);

    /// A character has left.
    void on_transmit(std::function<void(char)> hook) { on_transmit_ = std::move(hook); }
    /// The interrupt line changes.
    void on_interrupt(std::function<void(bool)> hook) { on_interrupt_ = std::move(hook); }
    /// Characters from the far end, from now on.
    void receive(const std::string& text);
    /// Characters that software has not read yet.
    [[nodiscard]] std::size_t unread() const { return outside_.size() + rx_.size(); }

    bool read(std::uint32_t offset, unsigned octets, std::uint32_t& value, picoseconds now) override;
    bool write(std::uint32_t offset, unsigned octets, std::uint32_t value, picoseconds now) override;
    [[nodiscard]] bool peek(std::uint32_t offset, unsigned octets, std::uint32_t& value,
                            picoseconds now) const override;

private:
    void due(std::uint32_t what) override;
    [[nodiscard]] picoseconds character_time() const;
    [[nodiscard]] std::size_t fifo_depth() const { return fifo_on_ ? fifo_octets : 1; }
    [[nodiscard]] std::uint8_t identification() const;
    [[nodiscard]] std::uint8_t line_status() const;
    void start_reception(picoseconds at);
    void start_transmission(picoseconds at);
    void update_line();

    timeline& time_;
    std::function<void(char)> on_transmit_;
    std::function<void(bool)> on_interrupt_;
    std::deque<char> outside_;
    std::deque<char> rx_;
    std::deque<char> tx_;
    bool receiving_{false};
    char shifting_{0};
    bool transmitting_{false};  // `shifting_` is on the line
    std::uint32_t silence_{0};  // numbers the waits for the character time-out
    bool timed_out_{false};     // characters below the trigger level have waited for four character times
    bool tx_emptied_{false};    // the interrupt of the empty FIFO is pending
    bool line_{false};
    bool fifo_on_{false};
    std::size_t trigger_{1};
    std::uint8_t ier_{0};
    std::uint8_t lcr_{0};
    std::uint8_t mcr_{0};
    std::uint8_t scratch_{0};
    std::uint16_t divisor_{1};
};

}  // namespace weir::cpu
