// SPDX-License-Identifier: Apache-2.0
// Software that writes anything anywhere, in mid-traffic: the accounts hold at every event, every access ends, and a
// soft reset brings the chip back as new.
#include <fmt/format.h>

#include "models/timeline/random_stream.h"
#include "tests/acceptance/lab.h"
#include "tests/fuzz/seeds.h"

namespace weir::fuzz {
namespace {

using acceptance::lab;
using acceptance::lab_options;

class random_registers : public ::testing::TestWithParam<int> {
protected:
    std::uint32_t roll(std::uint32_t sides) {
        return static_cast<std::uint32_t>(std::uint64_t{random.next()} * sides >> 32);
    }
    /// Small and huge numbers, single bits and all of them: where registers have their edges.
    std::uint32_t word() {
        switch (roll(6)) {
            case 0:
                return 0;
            case 1:
                return UINT32_MAX;
            case 2:
                return 1U << roll(32);
            case 3:
                return roll(64);
            case 4:
                return roll(1U << roll(31));
            default:
                return random.next();
        }
    }
    /// Any instance of any register, now and then one that the chip does not have, or no register at all.
    std::uint32_t address(const registers::map& map) {
        if (roll(50) == 0) return random.next();
        const registers::register_descriptor& r = map.registers[roll(map.register_count)];
        std::uint32_t at = r.address;
        for (std::uint32_t k = 0; k < r.dim_count; ++k) {
            const bool of_this_chip = r.dims[k].symbol == "ports" && roll(20) != 0;
            at += roll(of_this_chip ? ports + 1 : r.dims[k].count) * r.dims[k].stride;
        }
        return at + (r.width == 64 && roll(2) == 0 ? 4 : 0) + (roll(100) == 0 ? 2 : 0);
    }
    static constexpr std::uint32_t ports = 4;
    random_stream random{static_cast<std::uint64_t>(GetParam()), "registers"};
};

TEST_P(random_registers, never_break_the_accounts) {
    lab_options o;
    o.obey = true;
    lab l(o, acceptance::usual_script());
    auto& machine = l.machine();
    auto& chip = machine.chip(0);
    const registers::map& map = chip.bank().layout();
    // These put an end to the fun too soon, so they come rarely.
    const std::uint32_t rare[] = {static_cast<std::uint32_t>(chip.bank().address_of("global.sw_reset")),
                                  static_cast<std::uint32_t>(chip.bank().address_of("global.init"))};
    for (int step = 0; step < 300; ++step) {
        if (roll(3) == 0) {
            const std::uint32_t from = roll(ports);
            l.start(from, (from + 1 + roll(ports - 1)) % ports, 1 + roll(40), static_cast<std::uint8_t>(roll(64)),
                    4 + roll(9000));
        }
        l.drive([&](weir_dev* d) {
            for (std::uint32_t n = roll(30); n > 0; --n) {
                const std::uint32_t at = address(map);
                if ((at == rare[0] || at == rare[1]) && roll(50) != 0) continue;
                std::uint32_t value = 0;
                (void)(roll(4) == 0 ? weir_register_read(d, at, &value) : weir_register_write(d, at, word()));
            }
            return WEIR_OK;
        });
        l.settle(nanoseconds(roll(5000)));
        if (step % 20 == 0) {  // peeks change nothing, and so show nothing strange either
            for (std::uint32_t n = 0; n < 1000; ++n) (void)chip.bank().peek(address(map) & ~3U);
        }
    }
    EXPECT_EQ(chip.memory().conservation_error(), "");

    l.drive([](weir_dev* d) {
        const weir_hal hal = d->hal;
        return weir_device_start(d, &hal);
    });
    std::string script = acceptance::usual_script();
    for (const std::string name : {"lossless", "lossy"}) {  // the shell knows its pools by name already
        const std::string create = "pool create " + name + " ingress size";
        script.replace(script.find(create), create.size(), "pool resize " + name + " size");
    }
    for (std::uint32_t h = 0; h < ports; ++h)
        script += fmt::format("\nmac-table add 02:00:00:00:00:{:02x} port {}", h, h);
    l.shell(script);
    for (int i = 0; i < 200 && !machine.drained(); ++i) l.settle(microseconds(500));
    EXPECT_TRUE(machine.drained());
    EXPECT_EQ(chip.memory().used(), 0);
    for (std::uint32_t p = 0; p < ports; ++p) {
        const std::uint64_t before = l.received(p);
        l.send((p + 1) % ports, p, 5, 24);
        l.send((p + 1) % ports, p, 5, 0);
        EXPECT_EQ(l.received(p), before + 10) << "port " << p;
    }
}

INSTANTIATE_TEST_SUITE_P(seeds, random_registers, ::testing::Range(1, end_of_seeds()));

}  // namespace
}  // namespace weir::fuzz
