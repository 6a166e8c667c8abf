// SPDX-License-Identifier: Apache-2.0
#include "vp/run/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "platforms/machine.h"
#include "vp/record/register_trace.h"
#include "vp/remote/register_name.h"
#include "vp/remote/registry.h"

namespace weir::vp {
namespace {

using platforms::config_error;
using registers::bank;

constexpr std::size_t differences_shown = 20;
/// A read without a time that waits for the device looks so often, a microsecond apart.
constexpr int looks_at_most = 10'000;

/// One access, ready to be made.
struct replay_step {
    std::string where;  ///< "file:line"
    traced_access access;
    std::size_t chip;
    std::uint32_t address;
    std::uint32_t stable{0};   ///< bits of the word that are compared
    std::uint32_t awaited{0};  ///< bits that a driver polls: they change by themselves, and count nothing
};

/// What stands where a name of the trace says: the address is the platform's.
void resolve_item(replay_step& item, const bank& chip) {
    try {
        std::string name = item.access.name;
        const bool high = name.size() > 5 && name.compare(name.size() - 5, 5, ".high") == 0;
        if (high) name.erase(name.size() - 5);
        const remote::register_place place = remote::find_register(chip, name);
        item.address = place.address + (high ? 4 : 0);
        if (place.about == nullptr) return;
        for (std::uint32_t f = 0; f < place.about->field_count; ++f) {
            const auto& field = place.about->fields[f];
            const auto mask = static_cast<std::uint32_t>(high ? field.mask() >> 32U : field.mask());
            if (field.sw == registers::software::wo || field.onread != registers::read_effect::none) continue;
            if (!field.changes_by_itself && !field.counter) item.stable |= mask;
            if (field.changes_by_itself && !field.counter && field.width == 1) item.awaited |= mask;
        }
    } catch (const remote::command_error& e) {
        throw config_error(item.where, e.what(), e.hint());
    }
}

std::vector<replay_step> read_trace(const std::string& path, platforms::machine& machine) {
    std::ifstream in(path);
    if (!in) throw config_error(path, "the trace cannot be read", "a file that weir run --register-trace wrote");
    std::vector<replay_step> steps;
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        const std::string where = fmt::format("{}:{}", path, number);
        if (number == 1 && line.compare(0, register_trace_heading.size(), register_trace_heading) != 0) {
            throw config_error(where, "this is no register trace",
                               fmt::format("its first line begins with \"{}\"", register_trace_heading));
        }
        auto access = parse_trace_line(line, where);
        if (!access) continue;
        const auto& switches = machine.config().switches;
        const auto found = std::find_if(switches.begin(), switches.end(),
                                        [&](const auto& s) { return s.name == access->switch_name; });
        if (found == switches.end()) {
            throw config_error(where, fmt::format("the platform has no switch {}", access->switch_name),
                               "the platform that the trace was made with, or one with these switches");
        }
        const auto chip = static_cast<std::size_t>(found - switches.begin());
        replay_step item{where, std::move(*access), chip, 0};
        resolve_item(item, machine.chip(chip).bank());
        steps.push_back(std::move(item));
    }
    return steps;
}

/// The word as the bus has it.
std::uint32_t bus_word(std::uint32_t value, const registers::map& layout) {
    return layout.order == registers::byte_order::little ? value : __builtin_bswap32(value);
}

class trace_replayer {
public:
    trace_replayer(platforms::machine& machine, const std::vector<replay_step>& steps)
        : machine_(machine), cpu_(machine.cpu(0)), steps_(steps) {
        for (std::size_t s = 1; s < machine.switches(); ++s) cpu_.add_chip(machine.chip(s));
        for (std::size_t s = 0; s < machine.switches(); ++s) {
            machine.chip(s).target().observe([this](const asic::register_access& done) { error_ = done.result.error; });
        }
    }

    void play() {
        for (const replay_step& item : steps_) {
            if (item.access.time) cpu_.wait_until(*item.access.time);
            item.access.write ? write(item) : read(item);
        }
        cpu_.barrier();
    }
    [[nodiscard]] replay_result& result() { return result_; }

private:
    void write(const replay_step& item) {
        ++result_.writes;
        error_ = registers::access_error::none;
        (void)cpu_.write(item.address, bus_word(item.access.value, layout()), item.chip);
        (void)same_error(item);
    }

    void read(const replay_step& item) {
        ++result_.reads;
        std::uint32_t value = look(item);
        for (int i = 1; i < looks_at_most && !item.access.time && error_ == registers::access_error::none &&
                        ((value ^ item.access.value) & item.awaited) != 0;
             ++i) {
            cpu_.wait_until(cpu_.local_time() + microseconds(1));
            value = look(item);
        }
        if (!same_error(item) || item.access.error != "ok" || item.stable == 0) return;
        ++result_.compared;
        if (((value ^ item.access.value) & item.stable) == 0) return;
        differs(item, fmt::format("read {:#010x}, in the trace {:#010x}{}", value, item.access.value,
                                  item.stable == UINT32_MAX ? "" : fmt::format("; compared: {:#010x}", item.stable)));
    }

    std::uint32_t look(const replay_step& item) {
        error_ = registers::access_error::none;
        std::uint32_t word = 0;
        (void)cpu_.read(item.address, word, item.chip);
        return bus_word(word, layout());
    }

    bool same_error(const replay_step& item) {
        const std::string_view got = error_ == registers::access_error::none ? "ok" : registers::name_of(error_);
        if (got == item.access.error) return true;
        differs(item, fmt::format("{}, in the trace {}", got, item.access.error));
        return false;
    }

    void differs(const replay_step& item, const std::string& how) {
        ++result_.different;
        if (result_.differences.size() >= differences_shown) return;
        result_.differences.push_back(
            fmt::format("{}: {} of {}: {}", item.where, item.access.write ? "write" : "read", item.access.name, how));
    }

    [[nodiscard]] const registers::map& layout() const { return machine_.chip(0).bank().layout(); }

    platforms::machine& machine_;
    platforms::native_initiator& cpu_;
    const std::vector<replay_step>& steps_;
    replay_result result_;
    registers::access_error error_{registers::access_error::none};
};

}  // namespace

replay_result replay_trace(const platforms::platform_config& platform, const std::string& path) {
    platforms::machine machine(platform, 1);
    const std::vector<replay_step> steps = read_trace(path, machine);
    trace_replayer who(machine, steps);
    machine.cpu(0).program([&who] { who.play(); });
    // Steps as long as the longest trace needs: the player's own waits say when things happen.
    while (machine.cpu(0).running()) machine.run_until(from_kernel(sc_core::sc_time_stamp()) + microseconds(10'000));
    return who.result();
}

}  // namespace weir::vp
