// SPDX-License-Identifier: Apache-2.0
// The field numbers are those of Perfetto's trace format, which grows but does not change.
#include <fmt/format.h>

#include <map>
#include <string_view>

#include "vp/signals/signal_export.h"
#include "vp/signals/signal_order.h"

namespace weir::vp {
namespace {

/// A protobuf message that is being written.
class message {
public:
    message& number(std::uint32_t field, std::uint64_t value) {
        tag(field, 0);
        varint(value);
        return *this;
    }
    message& text(std::uint32_t field, std::string_view value) {
        tag(field, 2);
        varint(value.size());
        octets_ += value;
        return *this;
    }
    message& nested(std::uint32_t field, const message& inner) { return text(field, inner.octets_); }
    [[nodiscard]] const std::string& octets() const { return octets_; }

private:
    void tag(std::uint32_t field, std::uint32_t wire_type) { varint(field << 3U | wire_type); }
    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7U) octets_ += static_cast<char>(value | 0x80U);
        octets_ += static_cast<char>(value);
    }
    std::string octets_;
};

namespace trace {
constexpr std::uint32_t packet = 1;
}
namespace packet {
constexpr std::uint32_t timestamp = 8;
constexpr std::uint32_t sequence = 10;
constexpr std::uint32_t event = 11;
constexpr std::uint32_t track = 60;
}  // namespace packet
namespace track {
constexpr std::uint32_t uuid = 1;
constexpr std::uint32_t name = 2;
constexpr std::uint32_t process = 3;
constexpr std::uint32_t parent = 5;
constexpr std::uint32_t counter = 8;
}  // namespace track
namespace process {
constexpr std::uint32_t pid = 1;
constexpr std::uint32_t name = 6;
}  // namespace process
namespace event {
constexpr std::uint32_t type = 9;
constexpr std::uint32_t uuid = 11;
constexpr std::uint32_t name = 23;
constexpr std::uint32_t value = 30;
constexpr std::uint64_t begin = 1;
constexpr std::uint64_t end = 2;
constexpr std::uint64_t instant = 3;
constexpr std::uint64_t count = 4;
}  // namespace event

/// How a signal is drawn.
enum class shape : std::uint8_t { counter, slice, instant };

shape shape_of(const report::signal& s) {
    if (s.kind == "drop" || s.kind == "mark" || s.kind == "write") return shape::instant;
    if (s.kind == "asked" || s.kind == "stopped" || s.kind == "interrupt" || s.kind == "function") return shape::slice;
    return shape::counter;
}

class writer {
public:
    explicit writer(const report::recording& signals) : signals_(signals), open_(signals.signals.size(), false) {}

    std::string write() {
        for (const report::signal& s : signals_.signals) describe(s);
        for (const ordered_change& c : ordered_changes(signals_)) change(c);
        for (std::uint32_t s = 0; s < open_.size(); ++s) {
            if (open_[s])
                add_event(signals_.end, message().number(event::type, event::end).number(event::uuid, uuid(s)));
        }
        return std::move(out_);
    }

private:
    static std::uint64_t uuid(std::uint32_t signal) { return 1'000'000 + signal; }

    void add(const message& m) { out_ += message().nested(trace::packet, m).octets(); }
    void add_event(std::int64_t time, const message& m) {
        add(message()
                .number(packet::timestamp, static_cast<std::uint64_t>(time / 1000))
                .number(packet::sequence, 1)
                .nested(packet::event, m));
    }
    void describe(const report::signal& s) {
        auto [device, fresh] = devices_.emplace(s.device, devices_.size() + 1);
        if (fresh) {
            message about;
            about.number(process::pid, device->second).text(process::name, s.device);
            add(message()
                    .number(packet::sequence, 1)
                    .nested(packet::track,
                            message().number(track::uuid, device->second).nested(track::process, about)));
        }
        message about;
        about.number(track::uuid, uuid(described_++)).number(track::parent, device->second);
        about.text(track::name, s.name.substr(s.device.size() + 1));
        if (shape_of(s) == shape::counter) about.nested(track::counter, message());
        add(message().number(packet::sequence, 1).nested(packet::track, about));
    }
    void change(const ordered_change& c) {
        const report::signal& s = signals_.signals[c.signal];
        const auto of = [&](std::uint64_t type) {
            return message().number(event::type, type).number(event::uuid, uuid(c.signal));
        };
        switch (shape_of(s)) {
            case shape::counter:
                add_event(c.time, of(event::count).number(event::value, static_cast<std::uint64_t>(c.value)));
                return;
            case shape::instant:
                add_event(c.time, of(event::instant).text(event::name, label(s, c.value)));
                return;
            case shape::slice:
                if (open_[c.signal]) add_event(c.time, of(event::end));
                open_[c.signal] = c.value != 0;
                if (c.value != 0) add_event(c.time, of(event::begin).text(event::name, label(s, c.value)));
                return;
        }
    }
    [[nodiscard]] std::string label(const report::signal& s, std::int64_t value) const {
        if (s.kind == "drop") return name_at(signals_.drop_reasons, value);
        if (s.kind == "function") return name_at(signals_.functions, value);
        if (s.kind == "write") return fmt::format("{:#x}", value);
        return s.kind;
    }

    const report::recording& signals_;
    std::string out_;
    std::map<std::string, std::uint64_t> devices_;
    std::vector<bool> open_;  // slices that have begun
    std::uint32_t described_{0};
};

}  // namespace

std::string perfetto_trace(const report::recording& signals) {
    return writer(signals).write();
}

}  // namespace weir::vp
