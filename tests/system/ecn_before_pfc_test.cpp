// SPDX-License-Identifier: Apache-2.0
// DCQCN beside PFC: which acts first, what is left for the other, and how the notifications come home.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <numeric>

#include "tests/conformance/conformance.h"
#include "tests/system/in_child.h"
#include "tests/system/marking_star.h"

namespace weir::system_test {
namespace {

struct first_events {
    picoseconds kmin{never};
    picoseconds mark{never};
    picoseconds notification{never};
    picoseconds pause{never};
    std::uint64_t notifications{0};
};

/// An 8:1 incast at 100G with these thresholds: when what came first, looked at every 50 ns for 300 us.
first_events order_of_events(int kmin, int kmax, int xoff) {
    const platforms::testing::temporary_folder folder;
    network n(star(folder, 9, "100G", dcqcn, incast(8),
                   {fmt::format("kmin={}", kmin), fmt::format("kmax={}", kmax), "pmax=20", "pool=900000",
                    fmt::format("xoff={}", xoff), fmt::format("xon={}", xoff / 2), "headroom=2000"}));
    first_events first;
    host::end_station& receiver = n.machine.host(0);
    for (picoseconds t{0}; t < microseconds(300); t += nanoseconds(50)) {
        n.run_to(t);
        const auto note = [t](picoseconds& when, bool now) {
            if (now && when == never) when = t;
        };
        note(first.kmin, queue_of(n, 0) > kmin);
        note(first.mark, receiver.arrived().marked > 0);
        note(first.notification, receiver.counters.cnps_sent > 0);
        for (std::uint32_t port = 1; port <= 8; ++port) {
            note(first.pause, n.value(0, "pfc.tx_paused.priorities", {port}) != 0);
        }
    }
    first.notifications = receiver.counters.cnps_sent;
    return first;
}

std::string in_us(picoseconds t) {
    return t == never ? "never" : fmt::format("{:.2f}", static_cast<double>(t.count()) / 1e6);
}

// M32: the queue crosses Kmin, the receiver sees a mark, it notifies, and only then, if at all, a pause is sent. Seven
// lines of surplus, 87.5 GB/s, fill the eight groups to an XOFF of 4000 cells of 64 octets in 23.4 us. By then the
// marks of a queue that reached Kmin at once have come back, and cut every rate to a half: XOFF comes, and later than
// that. A second cut, 50 us after the first, leaves two lines of which one is surplus: at most 3.1 MB have come until
// then, and the further surplus has ended 50 us later, far below 8 · 20 000 cells.
TEST(dcqcn_beside_pfc, acts_before_pfc_with_thresholds_in_order) {
    for (const int xoff : {4'000, 20'000}) {
        const first_events e = in_child([xoff] { return order_of_events(200, 800, xoff); });
        EXPECT_LE(e.kmin, e.mark);
        EXPECT_LE(e.mark, e.notification);
        ASSERT_NE(e.notification, never);
        if (xoff == 4'000) {
            EXPECT_LT(e.notification, nanoseconds(23'400));
            EXPECT_GT(e.pause, nanoseconds(23'400));
            EXPECT_NE(e.pause, never);
        } else {
            EXPECT_EQ(e.pause, never);
        }
        conformance::row(
            "M32",
            fmt::format("8:1 incast, XOFF at {} cells: Kmin, then CE, then CNP, then XOFF{}", xoff,
                        xoff == 4'000 ? "" : ", which is never reached"),
            fmt::format("{}, {}, {}, {} µs", in_us(e.kmin), in_us(e.mark), in_us(e.notification), in_us(e.pause)));
    }
}

// X19: with Kmin above what the groups together can hold, XOFF stops the senders before anything is marked.
TEST(dcqcn_beside_pfc, never_acts_with_thresholds_reversed) {
    const first_events e = order_of_events(30'000, 40'000, 1'000);
    EXPECT_NE(e.pause, never);
    EXPECT_EQ(e.notifications, 0U);
    for (const char* id : {"M32", "X19"}) {
        conformance::row(id, "Kmin above 8 XOFF: no CNP before the first XOFF, nor after it",
                         fmt::format("first XOFF at {} µs, {} CNPs in 300 µs", in_us(e.pause), e.notifications));
    }
}

struct paused_incast {
    double steady;  ///< how much of the second half the senders are paused, on average
    std::uint64_t marked;
    std::uint64_t notifications;
    std::uint64_t dropped;
    bool stopped_at_the_end;
};

/// An incast for 40 ms; marks and notifications are those of its second half.
paused_incast run_incast(std::uint32_t senders, const std::string& host_keys) {
    const platforms::testing::temporary_folder folder;
    network n(star(folder, senders + 1, "100G", host_keys, incast(senders),
                   {"kmin=800", "kmax=3200", "pmax=20", "pool=900000", "xoff=6000", "xon=500", "headroom=2000"}, 4096));
    const auto paused = [&] {
        picoseconds all{0};
        for (std::uint32_t h = 1; h <= senders; ++h) {
            all += n.machine.host(h).flow.receiver.paused_for(3, n.machine.time().now());
        }
        return static_cast<double>(all.count()) / (senders * 20e9);
    };
    const host::end_station& receiver = n.machine.host(0);
    paused_incast r{};
    n.run_to(microseconds(20'000));
    r.steady = paused();
    r.marked = receiver.arrived().marked;
    r.notifications = receiver.counters.cnps_sent;
    n.run_to(microseconds(40'000));
    r.steady = paused() - r.steady;
    r.marked = receiver.arrived().marked - r.marked;
    r.notifications = receiver.counters.cnps_sent - r.notifications;
    for (std::uint32_t port = 0; port <= senders; ++port) {
        r.dropped += n.value(0, "port.rx_discards.frames", {port});
        r.stopped_at_the_end = r.stopped_at_the_end || n.value(0, "pfc.tx_paused.priorities", {port}) != 0;
    }
    return r;
}

// X16: arrivals a at each group, which is served d = a/N: PFC alone stops each sender for (a - d)/a of the time, for
// ever. DCQCN takes the surplus away, and what is left is below 1 % (T07).
TEST(dcqcn_beside_pfc, takes_the_pauses_away) {
    for (const std::uint32_t senders : {2U, 4U}) {
        const double expected = 1 - 1.0 / senders;
        const double off = in_child([&] { return run_incast(senders, "transport='rc'\n").steady; });
        const paused_incast on = in_child([&] { return run_incast(senders, dcqcn); });
        EXPECT_NEAR(off, expected, 0.03);
        EXPECT_LT(on.steady, 0.01);
        // What T07 asks for beside it.
        EXPECT_GT(on.marked, 0U);
        EXPECT_GT(on.notifications, 0U);
        EXPECT_EQ(on.dropped, 0U);
        EXPECT_FALSE(on.stopped_at_the_end);
        conformance::row(
            "T07", fmt::format("{}:1 with DCQCN: CE and CNPs present, no drop, nobody stopped at the end", senders),
            fmt::format("{} marked frames and {} CNPs in 20 ms, {} drops, {}", on.marked, on.notifications, on.dropped,
                        on.stopped_at_the_end ? "stopped" : "none"));
        for (const char* id : {"X16", "T07"}) {
            conformance::row(id,
                             fmt::format("{}:1 steady pauses: {:.2f} of the time without DCQCN, below 0.01 with it",
                                         senders, expected),
                             fmt::format("{:.3f}, {:.4f}", off, on.steady));
        }
    }
}

/// CNPs on the wire of their sender and at the host that they are for.
struct notification_watch : port::tap {
    explicit notification_watch(std::deque<picoseconds>& under_way) : sent_at(under_way) {}
    /// A CNP for host 1: the last octet of its address.
    static bool is_one(const ethernet::frame& f) {
        return f.headers.rocev2 && f.headers.bth_opcode == ethernet::bth_opcode_cnp && f.octets()[5] == 1;
    }
    void sent(const ethernet::frame& f, picoseconds now) override {
        if (is_one(f)) sent_at.push_back(now);
    }
    void received(const ethernet::frame& f, picoseconds now, mmu::drop_reason) override {
        if (!is_one(f)) return;
        taken.push_back(static_cast<double>((now - sent_at.front()).count()) / 1e6);
        sent_at.pop_front();
    }
    std::deque<picoseconds>& sent_at;
    std::vector<double> taken;
};

struct latency {
    double mean_us;
    double longest_us;
    double queue_us;  // what stands on the CNPs' way, over the line rate
};

/// h1 and h2 send to h3, which notifies h1; h4 and h5 fill the port to h1 with frames that nobody reacts to.
latency notified(const std::string& answers) {
    const platforms::testing::temporary_folder folder;
    const std::string own = "[host.h4]\ntransport='open'\n[host.h5]\ntransport='open'\n";
    network n(star(folder, 6, "100G", dcqcn + answers + own, {"h1,h3", "h2,h3", "h4,h1", "h5,h1"},
                   {"kmin=100", "kmax=200", "pmax=100", "pool=900000", "xoff=6000", "xon=500", "headroom=2000"}, 4096));
    std::deque<picoseconds> under_way;
    notification_watch at_sender(under_way);
    notification_watch at_receiver(under_way);
    n.machine.host(3).mac.observe(at_sender);
    n.machine.host(1).mac.observe(at_receiver);
    double cells = 0;
    int samples = 0;
    for (picoseconds t{0}; t < microseconds(20'000); t += microseconds(1)) {
        n.run_to(t);
        cells += queue_of(n, 1);
        ++samples;
    }
    n.machine.host(3).mac.forget(at_sender);
    n.machine.host(1).mac.forget(at_receiver);
    EXPECT_GT(at_receiver.taken.size(), 5U);
    const double all = std::accumulate(at_receiver.taken.begin(), at_receiver.taken.end(), 0.0);
    return {all / static_cast<double>(at_receiver.taken.size()),
            *std::max_element(at_receiver.taken.begin(), at_receiver.taken.end()), cells / samples * 64 * 8 / 100e3};
}

// M33, Y10: in a strict class of its own a CNP waits for one frame at most, 334 ns; in the data's it waits for the
// queue. Its own time on two wires and two cables of 3 m is 44 ns.
TEST(dcqcn_beside_pfc, notifications_do_not_wait_in_a_strict_class) {
    const latency strict = in_child([] { return notified(""); });
    const latency queued = in_child([] { return notified("cnp_dscp=24\ncnp_priority=3\n"); });
    EXPECT_LT(strict.longest_us, 1);
    EXPECT_GT(strict.queue_us, 5);
    EXPECT_NEAR(queued.mean_us, queued.queue_us, 0.35 * queued.queue_us);
    for (const char* id : {"M33", "Y10"}) {
        conformance::row(id,
                         fmt::format("behind {:.0f} µs of data: below 1 µs in a strict class, the queue's time in the "
                                     "data's",
                                     queued.queue_us),
                         fmt::format("{:.2f} µs at most; {:.1f} µs on average", strict.longest_us, queued.mean_us));
    }
}

}  // namespace
}  // namespace weir::system_test
