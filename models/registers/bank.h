// SPDX-License-Identifier: Apache-2.0
// The register bank: field semantics once for all blocks, between software's addresses and the models' names.
//
//   software ── read/write(address) ──► bank ── on_write("pg.xoff.cells", [port, group], value) ──► model
//                                        ▲  └── drive("pg.used.cells", [port, group]) ───────────── model
//   debuggers ── peek/poke ──────────────┘      (drive has no side effect, so peek may use it)
//
// Models bind by name and never see an address. The bank knows no bus, no time, no byte order: 32-bit numbers come in.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/registers/map.h"

namespace weir::registers {

/// Which instance of a register, outermost dimension first; what the register does not have is 0.
using index = std::array<std::uint32_t, 3>;

/// Why an access failed, in the order of global.access_error's bits.
enum class access_error : std::uint8_t {
    none,
    unmapped,
    misaligned,
    wrong_size,
    read_only,
    write_only,
    out_of_range,
    not_ready,
    locked
};

/// "read_only" and so on, as the field of global.access_error is called.
std::string_view name_of(access_error error);

/// What stands at an address. `high` is the upper word of a 64-bit register.
struct location {
    const register_descriptor* where{nullptr};
    index at{};
    bool high{false};
};

/// "pg.xoff[port 3][group 2]", with ".high" for an upper word.
std::string describe(const location& place);

/// The names among `all` that resemble `wanted` most, for error messages.
std::string nearest(std::string_view wanted, const std::vector<std::string>& all);

class bank {
    struct field_state;
    struct register_state;

public:
    using dimension_sizes = std::vector<std::pair<std::string_view, std::uint32_t>>;
    using source = std::function<std::uint64_t(const index&)>;
    using write_event = std::function<void(const index&, std::uint64_t)>;
    using read_event = std::function<void(const index&)>;

    /// `sizes`: the symbolic dimensions as this chip has them, {"ports", 9} and so on; what is not named has the map's
    /// size. An index from the chip's size up to the map's is out_of_range. Throws std::logic_error for a dimension
    /// that the map does not have or has smaller. Starts ready, all fields at their reset values.
    explicit bank(const map& m, const dimension_sizes& sizes = {});
    ~bank();
    bank(const bank&) = delete;
    bank& operator=(const bank&) = delete;

    // ---- binding, by "block.register.field"; an unknown name is a std::logic_error that names the nearest

    /// Hardware gives the field's value whenever it is read or peeked. Must have no side effect. Once a field.
    void drive(std::string_view field, source value);
    /// After a software write and after a reset. rw: the new value, changed or not. w1c: the bits that were set and are
    /// now cleared, if any. w1s, oneshot: the bits written as one, if any. wo: the value. A register's plain fields
    /// come first, its pulses last, all after the whole word is stored. Several handlers are called in binding order.
    void on_write(std::string_view field, write_event event);
    /// After a software read of a field that has `onread`; of a 64-bit register, after its low word.
    void on_read(std::string_view field, read_event event);

    // ---- the hardware's side: no events

    class field_ref {
        friend class bank;
        std::uint32_t reg_{0};
        std::uint32_t fld_{0};
    };
    [[nodiscard]] field_ref field(std::string_view name) const;
    /// The stored value, or the driven one. An index beyond the chip is a std::out_of_range.
    [[nodiscard]] std::uint64_t get(field_ref f, const index& at = {}) const;
    void set(field_ref f, const index& at, std::uint64_t value);
    /// Sets bits of a sticky field.
    void raise(field_ref f, const index& at, std::uint64_t bits);
    /// Adds to a stored counter; wraps at the field's width.
    void add(field_ref f, const index& at, std::uint64_t amount);
    /// Makes a counter that hardware drives show `value` now and count on from there, wrapping at its width: to see
    /// what software makes of a wrap. Until `forget_preloads`.
    void preload(field_ref f, const index& at, std::uint64_t value);
    void forget_preloads();
    /// The field's greatest value, which in sizes and thresholds means "unlimited". Maps differ in it.
    [[nodiscard]] std::uint64_t all_ones(field_ref f) const;
    [[nodiscard]] const field_descriptor& describe_field(field_ref f) const;

    // ---- software's side

    struct result {
        access_error error{access_error::none};
        const register_descriptor* where{nullptr};  ///< null when nothing stands there
        index at{};
    };
    /// 64-bit registers: the low word latches the high word of the same instance, once; a high word read without it is
    /// the present one. After an error `value` is 0.
    result read(std::uint64_t address, std::uint32_t& value);
    /// 64-bit registers: the low word is held, writing the high word of the same instance commits both.
    result write(std::uint64_t address, std::uint32_t value);

    // ---- debuggers and observers: reach no behaviour, latch nothing, work before initialisation

    /// Nothing when no register of this chip stands there. Fields that software cannot read show as 0.
    [[nodiscard]] std::optional<std::uint32_t> peek(std::uint64_t address) const;
    /// Changes stored bits, read-only ones too; no model hears of it. False when nothing is stored there.
    bool poke(std::uint64_t address, std::uint32_t value);

    // ---- snapshots of statistics

    /// Copies every driven counter and every driven number of cells, all at this moment.
    void take_snapshot();
    /// While on, reads show the last snapshot of what `take_snapshot` covers, and clear or restart none of it. Peeks
    /// show the same. Nothing was taken: the present is shown.
    void show_snapshot(bool on) { showing_snapshot_ = on; }

    // ---- life

    /// Stored fields of registers of this level and of weaker ones go back to their reset values; then every plain rw
    /// field among them that has a handler gets its on_write, so that a model's copy equals the register. Level port:
    /// only the instances of that port, of registers whose first dimension is the symbolic "ports".
    void reset(reset_level level, std::optional<std::uint32_t> port = {});
    /// While not ready only `early` registers answer.
    void set_ready(bool ready) { ready_ = ready; }
    [[nodiscard]] bool ready() const { return ready_; }

    /// What stands at an address by the map, whether this chip has that instance or not.
    [[nodiscard]] std::optional<location> locate(std::uint64_t address) const;
    /// The address of an instance of "block.register"; for observers and tests.
    [[nodiscard]] std::uint64_t address_of(std::string_view name, const index& at = {}) const;
    [[nodiscard]] const map& layout() const { return map_; }
    /// How many this chip has of a symbolic dimension.
    [[nodiscard]] std::uint32_t size_of(std::string_view dimension) const;

private:
    static constexpr std::uint32_t page_words = 1024;
    using page = std::array<std::uint16_t, page_words>;

    [[nodiscard]] static std::uint64_t driven_value(const field_state& f, std::uint32_t instance, const index& at);
    void build_pages();
    void apply_lock(std::uint32_t reg);
    std::pair<std::uint32_t, std::uint32_t> find(std::string_view name) const;
    const register_state* at_address(std::uint64_t address) const;
    std::uint32_t decode(const register_state& r, std::uint64_t address, index& at, bool& inside) const;
    std::uint32_t instance(const register_state& r, const index& at) const;
    std::uint64_t compose(const register_state& r, std::uint32_t cell, const index& at, bool software_view) const;
    void commit(register_state& r, std::uint32_t cell, const index& at, std::uint64_t word);
    void reset_instance(register_state& r, const index& at, std::vector<std::pair<std::uint32_t, index>>& events);

    const map& map_;
    std::vector<std::uint32_t> sizes_;
    std::vector<register_state> registers_;
    std::vector<field_state> fields_;
    std::vector<std::uint64_t> storage_;
    std::vector<std::unique_ptr<page>> pages_;
    bool ready_{true};
    bool showing_snapshot_{false};
};

}  // namespace weir::registers
