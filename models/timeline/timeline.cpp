// SPDX-License-Identifier: Apache-2.0
#include "models/timeline/timeline.h"

#if defined(__SANITIZE_ADDRESS__)
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#endif

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/timeline/natural_order.h"

namespace weir {
namespace {

// An entry's order within its instant: phase, then actor, then arrival, packed so that one comparison decides.
constexpr unsigned arrival_bits = 40;
constexpr unsigned actor_bits = 20;

std::uint64_t pack(phase when, std::uint32_t actor_number, std::uint64_t arrival) {
    return (static_cast<std::uint64_t>(when) << (arrival_bits + actor_bits)) |
           (std::uint64_t{actor_number} << arrival_bits) | (arrival & ((std::uint64_t{1} << arrival_bits) - 1));
}

// The kernel tells the address sanitizer of each coroutine's stack, but for that of sc_main it says nought. An
// exception thrown there would leave its frames poisoned, and the next call would be reported.
void tell_sanitizer_of_this_stack() {
#if defined(__SANITIZE_ADDRESS__)
    pthread_attr_t attributes;
    void* bottom = nullptr;
    std::size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    if (pthread_attr_getstack(&attributes, &bottom, &size) == 0) {
        __sanitizer_start_switch_fiber(nullptr, bottom, size);
        __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
    }
    pthread_attr_destroy(&attributes);
#endif
}

}  // namespace

phase timeline::entry::when() const {
    return static_cast<phase>(static_cast<std::uint64_t>(key) >> (arrival_bits + actor_bits));
}

actor::actor(timeline& owner, std::string name) : name_(std::move(name)) {
    owner.actors_.push_back(this);
}

timeline::timeline(sc_core::sc_module_name name) : sc_module(name) {
    if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS)) {
        throw std::logic_error("the kernel's time resolution must be 1 ps");
    }
    heap_.reserve(1024);
    SC_METHOD(work);
    sensitive << wake_;
    dont_initialize();
}

void timeline::end_of_elaboration() {
    std::sort(actors_.begin(), actors_.end(),
              [](const actor* a, const actor* b) { return natural_less(a->name_, b->name_); });
    std::uint32_t number = 0;
    const actor* previous = nullptr;
    for (actor* a : actors_) {
        if (previous != nullptr && previous->name_ == a->name_) {
            throw std::logic_error(fmt::format("two actors are called {}: their order would be undefined", a->name_));
        }
        a->number_ = number++;
        previous = a;
    }
}

void timeline::at(picoseconds time, phase when, actor& who, std::uint32_t what) {
    if (time < now_) {
        throw std::logic_error(
            fmt::format("{} asks for {} ps, which is before now, {} ps", who.name_, time.count(), now_.count()));
    }
    const sort_key key = static_cast<sort_key>(time.count()) << 64 | pack(when, who.number_, arrivals_++);
    push({key, &who, what});
    if (!working_) arm();
}

bool timeline::free_to_access(picoseconds time) const {
    if (!heap_.empty()) {
        const entry& front = heap_.front();
        if (front.time() < time.count()) return false;
        if (front.time() == time.count() && front.when() <= phase::register_access) return false;
    }
    return kernel_lets_pass(time.count());
}

picoseconds timeline::quiet_until() const {
    const auto kernel_now = static_cast<std::int64_t>(sc_core::sc_time_stamp().value());
    // The kernel lets its own present pass whatever is pending, and the horizon itself is within the run.
    std::int64_t bound = std::max(horizon_.count(), kernel_now) + 1;
    const std::uint64_t quiet = sc_core::sc_time_to_pending_activity().value();
    if (quiet < static_cast<std::uint64_t>(bound - kernel_now)) {
        bound = kernel_now + std::max<std::int64_t>(static_cast<std::int64_t>(quiet), 1);
    }
    if (!heap_.empty()) {
        const entry& front = heap_.front();
        bound = std::min(bound, front.when() <= phase::register_access ? front.time() : front.time() + 1);
    }
    return picoseconds{bound};
}

void timeline::advance_to(picoseconds time) {
    if (time > now_) now_ = time;
}

void timeline::yield_to(sc_core::sc_event& thread) {
    yielded_ = &thread;
}

void timeline::run_until(picoseconds time) {
    horizon_ = time;
    pausing_ = false;
    const sc_core::sc_time end = to_kernel(time);
    if (end > sc_core::sc_time_stamp()) sc_core::sc_start(end - sc_core::sc_time_stamp());
    // The kernel is behind when it was paused: what begins now begins at the same time everywhere.
    if (pausing_ && to_kernel(now_) > sc_core::sc_time_stamp()) {
        sc_core::sc_start(to_kernel(now_) - sc_core::sc_time_stamp());
    }
    // Who looks now, at times that are still adding up, sees them as they are now and not as at the last event.
    if (!pausing_ && (heap_.empty() || heap_.front().time() >= time.count())) advance_to(time);
    tell_sanitizer_of_this_stack();
}

