// SPDX-License-Identifier: Apache-2.0
#include "tests/sw/remote_back_end.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "sw/hal/remote/remote.h"
#include "vp/remote/port_protocol.h"
#include "vp/remote/register_port.h"
#include "vp/remote/stream.h"

namespace weir::sw {
namespace {

namespace remote = vp::remote;

std::string socket_path() {
    static int sockets = 0;
    return fmt::format("/tmp/weir_driver_test.{}.{}", getpid(), sockets++);
}

void connect_to(weir_remote& client, const std::string& path) {
    ASSERT_EQ(weir_remote_connect(&client, ("unix:" + path).c_str(), WEIR_REMOTE_ANY_MAP, 0), WEIR_OK)
        << weir_remote_error(&client);
    (void)weir_remote_hal(&client, 0);  // the HAL's context is in the client, which was cleared
}

/// The remote HAL, without what `direct` has not. A log line has been heard when the call returns.
weir_hal hal_like(weir_remote& client, const weir_hal& direct) {
    weir_hal hal = weir_remote_hal(&client, 0);
    if (direct.barrier == nullptr) hal.barrier = nullptr;
    if (direct.wait_irq == nullptr) hal.wait_irq = nullptr;
    if (direct.log == nullptr) hal.log = nullptr;
    if (direct.log != nullptr) {
        hal.log = [](void* ctx, weir_log_level level, const char* text) {
            auto* chip = static_cast<weir_remote::weir_remote_chip*>(ctx);
            const weir_hal own = weir_remote_hal(chip->remote, chip->asic);
            own.log(own.ctx, level, text);
            (void)weir_remote_barrier(chip->remote);
        };
    }
    return hal;
}

/// Answers one client's requests from a HAL.
class hal_server {
public:
    explicit hal_server(const weir_hal& hal)
        : path_(socket_path()),
          door_("test", remote::address{true, path_, {}, 0}),
          hal_(hal),
          thread_([this] { serve(); }) {
        connect_to(client_, path_);
    }
    ~hal_server() {
        weir_remote_close(&client_);
        thread_.join();
    }
    hal_server(const hal_server&) = delete;
    hal_server& operator=(const hal_server&) = delete;
    [[nodiscard]] weir_hal hal() {
        weir_hal hal = hal_like(client_, hal_);
        // These tests move the device's time by hand, which in lockstep nobody else does.
        hal.now_ns = [](void* ctx) {
            auto* chip = static_cast<weir_remote::weir_remote_chip*>(ctx);
            (void)weir_remote_barrier(chip->remote);
            return chip->remote->now_ns;
        };
        return hal;
    }

private:
    void serve() {
        remote::wait_for(door_.waiting(), false, -1);
        const remote::descriptor connection = door_.accept();
        std::vector<unsigned char> in;
        for (std::string defect; defect.empty();) {
            unsigned char piece[2048];
            std::size_t octets = 0;
            remote::wait_for(connection, false, -1);
            if (remote::receive(connection, piece, sizeof piece, octets) == remote::transfer::gone) return;
            in.insert(in.end(), piece, piece + octets);
            while (const auto r = remote::first_request(in.data(), in.size(), defect)) {
                answer(*r, connection);
                in.erase(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(r->octets));
            }
        }
    }

    void answer(const remote::port_request& r, const remote::descriptor& connection) {
        const auto kind = static_cast<remote::port_kind>(r.kind);
        std::uint32_t value = 0;
        weir_status status = WEIR_OK;
        if (kind == remote::port_kind::read) {
            status = hal_.read32(hal_.ctx, remote::load32(r.payload), &value);
        } else if (kind == remote::port_kind::write) {
            status = hal_.write32(hal_.ctx, remote::load32(r.payload), remote::load32(r.payload + 4));
        } else if (kind == remote::port_kind::delay) {
            hal_.delay_ns(hal_.ctx, remote::load64(r.payload));
        } else if (kind == remote::port_kind::wait_irq) {
            status = hal_.wait_irq(hal_.ctx, remote::load64(r.payload));
        } else if (kind == remote::port_kind::log) {
            const std::string text(reinterpret_cast<const char*>(r.payload) + 4, r.payload_octets - 4);
            hal_.log(hal_.ctx, static_cast<weir_log_level>(remote::load32(r.payload)), text.c_str());
            return;
        }
        const auto told = status == WEIR_OK          ? remote::port_status::ok
                          : status == WEIR_E_TIMEOUT ? remote::port_status::timeout
                                                     : remote::port_status::bus_error;
        remote::port_message m(kind, r.asic, r.tag, true);
        m.u32(static_cast<std::uint32_t>(told)).u32(value).u64(hal_.now_ns(hal_.ctx));
        if (kind == remote::port_kind::hello) m.u32(0).u32(1);
        const std::string_view octets = m.octets();
        std::size_t sent = 0;
        (void)remote::send(connection, octets.data(), octets.size(), sent);
    }

    std::string path_;
    remote::listener door_;
    weir_hal hal_;
    weir_remote client_{};
    std::thread thread_;
};

/// The register port of a machine's CPU, and the client that its programs are.
class port_of_machine {
public:
    explicit port_of_machine(platforms::machine& m)
        : path_(socket_path()),
          door_("test", remote::address{true, path_, {}, 0}),
          direct_(m.cpu(0).hal()),
          control_([&m] { return std::max(m.time().now(), from_kernel(sc_core::sc_time_stamp())); },
                   [] { return false; }),
          port_(door_, control_, m.cpu(0), m.chip(0).bank().layout().hash,
                [this](weir_log_level level, const std::string& text) {
                    direct_.log(direct_.ctx, level, text.c_str());
                }) {
        control_.add(port_);
        m.cpu(0).run_programs_by([this](const std::function<void()>& body) {
            std::thread driver([&] {
                connect_to(client_, path_);
                body();
                weir_remote_close(&client_);
            });
            port_.serve_session();
            driver.join();
        });
    }
    [[nodiscard]] weir_hal hal() { return hal_like(client_, direct_); }

private:
    std::string path_;
    remote::listener door_;
    weir_hal direct_;
    remote::run_control control_;
    remote::register_port port_;
    weir_remote client_{};
};

}  // namespace

weir_hal over_a_socket(const weir_hal& direct) {
    static std::vector<std::unique_ptr<hal_server>> all;
    all.push_back(std::make_unique<hal_server>(direct));
    return all.back()->hal();
}

weir_hal over_the_register_port(platforms::machine& machine) {
    static std::vector<std::unique_ptr<port_of_machine>> all;
    all.push_back(std::make_unique<port_of_machine>(machine));
    return all.back()->hal();
}

}  // namespace weir::sw
