// SPDX-License-Identifier: Apache-2.0
// The flow list in CSV.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/ethernet/frame.h"
#include "platforms/dependencies.h"
#include "platforms/line_reader.h"
#include "platforms/text.h"
#include "platforms/workload.h"

namespace weir::platforms {
namespace {

enum column : std::size_t {
    start,
    source,
    destination,
    octets,
    priority,
    dscp,
    rate,
    frame,
    ecn,
    transport,
    id,
    after,
    delay,
    columns
};
constexpr std::array<std::string_view, columns> column_names{"start", "source", "destination", "octets", "priority",
                                                             "dscp",  "rate",   "frame",       "ecn",    "transport",
                                                             "id",    "after",  "delay"};
constexpr std::size_t required_columns = priority;  // those before it
constexpr std::uint64_t largest_flow = 1'000'000'000'000'000;

using row = std::array<const text_field*, columns>;

std::array<std::optional<std::size_t>, columns> read_header(line_reader& lines) {
    const auto header = lines.next(',');
    if (!header) throw config_error(lines.here(), "holds no header", "start,source,destination,octets,…");
    std::array<std::optional<std::size_t>, columns> places;
    for (std::size_t i = 0; i < header->size(); ++i) {
        const text_field& field = (*header)[i];
        const auto found = std::find(column_names.begin(), column_names.end(), field.text);
        if (found == column_names.end()) {
            const auto near = nearest_name(field.text, {column_names.begin(), column_names.end()});
            throw config_error(field.where, fmt::format("unknown column \"{}\"", field.text),
                               near ? fmt::format("did you mean \"{}\"?", *near)
                                    : fmt::format("columns: {}", fmt::join(column_names, " ")));
        }
        auto& place = places[static_cast<std::size_t>(found - column_names.begin())];
        if (place) throw config_error(field.where, fmt::format("column \"{}\" stands here twice", field.text));
        place = i;
    }
    for (std::size_t i = 0; i < required_columns; ++i) {
        if (!places[i]) {
            throw config_error(lines.here(), fmt::format("column \"{}\" is missing", column_names[i]),
                               "needed: start source destination octets");
        }
    }
    return places;
}

class row_reader {
public:
    row_reader(const platform_config& platform, const row& fields) : platform_(platform), fields_(fields) {}

