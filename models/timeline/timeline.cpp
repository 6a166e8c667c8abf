// SPDX-License-Identifier: Apache-2.0
#include "models/timeline/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <utility>

namespace weir {
namespace {

// An entry's order within its instant: phase, then actor, then arrival, packed so that one comparison decides.
constexpr unsigned arrival_bits = 40;
constexpr unsigned actor_bits = 20;

std::uint64_t pack(phase when, std::uint32_t actor_number, std::uint64_t arrival) {
    return (static_cast<std::uint64_t>(when) << (arrival_bits + actor_bits)) |
           (std::uint64_t{actor_number} << arrival_bits) | (arrival & ((std::uint64_t{1} << arrival_bits) - 1));
}

phase phase_of(std::uint64_t order) {
    return static_cast<phase>(order >> (arrival_bits + actor_bits));
}

// "p2" before "p10": numbers inside names count as numbers.
bool natural_less(const std::string& a, const std::string& b) {
    const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() && j < b.size()) {
        if (digit(a[i]) && digit(b[j])) {
            std::uint64_t x = 0;
            std::uint64_t y = 0;
            while (i < a.size() && digit(a[i])) x = x * 10 + static_cast<std::uint64_t>(a[i++] - '0');
            while (j < b.size() && digit(b[j])) y = y * 10 + static_cast<std::uint64_t>(b[j++] - '0');
            if (x != y) return x < y;
        } else {
            if (a[i] != b[j]) return a[i] < b[j];
            ++i;
            ++j;
        }
    }
    return a.size() - i < b.size() - j;
}

}  // namespace

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
    push({time.count(), pack(when, who.number_, arrivals_++), &who, what});
    if (!working_) arm();
}

bool timeline::free_to_access(picoseconds time) const {
    if (!heap_.empty()) {
        const entry& front = heap_.front();
        if (front.time < time.count()) return false;
        if (front.time == time.count() && phase_of(front.order) <= phase::register_access) return false;
    }
    return kernel_lets_pass(time.count());
}

void timeline::advance_to(picoseconds time) {
    if (time > now_) now_ = time;
}

void timeline::yield_to(sc_core::sc_event& thread) {
    yielded_ = &thread;
}

void timeline::run_until(picoseconds time) {
    horizon_ = time;
    const sc_core::sc_time end = to_kernel(time);
    if (end > sc_core::sc_time_stamp()) sc_core::sc_start(end - sc_core::sc_time_stamp());
}

std::vector<timeline_entry> timeline::pending() const {
    std::vector<entry> sorted = heap_;
    std::sort(sorted.begin(), sorted.end(), [](const entry& a, const entry& b) { return a.before(b); });
    std::vector<timeline_entry> result;
    result.reserve(sorted.size());
    for (const entry& e : sorted) {
        result.push_back({picoseconds{e.time}, phase_of(e.order), e.who, e.what});
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
        const std::int64_t instant = heap_.front().time;
        if (!kernel_lets_pass(instant)) break;
        now_ = picoseconds{instant};
        while (!heap_.empty() && heap_.front().time == instant && yielded_ == nullptr) {
            const entry e = pop();
            ++worked_off_;
            e.who->due(e.what);
        }
    }
    working_ = false;
    if (yielded_ != nullptr) std::exchange(yielded_, nullptr)->notify();
    arm();
}

void timeline::arm() {
    if (heap_.empty() || heap_.front().time >= armed_for_) return;
    armed_for_ = heap_.front().time;
    wake_.cancel();
    const auto kernel_now = static_cast<std::int64_t>(sc_core::sc_time_stamp().value());
    if (armed_for_ <= kernel_now) {
        wake_.notify(sc_core::SC_ZERO_TIME);
    } else {
        wake_.notify(to_kernel(picoseconds{armed_for_ - kernel_now}));
    }
}

void timeline::push(const entry& e) {
    std::size_t at = heap_.size();
    heap_.push_back(e);
    while (at > 0) {
        const std::size_t parent = (at - 1) / 4;
        if (!e.before(heap_[parent])) break;
        heap_[at] = heap_[parent];
        at = parent;
    }
    heap_[at] = e;
}

timeline::entry timeline::pop() {
    const entry top = heap_.front();
    const entry last = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    if (size == 0) return top;
    std::size_t at = 0;
    for (;;) {
        const std::size_t first = 4 * at + 1;
        if (first >= size) break;
        std::size_t least = first;
        const std::size_t end = std::min(first + 4, size);
        for (std::size_t child = first + 1; child < end; ++child) {
            if (heap_[child].before(heap_[least])) least = child;
        }
        if (!heap_[least].before(last)) break;
        heap_[at] = heap_[least];
        at = least;
    }
    heap_[at] = last;
    return top;
}

picoseconds from_kernel(const sc_core::sc_time& time) {
    return picoseconds{static_cast<std::int64_t>(time.value())};
}

sc_core::sc_time to_kernel(picoseconds time) {
    return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time.count()));
}

}  // namespace weir
