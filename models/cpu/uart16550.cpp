// SPDX-License-Identifier: Apache-2.0
#include "models/cpu/uart16550.h"

#include <algorithm>
#include <array>

namespace weir::cpu {
namespace {

// Offsets of the registers, an octet each.
constexpr std::uint32_t data = 0;              // RBR, THR; DLL while LCR.DLAB
constexpr std::uint32_t interrupt_enable = 1;  // IER; DLM while LCR.DLAB
constexpr std::uint32_t fifo_control = 2;      // IIR when read
constexpr std::uint32_t line_control = 3;
constexpr std::uint32_t modem_control = 4;
constexpr std::uint32_t line_status_at = 5;
constexpr std::uint32_t modem_status = 6;
constexpr std::uint32_t scratch = 7;

constexpr std::uint8_t dlab = 0x80;
constexpr std::uint8_t enable_received = 0x01;
constexpr std::uint8_t enable_emptied = 0x02;

// Identification register: 1 no interrupt, else the cause; the two top bits while the FIFOs are on.
constexpr std::uint8_t no_interrupt = 0x01;
constexpr std::uint8_t cause_emptied = 0x02;
constexpr std::uint8_t cause_received = 0x04;
constexpr std::uint8_t cause_timeout = 0x0c;
constexpr std::uint8_t fifos_on = 0xc0;

constexpr std::uint8_t status_received = 0x01;
constexpr std::uint8_t status_holding_empty = 0x20;
constexpr std::uint8_t status_all_empty = 0x40;

constexpr std::uint32_t received = 0;
constexpr std::uint32_t sent = 1;
constexpr std::uint32_t silent = 2;  // and above: which wait

}  // namespace

uart16550::uart16550(timeline& time, const std::string& name) : actor(time, name), time_(time) {}

picoseconds uart16550::character_time() const {
    constexpr std::int64_t clocks = 10 * 16;
    return picoseconds{clocks * std::max<std::int64_t>(divisor_, 1) * 1'000'000'000'000 / clock_hz};
}

void uart16550::receive(const std::string& text) {
    outside_.insert(outside_.end(), text.begin(), text.end());
    start_reception(time_.now());
}

void uart16550::start_reception(picoseconds at) {
    if (receiving_ || outside_.empty() || rx_.size() >= fifo_depth()) return;
    receiving_ = true;
    time_.at(at + character_time(), phase::timer, *this, received);
}

void uart16550::start_transmission(picoseconds at) {
    if (transmitting_ || tx_.empty()) return;
    transmitting_ = true;
    shifting_ = tx_.front();
    tx_.pop_front();
    if (tx_.empty()) tx_emptied_ = true;
    time_.at(at + character_time(), phase::timer, *this, sent);
}

void uart16550::due(std::uint32_t what) {
    const picoseconds now = time_.now();
    if (what == received) {
        receiving_ = false;
        if (outside_.empty() || rx_.size() >= fifo_depth()) return;  // the FIFO was reset to another depth meanwhile
        rx_.push_back(outside_.front());
        outside_.pop_front();
        timed_out_ = false;
        start_reception(now);
        time_.at(now + 4 * character_time(), phase::timer, *this, silent + ++silence_);
    } else if (what == sent) {
        transmitting_ = false;
        if (on_transmit_) on_transmit_(shifting_);
        start_transmission(now);
    } else if (what == silent + silence_ && !rx_.empty()) {
        timed_out_ = true;
    }
    update_line();
}

std::uint8_t uart16550::identification() const {
    const std::uint8_t top = fifo_on_ ? fifos_on : 0;
    if ((ier_ & enable_received) != 0 && !rx_.empty()) {
        if (rx_.size() >= trigger_) return top | cause_received;
        if (timed_out_) return top | cause_timeout;
    }
    if ((ier_ & enable_emptied) != 0 && tx_emptied_) return top | cause_emptied;
    return top | no_interrupt;
}

std::uint8_t uart16550::line_status() const {
    std::uint8_t status = 0;
    if (!rx_.empty()) status |= status_received;
    if (tx_.empty()) status |= status_holding_empty;
    if (tx_.empty() && !transmitting_) status |= status_all_empty;
    return status;
}

void uart16550::update_line() {
    const bool asserted = (identification() & no_interrupt) == 0;
    if (asserted == line_) return;
    line_ = asserted;
    if (on_interrupt_) on_interrupt_(asserted);
}

bool uart16550::peek(std::uint32_t offset, unsigned octets, std::uint32_t& value, picoseconds) const {
    if (octets != 1 || offset > scratch) return false;
    const bool latch = (lcr_ & dlab) != 0;
    switch (offset) {
        case data:
            value = latch ? divisor_ & 0xffU : rx_.empty() ? 0 : static_cast<std::uint8_t>(rx_.front());
            return true;
        case interrupt_enable:
            value = latch ? divisor_ >> 8U : ier_;
            return true;
        case fifo_control:
            value = identification();
            return true;
        case line_control:
            value = lcr_;
            return true;
        case modem_control:
            value = mcr_;
            return true;
        case line_status_at:
            value = line_status();
            return true;
        case modem_status:
            value = 0xb0;  // carrier, ready and clear to send: a cable that is plugged in
            return true;
        default:
            value = scratch_;
            return true;
    }
}

bool uart16550::read(std::uint32_t offset, unsigned octets, std::uint32_t& value, picoseconds now) {
    if (!peek(offset, octets, value, now)) return false;
    if (offset == data && (lcr_ & dlab) == 0 && !rx_.empty()) {
        rx_.pop_front();
        timed_out_ = false;
        start_reception(now);
        if (!rx_.empty()) time_.at(now + 4 * character_time(), phase::timer, *this, silent + ++silence_);
    }
    // Telling that the transmitter is empty is told once.
    if (offset == fifo_control && (value & 0x0fU) == cause_emptied) tx_emptied_ = false;
    update_line();
    return true;
}

bool uart16550::write(std::uint32_t offset, unsigned octets, std::uint32_t value, picoseconds now) {
    if (octets != 1 || offset > scratch) return false;
    const auto octet = static_cast<std::uint8_t>(value);
    const bool latch = (lcr_ & dlab) != 0;
    switch (offset) {
        case data:
            if (latch) {
                divisor_ = static_cast<std::uint16_t>((divisor_ & 0xff00U) | octet);
                break;
            }
            tx_emptied_ = false;
            // Overwriting a full FIFO loses the character, as on the real part: LSR tells when there is room.
            if (tx_.size() < fifo_depth()) tx_.push_back(static_cast<char>(octet));
            start_transmission(now);
            break;
        case interrupt_enable:
            if (latch) {
                divisor_ = static_cast<std::uint16_t>((divisor_ & 0x00ffU) | octet << 8U);
                break;
            }
            if ((octet & enable_emptied) != 0 && (ier_ & enable_emptied) == 0 && tx_.empty()) tx_emptied_ = true;
            ier_ = octet & 0x0fU;
            break;
        case fifo_control: {
            constexpr std::array<std::size_t, 4> levels{1, 4, 8, 14};
            fifo_on_ = (octet & 0x01U) != 0;
            trigger_ = fifo_on_ ? levels[octet >> 6U] : 1;
            if ((octet & 0x02U) != 0) rx_.clear();
            if ((octet & 0x04U) != 0) tx_.clear();
            start_reception(now);
            break;
        }
        case line_control:
            lcr_ = octet;
            break;
        case modem_control:
            mcr_ = octet & 0x1fU;
            break;
        case scratch:
            scratch_ = octet;
            break;
        default:
            break;  // LSR and MSR are read-only: writing them does nothing
    }
    update_line();
    return true;
}

}  // namespace weir::cpu
