// SPDX-License-Identifier: Apache-2.0
// The calls that calls.py cannot make: with callbacks, with arrays whose length another argument gives, or with
// pointers inside what is passed.
#include <cstring>
#include <vector>

#include "sw/include/weir/buffer.h"
#include "sw/include/weir/cpu_port.h"
#include "sw/include/weir/forwarding.h"
#include "tests/sw/riscv/riscv_driver.h"
#include "tests/sw/riscv/server.h"

namespace {

using weir::riscv::hart_call;

weir_status status_of(hart_call& call) {
    return static_cast<weir_status>(static_cast<std::uint32_t>(call.run()));
}

weir_status begin_device(const char* function, weir_dev* dev, const weir_hal* hal) {
    dev->hal = *hal;
    hart_call call(dev, function);
    call.object(dev);
    call.word(call.hal());
    const weir_hal kept = *hal;
    const weir_status status = status_of(call);
    dev->hal = kept;
    return status;
}

/// As the hart has it: the pointer is four octets.
struct attribute_on_hart {
    std::uint32_t id;
    std::uint32_t gap;
    std::uint64_t value;
    std::uint32_t entries;
    std::uint32_t count;
};

attribute_on_hart translated(hart_call& call, const weir_attribute& a) {
    const std::uint32_t entries = a.entries == nullptr ? 0 : call.in(a.entries, a.count * sizeof *a.entries);
    return {a.id, 0, a.value, entries, a.count};
}

}  // namespace

