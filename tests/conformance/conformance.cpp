// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/conformance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace weir::conformance {
namespace {

/// One file a test: tests run at the same time. What an earlier run left in it goes.
std::ofstream& lines(const std::string& folder, const std::string& test) {
    static std::ofstream file = [&] {
        std::filesystem::create_directories(folder);
        std::string name = test;
        std::replace(name.begin(), name.end(), '/', '-');
        return std::ofstream(std::filesystem::path(folder) / (name + ".jsonl"), std::ios::trunc);
    }();
    return file;
}

}  // namespace

void row(std::string_view id, std::string_view expected, std::string_view measured) {
    const char* records = std::getenv("WEIR_RECORDS");
    if (records == nullptr) return;
    const testing::TestInfo* info = testing::UnitTest::GetInstance()->current_test_info();
    const std::string test = std::string(info->test_suite_name()) + "." + info->name();
    lines(std::string(records) + "/conformance", test)
        << nlohmann::json{{"id", id}, {"test", test}, {"expected", expected}, {"measured", measured}} << '\n';
}

}  // namespace weir::conformance
