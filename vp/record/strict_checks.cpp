// SPDX-License-Identifier: Apache-2.0
#include "vp/record/strict_checks.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <unordered_set>

#include "vp/remote/register_name.h"

namespace weir::vp {
namespace {

using registers::access_error;
using registers::bank;
using registers::register_descriptor;
using registers::software;
using registers::write_effect;

/// Bits of the register that a write can reach, and those that are plain configuration.
struct register_masks {
    std::uint64_t writable{0};
    std::uint64_t configuration{0};
};

register_masks masks_of(const register_descriptor& r) {
    register_masks made;
    for (std::uint32_t f = 0; f < r.field_count; ++f) {
        const auto& field = r.fields[f];
        if (field.sw == software::ro) continue;
        made.writable |= field.mask();
        const bool plain = field.sw == software::rw && field.onwrite == write_effect::store &&
                           !field.changes_by_itself && !field.counter;
        if (plain) made.configuration |= field.mask();
    }
    return made;
}

const char* advice_for(access_error error) {
    switch (error) {
        case access_error::not_ready:
            return "nothing but global answers before global.init_status.ready";
        case access_error::out_of_range:
            return "the map has this index, this chip has not: ask global.cap_* and bm.cap_*";
        case access_error::read_only:
            return "no bit of it can be written";
        case access_error::write_only:
            return "no bit of it can be read";
        case access_error::locked:
            return "its lock is set; weir regs explain says which";
        case access_error::misaligned:
            return "addresses are multiples of 4";
        case access_error::wrong_size:
            return "accesses are 4 octets";
        default:
            return "no register stands there";
    }
}

}  // namespace

strict_mode read_strict_mode(const std::string& text) {
    if (text == "report") return strict_mode::report;
    if (text == "error") return strict_mode::error;
    if (text == "all") return strict_mode::all;
    throw platforms::config_error(fmt::format("--strict={}", text), "there is no such mode",
                                  "--strict, --strict=error: fail by findings, --strict=all: also never_written");
}

/// What was found so far, in all chips.
struct strict_checks::told {
    std::vector<std::string> lines;
    std::set<std::string> known;
};

class strict_checks::watcher {
public:
    watcher(platforms::machine& machine, std::size_t number, std::shared_ptr<told> into, bool never_written,
            program_counter counter)
        : never_written_(never_written),
          name_(machine.config().switches[number].name),
          bank_(machine.chip(number).bank()),
          told_(std::move(into)),
          counter_(std::move(counter)),
          size_(bank_.field("bm.pool_size.cells")),
          enable_(bank_.field("pg.mode.enable")),
          lossless_(bank_.field("pg.mode.lossless")),
          pool_(bank_.field("pg.mode.pool")),
          absolute_(bank_.field("pg.mode.xon_absolute")),
          xoff_(bank_.field("pg.xoff.cells")),
          xon_(bank_.field("pg.xon_offset.cells")),
          minimum_(bank_.field("wred.profile_min.cells")),
          maximum_(bank_.field("wred.profile_max.cells")),
          ram_done_(bank_.field("global.init_status.ram_done")),
          core_(bank_.field("global.init.core_enable")) {}

    void look_at(const asic::register_access& done) {
        const std::string counter = counter_ ? counter_(done.initiator) : std::string{};
        // A read of something never written is fine as the first half of a change of that register.
        if (waiting_ && !(done.write && done.address == waiting_->address)) judge_waiting();
        waiting_.reset();
        if (done.result.error != access_error::none) {
            find(done, counter, "refused",
                 fmt::format("{} was refused, {}: {}", done.write ? "write" : "read", name_of(done.result.error),
                             advice_for(done.result.error)));
            return;
        }
        if (done.write) {
            look_at_write(done, counter);
        } else {
            look_at_read(done, counter);
        }
    }

    void judge_waiting() {
        if (!waiting_) return;
        const auto w = *std::exchange(waiting_, std::nullopt);
        tell(w.time, w.place, w.counter, "never_written",
             "is configuration that nothing has written since reset: what was read is the reset value");
    }

private:
    struct waiting_read {
        picoseconds time;
        std::uint64_t address;
        remote::register_place place;
        std::string counter;
    };

