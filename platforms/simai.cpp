// SPDX-License-Identifier: Apache-2.0
#include "platforms/simai.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "platforms/collectives.h"
#include "platforms/generated_flow.h"
#include "platforms/line_reader.h"
#include "platforms/text.h"

namespace weir::platforms {
namespace {

constexpr std::string_view layer_form =
    "name dependency forward_ns COLL octets input_grad_ns COLL octets weight_grad_ns COLL octets update_ns";
constexpr std::uint64_t most_layers = 1'000'000;
constexpr std::uint64_t longest_compute = 86'400'000'000'000;  // ns: a day
constexpr std::uint64_t largest_collective = 1'000'000'000'000'000;
constexpr std::size_t most_simai_flows = 10'000'000;

/// Which ranks run a collective with each other.
enum class group_kind : std::uint8_t { tensor, data, expert, data_of_expert };

struct step {
    picoseconds compute{0};
    std::optional<collective_kind> kind;  // none: it only computes
    group_kind group{group_kind::tensor};
    std::uint64_t octets{0};
    std::string where;  // of its octets
};

struct layer {
    step forward;
    step input_gradient;
    step weight_gradient;
};

struct parallelism {
    std::size_t ranks{0};
    std::size_t tensor{1};
    std::size_t expert{1};
};

std::uint64_t number(const text_field& field, std::string_view what, std::uint64_t low, std::uint64_t high) {
    const auto value = parse_number(field.text);
    if (value && *value >= low && *value <= high) return *value;
    throw config_error(field.where,
                       fmt::format("{} \"{}\" is no whole number from {} to {}", what, field.text, low, high));
}

std::vector<text_field> fields_of(line_reader& lines, std::string_view wanted) {
    auto fields = lines.next(' ');
    if (!fields) throw config_error(lines.here(), "the file ends too early", fmt::format("wanted here: {}", wanted));
    return std::move(*fields);
}

/// What cannot be modelled is refused rather than left out.
parallelism read_header(line_reader& lines) {
    constexpr std::string_view schedule = "HYBRID_TRANSFORMER_FWD_IN_BCKWD";
    const auto fields = fields_of(lines, fmt::format("{} model_parallel_NPU_group: 8 … all_gpus: 8", schedule));
    if (fields[0].text != schedule) {
        throw config_error(fields[0].where, fmt::format("\"{}\" cannot be modelled", fields[0].text),
                           fmt::format("wanted: {}", schedule));
    }
    std::map<std::string, std::pair<std::uint64_t, std::string>> values;
    for (std::size_t i = 1; i < fields.size(); i += 2) {
        const std::string& name = fields[i].text;
        if (name.back() != ':' || i + 1 == fields.size()) {
            throw config_error(fields[i].where, fmt::format("\"{}\" is no \"name: number\"", name),
                               "for example: all_gpus: 8");
        }
        const text_field& value = fields[i + 1];
        values[name.substr(0, name.size() - 1)] = {number(value, name, 0, 1'000'000'000), value.where};
    }
    for (const auto* name : {"checkpoints", "checkpoint_initiates"}) {
        const auto found = values.find(name);
        if (found == values.end() || found->second.first == 0) continue;
        throw config_error(found->second.second, fmt::format("{} cannot be modelled", name), "wanted: 0");
    }
    if (const auto pp = values.find("pp"); pp != values.end() && pp->second.first > 1) {
        throw config_error(pp->second.second, "pipeline parallelism cannot be modelled", "wanted: pp: 1");
    }
    const auto at_least_one = [&](const std::string& name, bool needed) -> std::size_t {
        const auto found = values.find(name);
        if (found == values.end()) {
            if (!needed) return 1;
            throw config_error(fields[0].where, fmt::format("{} is missing", name), fmt::format("{}: 8", name));
        }
        if (found->second.first == 0)
            throw config_error(found->second.second, fmt::format("{} is 0", name), "1 or more");
        return found->second.first;
    };
    parallelism made;
    made.ranks = at_least_one("all_gpus", true);
    made.tensor = at_least_one("model_parallel_NPU_group", true);
    made.expert = at_least_one("ep", false);
    if (made.ranks % (made.tensor * made.expert) != 0) {
        throw config_error(
            values["all_gpus"].second,
            fmt::format("{} ranks are no whole number of groups of {}", made.ranks, made.tensor * made.expert),
            "a multiple of model_parallel_NPU_group times ep");
    }
    return made;
}

step read_step(const std::vector<text_field>& fields, std::size_t at, bool of_weights) {
    static const std::array<std::pair<std::string_view, collective_kind>, 4> kinds{
        {{"ALLREDUCE", collective_kind::ring_all_reduce},
         {"ALLGATHER", collective_kind::all_gather},
         {"REDUCESCATTER", collective_kind::reduce_scatter},
         {"ALLTOALL", collective_kind::all_to_all}}};
    step made;
    made.compute = nanoseconds(static_cast<std::int64_t>(number(fields[at], "time", 0, longest_compute)));
    made.octets = number(fields[at + 2], "octets", 0, largest_collective);
    made.where = fields[at + 2].where;
    const std::string& word = fields[at + 1].text;
    const std::size_t dash = word.find('_');
    const std::string name = word.substr(0, dash);
    const std::string suffix = dash == std::string::npos ? "" : word.substr(dash);
    if (word == "NONE") return made;
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.first == name; });
    if (found == kinds.end() || (!suffix.empty() && suffix != "_EP" && suffix != "_DP_EP")) {
        throw config_error(fields[at + 1].where, fmt::format("collective \"{}\" is unknown", word),
                           "one of: NONE ALLREDUCE ALLGATHER REDUCESCATTER ALLTOALL, with _EP or _DP_EP behind it");
    }
    made.group = suffix == "_EP"      ? group_kind::expert
                 : suffix == "_DP_EP" ? group_kind::data_of_expert
                 : of_weights         ? group_kind::data
                                      : group_kind::tensor;
    if (made.octets > 0) made.kind = found->second;
    return made;
}

std::vector<layer> read_layers(line_reader& lines) {
    constexpr std::size_t width = 12;
    const auto counted = fields_of(lines, "the number of layers");
    if (counted.size() != 1) throw config_error(lines.here(), "this is not the number of layers", "one whole number");
    const std::uint64_t count = number(counted[0], "layers", 1, most_layers);
    std::vector<layer> layers;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto fields = fields_of(lines, layer_form);
        if (fields.size() != width) {
            throw config_error(lines.here(), fmt::format("{} fields where {} belong", fields.size(), width),
                               fmt::format("wanted: {}", layer_form));
        }
        (void)number(fields[11], "time", 0, longest_compute);  // after the pass: nothing waits for it
        layers.push_back({read_step(fields, 2, false), read_step(fields, 5, false), read_step(fields, 8, true)});
    }
    if (lines.next(' ')) throw config_error(lines.here(), fmt::format("more than {} layers follow", count));
    return layers;
}

class pass {
public:
    pass(const platform_config& platform, const parallelism& shape, std::vector<std::uint32_t> hosts)
        : platform_(platform), shape_(shape), hosts_(std::move(hosts)), progress_(shape.ranks) {}

