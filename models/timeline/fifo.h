// SPDX-License-Identifier: Apache-2.0
// A first-in first-out queue that allocates only when it grows beyond its longest so far.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace weir {

template <typename T>
class fifo {
public:
    [[nodiscard]] bool empty() const { return count_ == 0; }
    [[nodiscard]] std::size_t size() const { return count_; }
    /// Precondition of both: not empty.
    [[nodiscard]] const T& front() const { return ring_[first_]; }
    T pop() {
        T item = ring_[first_];
        first_ = (first_ + 1) & (ring_.size() - 1);
        --count_;
        return item;
    }

    /// Takes out the first item for which `is_it` holds; false when there is none. Costs what follows the item.
    template <typename Predicate>
    bool remove_first(Predicate is_it) {
        const std::size_t mask = ring_.size() - 1;
        for (std::size_t i = 0; i < count_; ++i) {
            if (!is_it(ring_[(first_ + i) & mask])) continue;
            for (std::size_t j = i + 1; j < count_; ++j) ring_[(first_ + j - 1) & mask] = ring_[(first_ + j) & mask];
            --count_;
            return true;
        }
        return false;
    }

    void push(const T& item) {
        if (count_ == ring_.size()) grow();
        ring_[(first_ + count_) & (ring_.size() - 1)] = item;
        ++count_;
    }

private:
    void grow() {
        std::vector<T> larger(ring_.empty() ? 16 : 2 * ring_.size());
        for (std::size_t i = 0; i < count_; ++i) larger[i] = ring_[(first_ + i) & (ring_.size() - 1)];
        ring_ = std::move(larger);
        first_ = 0;
    }
    std::vector<T> ring_;  // a power of two, so that an index wraps with a mask
    std::size_t first_{0};
    std::size_t count_{0};
};

}  // namespace weir
