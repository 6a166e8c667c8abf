// SPDX-License-Identifier: Apache-2.0
#include "models/pipeline/registers.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace weir::pipeline {
namespace {

using registers::bank;
using registers::index;

void bind_maps(pipeline& p, bank& b) {
    const auto maps = [&p](const index& i) -> port_maps& { return p.maps(static_cast<std::uint16_t>(i[0])); };
    const auto colour_of = [](std::uint64_t code) {
        return static_cast<mmu::colour>(std::min<std::uint64_t>(code, 2));
    };

    b.on_write("map.trust.mode",
               [&b, maps, colour_of, default_tc = b.field("map.trust.default_tc"),
                default_colour = b.field("map.trust.default_colour")](const index& i, std::uint64_t mode) {
                   port_maps& m = maps(i);
                   m.trusted = static_cast<trust>(std::min<std::uint64_t>(mode, 2));
                   m.fallback = {static_cast<std::uint8_t>(b.get(default_tc, i)), colour_of(b.get(default_colour, i))};
               });
    b.on_write("map.dscp_tc.tc",
               [&b, maps, colour_of, colour = b.field("map.dscp_tc.colour")](const index& i, std::uint64_t tc) {
                   maps(i).dscp[i[1]] = {static_cast<std::uint8_t>(tc), colour_of(b.get(colour, i))};
               });
    b.on_write("map.pcp_tc.tc",
               [&b, maps, colour_of, colour = b.field("map.pcp_tc.colour")](const index& i, std::uint64_t tc) {
                   maps(i).pcp[i[1]] = {static_cast<std::uint8_t>(tc), colour_of(b.get(colour, i))};
               });
    b.on_write("map.tc_group.group", [maps](const index& i, std::uint64_t group) {
        maps(i).class_group[i[1]] = static_cast<std::uint8_t>(group);
    });
    b.on_write("map.tc_queue.queue", [maps](const index& i, std::uint64_t queue) {
        maps(i).class_queue[i[1]] = static_cast<std::uint8_t>(queue);
    });
}

enum class operation : std::uint8_t { read, write, erase };
enum class table : std::uint8_t { mac, ipv4, ipv6, ecmp };
/// fwd.status.reason
enum class refusal : std::uint8_t { none, not_found, full, bad_key, busy, ecc };

/// The indirect window onto the tables: key and result registers in, START, then DONE, or DONE and NACK with a reason.
/// At once, unless a fault makes it late.
class table_window : private actor {
public:
    table_window(pipeline& p, bank& b, timeline& time, const std::string& name, std::function<void()> on_bit_error)
        : actor(time, name),
          pipeline_(p),
          bank_(b),
          time_(time),
          on_bit_error_(std::move(on_bit_error)),
          op_(b.field("fwd.command.op")),
          table_(b.field("fwd.command.table")),
          done_(b.field("fwd.status.done")),
          nack_(b.field("fwd.status.nack")),
          busy_(b.field("fwd.status.busy")),
          reason_(b.field("fwd.status.reason")),
          single_(b.field("fwd.ecc.single")),
          double_(b.field("fwd.ecc.double")),
          key_(b.field("fwd.key.word")),
          kind_(b.field("fwd.result.kind")),
          target_(b.field("fwd.result.target")),
          learned_(b.field("fwd.result.learned")),
          member_(b.field("fwd.members.port")),
          member_count_(b.field("fwd.member_count.count")) {}

    void start() {
        const table_faults& faults = pipeline_.faults;
        if (bank_.get(busy_) != 0) {
            bank_.set(reason_, {}, static_cast<std::uint64_t>(refusal::busy));
            return;
        }
        if (!faults.never && faults.late == picoseconds{0}) {
            finish();
            return;
        }
        bank_.set(busy_, {}, 1);
        ++commands_;
        if (!faults.never) time_.at(time_.now() + faults.late, phase::timer, *this, commands_);
    }

private:
    // A reset has cleared `busy` meanwhile, or another command has begun since.
    void due(std::uint32_t which) override {
        if (bank_.get(busy_) == 0 || which != commands_) return;
        bank_.set(busy_, {}, 0);
        finish();
    }

    void finish() {
        const refusal why = carried_out();
        bank_.set(reason_, {}, static_cast<std::uint64_t>(why));
        bank_.raise(done_, {}, 1);
        if (why != refusal::none) bank_.raise(nack_, {}, 1);
    }

    refusal carried_out() {
        table_faults& faults = pipeline_.faults;
        if (faults.refused > 0) {
            --faults.refused;
            return refusal::busy;
        }
        const auto which = bank_.get(table_);
        bit_error& error = faults.error[which];
        const auto op = static_cast<operation>(bank_.get(op_));
        if (op == operation::read && error != bit_error::none) {
            bank_.raise(error == bit_error::single ? single_ : double_, {}, std::uint64_t{1} << which);
            on_bit_error_();
            if (error == bit_error::twofold) return refusal::ecc;
            error = bit_error::none;  // what was read is written back corrected
        }
        if (op == operation::write) error = bit_error::none;
        return execute();
    }

    [[nodiscard]] std::uint64_t word(std::uint32_t n) const { return bank_.get(key_, {n, 0, 0}); }
    [[nodiscard]] destination programmed() const {
        return {static_cast<forward>(bank_.get(kind_)), static_cast<std::uint16_t>(bank_.get(target_))};
    }
    void show(const destination& d) {
        bank_.set(kind_, {}, static_cast<std::uint64_t>(d.kind));
        bank_.set(target_, {}, d.target);
        bank_.set(learned_, {}, d.learned ? 1 : 0);
    }
    [[nodiscard]] bool target_exists(const destination& d) const {
        if (d.kind == forward::port) return d.target < pipeline_.cpu_port();
        return d.kind != forward::ecmp || d.target < ecmp_groups;
    }

