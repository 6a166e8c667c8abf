// SPDX-License-Identifier: Apache-2.0
// The register port with drivers in processes of their own, well-behaved ones and others; what the clients make of it
// is in remote_clients_test.cpp.
#include <gmock/gmock.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "models/registers/bank.h"
#include "platforms/config.h"
#include "sw/hal/remote/remote.h"
#include "tests/vp/remote_support.h"

namespace weir::vp::remote {
namespace {

using json = nlohmann::json;
using platforms::testing::temporary_folder;
using testing::background;
using testing::board_name;
using testing::boot_program;
using ::testing::HasSubstr;
using testing::hello_message;
using testing::little32;
using testing::little64;
using testing::message;
using testing::number_at;
using testing::port_run;
using testing::quiet_platform;
using testing::raw_client;
using testing::weir_program;

constexpr std::size_t reply_octets = 24;
constexpr std::uint32_t scratch = 0x0c;

std::string file_text(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The driver's program with the platform's script and the values of its [program] table.
std::vector<std::string> boot_words(const std::string& address) {
    const auto board = platforms::load_platform(board_name);
    std::vector<std::string> words{boot_program, address, board.program};
    for (const auto& [name, value] : board.program_values) words.push_back(name + "=" + value);
    return words;
}

/// Status and value of a reply.
std::pair<std::uint32_t, std::uint32_t> answer(raw_client& client) {
    const std::string got = client.receive(reply_octets);
    return {number_at(got, 8), number_at(got, 12)};
}

/// Says HELLO and takes the reply.
void greet(raw_client& client) {
    ASSERT_TRUE(client.send(hello_message()));
    ASSERT_EQ(client.receive(reply_octets + 8).size(), reply_octets + 8);
}

bool scratch_works(raw_client& client, std::uint32_t pattern) {
    client.send(message(3, 50, little32(scratch) + little32(pattern)) + message(2, 51, little32(scratch)));
    const bool wrote = answer(client).first == 0;
    return wrote && answer(client).second == pattern;
}

// The driver's sources are the same and lockstep lets time pass as a CPU of Weir's own does, so everything is the same
// but that no commands of a script were counted: registers, captured frames, flows, digest.
TEST(register_port, gives_a_driver_in_another_process_the_same_run_as_one_inside) {
    const temporary_folder own;
    background native({weir_program, "run", board_name, "--out", own.path("out"), "--register-trace", own.path("t1")},
                      own.path("log"));
    ASSERT_EQ(native.wait(), 0) << native.output();
    json expected = json::parse(file_text(own.path("out/result.json")));
    EXPECT_GT(expected["driver"]["writes"], 1000);
    expected["driver"]["commands"] = 0;

    port_run remote({"--out", own.path("remote"), "--register-trace", own.path("t2")});
    ASSERT_TRUE(remote.run.says("register port at"));
    background driver(boot_words(remote.address()), own.path("driver"));
    ASSERT_EQ(driver.wait(), 0) << driver.output() << remote.run.output();
    ASSERT_EQ(remote.run.wait(), 0) << remote.run.output();
    EXPECT_EQ(json::parse(file_text(own.path("remote/result.json"))), expected);
    EXPECT_EQ(file_text(own.path("remote/flows.csv")), file_text(own.path("out/flows.csv")));
    // The same accesses in the same order at the same times, with the same values, read and written.
    EXPECT_TRUE(file_text(own.path("t2")) == file_text(own.path("t1")));
    EXPECT_THAT(driver.output(), HasSubstr("the workload begins at 600000 ns"));  // the first 100 µs after 582.36
}

// The same over TCP; port 0 is any that is free, and the log says which.
TEST(register_port, listens_on_tcp_too) {
    const temporary_folder folder;
    background run({weir_program, "run", board_name, "--port", "tcp:0"}, folder.path("log"));
    ASSERT_TRUE(run.says("register port at tcp:127.0.0.1:"));
    const std::string log = run.output();
    const std::string address = log.substr(log.find("tcp:"), log.find('\n') - log.find("tcp:"));
    weir_remote remote;
    ASSERT_EQ(weir_remote_connect(&remote, address.c_str(), WEIR_REMOTE_ANY_MAP, 0), WEIR_OK)
        << weir_remote_error(&remote);
    const weir_hal hal = weir_remote_hal(&remote, 0);
    std::uint32_t word = 0;
    EXPECT_EQ(hal.read32(hal.ctx, 0, &word), WEIR_OK);
    EXPECT_EQ(word & 0xffff, 0x5745U);  // "WE", docs of global.dev_id
    weir_remote_close(&remote);
}

// docs/remote.md, lockstep: a read takes 100 ns and a write 20 with the platform's defaults; a delay what it says.
TEST(register_port, lets_time_pass_only_in_requests) {
    port_run weir;
    weir_remote remote;
    ASSERT_TRUE(weir.run.says("register port at"));
    ASSERT_EQ(weir_remote_connect(&remote, weir.address().c_str(), WEIR_REMOTE_ANY_MAP, 0), WEIR_OK)
        << weir_remote_error(&remote);
    EXPECT_EQ(remote.asics, 1U);
    const weir_hal hal = weir_remote_hal(&remote, 0);
    std::uint32_t word = 0;
    EXPECT_EQ(hal.now_ns(hal.ctx), 0U);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(hal.write32(hal.ctx, scratch, 7), WEIR_OK);
    EXPECT_EQ(hal.now_ns(hal.ctx), 20U);
    EXPECT_EQ(hal.read32(hal.ctx, scratch, &word), WEIR_OK);
    EXPECT_EQ(word, 7U);
    EXPECT_EQ(hal.now_ns(hal.ctx), 120U);
    hal.delay_ns(hal.ctx, 1'000'000);
    EXPECT_EQ(hal.now_ns(hal.ctx), 1'000'120U);
    EXPECT_EQ(weir_remote_advance(&remote, 2'000'000), WEIR_OK);
    EXPECT_EQ(hal.now_ns(hal.ctx), 2'000'000U);
    EXPECT_EQ(weir_remote_advance(&remote, 1), WEIR_OK);  // the past: nothing to wait for
    EXPECT_EQ(hal.now_ns(hal.ctx), 2'000'000U);
    // A bus error is the access's own, and the connection lives on.
    EXPECT_EQ(hal.read32(hal.ctx, 0xf00000, &word), WEIR_E_BUS);
    EXPECT_THAT(weir_remote_error(&remote), HasSubstr("the bus refused"));
    EXPECT_EQ(hal.write32(hal.ctx, scratch, 8), WEIR_OK);
    // Posted writes: the barrier tells of the first that failed, once.
    EXPECT_EQ(weir_remote_posted_write(&remote, 0, scratch, 9), WEIR_OK);
    EXPECT_EQ(weir_remote_posted_write(&remote, 0, 0xf00004, 1), WEIR_OK);
    EXPECT_EQ(weir_remote_posted_write(&remote, 0, 0xf00008, 1), WEIR_OK);
    EXPECT_EQ(weir_remote_barrier(&remote), WEIR_E_BUS);
    EXPECT_THAT(weir_remote_error(&remote), HasSubstr("0xf00004"));
    EXPECT_EQ(weir_remote_barrier(&remote), WEIR_OK);
    EXPECT_EQ(hal.read32(hal.ctx, scratch, &word), WEIR_OK);
    EXPECT_EQ(word, 9U);
    weir_remote_close(&remote);
}

// global.int_mask, int_test: bit 3 is cpu_rx. Nothing enabled: the time-out; enabled and raised: at once.
TEST(register_port, waits_for_the_interrupt_line_and_pushes_its_rise) {
    port_run weir;
    ASSERT_TRUE(weir.run.says("register port at"));
    weir_remote remote;
    ASSERT_EQ(weir_remote_connect(&remote, weir.address().c_str(), WEIR_REMOTE_ANY_MAP, 0), WEIR_OK);
    const weir_hal hal = weir_remote_hal(&remote, 0);
    const auto address = [](const char* name) {
        static const registers::bank bank(registers::weir_map());
        return static_cast<std::uint32_t>(bank.address_of(name));
    };
    EXPECT_EQ(hal.wait_irq(hal.ctx, 5000), WEIR_E_TIMEOUT);
    EXPECT_EQ(hal.now_ns(hal.ctx), 5000U);
    EXPECT_EQ(weir_remote_subscribe(&remote, true), WEIR_OK);
    EXPECT_EQ(hal.write32(hal.ctx, address("global.int_mask"), 8), WEIR_OK);
    EXPECT_EQ(hal.write32(hal.ctx, address("global.int_test"), 8), WEIR_OK);
    EXPECT_EQ(hal.wait_irq(hal.ctx, 5000), WEIR_OK);
    EXPECT_EQ(hal.now_ns(hal.ctx), 5040U);
    EXPECT_EQ(remote.interrupts, 1U);
    weir_remote_close(&remote);
}

// A platform of two switches: one connection, two chips with registers of their own at one local time.
TEST(register_port, reaches_every_switch_of_the_platform) {
    const temporary_folder folder;
    folder.write("empty.cfg", "");
    const std::string two = folder.write("two.toml",
                                         "[platform]\nprogram='empty.cfg'\n[switch.s0]\n[[switch.s0.ports]]\ncount=2\n"
                                         "rate='100G'\n[switch.s1]\n[[switch.s1.ports]]\ncount=2\nrate='100G'\n");
    port_run weir({}, two);
    raw_client client(weir.socket());
    ASSERT_TRUE(client.send(hello_message()));
    const std::string hello = client.receive(reply_octets + 8);
    ASSERT_EQ(number_at(hello, reply_octets + 4), 2U) << weir.run.output();
    client.send(message(3, 2, little32(scratch) + little32(0x11), 0) +
                message(3, 3, little32(scratch) + little32(0x22), 1) + message(2, 4, little32(scratch), 0) +
                message(2, 5, little32(scratch), 1) + message(6, 6) + message(2, 7, little32(scratch), 2));
    EXPECT_EQ(answer(client), std::pair(0U, 0U));
    EXPECT_EQ(answer(client), std::pair(0U, 0U));
    EXPECT_EQ(answer(client).second, 0x11U);
    EXPECT_EQ(answer(client).second, 0x22U);
    EXPECT_EQ(number_at(client.receive(reply_octets), 16), 240U);  // two writes, two reads
    EXPECT_EQ(answer(client).first, 3U);                           // there is no third
    EXPECT_EQ(client.receive(26), "there is no ASIC 2: 0 to 1");
}

struct spoiled {
    const char* name;
    std::string octets;
    const char* reason;

    friend std::ostream& operator<<(std::ostream& out, const spoiled& n) { return out << n.name; }
};

class register_port_nonsense : public ::testing::TestWithParam<spoiled> {};

// What is no message ends that connection with END (kind 65) and the reason; the next client has a clean start.
TEST_P(register_port_nonsense, ends_the_connection_and_nothing_else) {
    port_run weir;
    raw_client bad(weir.socket());
    greet(bad);
    ASSERT_TRUE(bad.send(GetParam().octets));
    const std::string got = bad.rest();
    ASSERT_GT(got.size(), 8U) << weir.run.output();
    EXPECT_EQ(got[2], 65);
    EXPECT_THAT(got, HasSubstr(GetParam().reason));
    raw_client good(weir.socket());
    greet(good);
    EXPECT_TRUE(scratch_works(good, 0x600d));
    EXPECT_TRUE(weir.run.says("the client was refused: "));
}

const spoiled spoils[] = {
    {"length_0", std::string(8, '\0'), "a message of 0 octets: 8 to 1024"},
    {"length_7", std::string("\x07\0\x06\0\0\0\0\0", 8), "a message of 7 octets"},
    {"length_1025", std::string("\x01\x04\x09\0\0\0\0\0", 8), "a message of 1025 octets"},
    {"kind_0", std::string("\x08\0\0\0\0\0\0\0", 8), "no request of kind 0"},
    {"kind_15", std::string("\x08\0\x0f\0\0\0\0\0", 8), "no request of kind 15"},
    {"pushed_kind", std::string("\x08\0\x40\0\0\0\0\0", 8), "no request of kind 64"},
    {"short_read", std::string("\x08\0\x02\0\0\0\0\0", 8), "READ with a payload of 0 octets: it has 4"},
    {"long_now", std::string("\x09\0\x06\0\0\0\0\0\0", 9), "NOW with a payload of 1 octets: it has 0"},
    {"text", "GET / HTTP/1.1\r\n\r\n", "a message of"},
};

INSTANTIATE_TEST_SUITE_P(all, register_port_nonsense, ::testing::ValuesIn(spoils),
                         [](const auto& chosen) { return std::string{chosen.param.name}; });

TEST(register_port, wants_a_hello_first_and_the_same_map) {
    port_run weir;
    raw_client rude(weir.socket());
    ASSERT_TRUE(rude.send(message(2, 1, little32(0))));
    EXPECT_THAT(rude.rest(), HasSubstr("the first message has to be HELLO"));
    raw_client future(weir.socket());
    ASSERT_TRUE(future.send(message(1, 1, little32(2) + little32(UINT32_MAX))));
    const std::string refused = future.rest();
    EXPECT_EQ(number_at(refused, 8), 4U);
    EXPECT_THAT(refused, HasSubstr("version 2"));
    weir_remote remote;
    EXPECT_EQ(weir_remote_connect(&remote, weir.address().c_str(), 0x1, 0), WEIR_E_VERSION);
    EXPECT_THAT(weir_remote_error(&remote), HasSubstr("hash 0x0001"));
}

TEST(register_port, takes_a_message_that_comes_octet_by_octet) {
    port_run weir;
    raw_client client(weir.socket());
    for (const char octet : hello_message() + message(3, 2, little32(scratch) + little32(0x51))) {
        ASSERT_TRUE(client.send(std::string(1, octet)));
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ASSERT_EQ(client.receive(reply_octets + 8).size(), reply_octets + 8);
    EXPECT_EQ(answer(client).first, 0U);
    EXPECT_TRUE(scratch_works(client, 0x52));
}

// Before READY the simulation stands still without a client: the next finds the time at which the last one left.
TEST(register_port, stands_still_for_the_next_client_when_one_goes_in_mid_message) {
    port_run weir;
    {
        raw_client first(weir.socket());
        greet(first);
        EXPECT_TRUE(scratch_works(first, 1));
        ASSERT_TRUE(first.send(message(3, 3, little32(scratch) + little32(2)).substr(0, 11)));
    }
    EXPECT_TRUE(weir.run.says("the client left in the middle of a message; the simulation stands still"));
    raw_client second(weir.socket());
    ASSERT_TRUE(second.send(hello_message()));
    EXPECT_EQ(number_at(second.receive(reply_octets + 8), 16), 120U);
    ASSERT_TRUE(second.send(message(2, 1, little32(scratch))));
    EXPECT_EQ(answer(second).second, 1U);  // the half write was none
}

TEST(register_port, goes_on_when_a_client_is_killed_while_time_passes) {
    port_run weir;
    {
        raw_client first(weir.socket());
        greet(first);
        ASSERT_TRUE(first.send(message(7, 2, little64(50'000'000))));  // 50 ms pass, and nobody is there any more
    }
    EXPECT_TRUE(weir.run.says("the client left"));
    raw_client second(weir.socket());
    greet(second);
    EXPECT_TRUE(scratch_works(second, 3));
}

TEST(register_port, refuses_a_second_client_and_keeps_the_first) {
    port_run weir;
    raw_client first(weir.socket());
    greet(first);
    raw_client second(weir.socket());
    EXPECT_THAT(second.rest(), HasSubstr("another client is connected"));
    EXPECT_TRUE(scratch_works(first, 4));
    first.hang_up();
    raw_client third(weir.socket());
    greet(third);
    EXPECT_TRUE(scratch_works(third, 5));
}

// Requests without end, and nothing is read: what is unread is bounded, and the client is dropped after 5 s.
TEST(register_port, drops_a_client_that_does_not_read) {
    port_run weir;
    raw_client client(weir.socket());
    greet(client);
    std::string many;
    for (unsigned i = 0; i < 1000; ++i) many += message(6, i);
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (weir.run.output().find("had not read") == std::string::npos && std::chrono::steady_clock::now() < until) {
        if (client.send_some(many) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_THAT(weir.run.output(), HasSubstr("although it had not read its replies"));
    raw_client other(weir.socket());
    greet(other);
    EXPECT_TRUE(scratch_works(other, 6));
}

// After READY: lockstep holds the run although there is nothing to do; BYE lets it end by itself.
TEST(register_port, holds_the_run_until_bye_in_lockstep) {
    const temporary_folder folder;
    port_run weir({}, quiet_platform(folder));
    raw_client client(weir.socket());
    greet(client);
    ASSERT_TRUE(client.send(message(10, 2)));
    const std::string ready = client.receive(reply_octets);
    EXPECT_EQ(number_at(ready, 16), 100'000U);  // the first whole 100 µs after 0
    EXPECT_TRUE(scratch_works(client, 7));
    ASSERT_TRUE(client.send(message(7, 3, little64(700'000'000))));  // 700 ms: far beyond what counts as stuck
    EXPECT_EQ(answer(client).first, 0U);
    EXPECT_TRUE(scratch_works(client, 8));
    ASSERT_TRUE(client.send(message(10, 4)));
    EXPECT_EQ(answer(client).first, 3U);  // READY twice
    EXPECT_THAT(client.receive(43), HasSubstr("READY was said before"));
    EXPECT_TRUE(weir.run.running());
    ASSERT_TRUE(client.send(message(13, 5)));
    EXPECT_EQ(answer(client).first, 0U);
    EXPECT_EQ(weir.run.wait(), 0) << weir.run.output();
}

// After READY a client that dies does not stop the run; another may attach while it goes on to --until.
TEST(register_port, runs_on_after_ready_and_takes_another_client) {
    const temporary_folder folder;
    port_run weir({"--until", "100s"}, quiet_platform(folder));
    {
        raw_client first(weir.socket());
        greet(first);
        ASSERT_TRUE(first.send(message(10, 2) + message(12, 3, little32(2))));
        EXPECT_EQ(answer(first).first, 0U);
        EXPECT_EQ(answer(first).first, 0U);
    }
    // To 100 s without anybody: nothing is due, so it is there at once.
    EXPECT_TRUE(weir.run.says("the client left without a BYE; the run goes on, another may connect"));
    EXPECT_EQ(weir.run.wait(), 0) << weir.run.output();
}

TEST(register_port, serves_requests_while_time_goes_on_by_itself) {
    const temporary_folder folder;
    port_run weir({"--until", "300s"}, quiet_platform(folder));
    raw_client client(weir.socket());
    greet(client);
    ASSERT_TRUE(client.send(message(10, 2) + message(12, 3, little32(1))));
    EXPECT_EQ(answer(client).first, 0U);
    EXPECT_EQ(answer(client).first, 0U);
    const auto now = [&] {
        client.send(message(6, 9));
        const std::string got = client.receive(reply_octets);
        return number_at(got, 16) | std::uint64_t{number_at(got, 20)} << 32U;
    };
    const std::uint64_t before = now();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const std::uint64_t after = now();
    EXPECT_GT(after, before + 100'000);  // it went on while nobody asked
    EXPECT_TRUE(scratch_works(client, 9));
    ASSERT_TRUE(client.send(message(12, 4, little32(0))));  // lockstep again
    EXPECT_EQ(answer(client).first, 0U);
    const std::uint64_t still = now();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(now(), still);
    ASSERT_TRUE(client.send(message(12, 5, little32(3))));
    EXPECT_EQ(answer(client).first, 3U);
}

TEST(register_port, ends_on_a_signal_while_it_waits_for_a_client) {
    port_run weir;
    raw_client client(weir.socket());
    greet(client);
    weir.run.signal(SIGINT);
    EXPECT_EQ(weir.run.wait(), 128 + SIGINT);
    EXPECT_TRUE(client.closed());
}

// A halted run answers no driver; what was asked meanwhile is answered after it is resumed.
TEST(register_port, answers_nobody_while_the_run_is_halted) {
    const temporary_folder folder;
    port_run weir({"--json", "unix:" + folder.path("j")});
    raw_client client(weir.socket());
    greet(client);
    raw_client door(folder.path("j"));
    ASSERT_TRUE(door.send("{\"command\":\"halt\"}\n"));
    EXPECT_THAT(door.line(), HasSubstr("\"halted\""));
    ASSERT_TRUE(client.send(message(6, 9)));
    EXPECT_TRUE(client.silent(100));
    ASSERT_TRUE(door.send("{\"command\":\"peek\",\"arguments\":{\"name\":\"global.dev_id\"}}\n"));
    EXPECT_THAT(door.line(), HasSubstr("0x5745"));
    ASSERT_TRUE(door.send("{\"command\":\"resume\"}\n"));
    EXPECT_EQ(answer(client).first, 0U);
    // An advance ends when the driver has let so much time pass.
    ASSERT_TRUE(door.send("{\"command\":\"advance\",\"arguments\":{\"ns\":1000}}\n"));
    EXPECT_THAT(door.line(), HasSubstr("\"running\""));  // the answer to resume
    ASSERT_TRUE(client.send(message(7, 10, little64(1'000'000))));
    EXPECT_THAT(door.line(), HasSubstr("\"time_ns\":1000,"));
    ASSERT_TRUE(door.send("{\"command\":\"quit\"}\n"));
    EXPECT_EQ(weir.run.wait(), 2);
}

}  // namespace
}  // namespace weir::vp::remote
