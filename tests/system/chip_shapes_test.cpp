// SPDX-License-Identifier: Apache-2.0
// A switch of any shape: cells of sizes that are powers of two and that are not, up to 128 ports.
#include <fmt/format.h>

#include <ostream>

#include "tests/acceptance/lab.h"
#include "tests/conformance/conformance.h"

namespace weir::system_test {
namespace {

// A01: cells of four sizes, up to 128 ports, 12 MiB and more: ten frames of 1518 octets take 10 · ceil(1518/cell).
struct chip_shape {
    std::uint32_t cell_octets, ports, cells, expected;
};
std::ostream& operator<<(std::ostream& out, const chip_shape& s) {
    return out << s.ports << " ports, " << s.cells << " cells of " << s.cell_octets;
}
class chip_shapes : public testing::TestWithParam<chip_shape> {};
TEST_P(chip_shapes, holds_whole_cells) {
    const chip_shape& s = GetParam();
    acceptance::lab_options o;
    o.cell_octets = s.cell_octets;
    o.ports = s.ports;
    o.cells = s.cells;
    acceptance::lab l(o, acceptance::usual_script({200, 20, 40, 8, 200}));
    l.shell(fmt::format("interface {}\nqueue 3 dequeue off", s.ports - 1));
    l.send(0, s.ports - 1, 10, 24, 1518 - 62);
    EXPECT_EQ(l.group_usage(0, 3).used, s.expected);
    EXPECT_EQ(l.machine().chip(0).memory().used(), static_cast<mmu::cells>(s.expected));
    conformance::row("A01",
                     fmt::format("{} ports, {} cells of {}: 10 · ceil(1518/{}) = {}", s.ports, s.cells, s.cell_octets,
                                 s.cell_octets, s.expected),
                     fmt::format("{}", l.machine().chip(0).memory().used()));
}
INSTANTIATE_TEST_SUITE_P(sizes, chip_shapes,
                         testing::Values(chip_shape{128, 24, 98'304, 120}, chip_shape{208, 64, 65'536, 80},
                                         chip_shape{254, 128, 65'536, 60}, chip_shape{256, 128, 262'144, 60}),
                         [](const auto& p) { return fmt::format("{}_ports_{}", p.param.ports, p.param.cell_octets); });

}  // namespace
}  // namespace weir::system_test
