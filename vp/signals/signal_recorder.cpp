// SPDX-License-Identifier: Apache-2.0
#include "vp/signals/signal_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "models/ethernet/headers.h"
#include "models/mmu/tap.h"
#include "models/port/tap.h"
#include "vp/output/output_directory.h"

namespace weir::vp {
namespace {

constexpr std::size_t of_eight = 8;  // groups, queues, priorities of a port
constexpr std::array<std::string_view, 12> kind_names{"guaranteed", "service",   "headroom", "queue",
                                                      "pool",       "asked",     "stopped",  "drop",
                                                      "mark",       "interrupt", "write",    "function"};
/// Kinds of a port, eight signals each, in the order in which their numbers are kept.
constexpr std::array<signal_kind, 8> kinds_of_port{signal_kind::guaranteed, signal_kind::service, signal_kind::headroom,
                                                   signal_kind::queue,      signal_kind::asked,   signal_kind::stopped,
                                                   signal_kind::drop,       signal_kind::mark};

std::size_t place_of(signal_kind kind, std::size_t port, std::size_t index) {
    const auto* found = std::find(kinds_of_port.begin(), kinds_of_port.end(), kind);
    const auto number = static_cast<std::size_t>(found - kinds_of_port.begin());
    return (port * kinds_of_port.size() + number) * of_eight + index;
}

}  // namespace

/// Sees one switch.
class signal_recorder::chip_watch : public mmu::tap {
public:
    chip_watch(signal_recorder& owner, std::uint32_t number)
        : owner_(owner),
          number_(number),
          chip_(owner.machine_.chip(number)),
          of_ports_((chip_.ports() + 1) * kinds_of_port.size() * of_eight, 0) {
        chip_.memory().observe(*this);
        for (std::uint32_t p = 0; p < chip_.ports(); ++p) {
            ports_.push_back(std::make_unique<port_watch>(*this, p));
            chip_.port(p).mac.observe(*ports_.back());
            chip_.port(p).flow.on_gate(this, [this, p](pfc::bitmap stopped) { gates(p, stopped); });
            gates(p, chip_.port(p).flow.stopped_queues());
            asks(p);
            for (std::uint8_t g = 0; g < of_eight; ++g) group(static_cast<std::uint16_t>(p), g);
            for (std::uint8_t q = 0; q < of_eight; ++q) queue(static_cast<std::uint16_t>(p), q);
        }
        chip_.on_interrupt([this](bool level) {
            owner_.change(interrupt_, {signal_kind::interrupt, number_, false, 0, 0}, level ? 1 : 0);
        });
        chip_.target().observe([this](const asic::register_access& done) { accessed(done); });
    }
    ~chip_watch() override {
        chip_.memory().forget(*this);
        for (std::size_t p = 0; p < chip_.ports(); ++p) {
            chip_.port(p).mac.forget(*ports_[p]);
            chip_.port(p).flow.forget_gate(this);
        }
    }
    chip_watch(const chip_watch&) = delete;
    chip_watch& operator=(const chip_watch&) = delete;

    void admitted(const mmu::arrival& a, mmu::cells /*size*/) override {
        group(a.ingress_port, a.group);
        queue(a.egress_port, a.queue);
    }
    void released(std::uint16_t port, std::uint8_t q, const mmu::queued_frame& f) override {
        group(f.ingress_port, f.group);
        queue(port, q);
    }
    void departed(std::uint16_t /*port*/, std::uint8_t /*queue*/, const mmu::queued_frame& f) override {
        if (f.frame->note.drop_reason != 0) dropped(f.ingress_port, f.group, f.frame->note.drop_reason);
    }
    void marked(std::uint16_t port, std::uint8_t q) override {
        owner_.happen(at(signal_kind::mark, port, q), {signal_kind::mark, number_, false, port, q}, 1);
    }
    void judged(std::uint16_t /*port*/, std::uint8_t /*group*/, bool /*paused*/) override {}

private:
    struct port_watch : public port::tap {
        port_watch(chip_watch& of, std::uint32_t number) : owner(of), port(number) {}
        void received(const ethernet::frame& f, picoseconds /*now*/, mmu::drop_reason why) override {
            if (why == mmu::drop_reason::none) return;
            owner.dropped(static_cast<std::uint16_t>(port), f.note.group, static_cast<std::uint8_t>(why));
        }
        // What is asked for is what the frame says that leaves now: it was built from the wishes of this moment (G1).
        void sent(const ethernet::frame& f, picoseconds /*now*/) override {
            if (f.headers.type == ethernet::ethertype::mac_control) owner.asks(port);
        }
        chip_watch& owner;
        std::uint32_t port;
    };

