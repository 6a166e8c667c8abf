// SPDX-License-Identifier: Apache-2.0
// The driver, compiled for RISC-V, behind its own C API: what a test calls is carried out on a hart.
//
//   test ─► weir_pool_set(dev, …) ─► arguments into the hart's memory ─► RISC-V code ─► its HAL ─► the test's HAL
//        ◄─ results, dev's fields ◄─ out of it again ◄───────────────────┘
//
// So the tests of the driver run unchanged against the code that firmware is made of. Objects live twice, in the test's
// memory and in the hart's; before and after each call what is not a pointer is made equal. Both compilers lay out
// plain structures alike. calls.py makes most definitions; riscv_by_hand.cpp has those that need more.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "sw/include/weir/dcbx.h"
#include "sw/include/weir/nos.h"
#include "sw/include/weir/service.h"
#include "sw/include/weir/shell.h"
#include "sw/include/weir/watchdog.h"

namespace weir::riscv {

class driver_hart;

/// One call: arguments in their order, then `run`.
class hart_call {
public:
    /// `dev`: whose hart; null for functions that belong to no device.
    hart_call(const weir_dev* dev, const char* function);

    void word(std::uint32_t value) { words_.push_back(value); }
    void wide(std::uint64_t value);
    /// An object of the API and what it refers to, in and out.
    void object(const weir_dev* dev);
    void object(const weir_shell* shell);
    void object(const weir_watchdog* watchdog);
    void object(const weir_dcbx* dcbx);
    void object(const weir_service* service);
    void object(const weir_nos* nos);
    /// Plain data, in; null stays null. Gives its address on the hart.
    std::uint32_t in(const void* data, std::size_t octets);
    /// In, and after the call out again.
    std::uint32_t in_and_out(void* data, std::size_t octets);
    void text(const char* string);
    /// A HAL on the hart that has what the device's has here.
    std::uint32_t hal();
    /// The address of a function or variable of the program.
    [[nodiscard]] std::uint32_t symbol(const char* name) const;

    /// a0 and a1.
    std::uint64_t run();
    /// A string of the hart, kept for ever.
    [[nodiscard]] const char* string_at(std::uint32_t address) const;
    [[nodiscard]] std::uint32_t address_of(const void* object) const;

private:
    /// A stretch of an object that is the same on both sides.
    struct stretch {
        std::uint32_t there;
        unsigned char* here;
        std::size_t octets;
    };
    void share(const void* object, std::uint32_t offset_there, const void* first, std::size_t octets);

    driver_hart& hart_;
    const char* function_;
    std::vector<std::uint32_t> words_;
    std::vector<stretch> shared_;
};

/// `x[6]` of a declaration: so many of what it points to.
template <typename T>
struct fixed_array {
    T* first;
    std::size_t count;
};
template <typename T>
fixed_array<T> fixed(T* first, std::size_t count) {
    return {first, count};
}

template <typename T>
struct is_object : std::bool_constant<std::is_same_v<T, weir_dev> || std::is_same_v<T, weir_shell> ||
                                      std::is_same_v<T, weir_watchdog> || std::is_same_v<T, weir_dcbx> ||
                                      std::is_same_v<T, weir_service> || std::is_same_v<T, weir_nos>> {};

template <typename T>
void pass(hart_call& call, T value) {
    if constexpr (std::is_pointer_v<T>) {
        using target = std::remove_pointer_t<T>;
        if constexpr (is_object<std::remove_cv_t<target>>::value) {
            call.object(value);
        } else if constexpr (std::is_same_v<target, const char>) {
            call.text(value);
        } else if constexpr (std::is_const_v<target>) {
            call.word(call.in(value, sizeof *value));
        } else {
            call.word(call.in_and_out(value, sizeof *value));
        }
    } else if constexpr (std::is_class_v<T>) {
        // By value: in registers.
        static_assert(sizeof(T) == 8);
        std::uint32_t words[2];
        std::memcpy(words, &value, sizeof words);
        call.word(words[0]);
        call.word(words[1]);
    } else if constexpr (sizeof(T) == 8) {
        call.wide(static_cast<std::uint64_t>(value));
    } else {
        call.word(static_cast<std::uint32_t>(value));
    }
}
template <typename T>
void pass(hart_call& call, fixed_array<T> a) {
    if constexpr (std::is_const_v<T>) {
        call.word(call.in(a.first, a.count * sizeof(T)));
    } else {
        call.word(call.in_and_out(a.first, a.count * sizeof(T)));
    }
}

template <typename T>
const weir_dev* device_of(T* object) {
    if constexpr (std::is_same_v<std::remove_cv_t<T>, weir_dev>) {
        return object;
    } else if constexpr (is_object<std::remove_cv_t<T>>::value) {
        return object->dev;
    } else {
        return nullptr;
    }
}
template <typename T>
const weir_dev* device_of(T) {
    return nullptr;
}
inline const weir_dev* first_device() {
    return nullptr;
}
template <typename First, typename... Rest>
const weir_dev* first_device(First first, Rest...) {
    return device_of(first);
}

template <typename Result, typename... Arguments>
Result on_hart(const char* function, Arguments... arguments) {
    hart_call call(first_device(arguments...), function);
    (pass(call, arguments), ...);
    const std::uint64_t result = call.run();
    if constexpr (std::is_void_v<Result>) {
        return;
    } else if constexpr (std::is_same_v<Result, const char*>) {
        return call.string_at(static_cast<std::uint32_t>(result));
    } else if constexpr (sizeof(Result) == 8) {
        return static_cast<Result>(result);
    } else {
        return static_cast<Result>(static_cast<std::uint32_t>(result));
    }
}

}  // namespace weir::riscv