extern "C" {

weir_status weir_device_start(weir_dev* dev, const weir_hal* hal) {
    return begin_device("weir_device_start", dev, hal);
}

weir_status weir_device_attach(weir_dev* dev, const weir_hal* hal) {
    return begin_device("weir_device_attach", dev, hal);
}

void weir_shell_init(weir_shell* shell, weir_dev* dev, void (*print)(void*, const char*), void* ctx) {
    std::memset(shell, 0, sizeof *shell);
    shell->dev = dev;
    shell->print = print;
    shell->ctx = ctx;
    hart_call call(dev, "weir_shell_init");
    call.object(shell);
    call.object(dev);
    call.word(print != nullptr ? call.symbol("server_print") : 0);
    call.word(call.address_of(shell));
    (void)call.run();
}

void weir_service_init(weir_service* service, weir_dev* dev, weir_watchdog* watchdog, void (*print)(void*, const char*),
                       void* ctx) {
    std::memset(service, 0, sizeof *service);
    service->dev = dev;
    service->watchdog = watchdog;
    service->print = print;
    service->ctx = ctx;
    hart_call call(dev, "weir_service_init");
    call.object(service);
    call.object(dev);
    if (watchdog != nullptr) {
        call.object(watchdog);
    } else {
        call.word(0);
    }
    call.word(print != nullptr ? call.symbol("server_print") : 0);
    call.word(call.address_of(service));
    (void)call.run();
}

void weir_watchdog_init(weir_watchdog* wd, weir_dev* dev, void (*on_event)(void*, const weir_wd_event*), void* ctx) {
    std::memset(wd, 0, sizeof *wd);
    wd->dev = dev;
    wd->on_event = on_event;
    wd->ctx = ctx;
    hart_call call(dev, "weir_watchdog_init");
    call.object(wd);
    call.object(dev);
    call.word(on_event != nullptr ? call.symbol("server_event") : 0);
    call.word(call.address_of(wd));
    (void)call.run();
}

void weir_dcbx_init(weir_dcbx* dcbx, weir_dev* dev,
                    void (*other)(void*, std::uint32_t, const std::uint8_t*, std::size_t), void* ctx) {
    std::memset(dcbx, 0, sizeof *dcbx);
    dcbx->dev = dev;
    dcbx->other = other;
    dcbx->ctx = ctx;
    hart_call call(dev, "weir_dcbx_init");
    call.object(dcbx);
    call.object(dev);
    call.word(other != nullptr ? call.symbol("server_frame") : 0);
    call.word(call.address_of(dcbx));
    (void)call.run();
}

void weir_nos_init(weir_nos* nos, weir_dev* dev) {
    std::memset(nos, 0, sizeof *nos);
    nos->dev = dev;
    hart_call call(dev, "weir_nos_init");
    call.object(nos);
    call.object(dev);
    (void)call.run();
}

weir_status weir_pools_set(weir_dev* dev, const std::uint32_t* pools, const weir_pool_config* configs,
                           std::uint32_t count) {
    hart_call call(dev, "weir_pools_set");
    call.object(dev);
    call.word(call.in(pools, count * sizeof *pools));
    call.word(call.in(configs, count * sizeof *configs));
    call.word(count);
    return status_of(call);
}

weir_status weir_ecmp_set(weir_dev* dev, std::uint32_t group, const std::uint32_t* members, std::uint32_t count) {
    hart_call call(dev, "weir_ecmp_set");
    call.object(dev);
    call.word(group);
    call.word(call.in(members, count * sizeof *members));
    call.word(count);
    return status_of(call);
}

weir_status weir_ecmp_get(weir_dev* dev, std::uint32_t group, std::uint32_t* members, std::uint32_t* count) {
    hart_call call(dev, "weir_ecmp_get");
    call.object(dev);
    call.word(group);
    call.word(call.in_and_out(members, WEIR_MAX_MEMBERS * sizeof *members));
    call.word(call.in_and_out(count, sizeof *count));
    return status_of(call);
}

weir_status weir_cpu_send(weir_dev* dev, std::uint32_t port, const std::uint8_t* frame, std::size_t octets) {
    hart_call call(dev, "weir_cpu_send");
    call.object(dev);
    call.word(port);
    call.word(call.in(frame, octets));
    call.word(static_cast<std::uint32_t>(octets));
    return status_of(call);
}

weir_status weir_cpu_send_forwarded(weir_dev* dev, const std::uint8_t* frame, std::size_t octets) {
    hart_call call(dev, "weir_cpu_send_forwarded");
    call.object(dev);
    call.word(call.in(frame, octets));
    call.word(static_cast<std::uint32_t>(octets));
    return status_of(call);
}

weir_status weir_cpu_receive(weir_dev* dev, std::uint8_t* frame, std::size_t* octets, std::uint32_t* port) {
    auto length = static_cast<std::uint32_t>(*octets);
    hart_call call(dev, "weir_cpu_receive");
    call.object(dev);
    call.word(call.in_and_out(frame, length));
    call.word(call.in_and_out(&length, sizeof length));
    call.word(call.in_and_out(port, sizeof *port));
    const weir_status status = status_of(call);
    *octets = length;
    return status;
}

weir_dcbx_error weir_dcbx_decode(const std::uint8_t* frame, std::size_t octets, weir_dcbx_message* message) {
    hart_call call(nullptr, "weir_dcbx_decode");
    call.word(call.in(frame, octets));
    call.word(static_cast<std::uint32_t>(octets));
    call.word(call.in_and_out(message, sizeof *message));
    return static_cast<weir_dcbx_error>(static_cast<std::uint32_t>(call.run()));
}

std::size_t weir_dcbx_encode(std::uint8_t* frame, const std::uint8_t source[6], const weir_dcbx_message* message) {
    hart_call call(nullptr, "weir_dcbx_encode");
    call.word(call.in_and_out(frame, WEIR_DCBX_FRAME_OCTETS));
    call.word(call.in(source, 6));
    call.word(call.in(message, sizeof *message));
    return static_cast<std::uint32_t>(call.run());
}

weir_status weir_nos_create(weir_nos* nos, weir_object_type type, const weir_attribute* attributes, std::uint32_t count,
                            weir_oid* oid) {
    hart_call call(nos->dev, "weir_nos_create");
    call.object(nos);
    call.word(type);
    std::vector<attribute_on_hart> there;
    for (std::uint32_t i = 0; i < count; ++i) there.push_back(translated(call, attributes[i]));
    call.word(call.in(there.data(), there.size() * sizeof(attribute_on_hart)));
    call.word(count);
    call.word(call.in_and_out(oid, sizeof *oid));
    return status_of(call);
}

weir_status weir_nos_set(weir_nos* nos, weir_oid oid, const weir_attribute* attribute) {
    hart_call call(nos->dev, "weir_nos_set");
    call.object(nos);
    call.wide(oid);
    const attribute_on_hart there = translated(call, *attribute);
    call.word(call.in(&there, sizeof there));
    return status_of(call);
}

weir_status weir_nos_get(weir_nos* nos, weir_oid oid, weir_attribute* attribute) {
    hart_call call(nos->dev, "weir_nos_get");
    call.object(nos);
    call.wide(oid);
    attribute_on_hart there = translated(call, *attribute);
    call.word(call.in_and_out(&there, sizeof there));
    const weir_status status = status_of(call);
    attribute->value = there.value;
    attribute->count = there.count;
    if (status != WEIR_OK || there.entries == 0) return status;
    // The list stays the API's: find it in the map that has it.
    for (const weir_nos_map& map : nos->map_lists) {
        const auto offset = static_cast<std::uint32_t>(reinterpret_cast<const unsigned char*>(&map.entries) -
                                                       reinterpret_cast<const unsigned char*>(&nos->pools));
        constexpr std::uint32_t device_pointer_and_gap = 8;  // before `pools` on the hart
        if (there.entries == call.address_of(nos) + device_pointer_and_gap + offset) attribute->entries = map.entries;
    }
    return status;
}

weir_status weir_nos_get_stats(weir_nos* nos, weir_oid oid, const std::uint32_t* ids, std::uint32_t count,
                               std::uint64_t* values) {
    hart_call call(nos->dev, "weir_nos_get_stats");
    call.object(nos);
    call.wide(oid);
    call.word(call.in(ids, count * sizeof *ids));
    call.word(count);
    call.word(call.in_and_out(values, count * sizeof *values));
    return status_of(call);
}

}  // extern "C"
