// SPDX-License-Identifier: Apache-2.0
#include "models/asic/cpu_port.h"

#include <algorithm>
#include <utility>

namespace weir::asic {
namespace {

constexpr std::uint32_t largest_sent = ethernet::maximum_frame_octets - ethernet::fcs_octets;
constexpr std::uint32_t smallest_sent = ethernet::minimum_frame_octets - ethernet::fcs_octets;

}  // namespace

cpu_port::cpu_port(sc_core::sc_module_name module_name, timeline& time, ethernet::frame_pool& frames,
                   pipeline::pipeline& ingress, std::uint16_t number)
    : sc_module(module_name),
      actor(time, name()),
      egress("egress", time, number),
      time_(time),
      frames_(frames),
      ingress_(ingress),
      number_(number) {
    transmitter.bind(*this);
    egress.transmitter.bind(transmitter);
}

void cpu_port::wake() {
    if (std::exchange(woken_, true)) return;
    time_.at(time_.now(), phase::transmit, *this, 0);
}

void cpu_port::due(std::uint32_t) {
    woken_ = false;
    flush.look();
    while (buffer_.size() < buffered_frames) {
        const scheduler::selection next = egress.dequeue(time_.now());
        if (next.frame == nullptr) break;
        std::vector<std::uint8_t> octets = next.frame->wire_octets();
        octets.resize(octets.size() - ethernet::fcs_octets);
        buffer_.push_back({std::move(octets), next.frame->note.ingress});
        next.frame->release();
        ++received_;
        if (on_receive_) on_receive_();
    }
}

void cpu_port::pop() {
    if (buffer_.empty()) return;
    buffer_.pop_front();
    read_at_ = 0;
    wake();
}

void cpu_port::send() {
    const auto length = static_cast<std::uint32_t>(bank_->get(bank_->field("cpu.tx_control.length")));
    const bool forwarded = bank_->get(bank_->field("cpu.tx_control.forward")) != 0;
    const auto port = static_cast<std::uint16_t>(bank_->get(bank_->field("cpu.tx_control.port")));
    send_error_ = length < smallest_sent || length > largest_sent || length > to_send_.size();
    if (!send_error_) {
        ethernet::frame* f = frames_.take();
        f->assign(to_send_.data(), length, length + ethernet::fcs_octets);
        const mmu::drop_reason why =
            forwarded ? ingress_.take(*f, number_, time_.now()) : ingress_.take_to(*f, number_, port);
        if (why == mmu::drop_reason::none) {
            ++sent_;
        } else {
            send_error_ = true;
            f->release();
        }
    }
    to_send_.clear();
}

void cpu_port::clear() {
    buffer_.clear();
    to_send_.clear();
    read_at_ = 0;
    send_error_ = false;
    clear_counters();
}

void cpu_port::bind_registers(registers::bank& bank, mmu::mmu& memory, std::function<void()> on_receive) {
    using registers::index;
    bank_ = &bank;
    on_receive_ = std::move(on_receive);
    bank.on_write("cpu.tx_data.word", [this](const index&, std::uint64_t word) {
        // Beyond the largest frame nothing is kept: tx_control will refuse the length.
        for (unsigned i = 0; i < 4 && to_send_.size() < largest_sent; ++i) {
            to_send_.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
        }
    });
    bank.on_write("cpu.tx_control.start", [this](const index&, std::uint64_t) { send(); });
    bank.drive("cpu.tx_status.busy", [](const index&) { return 0U; });
    bank.drive("cpu.tx_status.error", [this](const index&) { return send_error_ ? 1U : 0U; });
    bank.drive("cpu.rx_status.frames", [this](const index&) { return buffer_.size(); });
    bank.drive("cpu.rx_status.port",
               [this](const index&) -> std::uint64_t { return buffer_.empty() ? 0 : buffer_.front().ingress_port; });
    bank.drive("cpu.rx_status.length",
               [this](const index&) -> std::uint64_t { return buffer_.empty() ? 0 : buffer_.front().octets.size(); });
    bank.drive("cpu.rx_data.word", [this](const index&) -> std::uint64_t {
        std::uint64_t word = 0;
        if (buffer_.empty()) return word;
        const auto& octets = buffer_.front().octets;
        for (std::size_t i = 0; i < 4 && read_at_ + i < octets.size(); ++i) {
            word |= std::uint64_t{octets[read_at_ + i]} << (8 * i);
        }
        return word;
    });
    bank.on_read("cpu.rx_data.word", [this](const index&) { read_at_ += 4; });
    bank.on_write("cpu.rx_pop.pop", [this](const index&, std::uint64_t) { pop(); });
    bank.drive("cpu.tx_frames.frames", [this](const index&) { return sent_; });
    bank.drive("cpu.rx_frames.frames", [this](const index&) { return received_; });
    bank.drive("cpu.rx_drops.frames", [this, &memory](const index&) {
        std::uint64_t drops = 0;
        for (std::uint8_t q = 0; q < mmu::queues_per_port; ++q) drops += memory.queue_counters(number_, q).drop_frames;
        return drops;
    });
}

}  // namespace weir::asic
