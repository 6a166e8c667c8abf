// SPDX-License-Identifier: Apache-2.0
#include "vp/record/property_log.h"

#include <fmt/format.h>

#include <cstring>
#include <systemc>

#include "models/timeline/property.h"

namespace weir::vp {
namespace {

constexpr std::size_t told_at_most = 20;

/// The kernel's handler is a plain function, so what it collects stands beside it.
struct collected {
    std::vector<std::string> lines;
    std::size_t more{0};
    sc_core::sc_report_handler_proc before{nullptr};
    bool checked_before{false};
};

collected& collection() {
    static collected all;
    return all;
}

void collect(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
    collected& all = collection();
    if (std::strncmp(report.get_msg_type(), "weir/property/", 14) != 0) {
        all.before(report, actions);
    } else if (all.lines.size() < told_at_most) {
        all.lines.emplace_back(report.get_msg());
    } else {
        ++all.more;
    }
}

}  // namespace

property_log::property_log() {
    collected& all = collection();
    all = {};
    all.checked_before = properties_checked();
    check_properties(true);
    all.before = sc_core::sc_report_handler::get_handler();
    sc_core::sc_report_handler::set_handler(collect);
}

property_log::~property_log() {
    sc_core::sc_report_handler::set_handler(collection().before);
    check_properties(collection().checked_before);
}

std::vector<std::string> property_log::lines() const {
    std::vector<std::string> all = collection().lines;
    if (collection().more > 0) all.push_back(fmt::format("and {} times more", collection().more));
    return all;
}

}  // namespace weir::vp