    std::uint32_t& at(signal_kind kind, std::size_t port, std::size_t index) {
        return of_ports_[place_of(kind, port, index)];
    }
    void change(signal_kind kind, std::uint32_t port, std::uint32_t index, std::int64_t value) {
        owner_.change(at(kind, port, index), {kind, number_, false, port, index}, value);
    }
    void group(std::uint16_t port, std::uint8_t g) {
        const mmu::priority_group& of = chip_.memory().group(port, g);
        change(signal_kind::guaranteed, port, g, of.guaranteed_used());
        change(signal_kind::service, port, g, of.service_used());
        change(signal_kind::headroom, port, g, of.headroom_used());
        owner_.change(pools_[of.profile.pool], {signal_kind::pool, number_, false, 0, of.profile.pool}, of.pool->used);
    }
    void queue(std::uint16_t port, std::uint8_t q) {
        change(signal_kind::queue, port, q, chip_.memory().queue(port, q).used());
    }
    void gates(std::uint32_t port, pfc::bitmap stopped) {
        for (std::uint32_t q = 0; q < of_eight; ++q) change(signal_kind::stopped, port, q, stopped >> q & 1U);
    }
    void asks(std::uint32_t port) {
        const pfc::bitmap wanted = chip_.port(port).flow.generator.wanted();
        for (std::uint32_t p = 0; p < of_eight; ++p) change(signal_kind::asked, port, p, wanted >> p & 1U);
    }
    void dropped(std::uint16_t port, std::uint8_t g, std::uint8_t why) {
        owner_.happen(at(signal_kind::drop, port, g), {signal_kind::drop, number_, false, port, g}, why);
    }
    void accessed(const asic::register_access& done) {
        cpu::board* board = owner_.machine_.board(number_);
        if (board != nullptr) {
            // The last one that is named: the first caller that is no accessor.
            std::string function = board->where();
            function.erase(0, function.rfind(' ') + 1);
            owner_.change(function_, {signal_kind::function, number_, false, 0, 0},
                          owner_.number_of_function(function));
        }
        if (!done.write) return;
        owner_.happen(write_, {signal_kind::write, number_, false, 0, 0}, static_cast<std::int64_t>(done.address));
    }

