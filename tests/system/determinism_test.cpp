// SPDX-License-Identifier: Apache-2.0
// Same configuration, same seed: same digest. Nothing that only looks, and no order of construction, changes it.

#include <algorithm>
#include <functional>

#include "models/timeline/property.h"
#include "tests/system/board.h"
#include "tests/system/in_child.h"

namespace weir::system_test {
namespace {

/// The kernel elaborates once a process, so each run is a child that tells its digest.
std::uint64_t digest_of(const std::function<std::uint64_t()>& run) {
    return in_child(run);
}

platforms::platform_config small_incast() {
    platforms::load_options options;
    options.hardware = {"workload.octets=4MiB"};
    return board_config("one_switch_8x400g", options);
}

std::uint64_t plain_run() {
    board b(small_incast());
    b.run_to_the_end();
    return b.digest();
}

TEST(determinism, two_runs_agree) {
    const std::uint64_t first = digest_of(plain_run);
    EXPECT_NE(first, 0U);
    EXPECT_EQ(digest_of(plain_run), first);
}

TEST(determinism, another_workload_has_another_digest) {
    const std::uint64_t first = digest_of(plain_run);
    EXPECT_NE(digest_of([] {
                  platforms::load_options options;
                  options.hardware = {"workload.octets=4MiB"};
                  options.program = {"xon=1024"};
                  board b(board_config("one_switch_8x400g", options));
                  b.run_to_the_end();
                  return b.digest();
              }),
              first);
}

struct counting_tap : port::tap {
    void received(const ethernet::frame&, picoseconds, mmu::drop_reason) override { ++frames; }
    void sent(const ethernet::frame&, picoseconds) override { ++frames; }
    std::uint64_t frames{0};
};

TEST(determinism, observers_change_nothing) {
    const std::uint64_t first = digest_of(plain_run);
    EXPECT_EQ(digest_of([] {
                  board b(small_incast());
                  counting_tap tap;
                  for (std::size_t p = 0; p < 8; ++p) b.machine.chip(0).port(p).mac.observe(tap);
                  // Looked at every 100 ns, registers peeked at included.
                  for (picoseconds t = b.origin; !b.machine.drained();) {
                      b.machine.run_until(t += nanoseconds(100));
                      for (std::uint64_t a = 0; a < 4096; a += 4) (void)b.machine.chip(0).bank().peek(a);
                  }
                  b.run_to_the_end();
                  EXPECT_GT(tap.frames, 0U);
                  return b.digest();
              }),
              first);
}

// Design §4: nothing depends on the order in which files list things, or in which things are built.
TEST(determinism, the_order_of_construction_changes_nothing) {
    const std::uint64_t forwards = digest_of([] {
        board b(small_incast());
        b.run_to_the_end();
        return b.digest();
    });
    EXPECT_NE(forwards, 0U);
    EXPECT_EQ(digest_of([] {
                  platforms::platform_config config = small_incast();
                  const auto flows = platforms::make_flows(config);
                  std::reverse(config.hosts.begin(), config.hosts.end());
                  config.workload.kind = platforms::workload_kind::none;
                  board b(config);
                  const auto last = static_cast<std::uint32_t>(config.hosts.size() - 1);
                  for (platforms::flow f : flows) {
                      f.source = last - f.source;
                      f.destination = last - f.destination;
                      b.machine.add_flow(f, b.origin);
                  }
                  b.run_to_the_end();
                  return b.digest();
              }),
              forwards);
}

// Design §4: a result at any quantum equals that at 0. The driver polls counters and moves a threshold under traffic.
TEST(determinism, the_quantum_of_the_cpu_changes_nothing) {
    const auto run = [](picoseconds quantum) {
        return [quantum] {
            platforms::platform_config config = small_incast();
            config.cpu.quantum = quantum;
            board b(config);
            std::uint64_t seen = 0;
            b.machine.cpu(0).program([&] {
                auto& cpu = b.machine.cpu(0);
                const auto occupancy =
                    static_cast<std::uint32_t>(b.machine.chip(0).bank().address_of("pg.used", {1, 3}));
                for (int i = 0; i < 400; ++i) {
                    std::uint32_t cells = 0;
                    cpu.read(occupancy, cells);
                    seen = seen * 31 + cells;
                    if (i == 200) {
                        b.driver.execute("interface 1");
                        EXPECT_EQ(b.driver.execute("pfc resume-threshold 1500"), WEIR_OK);
                    }
                    cpu.wait_until(cpu.local_time() + nanoseconds(137));
                }
            });
            b.machine.run_programs(microseconds(1000), microseconds(10));
            b.run_to_the_end();
            b.machine.record().fold_word(seen);
            return b.digest();
        };
    };
    const std::uint64_t at_zero = digest_of(run(picoseconds{0}));
    EXPECT_NE(at_zero, 0U);
    EXPECT_EQ(digest_of(run(microseconds(1))), at_zero);
    EXPECT_EQ(digest_of(run(microseconds(10))), at_zero);
}

// Checkers look and change nothing.
TEST(determinism, is_the_same_with_and_without_checkers) {
    const auto run = [](bool checked) {
        return digest_of([checked] {
            check_properties(checked);
            return plain_run();
        });
    };
    EXPECT_EQ(run(true), run(false));
}

}  // namespace
}  // namespace weir::system_test
