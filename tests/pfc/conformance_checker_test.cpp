// SPDX-License-Identifier: Apache-2.0
// P29 to P32 of the PFC RTL chapter, each broken on purpose behind the checker, and their definitions on a port's
// registers.
#include "models/pfc/conformance_checker.h"

#include <gtest/gtest.h>

#include "tests/conformance/broken_properties.h"
#include "tests/system/board.h"

namespace weir::pfc {
namespace {

using conformance::broken_properties;

/// Registers in the hand of the test.
struct register_bench : sc_core::sc_module {
    register_bench()
        : sc_module(sc_core::sc_module_name("bench")),
          time("time"),
          checker(time, "bench.port",
                  {[this] { return faults; }, [this] { return infeasible; }, [this] { return conformant; },
                   [this] { return impossible; }}) {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    timeline time;
    std::uint8_t faults{0};
    std::uint8_t infeasible{0};
    bool conformant{true};
    std::uint8_t impossible{0};
    conformance_checker checker;
};

TEST(conformance_checker, finds_a_configuration_that_nobody_calls_infeasible) {
    register_bench b;
    const broken_properties broken;
    b.impossible = 0x08;
    b.checker.look();
    broken.expect("P29", "bench.port", "group 3 has XOFF 0 and is not infeasible");
}

TEST(conformance_checker, finds_conformance_of_what_is_infeasible) {
    register_bench b;
    const broken_properties broken;
    b.infeasible = 0x08;
    b.checker.look();
    broken.expect("P30", "bench.port", "group 3 is infeasible, and the port is conformant");
}

TEST(conformance_checker, finds_a_fault_that_goes_by_itself) {
    register_bench b;
    const broken_properties broken;
    b.faults = 0x02;
    b.conformant = false;
    b.checker.look();
    b.faults = 0;
    b.conformant = true;
    b.checker.look();
    broken.expect("P31", "bench.port", "fault 1 is gone, and software has not cleared it");
    b.faults = 0x02;
    b.conformant = false;
    b.checker.look();
    b.checker.clears(0x02);
    b.faults = 0;
    b.conformant = true;
    b.checker.look();
    EXPECT_TRUE(broken_properties::none());
}

// Every state of five faults and eight groups, the right answer and the wrong one.
TEST(conformance_checker, finds_a_conjunction_that_is_none) {
    register_bench b;
    const broken_properties broken;
    int silent = 0;
    for (unsigned state = 0; state < 1U << 13U; ++state) {
        b.checker.clears(0xff);
        b.faults = static_cast<std::uint8_t>(state & 0x1fU);
        b.infeasible = static_cast<std::uint8_t>(state >> 5U);
        b.conformant = state == 0;
        b.checker.look();
        if (broken_properties::none()) ++silent;
    }
    EXPECT_EQ(silent, 1 << 13);
    b.checker.clears(0xff);
    b.faults = 0;
    b.infeasible = 0;
    b.conformant = false;
    b.checker.look();
    broken.expect("P32", "bench.port", "no fault, nothing infeasible, and not conformant");
}

// The registers that are there. All 32 combinations of faults, each with a feasible and an infeasible group. The faults
// are put into the register as the hardware does.
TEST(conformance_registers, are_the_conjunction_and_faults_stay) {
    system_test::board b(system_test::board_config("one_switch_8x400g"));
    registers::bank& bank = b.machine.chip(0).bank();
    auto& monitor = b.machine.chip(0).port(2).flow.monitor;
    const registers::index port{2, 0, 0};
    const registers::index group{2, 3, 0};
    const std::array<registers::bank::field_ref, faults> bits{
        bank.field("pfc.fault.overflow"), bank.field("pfc.fault.late"), bank.field("pfc.fault.lossy_pause"),
        bank.field("pfc.fault.escape"), bank.field("pfc.fault.tagged")};
    bank.set(bank.field("pfc.dead_time.time"), port, 100'000);
    const std::uint64_t xoff = bank.get(bank.field("pg.xoff.cells"), group);
    int right = 0;
    int never_both = 0;
    for (unsigned state = 0; state < 32; ++state) {
        for (std::size_t f = 0; f < bits.size(); ++f) bank.set(bits[f], port, state >> f & 1U);
        for (const bool feasible : {true, false}) {
            bank.set(bank.field("pg.xoff.cells"), group, feasible ? xoff : 0);
            const bool infeasible = b.value("pfc.infeasible.groups", port) != 0;
            const bool conformant = b.value("pfc.conformant.conformant", port) != 0;
            EXPECT_EQ(infeasible, !feasible);
            if (conformant == (state == 0 && feasible)) ++right;
            if (!(infeasible && conformant)) ++never_both;
        }
    }
    EXPECT_EQ(right, 64);
    EXPECT_EQ(never_both, 64);
    for (const auto& bit : bits) bank.set(bit, port, 0);
    bank.set(bank.field("pg.xoff.cells"), group, xoff);
    monitor.tagged_ignored();
    b.machine.run_until(b.origin + microseconds(100));
    EXPECT_EQ(b.value("pfc.fault.tagged", port), 1U);
    conformance::row("P29", "XOFF 0 of a lossless group is infeasible at once", fmt::format("{} of 32", right / 2));
    conformance::row("P30", "64 states: never infeasible and conformant", fmt::format("{} of 64", never_both));
    conformance::row("P32", "64 states: conformant is no fault and nothing infeasible", fmt::format("{} of 64", right));
    conformance::row("P31", "a fault stays until it is cleared: 1 after 100 µs of traffic",
                     fmt::format("{}", b.value("pfc.fault.tagged", port)));
}

// P33 is refused: no register says that the network makes progress, and docs/pfc.md says why.
TEST(conformance_registers, none_claims_that_the_network_makes_progress) {
    int claims = 0;
    const registers::map& map = registers::weir_map();
    for (std::uint32_t r = 0; r < map.register_count; ++r) {
        const registers::register_descriptor& each = map.registers[r];
        for (std::uint32_t f = 0; f < each.field_count; ++f) {
            if (each.fields[f].name.find("progress") != std::string_view::npos) ++claims;
        }
    }
    EXPECT_EQ(claims, 0);
    conformance::row("P33", "refused: no field of the register map claims progress of the network (docs/pfc.md)",
                     fmt::format("{} fields claim it", claims));
}

}  // namespace
}  // namespace weir::pfc