    flow read() {
        const workload_config& defaults = platform_.workload;
        flow made;
        made.start = given(start) || !given(after) ? time(start, "flows start at 0 or later") : picoseconds{0};
        if (given(delay)) {
            if (!given(after)) bad(delay, "follows nothing", "ids in the column after; else put it into start");
            made.delay = time(delay, "0 or later");
        }
        if (given(id)) made.id = fields_[id]->text;
        made.source = host(source);
        made.destination = host(destination);
        if (made.source == made.destination) {
            throw config_error(fields_[destination]->where,
                               fmt::format("host {} would send to itself", platform_.hosts[made.source].name));
        }
        made.octets = size();
        const auto given_dscp = number(dscp, 63);
        const auto given_priority = number(priority, 7);
        made.priority = static_cast<std::uint8_t>(given_priority ? *given_priority
                                                  : given_dscp   ? *given_dscp / 8
                                                                 : defaults.priority);
        made.dscp = static_cast<std::uint8_t>(given_dscp ? *given_dscp : made.priority * 8U);
        made.plain_udp = plain_udp();
        const std::uint64_t least = made.plain_udp ? ethernet::minimum_frame_octets : 4;
        made.payload = static_cast<std::uint32_t>(number(frame, 15'936, least).value_or(defaults.frame));
        if (made.plain_udp && made.octets % made.payload != 0) {
            bad(octets, "is no whole number of frames", fmt::format("a multiple of {}", made.payload));
        }
        made.rate = pace(made.source);
        made.congestion = codepoint();
        return made;
    }

private:
    [[nodiscard]] bool given(column c) const { return fields_[c] != nullptr && !fields_[c]->text.empty(); }

    [[noreturn]] void bad(column c, std::string_view what, const std::string& right) const {
        throw config_error(fields_[c]->where, fmt::format("{} \"{}\" {}", column_names[c], fields_[c]->text, what),
                           right);
    }

    picoseconds time(column c, const std::string& least) const {
        const std::string& text = fields_[c]->text;
        if (!text.empty() && text.front() == '-') bad(c, "is negative", least);
        const auto value = parse_duration(text);
        if (!value) bad(c, "is no time", "0, 100ns, 1.5us, 3ms, 2s");
        return *value;
    }

    std::uint32_t host(column c) const {
        const auto found = find_host(platform_, fields_[c]->text);
        if (!found) {
            throw config_error(fields_[c]->where, fmt::format("host \"{}\" is unknown", fields_[c]->text),
                               fmt::format("one of: {}", host_names(platform_)));
        }
        return *found;
    }

    std::uint64_t size() const {
        const auto value = parse_octets(fields_[octets]->text);
        if (!value) bad(octets, "is no size", "4096, 64KiB, 16MiB, 10MB");
        if (*value == 0) throw config_error(fields_[octets]->where, "the flow has no octets", "at least 1");
        if (*value > largest_flow) bad(octets, "is out of range", "1 to 1000000GB");
        return *value;
    }

    std::optional<std::uint64_t> number(column c, std::uint64_t most, std::uint64_t least = 0) const {
        if (!given(c)) return std::nullopt;
        const auto value = parse_number(fields_[c]->text);
        if (!value || *value > most || *value < least) {
            bad(c, value ? "is out of range" : "is no whole number", fmt::format("{} to {}", least, most));
        }
        return value;
    }

    std::int64_t pace(std::uint32_t from) const {
        const host_config& at = platform_.hosts[from];
        const data_rate port = platform_.switches[at.switch_index].ports[at.port].rate;
        if (!given(rate)) return std::min(platform_.workload.rate, port.bits_per_second());
        const auto value = parse_bit_rate(fields_[rate]->text);
        if (!value || *value == 0) bad(rate, "is no rate", "100G, 2.5G, 100M; empty: the port's");
        if (*value > port.bits_per_second()) {
            bad(rate, fmt::format("is more than the port of {} carries", at.name),
                fmt::format("at most {}", port.name()));
        }
        return *value;
    }

    ethernet::ecn codepoint() const {
        if (!given(ecn)) return platform_.workload.congestion;
        const std::string& text = fields_[ecn]->text;
        if (text == "not_ect") return ethernet::ecn::not_ect;
        if (text == "ect0") return ethernet::ecn::ect0;
        if (text == "ect1") return ethernet::ecn::ect1;
        bad(ecn, "is unknown", "one of: not_ect ect0 ect1");
    }

    bool plain_udp() const {
        if (!given(transport) || fields_[transport]->text == "rocev2") return false;
        if (fields_[transport]->text != "udp") bad(transport, "is unknown", "one of: rocev2 udp");
        return true;
    }

    const platform_config& platform_;
    const row& fields_;
};

}  // namespace

std::vector<flow> read_flow_list(const std::string& path, const platform_config& platform) {
    line_reader lines(path);
    const auto places = read_header(lines);
    const auto width = static_cast<std::size_t>(
        std::count_if(places.begin(), places.end(), [](const auto& place) { return place.has_value(); }));
    std::vector<flow> flows;
    dependency_reader dependencies;
    while (const auto fields = lines.next(',')) {
        if (fields->size() != width) {
            throw config_error(lines.here(), fmt::format("{} fields, but the header has {}", fields->size(), width));
        }
        row named{};
        for (std::size_t i = 0; i < columns; ++i) {
            if (places[i]) named[i] = &(*fields)[*places[i]];
        }
        const auto number = static_cast<std::uint32_t>(flows.size());
        flows.push_back(row_reader{platform, named}.read());
        if (named[id] != nullptr) dependencies.name(number, *named[id]);
        if (named[after] != nullptr) dependencies.waits(number, *named[after]);
    }
    if (flows.empty()) throw config_error(path, "holds no flows");
    dependencies.resolve(flows);
    sort_by_start(flows);
    return flows;
}

}  // namespace weir::platforms
