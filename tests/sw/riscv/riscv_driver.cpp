// SPDX-License-Identifier: Apache-2.0
#include "tests/sw/riscv/riscv_driver.h"

#include <array>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>

#include "models/cpu/elf.h"
#include "models/cpu/hart.h"
#include "tests/sw/riscv/server.h"

namespace weir::riscv {
namespace {

constexpr std::uint32_t memory_base = 0x80000000;
constexpr std::uint32_t stack_top = 0x80800000;  // as sw/firmware/firmware.ld has it
constexpr std::uint32_t heap = 0x80800000;
constexpr std::uint32_t scratch = 0x80e00000;  // arguments of the calls under way
constexpr std::uint32_t memory_end = 0x81000000;
constexpr std::uint32_t argument_registers = 8;
constexpr std::uint32_t hal_octets = 40;  // ten pointers

const cpu::elf_file& driver_program() {
    static const cpu::elf_file program = cpu::elf_file::from_file(WEIR_RISCV_DRIVER);
    return program;
}

}  // namespace

/// The hart of one device, its memory, and the host's side of its HAL.
class driver_hart : private cpu::bus_if {
public:
    explicit driver_hart(weir_dev* dev) : dev_(dev), hart_(*this), memory_(memory_end - memory_base) {
        for (const auto& segment : driver_program().segments()) {
            std::memcpy(at(segment.address), segment.octets.data(), segment.octets.size());
        }
        hart_.map_memory(memory_base, memory_.data(), static_cast<std::uint32_t>(memory_.size()));
        hart_.reset(symbol("server_return"));
        hart_.stop_at_ebreak(true);
        std::memcpy(layout_.data(), at(symbol("server_layout")), sizeof layout_);
    }

    [[nodiscard]] unsigned char* at(std::uint32_t address) { return memory_.data() + (address - memory_base); }
    [[nodiscard]] static std::uint32_t symbol(const char* name) {
        const auto address = driver_program().address_of(name);
        if (!address) throw std::logic_error(std::string("the RISC-V driver has no ") + name);
        return *address;
    }
    [[nodiscard]] std::uint32_t layout(int entry) const { return layout_[static_cast<std::size_t>(entry)]; }

    /// Where the object lives on the hart; zeros at first.
    std::uint32_t place(const void* object, int size_entry) {
        const auto known = objects_.find(object);
        if (known != objects_.end()) return known->second;
        const std::uint32_t address = heap_;
        heap_ += (layout(size_entry) + 15) / 16 * 16;
        if (heap_ > scratch) throw std::logic_error("the hart's memory is full of objects");
        objects_[object] = address;
        names_[address] = object;
        return address;
    }
    [[nodiscard]] std::uint32_t known(const void* object) const {
        const auto found = objects_.find(object);
        return found == objects_.end() ? 0 : found->second;
    }

    std::uint32_t take_scratch(std::size_t octets) {
        const std::uint32_t address = scratch_;
        scratch_ += static_cast<std::uint32_t>((octets + 15) / 16 * 16);
        if (scratch_ > memory_end) throw std::logic_error("the arguments of a call are too long");
        return address;
    }
    [[nodiscard]] std::uint32_t scratch_mark() const { return scratch_; }
    void drop_scratch(std::uint32_t mark) { scratch_ = mark; }

    std::uint64_t call(const char* function, const std::vector<std::uint32_t>& words) {
        const cpu::hart_state before = hart_.state();
        cpu::hart_state s = before;
        const bool nested = depth_++ > 0;
        // A callback that calls the driver again must not disturb the frames that are there.
        s.x[2] = (nested ? before.x[2] : stack_top) & ~15U;
        const std::size_t rest = words.size() > argument_registers ? words.size() - argument_registers : 0;
        s.x[2] -= static_cast<std::uint32_t>((rest * 4 + 15) / 16 * 16);
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (i < argument_registers) {
                s.x[10 + i] = words[i];
            } else {
                std::memcpy(at(s.x[2] + static_cast<std::uint32_t>(4 * (i - argument_registers))), &words[i], 4);
            }
        }
        s.x[1] = symbol("server_return");
        s.x[3] = symbol("__global_pointer$");
        s.x[8] = 0;
        s.pc = symbol(function);
        s.mtvec = s.x[1];
        s.mcause = 0;
        hart_.restore(s);
        while (hart_.run(1'000'000'000) != cpu::stop::breakpoint) {
        }
        const cpu::hart_state after = hart_.state();
        --depth_;
        if (after.mcause != 0) {
            throw std::logic_error(std::string(function) + " trapped on the hart: cause " +
                                   std::to_string(after.mcause) + " at " + std::to_string(after.mepc));
        }
        if (nested) hart_.restore(before);
        return std::uint64_t{after.x[11]} << 32 | after.x[10];
    }