    std::vector<flow> run(const std::vector<layer>& layers) {
        for (const layer& each : layers) progress_ = after(each.forward);
        for (auto each = layers.rbegin(); each != layers.rend(); ++each) {
            progress_ = after(each->input_gradient);
            for (rank_progress& rank : progress_) rank.delay += each->weight_gradient.compute;
            step gradients = each->weight_gradient;
            gradients.compute = picoseconds{0};
            (void)after(gradients);
        }
        return std::move(flows_);
    }

private:
    /// Ranks of one group, by the place of its first.
    [[nodiscard]] std::vector<std::vector<std::size_t>> groups(group_kind which) const {
        std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> made;
        for (std::size_t rank = 0; rank < shape_.ranks; ++rank) {
            const std::size_t place = rank % shape_.tensor;
            const std::size_t block = rank / shape_.tensor;
            switch (which) {
                case group_kind::tensor:
                    made[{block, 0}].push_back(rank);
                    break;
                case group_kind::data:
                    made[{place, 0}].push_back(rank);
                    break;
                case group_kind::expert:
                    made[{block / shape_.expert, place}].push_back(rank);
                    break;
                case group_kind::data_of_expert:
                    made[{block % shape_.expert, place}].push_back(rank);
                    break;
            }
        }
        std::vector<std::vector<std::size_t>> lists;
        for (auto& [key, ranks] : made) lists.push_back(std::move(ranks));
        return lists;
    }

    /// What each rank waits for when it has done a step.
    std::vector<rank_progress> after(const step& what) {
        std::vector<rank_progress> progress = progress_;
        for (rank_progress& rank : progress) rank.delay += what.compute;
        if (!what.kind) return progress;
        for (const auto& ranks : groups(what.group)) {
            collective made{*what.kind, {}, what.octets, 1};
            std::vector<rank_progress> of_group;
            for (const std::size_t rank : ranks) {
                made.ranks.push_back(hosts_[rank]);
                of_group.push_back(std::move(progress[rank]));
            }
            if (ranks.size() > 1 && made.octets < least_octets(made)) {
                throw config_error(what.where,
                                   fmt::format("octets {} are too few for {} ranks", made.octets, ranks.size()),
                                   "at least 1 for each, or 0");
            }
            add_collective(flows_, made, of_group, [this](std::uint32_t source, std::uint32_t destination) {
                return generated_flow(platform_, source, destination);
            });
            if (flows_.size() > most_simai_flows)
                throw config_error(what.where, fmt::format("more than {} flows", most_simai_flows));
            for (std::size_t i = 0; i < ranks.size(); ++i) progress[ranks[i]] = std::move(of_group[i]);
        }
        return progress;
    }

    const platform_config& platform_;
    parallelism shape_;
    std::vector<std::uint32_t> hosts_;
    std::vector<rank_progress> progress_;
    std::vector<flow> flows_;
};

}  // namespace

std::vector<flow> read_simai(const std::string& path, const platform_config& platform) {
    line_reader lines(path);
    const parallelism shape = read_header(lines);
    const std::string header = lines.here();
    auto hosts = hosts_of(platform, "workload.ranks", platform.workload.ranks);
    if (hosts.size() < shape.ranks || (!platform.workload.ranks.empty() && hosts.size() != shape.ranks)) {
        throw config_error(header, fmt::format("{} ranks for {} hosts", shape.ranks, hosts.size()),
                           "as many in workload.ranks, or none there and hosts enough");
    }
    return pass(platform, shape, std::move(hosts)).run(read_layers(lines));
}

}  // namespace weir::platforms
