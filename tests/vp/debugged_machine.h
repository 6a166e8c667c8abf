// SPDX-License-Identifier: Apache-2.0
// A small machine with a gdb stub, running on a thread of its own: for tests of the stub.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "models/cpu/hart.h"
#include "vp/remote/gdb_stub.h"
#include "vp/remote/hart_gdb_target.h"

namespace weir::vp::remote::testing {

inline constexpr std::uint32_t memory_base = 0x80000000;
inline constexpr std::uint32_t data_base = memory_base + 0x800;
inline constexpr std::uint32_t device_base = 0x10000000;

/// A hart that counts in memory for ever, on a thread of its own, with a stub. The loop, words by GNU as:
///
///   80000000  00150513  addi a0, a0, 1
///   80000004  00a5a023  sw   a0, 0(a1)       a1 is 0x80000800
///   80000008  0045a603  lw   a2, 4(a1)
///   8000000c  ff5ff06f  j    80000000
class debugged_machine : public cpu::bus_if {
public:
    explicit debugged_machine(bool wait_for_client = false, const std::string& path = {})
        : memory_(0x1000), core_(*this), target_(core_, access()), stub_(target_, settings(path)) {
        const std::uint32_t words[] = {0x00150513, 0x00a5a023, 0x0045a603, 0xff5ff06f};
        poke(memory_base, reinterpret_cast<const std::uint8_t*>(words), sizeof words);
        const std::uint32_t numbers[] = {0, 0x11223344, 0xdeadbeef, 0};
        poke(data_base, reinterpret_cast<const std::uint8_t*>(numbers), sizeof numbers);
        core_.map_memory(memory_base, memory_.data(), 0x1000);
        core_.reset(memory_base);
        auto s = core_.state();
        s.x[11] = data_base;
        core_.restore(s);
        core_.write_csr(0x305, memory_base + 0x100);
        core_.write_csr(0x341, 0x1234);
        thread_ = std::thread{[this, wait_for_client] { live(wait_for_client); }};
    }
    ~debugged_machine() override { end(); }

    void end() {
        over_ = true;
        if (thread_.joinable()) thread_.join();
    }
    [[nodiscard]] std::uint16_t port() const { return stub_.port(); }
    [[nodiscard]] std::string address() const { return stub_.address(); }
    [[nodiscard]] std::uint64_t executed() const { return executed_; }
    [[nodiscard]] std::string log() {
        const std::lock_guard guard{mutex_};
        return log_;
    }
    /// Waits until the log has `text`.
    void await_log(const std::string& text) {
        for (unsigned i = 0; i < 500 && log().find(text) == std::string::npos; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds{10});
        }
        EXPECT_NE(log().find(text), std::string::npos) << log();
    }
    /// Waits until the core goes on.
    void await_progress() {
        const auto before = executed();
        for (unsigned i = 0; i < 500 && executed() == before; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds{10});
        }
        EXPECT_GT(executed(), before) << "the core stands still";
    }
    bool load(std::uint32_t address, unsigned, std::uint32_t& value) override {
        ++device_accesses;
        value = 0;
        return address - device_base < 16;
    }
    bool store(std::uint32_t address, unsigned, std::uint32_t) override {
        ++device_accesses;
        return address - device_base < 16;
    }
    unsigned device_accesses{0};

private:
    hart_gdb_target::access access() {
        return {[this](std::uint32_t address, std::uint8_t& octet) {
                    if (address - device_base < 16) {
                        octet = 0x5a;
                        return true;
                    }
                    if (address - memory_base >= memory_.size()) return false;
                    octet = memory_[address - memory_base];
                    return true;
                },
                [this](std::uint32_t address, const std::uint8_t* octets, std::uint32_t count) {
                    return poke(address, octets, count);
                },
                [](const std::string& text) { return text == "greet" ? std::string{"hello\n"} : std::string{}; }};
    }
    bool poke(std::uint32_t address, const std::uint8_t* octets, std::uint32_t count) {
        if (address - memory_base >= memory_.size() || count > memory_.size() - (address - memory_base)) return false;
        std::copy_n(octets, count, memory_.begin() + (address - memory_base));
        core_.memory_changed(address, count);
        return true;
    }
    gdb_stub::settings settings(const std::string& path) {
        return {{0, path},
                [this](const std::string& line) {
                    const std::lock_guard guard{mutex_};
                    log_ += line + "\n";
                },
                [this] { return over_.load(); }};
    }
    void live(bool wait_for_client) {
        if (wait_for_client) stub_.wait_for_client();
        while (!over_) {
            if (stub_.poll()) stub_.serve_until_resumed();
            const auto why = core_.run(1000);
            executed_ += core_.executed();
            if (why == cpu::stop::breakpoint || why == cpu::stop::watchpoint) {
                stub_.stopped(target_.stop_of(why));
                stub_.serve_until_resumed();
            }
        }
        stub_.stopped({gdb_stop_reason::ended, 0, false, 3});
    }

    std::vector<std::uint8_t> memory_;
    cpu::hart core_;
    std::mutex mutex_;
    std::string log_;
    std::atomic<bool> over_{false};
    std::atomic<std::uint64_t> executed_{0};
    hart_gdb_target target_;
    gdb_stub stub_;
    std::thread thread_;
};

}  // namespace weir::vp::remote::testing
