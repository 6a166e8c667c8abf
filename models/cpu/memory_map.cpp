// SPDX-License-Identifier: Apache-2.0
// Mapped memories and their tables of ops.
#include "models/cpu/memory_map.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <stdexcept>

#include "fmt/format.h"

namespace weir::cpu {

namespace {

constexpr std::uint32_t page_octets = 4096;
constexpr unsigned page_bits = 12;

/// Last address of a range, which is not empty and may be meant to reach further than there are addresses.
constexpr std::uint32_t last_of(std::uint32_t base, std::uint32_t size) {
    return size - 1 > ~base ? ~0U : base + (size - 1);
}

}  // namespace

memory_region::memory_region(std::uint32_t base, std::uint8_t* octets, std::uint32_t size)
    : base_(base),
      size_(size),
      octets_(octets),
      mapped_octets_((std::size_t{size} / 2 + 2) * sizeof(op)),
      code_lines_(size >> line_bits),
      code_pages_(size >> page_bits) {
    void* const place =
        mmap(nullptr, mapped_octets_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) throw std::bad_alloc{};
    ops_ = static_cast<op*>(place);
    for (op* end = ops_ + size / 2; end != ops_ + size / 2 + 2; ++end) end->code = opcode::outside;
}

memory_region::~memory_region() {
    munmap(ops_, mapped_octets_);
}

void memory_region::mark_code(std::uint32_t address, unsigned halfwords) {
    const std::uint32_t first = address - base_;
    for (const std::uint32_t offset : {first, first + 2 * halfwords - 1}) {
        code_lines_[offset >> line_bits] = 1;
        code_pages_[offset >> page_bits] = 1;
    }
}

void memory_region::forget(std::uint32_t address, std::uint32_t octets) {
    if (octets == 0) return;
    const std::uint32_t first = address - base_;
    const std::uint32_t last = first + (octets - 1);
    for (std::uint32_t page = first >> page_bits; page <= last >> page_bits; ++page) {
        if (code_pages_[page] == 0) continue;
        const std::uint32_t begin = page << page_bits;
        const std::uint32_t end = begin + (page_octets - 1);
        for (std::uint32_t line = std::max(first, begin) >> line_bits; line <= std::min(last, end) >> line_bits;
             ++line) {
            if (code_lines_[line] != 0) forget_line(line, first, last);
        }
        if (first <= begin && end <= last) code_pages_[page] = 0;
    }
}

void memory_region::forget_line(std::uint32_t line, std::uint32_t first, std::uint32_t last) {
    const std::uint32_t begin = line << line_bits;
    const std::uint32_t end = begin + (1U << line_bits) - 1;
    const std::uint32_t from = std::max(first, begin) / 2;
    const std::uint32_t to = std::min(last, end) / 2;
    // An instruction may begin a halfword before what changed; in the line before that, too.
    for (std::uint32_t i = from == 0 ? 0 : from - 1; i <= to; ++i) ops_[i].code = opcode::undecoded;
    if (first <= begin && end <= last) code_lines_[line] = 0;
}

void memory_map::add(std::uint32_t base, std::uint8_t* octets, std::uint32_t size) {
    if (size == 0 || base % page_octets != 0 || size % page_octets != 0) {
        throw std::invalid_argument(fmt::format(
            "memory of {:#x} octets at {:#010x}: base and size must be multiples of 4096, size not 0", size, base));
    }
    const std::uint32_t last = last_of(base, size);
    if (last - base != size - 1) {
        throw std::invalid_argument(
            fmt::format("memory of {:#x} octets at {:#010x} does not end before address 2^32", size, base));
    }
    for (const auto& r : regions_) {
        if (base <= last_of(r->base(), r->size()) && r->base() <= last) {
            throw std::invalid_argument(
                fmt::format("memory at {:#010x} to {:#010x} overlaps the one at {:#010x} to {:#010x}", base, last,
                            r->base(), last_of(r->base(), r->size())));
        }
    }
    regions_.push_back(std::make_unique<memory_region>(base, octets, size));
}

void memory_map::remove(std::uint32_t base, std::uint32_t size) {
    if (size == 0) return;
    const std::uint32_t first = base & ~(page_octets - 1);
    const std::uint32_t last = last_of(base, size) | (page_octets - 1);
    std::vector<std::unique_ptr<memory_region>> kept;
    for (auto& r : regions_) {
        const std::uint32_t r_last = last_of(r->base(), r->size());
        if (last < r->base() || r_last < first) {
            kept.push_back(std::move(r));
            continue;
        }
        if (r->base() < first) {
            kept.push_back(std::make_unique<memory_region>(r->base(), r->octets(), first - r->base()));
        }
        if (last < r_last) {
            kept.push_back(
                std::make_unique<memory_region>(last + 1, r->octets() + (last + 1 - r->base()), r_last - last));
        }
    }
    regions_ = std::move(kept);
}

void memory_map::forget(std::uint32_t base, std::uint32_t size) {
    if (size == 0) return;
    const std::uint32_t last = last_of(base, size);
    for (const auto& r : regions_) {
        const std::uint32_t from = std::max(base, r->base());
        const std::uint32_t to = std::min(last, last_of(r->base(), r->size()));
        if (from <= to) r->forget(from, to - from + 1);
    }
}

void memory_map::forget_all() {
    for (const auto& r : regions_) r->forget(r->base(), r->size());
}

}  // namespace weir::cpu
