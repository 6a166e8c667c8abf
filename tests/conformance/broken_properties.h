// SPDX-License-Identifier: Apache-2.0
// What checkers report in a test that breaks a property on purpose: collected instead of thrown.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <systemc>
#include <vector>

#include "tests/conformance/conformance.h"

namespace weir::conformance {

/// One at a time. A report that nobody has asked for fails the test.
class broken_properties {
public:
    struct report {
        std::string id;
        std::string message;
    };
    broken_properties() {
        collected().clear();
        sc_core::sc_report_handler::set_handler(collect);
    }
    ~broken_properties() {
        sc_core::sc_report_handler::set_handler(nullptr);
        for (const report& r : collected()) ADD_FAILURE() << "nobody asked for " << r.message;
    }
    broken_properties(const broken_properties&) = delete;
    broken_properties& operator=(const broken_properties&) = delete;

    [[nodiscard]] static bool none() { return collected().empty(); }
    /// The property was reported, with its place and time, and nothing else was but `beside`. Fills the row.
    static void expect(const std::string& id, const std::string& place, const std::string& variant,
                       const std::vector<std::string>& beside = {}) {
        std::vector<report> all;
        all.swap(collected());
        const auto found =
            std::find_if(all.begin(), all.end(), [&](const report& r) { return r.id == "weir/property/" + id; });
        ASSERT_NE(found, all.end()) << id << " was not reported, but " << (all.empty() ? "nothing" : all[0].message);
        const std::string begin = fmt::format("{} broken at {}", id, place);
        EXPECT_EQ(found->message.substr(0, begin.size()), begin);
        EXPECT_NE(found->message.find(" ps: "), std::string::npos);
        for (const report& r : all) {
            const std::string other = r.id.substr(std::string("weir/property/").size());
            EXPECT_TRUE(other == id || std::find(beside.begin(), beside.end(), other) != beside.end()) << r.message;
        }
        row(id, fmt::format("broken variant ({}): reported", variant), found->message);
    }

private:
    static std::vector<report>& collected() {
        static std::vector<report> all;
        return all;
    }
    static void collect(const sc_core::sc_report& r, const sc_core::sc_actions& actions) {
        if (r.get_severity() == sc_core::SC_ERROR) {
            collected().push_back({r.get_msg_type(), r.get_msg()});
        } else if (r.get_severity() == sc_core::SC_FATAL) {
            sc_core::sc_report_handler::default_handler(r, actions);
        }
    }
};

}  // namespace weir::conformance