    void look_at_write(const asic::register_access& done, const std::string& counter) {
        const register_descriptor& r = *done.result.where;
        const remote::register_place place = place_of(done);
        const register_masks masks = masks_of(r);
        written_.insert(done.address);
        const std::uint32_t reach = word_of(masks.writable, place.high) | (r.write_mask ? 0xffff0000U : 0U);
        // Ones all over are how everything is cleared in a register of ones-to-clear.
        const bool clears_all = masks.configuration == 0 && done.value == UINT32_MAX;
        const std::uint32_t swallowed = clears_all ? 0 : done.value & ~reach & ~done.before.value_or(0);
        if (swallowed != 0) {
            find(done, counter, "ro_bits",
                 fmt::format("ones were written to bits that cannot be written: {:#010x} of {:#010x}", swallowed,
                             done.value));
        }
        if (r.block == "global" && r.name == "sw_reset" && (done.value & 1U) != 0) written_.clear();
        if (r.block == "global" && r.name == "init" && bank_.get(core_) != 0 && bank_.get(ram_done_) == 0) {
            find(done, counter, "order",
                 "the core is enabled before the memories are clear: wait for "
                 "global.init_status.ram_done");
        }
        if (r.block == "pg") look_at_group(done, counter);
        if (r.block == "wred" && (r.name == "profile_min" || r.name == "profile_max")) {
            const auto& at = done.result.at;
            if (bank_.get(minimum_, at) > bank_.get(maximum_, at)) {
                find(done, counter, "order",
                     fmt::format("the profile's minimum, {} cells, is above its maximum, {}: raise the maximum first, "
                                 "lower the minimum first",
                                 bank_.get(minimum_, at), bank_.get(maximum_, at)));
            }
        }
    }

    void look_at_group(const asic::register_access& done, const std::string& counter) {
        const auto& at = done.result.at;
        const register_descriptor& r = *done.result.where;
        const bool judged = r.name == "mode" || r.name == "xoff" || r.name == "xon_offset";
        if (!judged || bank_.get(enable_, at) == 0 || bank_.get(lossless_, at) == 0) return;
        const std::uint64_t pool = bank_.get(pool_, at);
        const bool pool_exists = pool < bank_.size_of("pools");
        if (r.name == "mode" && (!pool_exists || bank_.get(size_, {static_cast<std::uint32_t>(pool)}) == 0)) {
            find(done, counter, "unsized_pool",
                 fmt::format("the group is lossless in pool {}, which has no size: every frame beyond Guaranteed needs "
                             "Headroom; write bm.pool_size first",
                             pool));
        }
        const std::uint64_t xoff = bank_.get(xoff_, at);
        if (xoff == bank_.all_ones(xoff_) || bank_.get(xon_, at) < xoff) return;
        find(done, counter, "xon_xoff",
             fmt::format(
                 "XON {} of {} cells is not below XOFF of {}: the group lets its peer go on only when it is empty "
                 "(R6)",
                 bank_.get(absolute_, at) != 0 ? "threshold" : "offset", bank_.get(xon_, at), xoff));
    }

    void look_at_read(const asic::register_access& done, const std::string& counter) {
        const register_descriptor& r = *done.result.where;
        const remote::register_place place = place_of(done);
        const bool configuration = word_of(masks_of(r).configuration, place.high) != 0;
        if (!never_written_ || r.early || !configuration || written_.count(done.address) != 0) return;
        waiting_ = waiting_read{done.time, done.address, place, counter};
    }

    static std::uint32_t word_of(std::uint64_t mask, bool high) {
        return static_cast<std::uint32_t>(high ? mask >> 32U : mask);
    }

    [[nodiscard]] remote::register_place place_of(const asic::register_access& done) const {
        remote::register_place place;
        place.address = static_cast<std::uint32_t>(done.address);
        place.about = done.result.where;
        place.at = done.result.at;
        if (const auto found = bank_.locate(done.address); found) place.high = found->high;
        return place;
    }

    void find(const asic::register_access& done, const std::string& counter, const char* kind,
              const std::string& text) {
        tell(done.time, place_of(done), counter, kind, text);
    }

    void tell(picoseconds time, const remote::register_place& place, const std::string& counter, const char* kind,
              const std::string& text) {
        const std::string what = place.about != nullptr ? fmt::format("{}.{}", place.about->block, place.about->name)
                                                        : remote::register_text(place);
        if (!told_->known.insert(fmt::format("{} {} {} {}", name_, kind, what, counter)).second) return;
        const std::string line =
            fmt::format("{:.3f} us: {}: {}: {}: {}{}", static_cast<double>(time.count()) / 1e6, name_,
                        remote::register_text(place), kind, text, counter.empty() ? "" : ", at " + counter);
        told_->lines.push_back(line);
        SC_REPORT_INFO("weir/strict", line.c_str());
    }

    bool never_written_;
    std::string name_;
    bank& bank_;
    std::shared_ptr<told> told_;
    program_counter counter_;
    std::unordered_set<std::uint64_t> written_;  // addresses, since reset
    std::optional<waiting_read> waiting_;
    bank::field_ref size_, enable_, lossless_, pool_, absolute_, xoff_, xon_, minimum_, maximum_, ram_done_, core_;
};

strict_checks::strict_checks(platforms::machine& machine, bool never_written, const program_counter& counter)
    : told_(std::make_shared<told>()) {
    for (std::size_t s = 0; s < machine.switches(); ++s) {
        watchers_.push_back(std::make_shared<watcher>(machine, s, told_, never_written, counter));
        machine.chip(s).target().observe(
            [w = watchers_.back()](const asic::register_access& done) { w->look_at(done); });
    }
}

strict_checks::~strict_checks() = default;

const std::vector<std::string>& strict_checks::findings() {
    for (const auto& w : watchers_) w->judge_waiting();
    return told_->lines;
}

}  // namespace weir::vp
