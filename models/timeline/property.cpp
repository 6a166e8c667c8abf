// SPDX-License-Identifier: Apache-2.0
#include "models/timeline/property.h"

#include <fmt/format.h>

#include <systemc>

namespace weir {
namespace {

bool& checking() {
    static bool on = false;
    return on;
}

}  // namespace

bool properties_checked() {
    return checking();
}

void check_properties(bool on) {
    checking() = on;
}

void report_property(const char* id, const std::string& place, picoseconds time, const std::string& text) {
    const std::string type = fmt::format("weir/property/{}", id);
    SC_REPORT_ERROR(type.c_str(), fmt::format("{} broken at {}, {} ps: {}", id, place, time.count(), text).c_str());
}

}  // namespace weir
