// SPDX-License-Identifier: Apache-2.0
// The register bank: every access kind from both sides, latches, locks, masks, resets, errors, peek. On both maps.
#include "models/registers/bank.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/registers/second_map.h"

namespace weir::registers {
namespace {

class register_bank : public testing::TestWithParam<const map* (*)()> {
protected:
    bank chip{*GetParam()(), {{"ports", 9}, {"pools", 8}, {"wred_profiles", 8}}};

    std::uint32_t read(std::string_view name, const index& at = {}, std::uint32_t offset = 0) {
        std::uint32_t value = 0;
        EXPECT_EQ(chip.read(chip.address_of(name, at) + offset, value).error, access_error::none) << name;
        return value;
    }
    void write(std::string_view name, std::uint32_t value, const index& at = {}, std::uint32_t offset = 0) {
        EXPECT_EQ(chip.write(chip.address_of(name, at) + offset, value).error, access_error::none) << name;
    }
    /// A word of a register with one field set to a value, wherever this map puts it.
    std::uint32_t word(std::string_view field, std::uint64_t value) {
        return static_cast<std::uint32_t>(value << chip.describe_field(chip.field(field)).low);
    }
};

TEST_P(register_bank, starts_at_the_reset_values_of_the_register_files) {
    EXPECT_EQ(read("global.dev_id"), 0x5745u);
    EXPECT_EQ(read("global.rev") >> 16, chip.layout().hash);
    EXPECT_EQ(chip.get(chip.field("pg.xoff.cells"), {8, 7}), chip.all_ones(chip.field("pg.xoff.cells")));
    EXPECT_EQ(read("pfc.quanta", {3}), 65535u);
    EXPECT_EQ(chip.get(chip.field("queue.mode.dequeue_enable"), {2, 1}), 1u);
}

TEST_P(register_bank, a_written_field_reads_back_and_is_told_whether_or_not_it_changed) {
    std::vector<std::pair<index, std::uint64_t>> told;
    chip.on_write("pg.xoff.cells", [&](const index& at, std::uint64_t v) { told.emplace_back(at, v); });
    write("pg.xoff", 6800, {3, 2});
    write("pg.xoff", 6800, {3, 2});
    EXPECT_EQ(read("pg.xoff", {3, 2}), 6800u);
    EXPECT_EQ(chip.get(chip.field("pg.xoff.cells"), {3, 2}), 6800u);
    EXPECT_EQ(chip.get(chip.field("pg.xoff.cells"), {2, 3}), chip.all_ones(chip.field("pg.xoff.cells")));
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(told[0], (std::pair<index, std::uint64_t>{{3, 2, 0}, 6800}));
    EXPECT_EQ(told[1], told[0]);
}

TEST_P(register_bank, bits_outside_the_fields_are_not_stored) {
    write("pfc.quanta", 0xffff1234, {1});
    EXPECT_EQ(read("pfc.quanta", {1}), 0x1234u);
}

TEST_P(register_bank, a_driven_field_reads_what_the_hardware_says_and_refuses_a_write) {
    std::uint64_t used = 17;
    chip.drive("pg.used.cells", [&](const index& at) { return used + at[0] * 100 + at[1]; });
    EXPECT_EQ(read("pg.used", {4, 5}), 422u);
    used = 18;
    EXPECT_EQ(read("pg.used", {4, 5}), 423u);
    const auto done = chip.write(chip.address_of("pg.used", {4, 5}), 1);
    EXPECT_EQ(done.error, access_error::read_only);
    EXPECT_EQ(done.where->name, "used");
    EXPECT_EQ(done.at, (index{4, 5, 0}));
}

TEST_P(register_bank, ones_clear_sticky_bits_and_only_those_that_were_set_are_told) {
    std::vector<std::uint64_t> cleared;
    chip.on_write("global.int_status.link", [&](const index&, std::uint64_t v) { cleared.push_back(v); });
    const auto link = chip.field("global.int_status.link");
    const auto fault = chip.field("global.int_status.fault");
    write("global.int_status", word("global.int_status.link", 1));
    EXPECT_TRUE(cleared.empty());

    chip.raise(link, {}, 1);
    chip.raise(fault, {}, 1);
    write("global.int_status", 0);
    EXPECT_EQ(chip.get(link), 1u);
    write("global.int_status", word("global.int_status.link", 1));
    EXPECT_EQ(chip.get(link), 0u);
    EXPECT_EQ(chip.get(fault), 1u);
    EXPECT_EQ(cleared, std::vector<std::uint64_t>{1});
}

TEST_P(register_bank, a_pulse_stores_nothing_and_finds_its_siblings_written) {
    std::uint64_t table_at_start = 99;
    std::uint32_t pulses = 0;
    chip.on_write("fwd.command.start", [&](const index&, std::uint64_t) {
        ++pulses;
        table_at_start = chip.get(chip.field("fwd.command.table"));
    });
    write("fwd.command", word("fwd.command.start", 1) | word("fwd.command.table", 2));
    EXPECT_EQ(pulses, 1u);
    EXPECT_EQ(table_at_start, 2u);
    EXPECT_EQ(read("fwd.command") & word("fwd.command.start", 1), 0u);
    write("fwd.command", word("fwd.command.table", 1));
    EXPECT_EQ(pulses, 1u);
}

TEST_P(register_bank, a_driven_pulse_reads_as_busy_until_the_hardware_is_done) {
    bool busy = false;
    chip.on_write("global.sw_reset.soft", [&](const index&, std::uint64_t) { busy = true; });
    chip.drive("global.sw_reset.soft", [&](const index&) { return busy ? 1u : 0u; });
    write("global.sw_reset", 1);
    EXPECT_EQ(read("global.sw_reset"), 1u);
    busy = false;
    EXPECT_EQ(read("global.sw_reset"), 0u);
}

TEST_P(register_bank, a_write_only_field_is_told_and_cannot_be_read) {
    std::vector<std::uint64_t> words;
    chip.on_write("cpu.tx_data.word", [&](const index&, std::uint64_t v) { words.push_back(v); });
    write("cpu.tx_data", 0xdeadbeef);
    write("cpu.tx_data", 0);
    EXPECT_EQ(words, (std::vector<std::uint64_t>{0xdeadbeef, 0}));
    std::uint32_t value = 5;
    EXPECT_EQ(chip.read(chip.address_of("cpu.tx_data"), value).error, access_error::write_only);
    EXPECT_EQ(value, 0u);
}

// R10: the read returns the peak and restarts it; a peek does neither.
TEST_P(register_bank, a_watermark_restarts_by_a_read_and_not_by_a_peek) {
    std::uint64_t peak = 40;
    std::uint32_t restarts = 0;
    chip.drive("pg.max.cells", [&](const index&) { return peak; });
    chip.on_read("pg.max.cells", [&](const index& at) {
        EXPECT_EQ(at, (index{1, 2, 0}));
        ++restarts;
        peak = 7;
    });
    EXPECT_EQ(chip.peek(chip.address_of("pg.max", {1, 2})), 40u);
    EXPECT_EQ(restarts, 0u);
    EXPECT_EQ(read("pg.max", {1, 2}), 40u);
    EXPECT_EQ(read("pg.max", {1, 2}), 7u);
    EXPECT_EQ(restarts, 2u);
}

// T132: the counter moves from 0x0_ffffffff to 0x1_00000000 between the two halves.
TEST_P(register_bank, the_low_word_latches_the_high_word_once) {
    std::uint64_t count = 0xffffffff;
    chip.drive("pg.frames.frames", [&](const index&) { return count; });
    EXPECT_EQ(read("pg.frames", {0, 3}), 0xffffffffu);
    count = 0x1'00000000;
    EXPECT_EQ(read("pg.frames", {0, 3}, 4), 0u);
    EXPECT_EQ(read("pg.frames", {0, 3}, 4), 1u);
}

TEST_P(register_bank, a_latch_belongs_to_its_instance) {
    chip.drive("pg.frames.frames", [&](const index& at) { return std::uint64_t{at[1]} << 32; });
    read("pg.frames", {0, 3});
    EXPECT_EQ(read("pg.frames", {0, 4}, 4), 4u);
}

TEST_P(register_bank, a_peek_latches_nothing) {
    std::uint64_t count = 0x5'00000001;
    chip.drive("pg.frames.frames", [&](const index&) { return count; });
    EXPECT_EQ(chip.peek(chip.address_of("pg.frames", {0, 3})), 1u);
    count = 0x6'00000002;
    EXPECT_EQ(read("pg.frames", {0, 3}, 4), 6u);
}

TEST_P(register_bank, counters_wrap_at_64_bits) {
    const auto frames = chip.field("queue.frames.frames");
    chip.set(frames, {1, 1}, UINT64_MAX);
    chip.add(frames, {1, 1}, 2);
    EXPECT_EQ(read("queue.frames", {1, 1}), 1u);
    EXPECT_EQ(read("queue.frames", {1, 1}, 4), 0u);
}

TEST_P(register_bank, a_write_mask_leaves_the_other_bits_alone) {
    std::vector<std::uint64_t> told;
    chip.on_write("pfc.tx_enable.priorities", [&](const index&, std::uint64_t v) { told.push_back(v); });
    write("pfc.tx_enable", 0x00ff0018, {2});
    write("pfc.tx_enable", 0x00010001, {2});
    write("pfc.tx_enable", 0x00080000, {2});
    write("pfc.tx_enable", 0x000000ff, {2});
    EXPECT_EQ(read("pfc.tx_enable", {2}), 0x11u);
    EXPECT_EQ(told, (std::vector<std::uint64_t>{0x18, 0x19, 0x11, 0x11}));
}

TEST_P(register_bank, a_lock_of_one_port_locks_that_port_only) {
    write("port.ctrl", word("port.ctrl.admin", 1), {3});
    EXPECT_EQ(chip.write(chip.address_of("port.speed", {3}), 100000).error, access_error::locked);
    EXPECT_EQ(read("port.speed", {3}), 0u);
    write("port.speed", 100000, {4});
    write("port.ctrl", 0, {3});
    write("port.speed", 200000, {3});
    EXPECT_EQ(read("port.speed", {3}), 200000u);
}

TEST_P(register_bank, an_index_beyond_the_chip_is_out_of_range_and_named) {
    const std::uint64_t first = chip.address_of("pg.xoff", {0, 0});
    const std::uint64_t stride = chip.address_of("pg.xoff", {1, 0}) - first;
    std::uint32_t value = 0;
    EXPECT_EQ(chip.read(first + 8 * stride, value).error, access_error::none);
    const auto beyond = chip.read(first + 9 * stride, value);
    EXPECT_EQ(beyond.error, access_error::out_of_range);
    EXPECT_EQ(describe({beyond.where, beyond.at, false}), "pg.xoff[port 9][group 0]");
    EXPECT_EQ(chip.peek(first + 9 * stride), std::nullopt);
    EXPECT_THROW(chip.set(chip.field("pg.xoff.cells"), {9, 0}, 1), std::out_of_range);
}

TEST_P(register_bank, wild_addresses_are_errors) {
    std::uint32_t value = 0;
    EXPECT_EQ(chip.read(chip.layout().span, value).error, access_error::unmapped);
    EXPECT_EQ(chip.read(0xffff'ffff'0000, value).error, access_error::unmapped);
    EXPECT_EQ(chip.write(chip.address_of("global.scratch") + 2, 1).error, access_error::misaligned);
    EXPECT_EQ(chip.read(chip.address_of("global.scratch") + 1, value).error, access_error::misaligned);
}

TEST_P(register_bank, before_initialisation_only_early_registers_answer) {
    chip.set_ready(false);
    std::uint32_t value = 0;
    EXPECT_EQ(chip.read(chip.address_of("global.dev_id"), value).error, access_error::none);
    EXPECT_EQ(chip.read(chip.address_of("bm.cap_cells"), value).error, access_error::not_ready);
    EXPECT_EQ(chip.write(chip.address_of("pg.xoff", {0, 0}), 1).error, access_error::not_ready);
    EXPECT_TRUE(chip.peek(chip.address_of("pg.xoff", {0, 0})).has_value());
    chip.set_ready(true);
    EXPECT_EQ(chip.read(chip.address_of("bm.cap_cells"), value).error, access_error::none);
}

TEST_P(register_bank, a_soft_reset_restores_all_and_tells_the_models) {
    std::uint64_t copy = 0;
    chip.on_write("pg.headroom.cells", [&](const index& at, std::uint64_t v) {
        if (at == index{1, 1, 0}) copy = v;
    });
    write("pg.headroom", 768, {1, 1});
    write("pfc.quanta", 5, {1});
    chip.set(chip.field("queue.frames.frames"), {0, 0}, 12);
    EXPECT_EQ(copy, 768u);
    chip.reset(reset_level::soft);
    EXPECT_EQ(copy, 0u);
    EXPECT_EQ(read("pg.headroom", {1, 1}), 0u);
    EXPECT_EQ(read("pfc.quanta", {1}), 65535u);
    EXPECT_EQ(read("queue.frames", {0, 0}), 0u);
}

TEST_P(register_bank, a_port_reset_reaches_that_port_and_its_own_registers_only) {
    write("pfc.quanta", 5, {1});
    write("pfc.quanta", 5, {2});
    write("pg.headroom", 768, {1, 1});
    chip.reset(reset_level::port, 1);
    EXPECT_EQ(read("pfc.quanta", {1}), 65535u);
    EXPECT_EQ(read("pfc.quanta", {2}), 5u);
    EXPECT_EQ(read("pg.headroom", {1, 1}), 768u);
}

TEST_P(register_bank, peek_and_poke_reach_no_behaviour) {
    std::uint32_t events = 0;
    chip.on_write("pg.xoff.cells", [&](const index&, std::uint64_t) { ++events; });
    EXPECT_TRUE(chip.poke(chip.address_of("pg.xoff", {0, 1}), 55));
    EXPECT_EQ(events, 0u);
    EXPECT_EQ(chip.peek(chip.address_of("pg.xoff", {0, 1})), 55u);
    chip.drive("pg.used.cells", [](const index&) { return 1; });
    EXPECT_FALSE(chip.poke(chip.address_of("pg.used", {0, 1}), 9));
    EXPECT_FALSE(chip.poke(chip.layout().span, 9));
}

TEST_P(register_bank, every_address_leads_back_to_its_register) {
    for (std::uint32_t n = 0; n < chip.layout().register_count; ++n) {
        const register_descriptor& r = chip.layout().registers[n];
        index last{};
        for (std::uint32_t k = 0; k < r.dim_count; ++k)
            last[k] = (r.dims[k].symbol.empty() ? r.dims[k].count : chip.size_of(r.dims[k].symbol)) - 1;
        const std::string name = std::string(r.block) + "." + std::string(r.name);
        const auto place = chip.locate(chip.address_of(name, last));
        ASSERT_TRUE(place.has_value()) << name;
        EXPECT_EQ(place->where, &r) << name;
        EXPECT_EQ(place->at, last) << name;
    }
}

TEST_P(register_bank, a_wrong_name_is_answered_with_the_nearest) {
    try {
        static_cast<void>(chip.field("pg.xof.cells"));
        FAIL();
    } catch (const std::logic_error& error) {
        EXPECT_NE(std::string(error.what()).find("pg.xoff.cells"), std::string::npos) << error.what();
    }
    EXPECT_THROW(chip.drive("nothing", {}), std::logic_error);
    EXPECT_THROW(chip.on_write("pg.used.cells", {}), std::logic_error);
    EXPECT_THROW(chip.on_read("pg.xoff.cells", {}), std::logic_error);
    EXPECT_THROW(bank(chip.layout(), {{"ports", 1000}}), std::logic_error);
    EXPECT_THROW(bank(chip.layout(), {{"harbours", 1}}), std::logic_error);
}

INSTANTIATE_TEST_SUITE_P(maps, register_bank,
                         testing::Values([]() { return &weir_map(); }, []() { return &second_map(); }),
                         [](const auto& one) { return one.index == 0 ? "weir" : "second"; });

// What makes the second map worth having: nothing that a driver or a model could have hard-coded stays the same.
TEST(register_maps, the_second_map_differs_in_all_that_a_map_decides) {
    const bank one(weir_map(), {{"ports", 9}});
    const bank two(second_map(), {{"ports", 9}});
    EXPECT_NE(weir_map().order, second_map().order);
    EXPECT_NE(weir_map().hash, second_map().hash);
    EXPECT_NE(one.address_of("global.dev_id"), two.address_of("global.dev_id"));
    EXPECT_NE(one.address_of("pg.xoff", {1, 0}) - one.address_of("pg.xoff", {0, 0}),
              two.address_of("pg.xoff", {1, 0}) - two.address_of("pg.xoff", {0, 0}));
    EXPECT_LT(two.address_of("map.tc_group", {1, 0}), two.address_of("map.tc_group", {0, 1}));
    EXPECT_EQ(one.all_ones(one.field("pg.xoff.cells")), 0xffffffu);
    EXPECT_EQ(two.all_ones(two.field("pg.xoff.cells")), 0xfffffu);
    EXPECT_EQ(describe(*two.locate(two.address_of("pg.mode", {2, 3}))), "pg.group_config[port 2][group 3]");
}

}  // namespace
}  // namespace weir::registers