    /// A HAL for the members that the host's has now.
    std::uint32_t hal() {
        std::uint32_t members = 0;
        if (dev_->hal.barrier != nullptr) members |= HAL_BARRIER;
        if (dev_->hal.wait_irq != nullptr) members |= HAL_WAIT;
        if (dev_->hal.lock != nullptr) members |= HAL_LOCK;
        if (dev_->hal.unlock != nullptr) members |= HAL_UNLOCK;
        if (dev_->hal.log != nullptr) members |= HAL_LOG;
        const auto made = hals_.find(members);
        if (made != hals_.end()) return made->second;
        const std::uint32_t table = heap_;
        heap_ += (hal_octets + 15) / 16 * 16;
        (void)call("server_hal", {table, members});
        return hals_[members] = table;
    }

private:
    bool load(std::uint32_t address, unsigned, std::uint32_t& value) override {
        switch (address) {
            case HOST_READ:
                status_ = dev_->hal.read32(dev_->hal.ctx, address_, &value);
                return true;
            case HOST_STATUS:
                value = static_cast<std::uint32_t>(status_);
                return true;
            case HOST_NOW:
                now_ = dev_->hal.now_ns(dev_->hal.ctx);
                value = static_cast<std::uint32_t>(now_);
                return true;
            case HOST_NOW_HIGH:
                value = static_cast<std::uint32_t>(now_ >> 32);
                return true;
            default:
                return false;
        }
    }

    bool store(std::uint32_t address, unsigned, std::uint32_t value) override {
        const weir_hal& hal = dev_->hal;
        const std::uint64_t time = std::uint64_t{value} << 32 | time_;
        switch (address) {
            case HOST_ADDRESS:
                address_ = value;
                return true;
            case HOST_WRITE:
                status_ = hal.write32(hal.ctx, address_, value);
                return true;
            case HOST_BARRIER:
                hal.barrier(hal.ctx);
                return true;
            case HOST_TIME:
                time_ = value;
                return true;
            case HOST_DELAY_HIGH:
                hal.delay_ns(hal.ctx, time);
                return true;
            case HOST_WAIT_HIGH:
                status_ = hal.wait_irq(hal.ctx, time);
                return true;
            case HOST_LOCK:
                hal.lock(hal.ctx);
                return true;
            case HOST_UNLOCK:
                hal.unlock(hal.ctx);
                return true;
            case HOST_OBJECT:
                object_ = value;
                return true;
            case HOST_ARGUMENT:
                argument_ = value;
                return true;
            case HOST_LENGTH:
                length_ = value;
                return true;
            default:
                return call_back(address, value);
        }
    }

