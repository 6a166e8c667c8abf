// SPDX-License-Identifier: Apache-2.0
// The driver tests' device: time goes on with every access and every delay, nothing else moves.
#include "tests/sw/bank_device.h"

#include "tests/sw/back_end.h"

namespace weir::sw {

namespace {

std::uint32_t turned(std::uint32_t word) {
    if (map_under_test().order == registers::byte_order::little) return word;
    return (word >> 24) | ((word >> 8) & 0xff00) | ((word << 8) & 0xff0000) | (word << 24);
}

}  // namespace

bank_device::bank_device() {
    hal.ctx = this;
    hal.read32 = [](void* ctx, std::uint32_t address, std::uint32_t* word) {
        return static_cast<bank_device*>(ctx)->transfer(false, address, *word);
    };
    hal.write32 = [](void* ctx, std::uint32_t address, std::uint32_t word) {
        return static_cast<bank_device*>(ctx)->transfer(true, address, word);
    };
    hal.now_ns = [](void* ctx) { return static_cast<bank_device*>(ctx)->now; };
    hal.delay_ns = [](void* ctx, std::uint64_t ns) { static_cast<bank_device*>(ctx)->now += ns; };
    hal.log = [](void* ctx, weir_log_level, const char* text) {
        static_cast<bank_device*>(ctx)->logged.emplace_back(text);
    };
    bind_global();
    bind_tables();
    bind_cpu();
    chip.set_ready(false);
    hal = through_back_end(hal);
}

weir_status bank_device::transfer(bool write, std::uint32_t address, std::uint32_t& word) {
    now += 10;
    if (core_on_ && now >= ram_over_ && core_starts) chip.set_ready(true);
    if (++count == fail_at) return WEIR_E_BUS;
    std::uint32_t number = turned(word);
    const auto done = write ? chip.write(address, number) : chip.read(address, number);
    if (!write) word = turned(number);
    if (done.error != registers::access_error::none) return WEIR_E_BUS;
    accesses.push_back({write, std::string(done.where->block) + "." + std::string(done.where->name), done.at, number});
    return WEIR_OK;
}

void bank_device::bind_global() {
    using registers::index;
    chip.on_write("global.sw_reset.soft", [this](const index&, std::uint64_t) {
        reset_over_ = now + 50'000;
        core_on_ = ram_started_ = false;
        chip.set_ready(false);
        chip.reset(registers::reset_level::soft);
        set("global.cap_ports.front", {}, ports);
        set("global.cap_ports.cpu_port", {}, ports);
        set("global.core_clock.khz", {}, 1'000'000);
        set("bm.cap_cells.cells", {}, cells);
        set("bm.cap_pools.pools", {}, 8);
        set("bm.cap_pools.wred_profiles", {}, 8);
        for (std::uint32_t port = 0; port < ports; ++port) set("port.capability.megabits", {port}, 400'000);
    });
    chip.drive("global.sw_reset.soft", [this](const index&) { return !reset_ends || now < reset_over_ ? 1u : 0u; });
    chip.on_write("global.init.ram", [this](const index&, std::uint64_t) {
        ram_started_ = true;
        ram_over_ = now + 200'000;
    });
    chip.drive("global.init_status.ram_done",
               [this](const index&) { return ram_started_ && ram_ends && now >= ram_over_ ? 1u : 0u; });
    chip.on_write("global.init.core_enable", [this](const index&, std::uint64_t v) { core_on_ = v != 0; });
    chip.drive("global.init_status.ready", [this](const index&) { return chip.ready() ? 1u : 0u; });
    chip.on_write("port.flush.start", [this](const index& at, std::uint64_t) { set("port.flush_status.done", at, 0); });
    // As on the chip: a flush works through the queues' dequeue enables.
    chip.on_write("queue.mode.dequeue_enable", [this](const index& at, std::uint64_t) {
        bool all = true;
        for (std::uint32_t q = 0; q < 8; ++q) all = all && value("queue.mode.dequeue_enable", {at[0], q}) == 1;
        if (all && queues_empty && chip.ready()) set("port.flush_status.done", {at[0]}, 1);
    });
}

void bank_device::bind_tables() {
    using registers::index;
    chip.on_write("fwd.command.start", [this](const index&, std::uint64_t) { run_command(); });
    chip.drive("fwd.status.busy", [this](const index&) { return !table_answers || now < table_over_ ? 1u : 0u; });
    chip.drive("fwd.status.reason", [this](const index&) { return table_reason_; });
    chip.drive("fwd.used.entries", [this](const index& at) { return tables_[at[0]].size(); });
    chip.drive("fwd.capacity.entries", [this](const index&) { return table_capacity; });
}

void bank_device::run_command() {
    table_over_ = now + 100;
    auto& table = tables_[value("fwd.command.table")];
    key k{};
    for (std::uint32_t i = 0; i < k.size(); ++i) k[i] = value("fwd.key.word", {i});
    const auto op = value("fwd.command.op");
    table_reason_ = 0;
    if (op != 1 && table.count(k) == 0) table_reason_ = 1;
    if (op == 1 && table.count(k) == 0 && table.size() == table_capacity) table_reason_ = 2;
    chip.raise(chip.field(table_reason_ == 0 ? "fwd.status.done" : "fwd.status.nack"), {}, 1);
    if (table_reason_ != 0) return;
    if (op == 2) {
        table.erase(k);
        return;
    }
    entry& e = table[k];
    if (op == 1) {
        e = {value("fwd.result.kind"), value("fwd.result.target"), {}};
        for (std::uint32_t i = 0; i < value("fwd.member_count.count"); ++i)
            e.members.push_back(value("fwd.members.port", {i}));
        return;
    }
    set("fwd.result.kind", {}, e.kind);
    set("fwd.result.target", {}, e.target);
    set("fwd.member_count.count", {}, e.members.size());
    for (std::uint32_t i = 0; i < e.members.size(); ++i) set("fwd.members.port", {i}, e.members[i]);
}

void bank_device::bind_cpu() {
    using registers::index;
    chip.on_write("cpu.tx_data.word", [this](const index&, std::uint64_t v) {
        for (int i = 0; i < 4; ++i) collecting_.push_back(static_cast<std::uint8_t>(v >> (8 * i)));
    });
    chip.on_write("cpu.tx_control.start", [this](const index&, std::uint64_t) {
        const auto length = value("cpu.tx_control.length");
        const bool good = (length + 3) / 4 * 4 == collecting_.size();
        set("cpu.tx_status.error", {}, good ? 0 : 1);
        collecting_.resize(length);
        sent.push_back(collecting_);
        sent_control.push_back(
            static_cast<std::uint32_t>(value("cpu.tx_control.port") + 256 * value("cpu.tx_control.forward")));
        collecting_.clear();
    });
    chip.drive("cpu.rx_status.frames", [this](const index&) { return trapped_.size(); });
    chip.drive("cpu.rx_status.length",
               [this](const index&) { return trapped_.empty() ? 0 : trapped_.front().frame.size(); });
    chip.drive("cpu.rx_status.port", [this](const index&) { return trapped_.empty() ? 0 : trapped_.front().port; });
    chip.drive("cpu.rx_data.word", [this](const index&) {
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < 4 && !trapped_.empty() && read_at_ + i < trapped_.front().frame.size(); ++i)
            word |= std::uint64_t{trapped_.front().frame[read_at_ + i]} << (8 * i);
        return word;
    });
    chip.on_read("cpu.rx_data.word", [this](const index&) { read_at_ += 4; });
    chip.on_write("cpu.rx_pop.pop", [this](const index&, std::uint64_t) {
        trapped_.pop_front();
        read_at_ = 0;
    });
}

std::vector<std::uint32_t> bank_device::snapshot() const {
    std::vector<std::uint32_t> all;
    for (std::uint32_t n = 0; n < chip.layout().register_count; ++n) {
        const registers::register_descriptor& r = chip.layout().registers[n];
        if (r.block == "global" || r.block == "cpu" || r.block == "fwd" || r.name == "flush_status") continue;
        registers::index size{1, 1, 1};
        for (std::uint32_t k = 0; k < r.dim_count; ++k)
            size[k] = r.dims[k].symbol.empty() ? r.dims[k].count : chip.size_of(r.dims[k].symbol);
        const std::string name = std::string(r.block) + "." + std::string(r.name);
        const std::uint64_t base = chip.address_of(name);
        for (std::uint32_t i = 0; i < size[0]; ++i)
            for (std::uint32_t j = 0; j < size[1]; ++j)
                for (std::uint32_t l = 0; l < size[2]; ++l)
                    all.push_back(*chip.peek(base + std::uint64_t{i} * r.dims[0].stride +
                                             std::uint64_t{j} * r.dims[1].stride +
                                             std::uint64_t{l} * r.dims[2].stride));
    }
    return all;
}

std::vector<std::string> bank_device::writes() const {
    std::vector<std::string> all;
    for (const access& a : accesses) {
        if (!a.write) continue;
        std::string text = a.name;
        const auto place = chip.locate(chip.address_of(a.name, a.at));
        for (std::uint32_t k = 0; k < place->where->dim_count; ++k) text += "[" + std::to_string(a.at[k]) + "]";
        all.push_back(text + "=" + std::to_string(a.value));
    }
    return all;
}

}  // namespace weir::sw
