// SPDX-License-Identifier: Apache-2.0
#include "models/timeline/time.h"

namespace weir {
namespace {

struct named_rate {
    std::string_view name;
    std::uint32_t megabits;
};

constexpr std::array<named_rate, 10> ethernet_rates{{{"1G", 1'000},
                                                     {"10G", 10'000},
                                                     {"25G", 25'000},
                                                     {"40G", 40'000},
                                                     {"50G", 50'000},
                                                     {"100G", 100'000},
                                                     {"200G", 200'000},
                                                     {"400G", 400'000},
                                                     {"800G", 800'000},
                                                     {"1.6T", 1'600'000}}};

}  // namespace

std::optional<data_rate> data_rate::from_name(std::string_view name) {
    for (const auto& rate : ethernet_rates) {
        if (rate.name == name) return data_rate{rate.megabits};
    }
    return std::nullopt;
}

std::optional<data_rate> data_rate::from_megabits(std::uint32_t megabits) {
    for (const auto& rate : ethernet_rates) {
        if (rate.megabits == megabits) return data_rate{megabits};
    }
    return std::nullopt;
}

std::string_view data_rate::names() {
    return "1G 10G 25G 40G 50G 100G 200G 400G 800G 1.6T";
}

std::string_view data_rate::name() const {
    for (const auto& rate : ethernet_rates) {
        if (rate.megabits == megabits_) return rate.name;
    }
    return "?";
}

}  // namespace weir
