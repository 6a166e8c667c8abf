// SPDX-License-Identifier: Apache-2.0
// Random programming, random traffic, random events on a small switch, from a seed: whatever happens, every cell is
// accounted for at every event, nothing runs for ever, and afterwards the switch is empty and works.
#include <fmt/format.h>

#include "models/timeline/random_stream.h"
#include "tests/acceptance/lab.h"
#include "tests/fuzz/seeds.h"

namespace weir::fuzz {
namespace {

using acceptance::lab;
using acceptance::lab_options;

class dice {
public:
    explicit dice(std::uint64_t seed) : random_(seed, "fuzz") {}
    /// 0 to `sides` - 1.
    std::uint32_t roll(std::uint32_t sides) {
        return static_cast<std::uint32_t>(std::uint64_t{random_.next()} * sides >> 32);
    }
    std::uint32_t between(std::uint32_t low, std::uint32_t high) { return low + roll(high - low + 1); }
    bool coin() { return roll(2) == 0; }
    template <std::size_t N>
    const char* one_of(const char* const (&items)[N]) {
        return items[roll(N)];
    }

private:
    random_stream random_;
};

constexpr const char* rates[] = {"10G", "25G", "100G", "400G"};
constexpr std::uint32_t cell_sizes[] = {64, 128, 208, 254, 256};

lab_options random_options(dice& d) {
    lab_options o;
    o.ports = d.between(2, 5);
    o.rate = d.one_of(rates);
    o.cells = 6000 + d.roll(4000);
    o.cell_octets = cell_sizes[d.roll(5)];
    o.cable_metres = d.roll(300);
    o.obey = d.roll(4) != 0;
    if (d.coin()) {
        o.switch_keys = fmt::format("queueing = \"{}\"\nmatching = \"{}\"", d.coin() ? "ingress_fifo" : "voq",
                                    d.coin() ? "maximal" : "single");
    }
    if (d.coin()) o.extra_platform += fmt::format("pfc_response = \"{}ns\"\n", d.roll(3000));
    if (d.coin()) o.extra_platform += fmt::format("clock_ppm = {}\n", static_cast<int>(d.roll(401)) - 200);
    o.extra_platform += "[hosts]\n";
    if (d.coin()) o.extra_platform += fmt::format("pfc_response = \"{}ns\"\n", d.roll(3000));
    return o;
}

/// One line, or several, that change the programming. The shell may refuse it; the bus may not.
std::string random_line(dice& d, std::uint32_t ports) {
    const std::string port = fmt::format("interface {}\n", d.roll(ports));
    const auto cells = [&](std::uint32_t most) { return d.roll(most); };
    switch (d.roll(30)) {
        case 0:
            return port + fmt::format("queue {} dequeue off", d.roll(8));
        case 1:
            return port + "queue all dequeue on";
        case 2:
            return port + "shutdown";
        case 3:
            return port + "no shutdown";
        case 4:
            return port + fmt::format("pfc pause-threshold {}", cells(200));
        case 5:
            return port + fmt::format("pfc resume-threshold {}", cells(100));
        case 6:
            return port + fmt::format("pfc headroom {}", cells(150));
        case 7:
            return port + fmt::format("pfc enable priority {}", d.roll(8));
        case 8:
            return port + fmt::format("no pfc enable priority {}", d.roll(8));
        case 9:
            return port + fmt::format("pfc quanta {} refresh {}", d.roll(65536), d.roll(65536));
        case 10:
            return port + (d.coin() ? fmt::format("pfc force {}", d.roll(8)) : "pfc force none");
        case 11:
            return port + "pause " + d.one_of({"rx", "tx", "both", "off"});
        case 12:
            return port + fmt::format("pfc receiver {}", d.one_of({"standard", "complete-state"}));
        case 13:
            return port + fmt::format("pg {} dynamic {}", d.roll(8), d.one_of({"1/128", "1/8", "1", "8", "off"}));
        case 14:
            return port + fmt::format("pg {} pool {}", d.roll(8), d.one_of({"lossless", "lossy"}));
        case 15:
            return port + fmt::format("pg {} {}", d.roll(8), d.one_of({"lossless", "lossy", "enable", "disable"}));
        case 16:
            return port + fmt::format("pg {} guaranteed {} xon-floor {}", d.roll(8), cells(20), cells(50));
        case 17:
            return port +
                   fmt::format("pg {} {} {}", d.roll(8),
                               d.one_of({"service-after-xoff", "judge-total", "xon-absolute", "shared-headroom"}),
                               d.one_of({"on", "off"}));
        case 18:
            return port + fmt::format("queue {} limit {}", d.roll(8), cells(400));
        case 19:
            return port + fmt::format("queue {} dynamic {}", d.roll(8), d.one_of({"1/128", "1/2", "4", "off"}));
        case 20:
            if (d.coin())
                return port + fmt::format("queue {} scheduler {}", d.roll(8), d.one_of({"strict", "dwrr 3", "wrr 5"}));
            return port + d.one_of({"ets off", "ets groups 0,1,0,2,3,0,1,0 percent 50,30,20 strict 3",
                                    "pfc stall-limit 100", "pfc stall-hold on", "pfc stall-hold off"});
        case 21:
            return port + fmt::format("queue {} {}", d.roll(8),
                                      d.one_of({"shaper 1G burst 16000", "shaper off", "minimum 500M burst 16000",
                                                "minimum off"}));
        case 22:
            return port + fmt::format("shaper {}", d.one_of({"5G burst 16000", "off"}));
        case 23:
            return fmt::format("wred profile 1 green min {} max {} probability 20%\n", cells(50), 50 + cells(200)) +
                   port +
                   fmt::format("queue {} wred profile 1 ecn drop{}{}", d.roll(8), d.coin() ? " at-dequeue" : "",
                               d.coin() ? " ewma 3" : "");
        case 24:
            return fmt::format("pool resize lossless size {}", cells(3500));
        case 25:
            return fmt::format("pool resize lossy size {} headroom {}", cells(2500), cells(200));
        case 26:
            return port + fmt::format("mmu cell-return {}", d.one_of({"start", "end"}));
        case 27:
            return fmt::format("map tc {} pg {}", d.roll(8), d.roll(8));
        case 28:
            return fmt::format("map tc {} queue {}", d.roll(8), d.roll(8));
        default:
            return port + "speed " + d.one_of({"10G", "1G", "25G"});
    }
}

std::vector<std::uint8_t> random_frame(dice& d, lab& l, std::uint32_t from, std::uint32_t ports) {
    std::array<std::uint16_t, 8> times{};
    for (auto& t : times) t = static_cast<std::uint16_t>(d.coin() ? d.roll(3000) : 0);
    std::vector<std::uint8_t> f;
    switch (d.roll(4)) {
        case 0:
            f = lab::pfc(static_cast<std::uint8_t>(d.roll(256)), times);
            break;
        case 1:
            f = lab::pause(times[0]);
            break;
        case 2:
            f = l.tagged(from, d.roll(ports), static_cast<std::uint8_t>(d.roll(8)));
            break;
        default:
            f.resize(d.roll(120));
            for (auto& octet : f) octet = static_cast<std::uint8_t>(d.roll(256));
    }
    if (d.roll(4) == 0 && !f.empty())
        f[d.roll(static_cast<std::uint32_t>(f.size()))] ^= static_cast<std::uint8_t>(1 + d.roll(255));
    if (d.roll(6) == 0) f.resize(d.between(0, 200));
    return f;
}

/// No frame starts before the one before it and its gap have passed, whatever the port's clock may gain.
struct one_at_a_time : port::tap {
    explicit one_at_a_time(port::port& watched) : mac(watched) { mac.observe(*this); }
    ~one_at_a_time() override { mac.forget(*this); }
    void received(const ethernet::frame&, picoseconds, mmu::drop_reason) override {}
    void sent(const ethernet::frame& f, picoseconds now) override {
        EXPECT_GE(now.count(), free_at.count()) << mac.name();
        const picoseconds wire = mac.rate().octets(f.length + wire_overhead_octets);
        free_at = now + wire - wire / 4000 - picoseconds{1};  // at 200 ppm it is free by 1/5000 earlier
    }
    port::port& mac;
    picoseconds free_at{0};
};

/// What may have become of frames that do not arrive.
std::string whereabouts(lab& l, std::uint32_t from) {
    auto& machine = l.machine();
    std::string text = fmt::format(
        "; {} cells in use, {} frames under way, station paused {:#x}{}; dropped:", machine.chip(0).memory().used(),
        machine.frames().in_use(), machine.host(from).flow.receiver.paused(),
        machine.host(from).flow.receiver.whole_link_paused() ? " and its link" : "");
    for (std::uint32_t reason = 1; reason < WEIR_DROP_REASONS; ++reason) {
        const auto frames = l.drops(from, static_cast<weir_drop_reason>(reason));
        if (frames != 0) text += fmt::format(" {} {}", frames, weir_drop_reason_text(reason));
    }
    return text;
}

class random_switch : public ::testing::TestWithParam<int> {};

TEST_P(random_switch, keeps_its_accounts_and_comes_back) {
    dice d(static_cast<std::uint64_t>(GetParam()));
    const lab_options options = random_options(d);
    acceptance::thresholds t;
    t.xoff = static_cast<int>(d.between(40, 300));
    t.xon = static_cast<int>(d.roll(static_cast<std::uint32_t>(t.xoff)));
    t.headroom = static_cast<int>(d.between(20, 150));
    lab l(options, acceptance::usual_script(t));
    auto& machine = l.machine();
    auto& memory = machine.chip(0).memory();

    std::vector<std::unique_ptr<one_at_a_time>> watches;
    for (std::uint32_t p = 0; p < options.ports; ++p) {
        watches.push_back(std::make_unique<one_at_a_time>(machine.chip(0).port(p).mac));
        watches.push_back(std::make_unique<one_at_a_time>(machine.host(p).mac));
    }

    for (int step = 0; step < 150; ++step) {
        const std::uint32_t from = d.roll(options.ports);
        const std::uint32_t to = d.roll(options.ports);
        switch (d.roll(8)) {
            case 0:
            case 1:
                if (from != to) {
                    l.start(from, to, d.between(1, 60), static_cast<std::uint8_t>(d.roll(64)), d.between(4, 9000));
                }
                break;
            case 2:
                l.start(from, (from + 1) % options.ports, d.between(1, 60), 24, d.between(4, 2000));
                break;
            case 3:
            case 4:
            case 5:
                l.try_shell(random_line(d, options.ports));
                break;
            case 6: {
                std::vector<std::vector<std::uint8_t>> frames;
                for (std::uint32_t n = d.between(1, 4); n > 0; --n)
                    frames.push_back(random_frame(d, l, from, options.ports));
                l.inject(from, frames);
                break;
            }
            default:
                if (d.roll(4) == 0) {
                    machine.cable(from).set_plugged(false);
                    l.settle(nanoseconds(d.roll(3000)));
                    machine.cable(from).set_plugged(true);
                }
                l.settle(nanoseconds(d.roll(20'000)));
        }
    }

    // Everything that holds frames back is taken away, and what waits leaves or is thrown away.
    for (std::uint32_t p = 0; p < options.ports; ++p) {
        l.shell(
            fmt::format("interface {}\npfc force none\npause off\npfc rx none\nshaper off\nqueue all dequeue on\n"
                        "queue all shaper off\nno shutdown",
                        p));
        l.try_shell("speed " + options.rate);
        l.try_shell("pfc quanta 0");
    }
    for (int i = 0; i < 400 && !machine.drained(); ++i) l.settle(microseconds(500));
    EXPECT_TRUE(machine.drained());
    EXPECT_EQ(machine.frames().in_use(), 0U);
    EXPECT_EQ(memory.used(), 0);
    EXPECT_EQ(memory.conservation_error(), "");
    for (std::uint16_t p = 0; p < options.ports; ++p) {
        for (std::uint8_t g = 0; g < 8; ++g) EXPECT_EQ(memory.group(p, g).used(), 0) << p << '.' << int{g};
    }

    // A fresh class, mapped and pooled anew, passes as on the first day.
    l.shell("interface all\nmap dscp 63 tc 7\nmap tc 7 pg 7\nmap tc 7 queue 7\nexit\npool resize lossy size 1500");
    for (std::uint32_t p = 0; p < options.ports; ++p) {
        l.shell(fmt::format(
            "interface {}\nno pfc enable priority 7\npg 7 lossy enable pool lossy dynamic off limit unlimited\n"
            "queue 7 enable lossy dynamic off limit unlimited wred off\ntrust dscp",
            p));
    }
    for (std::uint32_t p = 0; p < options.ports; ++p) {
        const std::uint32_t to = (p + 1) % options.ports;
        const std::uint64_t before = l.received(to);
        l.send(p, to, 5, 63);
        l.settle(microseconds(100));
        EXPECT_EQ(l.received(to), before + 5) << "from " << p << whereabouts(l, p);
    }
}

INSTANTIATE_TEST_SUITE_P(seeds, random_switch, ::testing::Range(1, end_of_seeds()));

class random_headroom : public ::testing::TestWithParam<int> {};

// Frames of L octets, all alike. From the crossing of XOFF on, what still arrives began within
//   W = 2 * legs + response + own + 80 octet times
// (legs: the cable one way; own: a frame of ours that the pause frame may have to wait for, with its preamble and gap;
// 80: the pause frame itself), hence ceil(W / (L + 20)) frames of ceil(L / cell) cells, and the crossing frame may
// straddle XOFF by all but one of its own. With that much Headroom nothing lossless is lost, whatever else is going on.
TEST_P(random_headroom, of_the_closed_form_never_overflows) {
    dice d(1000 + static_cast<std::uint64_t>(GetParam()));
    lab_options o;
    o.ports = d.between(3, 5);
    o.rate = d.one_of(rates);
    o.cell_octets = cell_sizes[d.roll(5)];
    o.cable_metres = d.roll(300);
    o.obey = true;
    const std::uint32_t response_ns = d.roll(2000);
    o.extra_platform = fmt::format("[hosts]\npfc_response = \"{}ns\"\n", response_ns);
    const std::uint32_t payload = d.between(4, 4096);
    const std::uint32_t lossy_payload = d.between(4, 1500);

    const auto octet = static_cast<std::uint64_t>(data_rate::from_name(o.rate)->octet_time().count());
    const auto frame = [](std::uint32_t bytes) { return std::max<std::uint64_t>(64, (bytes + 3U) / 4 * 4 + 62); };
    const std::uint64_t length = frame(payload);
    const std::uint64_t own = std::max(length, frame(lossy_payload)) + 20;
    const std::uint64_t wait =
        (2 * 5000 * std::uint64_t{o.cable_metres} + 1000 * std::uint64_t{response_ns} + octet - 1) / octet;
    const std::uint64_t cells = (length + o.cell_octets - 1) / o.cell_octets;
    const std::uint64_t arriving = (wait + own + 80 + length + 19) / (length + 20);
    acceptance::thresholds t;
    t.guaranteed = static_cast<int>(d.roll(20));
    t.xoff = static_cast<int>(d.between(30, 200));
    t.xon = static_cast<int>(d.roll(static_cast<std::uint32_t>(t.xoff)));
    t.headroom = static_cast<int>(arriving * cells + cells - 1);
    o.cells = 5000 + o.ports * static_cast<std::uint32_t>(t.headroom + t.guaranteed);
    lab l(o, acceptance::usual_script(t));

    for (int burst = 0; burst < 15; ++burst) {
        const std::uint32_t to = d.roll(o.ports);
        for (std::uint32_t from = 0; from < o.ports; ++from) {
            if (from == to) continue;
            l.start(from, to, d.between(5, 120), 24, payload);
            if (d.coin()) l.start(to, from, d.between(1, 60), 0, lossy_payload);
        }
        if (d.roll(3) == 0) l.shell(fmt::format("interface {}\nqueue 3 dequeue off", to));
        l.settle(nanoseconds(d.roll(30'000)));
        l.shell(fmt::format("interface {}\nqueue 3 dequeue on", to));
    }
    for (int i = 0; i < 200 && !l.machine().drained(); ++i) l.settle(microseconds(500));
    EXPECT_TRUE(l.machine().drained());
    for (std::uint32_t p = 0; p < o.ports; ++p) {
        EXPECT_EQ(l.drops(p, WEIR_DROP_HEADROOM), 0U) << "headroom " << t.headroom;
        EXPECT_EQ(l.group(p, 3).drop_frames, 0U);
    }
    EXPECT_EQ(l.machine().chip(0).memory().used(), 0);
}

INSTANTIATE_TEST_SUITE_P(seeds, random_headroom, ::testing::Range(1, end_of_seeds()));

}  // namespace
}  // namespace weir::fuzz
