// SPDX-License-Identifier: Apache-2.0
#include "vp/output/report_log.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <systemc>
#include <utility>

namespace weir::vp {
namespace {

/// The kernel's handler is a plain function, so who listens to it stands beside it.
std::function<void(const char*, const char*)>& report_listener() {
    static std::function<void(const char*, const char*)> listener;
    return listener;
}

void log(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
    const bool ours = std::strncmp(report.get_msg_type(), "weir/", 5) == 0;
    const auto severity = report.get_severity();
    if (severity == sc_core::SC_WARNING || (severity == sc_core::SC_INFO && ours)) {
        fmt::print(stderr, "{}: {}\n", report.get_msg_type(), report.get_msg());
        if (report_listener()) report_listener()(report.get_msg_type(), report.get_msg());
        return;
    }
    if (severity == sc_core::SC_INFO) return;
    sc_core::sc_report_handler::default_handler(report, actions);
}

}  // namespace

void install_report_log() {
    sc_core::sc_report_handler::set_handler(log);
}

void listen_to_reports(std::function<void(const char* source, const char* text)> listener) {
    report_listener() = std::move(listener);
}

}  // namespace weir::vp