    template <typename Table>
    refusal on(Table& entries, const table_key& key, const destination* found) {
        switch (static_cast<operation>(bank_.get(op_))) {
            case operation::read:
                if (found == nullptr) return refusal::not_found;
                show(*found);
                return refusal::none;
            case operation::write:
                if (!target_exists(programmed())) return refusal::bad_key;
                return entries.insert(key, programmed()) ? refusal::none : refusal::full;
            case operation::erase:
                return entries.erase(key) ? refusal::none : refusal::not_found;
        }
        return refusal::bad_key;
    }

    refusal execute() {
        forwarding& tables = pipeline_.tables;
        switch (static_cast<table>(bank_.get(table_))) {
            case table::mac: {
                if (word(1) > 0xffff) return refusal::bad_key;
                const table_key key{0, word(1) << 32 | word(0), 0};
                return on(tables.mac, key, tables.mac.find(key));
            }
            case table::ipv4: {
                if (word(4) > 32) return refusal::bad_key;
                const table_key key{0, word(0), static_cast<std::uint16_t>(word(4))};
                return on(tables.ipv4, key, tables.ipv4.exact(key));
            }
            case table::ipv6: {
                if (word(4) > 128) return refusal::bad_key;
                const table_key key{word(0) << 32 | word(1), word(2) << 32 | word(3),
                                    static_cast<std::uint16_t>(word(4))};
                return on(tables.ipv6, key, tables.ipv6.exact(key));
            }
            case table::ecmp:
                return on_ecmp(word(0));
        }
        return refusal::bad_key;
    }

    refusal on_ecmp(std::uint64_t number) {
        if (number >= ecmp_groups) return refusal::bad_key;
        ecmp_group& group = pipeline_.tables.ecmp[number];
        switch (static_cast<operation>(bank_.get(op_))) {
            case operation::read:
                if (group.count == 0) return refusal::not_found;
                bank_.set(member_count_, {}, group.count);
                for (std::uint32_t m = 0; m < group.count; ++m) bank_.set(member_, {m, 0, 0}, group.port[m]);
                return refusal::none;
            case operation::write: {
                ecmp_group next;
                const std::uint64_t count = bank_.get(member_count_);
                if (count == 0 || count > ecmp_members) return refusal::bad_key;
                for (std::uint32_t m = 0; m < count; ++m) {
                    next.port[m] = static_cast<std::uint16_t>(bank_.get(member_, {m, 0, 0}));
                    if (next.port[m] >= pipeline_.cpu_port()) return refusal::bad_key;
                }
                next.count = static_cast<std::uint8_t>(count);
                group = next;
                return refusal::none;
            }
            case operation::erase:
                if (group.count == 0) return refusal::not_found;
                group = {};
                return refusal::none;
        }
        return refusal::bad_key;
    }

    pipeline& pipeline_;
    bank& bank_;
    timeline& time_;
    std::function<void()> on_bit_error_;
    std::uint32_t commands_{0};
    bank::field_ref op_, table_, done_, nack_, busy_, reason_, single_, double_, key_, kind_, target_, learned_,
        member_, member_count_;
};

void bind_learning(forwarding& tables, bank& b) {
    b.on_write("fwd.learning.enable", [&tables](const index&, std::uint64_t on) { tables.learning.enabled = on != 0; });
    b.on_write("fwd.learning.control",
               [&tables](const index&, std::uint64_t on) { tables.learning.control = on != 0; });
    b.drive("fwd.learned.addresses", [&tables](const index&) { return tables.learning.learned; });
    b.drive("fwd.moved.times", [&tables](const index&) { return tables.learning.moved; });
    b.drive("fwd.not_learned.frames", [&tables](const index&) { return tables.learning.refused; });
}

void bind_tables(pipeline& p, bank& b, timeline& time, const std::string& name, std::function<void()> on_bit_error) {
    const auto window = std::make_shared<table_window>(p, b, time, name, std::move(on_bit_error));
    b.on_write("fwd.command.start", [window](const index&, std::uint64_t) { window->start(); });
    b.on_write("fwd.ecmp_seed.seed",
               [&p](const index&, std::uint64_t seed) { p.tables.ecmp_seed = static_cast<std::uint32_t>(seed); });
    b.drive("fwd.used.entries", [&p](const index& i) -> std::uint64_t {
        const forwarding& t = p.tables;
        switch (static_cast<table>(i[0])) {
            case table::mac:
                return t.mac.size();
            case table::ipv4:
                return t.ipv4.entries().size();
            case table::ipv6:
                return t.ipv6.entries().size();
            case table::ecmp:
                break;
        }
        return static_cast<std::uint64_t>(
            std::count_if(t.ecmp.begin(), t.ecmp.end(), [](const ecmp_group& g) { return g.count != 0; }));
    });
    b.drive("fwd.capacity.entries", [&p](const index& i) -> std::uint64_t {
        const forwarding& t = p.tables;
        switch (static_cast<table>(i[0])) {
            case table::mac:
                return t.mac.capacity();
            case table::ipv4:
                return t.ipv4.entries().capacity();
            case table::ipv6:
                return t.ipv6.entries().capacity();
            case table::ecmp:
                break;
        }
        return ecmp_groups;
    });
}

}  // namespace

void bind_registers(pipeline& p, registers::bank& bank, timeline& time, const std::string& name,
                    std::function<void()> on_bit_error) {
    bind_maps(p, bank);
    bind_tables(p, bank, time, name, std::move(on_bit_error));
    bind_learning(p.tables, bank);
}

}  // namespace weir::pipeline
