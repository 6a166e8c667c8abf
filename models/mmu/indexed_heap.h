// SPDX-License-Identifier: Apache-2.0
// A binary min-heap of (key, item) in which an item's key can change: priority groups by the free count at which they
// would cross a threshold (R4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace weir::mmu {

class indexed_heap {
public:
    /// Items are numbered 0 to `items` - 1.
    explicit indexed_heap(std::size_t items) : place_(items, absent) { heap_.reserve(items); }

    [[nodiscard]] bool empty() const { return heap_.empty(); }
    [[nodiscard]] std::int64_t least_key() const { return heap_.front().key; }
    [[nodiscard]] std::uint32_t least() const { return heap_.front().item; }

    void set(std::uint32_t item, std::int64_t key) {
        if (place_[item] == absent) {
            place_[item] = heap_.size();
            heap_.push_back({key, item});
            up(heap_.size() - 1);
            return;
        }
        const std::size_t at = place_[item];
        const std::int64_t old = std::exchange(heap_[at].key, key);
        if (key < old) {
            up(at);
        } else if (key > old) {
            down(at);
        }
    }

    void remove(std::uint32_t item) {
        const std::size_t at = place_[item];
        if (at == absent) return;
        place_[item] = absent;
        const node last = heap_.back();
        heap_.pop_back();
        if (at == heap_.size()) return;
        put(at, last);
        up(at);
        down(place_[last.item]);
    }

private:
    struct node {
        std::int64_t key;
        std::uint32_t item;
        // Equal keys go by item, so that the order never depends on history.
        [[nodiscard]] bool before(const node& other) const {
            return key != other.key ? key < other.key : item < other.item;
        }
    };
    static constexpr std::size_t absent = std::numeric_limits<std::size_t>::max();

    void put(std::size_t at, const node& n) {
        heap_[at] = n;
        place_[n.item] = at;
    }
    void up(std::size_t at) {
        const node n = heap_[at];
        while (at > 0 && n.before(heap_[(at - 1) / 2])) {
            put(at, heap_[(at - 1) / 2]);
            at = (at - 1) / 2;
        }
        put(at, n);
    }
    void down(std::size_t at) {
        const node n = heap_[at];
        for (;;) {
            std::size_t child = 2 * at + 1;
            if (child >= heap_.size()) break;
            if (child + 1 < heap_.size() && heap_[child + 1].before(heap_[child])) ++child;
            if (!heap_[child].before(n)) break;
            put(at, heap_[child]);
            at = child;
        }
        put(at, n);
    }

    std::vector<node> heap_;
    std::vector<std::size_t> place_;
};

}  // namespace weir::mmu