void timeline::settle() {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    tell_sanitizer_of_this_stack();
}

std::vector<timeline_entry> timeline::pending() const {
    std::vector<entry> sorted = heap_;
    std::sort(sorted.begin(), sorted.end(), [](const entry& a, const entry& b) { return a.key < b.key; });
    std::vector<timeline_entry> result;
    result.reserve(sorted.size());
    for (const entry& e : sorted) {
        result.push_back({picoseconds{e.time()}, e.when(), e.who, e.what});
    }
    return result;
}

// The kernel's clock stands still while we run ahead of it, so nothing else may be due before or at that time.
bool timeline::kernel_lets_pass(std::int64_t time) const {
    const auto kernel_now = static_cast<std::int64_t>(sc_core::sc_time_stamp().value());
    if (time <= kernel_now) return true;
    if (time > horizon_.count()) return false;
    const auto quiet = sc_core::sc_time_to_pending_activity().value();
    return static_cast<std::uint64_t>(time - kernel_now) < quiet;
}

void timeline::work() {
    working_ = true;
    armed_for_ = INT64_MAX;
    while (!heap_.empty() && yielded_ == nullptr) {
        const std::int64_t instant = heap_.front().time();
        if (!kernel_lets_pass(instant) || (pausing_ && instant > now_.count())) break;
        now_ = picoseconds{instant};
        while (!heap_.empty() && heap_.front().time() == instant && yielded_ == nullptr) {
            const entry e = pop();
            prefetch_next();
            e.who->due(e.what);
        }
    }
    working_ = false;
    const bool unfinished = yielded_ != nullptr;
    if (unfinished) std::exchange(yielded_, nullptr)->notify();
    arm();
    if (pausing_ && !unfinished) sc_core::sc_pause();
}

// In a large network the next actor's state has left the caches since it was needed last.
void timeline::prefetch_next() const {
    constexpr std::size_t line = 64;
    constexpr std::size_t lines = 6;
    if (heap_.empty()) return;
    const char* next = reinterpret_cast<const char*>(heap_.front().who);
    for (std::size_t i = 0; i < lines; ++i) __builtin_prefetch(next + i * line);
}

void timeline::arm() {
    if (heap_.empty() || heap_.front().time() >= armed_for_) return;
    armed_for_ = heap_.front().time();
    wake_.cancel();
    const auto kernel_now = static_cast<std::int64_t>(sc_core::sc_time_stamp().value());
    if (armed_for_ <= kernel_now) {
        wake_.notify(sc_core::SC_ZERO_TIME);
    } else {
        wake_.notify(to_kernel(picoseconds{armed_for_ - kernel_now}));
    }
}

void timeline::push(const entry& e) {
    heap_.push_back(e);
    rise(heap_.size() - 1, e);
}

void timeline::rise(std::size_t at, const entry& e) {
    while (at > 0) {
        const std::size_t parent = (at - 1) / 4;
        if (e.key >= heap_[parent].key) break;
        heap_[at] = heap_[parent];
        at = parent;
    }
    heap_[at] = e;
}

// The hole sinks to a leaf along the least children, and the last entry, which nearly always belongs near the leaves,
// rises from there: that asks less than comparing it on the way down, and no comparison on the way down is a branch.
timeline::entry timeline::pop() {
    const entry top = heap_.front();
    const entry last = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    if (size == 0) return top;
    std::size_t at = 0;
    for (std::size_t child = 1; child < size; child = 4 * at + 1) {
        std::size_t least = child;
        if (child + 3 < size) {
            const std::size_t left = child + static_cast<std::size_t>(heap_[child + 1].key < heap_[child].key);
            const std::size_t right = child + 2 + static_cast<std::size_t>(heap_[child + 3].key < heap_[child + 2].key);
            least = heap_[right].key < heap_[left].key ? right : left;
        } else {
            for (std::size_t other = child + 1; other < size; ++other) {
                if (heap_[other].key < heap_[least].key) least = other;
            }
        }
        heap_[at] = heap_[least];
        at = least;
    }
    rise(at, last);
    return top;
}

picoseconds from_kernel(const sc_core::sc_time& time) {
    return picoseconds{static_cast<std::int64_t>(time.value())};
}

sc_core::sc_time to_kernel(picoseconds time) {
    return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time.count()));
}

}  // namespace weir