    bool call_back(std::uint32_t address, std::uint32_t pointer) {
        const char* text = reinterpret_cast<const char*>(at(pointer));
        const void* object = names_.count(object_) != 0 ? names_[object_] : nullptr;
        if (address == HOST_LOG) {
            dev_->hal.log(dev_->hal.ctx, static_cast<weir_log_level>(object_), text);
        } else if (address == HOST_PRINT) {
            // The first members of both are a device, a function and its context, but for the service's watchdog.
            if (services.count(object) != 0) {
                const auto* service = static_cast<const weir_service*>(object);
                service->print(service->ctx, text);
            } else {
                const auto* shell = static_cast<const weir_shell*>(object);
                shell->print(shell->ctx, text);
            }
        } else if (address == HOST_EVENT) {
            const auto* watchdog = static_cast<const weir_watchdog*>(object);
            weir_wd_event event;
            std::memcpy(&event, at(pointer), sizeof event);
            watchdog->on_event(watchdog->ctx, &event);
        } else if (address == HOST_FRAME) {
            const auto* dcbx = static_cast<const weir_dcbx*>(object);
            dcbx->other(dcbx->ctx, argument_, at(pointer), length_);
        } else {
            return false;
        }
        return true;
    }

public:
    std::set<const void*> services;  // objects that print as a service does

private:
    weir_dev* dev_;
    cpu::hart hart_;
    std::vector<std::uint8_t> memory_;
    std::array<std::uint32_t, LAYOUT_ENTRIES> layout_{};
    std::map<const void*, std::uint32_t> objects_;
    std::map<std::uint32_t, const void*> names_;
    std::map<std::uint32_t, std::uint32_t> hals_;
    std::uint32_t heap_{heap};
    std::uint32_t scratch_{scratch};
    int depth_{0};
    weir_status status_{WEIR_OK};
    std::uint64_t now_{0};
    std::uint32_t address_{0}, time_{0}, object_{0}, argument_{0}, length_{0};
};

namespace {

driver_hart& hart_of(const weir_dev* dev) {
    static std::map<const weir_dev*, std::unique_ptr<driver_hart>> harts;
    auto& hart = harts[dev];
    if (!hart) hart = std::make_unique<driver_hart>(const_cast<weir_dev*>(dev));
    return *hart;
}

template <typename Member>
std::uint32_t offset_in(const void* object, const Member& member) {
    return static_cast<std::uint32_t>(reinterpret_cast<const unsigned char*>(&member) -
                                      static_cast<const unsigned char*>(object));
}

}  // namespace

hart_call::hart_call(const weir_dev* dev, const char* function) : hart_(hart_of(dev)), function_(function) {}

void hart_call::wide(std::uint64_t value) {
    word(static_cast<std::uint32_t>(value));
    word(static_cast<std::uint32_t>(value >> 32));
}

void hart_call::share(const void* object, std::uint32_t offset_there, const void* first, std::size_t octets) {
    auto* here = static_cast<unsigned char*>(const_cast<void*>(first));
    shared_.push_back({hart_.known(object) + offset_there, here, octets});
}

void hart_call::object(const weir_dev* dev) {
    const std::uint32_t there = hart_.place(dev, DEV_SIZE);
    word(there);
    // A test may have put another HAL in, or taken a member away.
    std::memcpy(hart_.at(there), hart_.at(hart_.hal()), hal_octets);
    // All but the HAL, and but the journal and what it saves, which are between the calls' own.
    share(dev, hart_.layout(DEV_TIMING), &dev->timing, offset_in(dev, dev->journal) - offset_in(dev, dev->timing));
}

void hart_call::object(const weir_watchdog* w) {
    word(hart_.place(w, WATCHDOG_SIZE));
    share(w, hart_.layout(WATCHDOG_DETECTOR), &w->detector,
          offset_in(w, w->big_red_switch) + sizeof w->big_red_switch - offset_in(w, w->detector));
    share(w, hart_.layout(WATCHDOG_PORTS), &w->ports, sizeof w->ports);
    object(w->dev);
    words_.pop_back();
}

void hart_call::object(const weir_dcbx* d) {
    word(hart_.place(d, DCBX_SIZE));
    share(d, hart_.layout(DCBX_PORTS), &d->ports, sizeof d->ports);
    object(d->dev);
    words_.pop_back();
}

void hart_call::object(const weir_service* s) {
    word(hart_.place(s, SERVICE_SIZE));
    hart_.services.insert(s);
    share(s, hart_.layout(SERVICE_STATE), &s->causes,
          offset_in(s, s->told_faults) + sizeof s->told_faults - offset_in(s, s->causes));
    object(s->dev);
    words_.pop_back();
}

void hart_call::object(const weir_nos* n) {
    word(hart_.place(n, NOS_SIZE));
    share(n, hart_.layout(NOS_STATE), &n->pools,
          offset_in(n, n->port_scheduler) + sizeof n->port_scheduler - offset_in(n, n->pools));
    object(n->dev);
    words_.pop_back();
}

void hart_call::object(const weir_shell* s) {
    const std::uint32_t there = hart_.place(s, SHELL_SIZE);
    word(there);
    share(s, hart_.layout(SHELL_STATE), &s->in_interface,
          offset_in(s, s->error) + sizeof s->error - offset_in(s, s->in_interface));
    object(s->dev);
    words_.pop_back();
    // The test says which others the session has.
    const auto refer = [&](int entry, const auto* other) {
        std::uint32_t address = 0;
        if (other != nullptr) {
            object(other);
            address = words_.back();
            words_.pop_back();
        }
        std::memcpy(hart_.at(there + hart_.layout(entry)), &address, 4);
    };
    refer(SHELL_WATCHDOG, s->watchdog);
    refer(SHELL_DCBX, s->dcbx);
    refer(SHELL_SERVICE, s->service);
}

std::uint32_t hart_call::in(const void* data, std::size_t octets) {
    if (data == nullptr) return 0;
    const std::uint32_t address = hart_.take_scratch(octets);
    std::memcpy(hart_.at(address), data, octets);
    return address;
}

std::uint32_t hart_call::in_and_out(void* data, std::size_t octets) {
    const std::uint32_t address = in(data, octets);
    if (data != nullptr) shared_.push_back({address, static_cast<unsigned char*>(data), octets});
    return address;
}

void hart_call::text(const char* string) {
    word(in(string, std::strlen(string) + 1));
}

std::uint32_t hart_call::symbol(const char* name) const {
    return hart_.symbol(name);
}

std::uint64_t hart_call::run() {
    for (const stretch& s : shared_) std::memcpy(hart_.at(s.there), s.here, s.octets);
    const std::uint64_t result = hart_.call(function_, words_);
    for (const stretch& s : shared_) std::memcpy(s.here, hart_.at(s.there), s.octets);
    hart_.drop_scratch(scratch);
    return result;
}

const char* hart_call::string_at(std::uint32_t address) const {
    static std::set<std::string> kept;
    return kept.insert(reinterpret_cast<const char*>(hart_.at(address))).first->c_str();
}

std::uint32_t hart_call::address_of(const void* object) const {
    return hart_.known(object);
}

std::uint32_t hart_call::hal() {
    return hart_.hal();
}

}  // namespace weir::riscv