    signal_recorder& owner_;
    std::uint32_t number_;
    asic::switch_asic& chip_;
    numbers of_ports_;
    std::array<std::uint32_t, mmu::pool_count> pools_{};
    std::uint32_t interrupt_{0};
    std::uint32_t write_{0};
    std::uint32_t function_{0};
    std::vector<std::unique_ptr<port_watch>> ports_;
};

signal_recorder::signal_recorder(platforms::machine& m, const std::string& folder, picoseconds origin)
    : machine_(m), folder_(folder), origin_(origin), changes_(folder + "/signals.csv", {"time_ps", "signal", "value"}) {
    for (std::uint32_t s = 0; s < m.switches(); ++s) chips_.push_back(std::make_unique<chip_watch>(*this, s));
    hosts_.assign(m.hosts(), numbers(of_eight, 0));
    for (std::uint32_t h = 0; h < m.hosts(); ++h) {
        const auto gates = [this, h](pfc::bitmap stopped) {
            for (std::uint32_t p = 0; p < of_eight; ++p) {
                change(hosts_[h][p], {signal_kind::stopped, h, true, 0, p}, stopped >> p & 1U);
            }
        };
        m.host(h).flow.on_gate(this, gates);
        gates(m.host(h).flow.stopped_queues());
    }
}

signal_recorder::~signal_recorder() {
    for (std::size_t h = 0; h < machine_.hosts(); ++h) machine_.host(h).flow.forget_gate(this);
}

void signal_recorder::change(std::uint32_t& number, const signal& what, std::int64_t value) {
    if (number == 0) {
        if (value == 0) return;  // what it is until its first change
    } else if (values_[number - 1] == value) {
        return;
    }
    happen(number, what, value);
}

void signal_recorder::happen(std::uint32_t& number, const signal& what, std::int64_t value) {
    if (number == 0) {
        signals_.push_back(what);
        values_.push_back(0);
        number = static_cast<std::uint32_t>(signals_.size());
    }
    values_[number - 1] = value;
    changes_.row({(machine_.time().now() - origin_).count(), number - 1, value});
}

std::int64_t signal_recorder::number_of_function(const std::string& name) {
    const auto found = std::find(functions_.begin(), functions_.end(), name);
    if (found != functions_.end()) return found - functions_.begin();
    functions_.push_back(name);
    return static_cast<std::int64_t>(functions_.size()) - 1;
}

void signal_recorder::continue_in(const std::string& folder) {
    changes_.continue_in(folder + "/signals.csv");
    folder_ = folder;
}

void signal_recorder::close() {
    changes_.close();
    using json = nlohmann::ordered_json;
    json made{{"schema", "weir-signals"},
              {"schema_version", 1},
              {"begin_ps", 0},
              {"end_ps", (machine_.time().now() - origin_).count()}};
    made["drop_reasons"] = json::array();
    for (const auto reason : mmu::drop_reason_names) made["drop_reasons"].push_back(std::string(reason));
    made["functions"] = functions_;
    made["signals"] = json::array();
    const auto limit = [](json& of, const char* name, mmu::cells value) {
        if (value != mmu::unlimited) of[name] = value;
    };
    for (const signal& s : signals_) {
        const auto kind = kind_names[static_cast<std::size_t>(s.kind)];
        const platforms::platform_config& config = machine_.config();
        const std::string device = s.host ? config.hosts[s.device].name : config.switches[s.device].name;
        json one{{"kind", kind}, {s.host ? "host" : "switch", device}};
        std::string name = device;
        const auto numbered = [&](std::string_view what) { name += fmt::format(".{}{}", what, s.index); };
        if (!s.host && s.kind != signal_kind::pool && s.kind < signal_kind::interrupt) {
            one["port"] = s.port;
            name += fmt::format(".{}", s.port);
        }
        mmu::mmu* memory = s.host ? nullptr : &machine_.chip(s.device).memory();
        const auto port = static_cast<std::uint16_t>(s.port);
        const auto index = static_cast<std::uint8_t>(s.index);
        switch (s.kind) {
            case signal_kind::guaranteed:
                numbered("pg");
                limit(one, "guaranteed", memory->group(port, index).profile.guaranteed);
                break;
            case signal_kind::service: {
                numbered("pg");
                const mmu::group_profile& profile = memory->group(port, index).profile;
                if (!profile.dynamic) limit(one, "limit", profile.limit);
                if (!profile.lossless || profile.xoff == mmu::unlimited) break;
                one["xoff"] = profile.xoff;
                one["xon"] = profile.xon_absolute ? profile.xon_offset : profile.xoff - profile.xon_offset;
                break;
            }
            case signal_kind::headroom:
                numbered("pg");
                limit(one, "headroom", memory->group(port, index).profile.headroom);
                break;
            case signal_kind::queue: {
                numbered("queue");
                const mmu::wred_queue& wred = memory->wred(port, index);
                if (!wred.active()) break;
                const mmu::wred_curve& curve = (*wred.profile)[static_cast<std::size_t>(mmu::colour::green)];
                if (curve.enabled) one["kmin"] = curve.minimum, one["kmax"] = curve.maximum;
                break;
            }
            case signal_kind::pool:
                numbered("pool");
                one["limit"] = memory->pool(index).size;
                break;
            case signal_kind::asked:
            case signal_kind::stopped:
                numbered("priority");
                break;
            case signal_kind::drop:
                numbered("pg");
                break;
            case signal_kind::mark:
                numbered("queue");
                break;
            case signal_kind::interrupt:
            case signal_kind::write:
            case signal_kind::function:
                break;
        }
        one["index"] = s.index;
        if (s.kind <= signal_kind::pool) one["unit"] = "cells";
        if (s.kind != signal_kind::queue && s.kind != signal_kind::pool) name += fmt::format(".{}", kind);
        json whole{{"name", name}};
        whole.update(one);
        made["signals"].push_back(std::move(whole));
    }
    const std::string path = folder_ + "/signals.json";
    std::ofstream out(path, std::ios::binary);
    out << made.dump(1) << '\n';
    out.close();
    if (!out) throw output_error(fmt::format("{}: cannot be written", path));
}

}  // namespace weir::vp
