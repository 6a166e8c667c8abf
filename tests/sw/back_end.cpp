// SPDX-License-Identifier: Apache-2.0
#include "tests/sw/back_end.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sw/hal/mock/mock.h"
#include "tests/sw/remote_back_end.h"
#include "tests/system/in_child.h"

namespace weir::sw {
namespace {

struct logged_access {
    std::uint32_t write, address, word, status;
};

enum class log_use { none, record, expect, mock };

std::string test_name() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    return test == nullptr ? "none" : fmt::format("{}.{}", test->test_suite_name(), test->name());
}

/// The log of this process's test.
class access_log {
public:
    access_log() {
        const char* chosen = std::getenv("WEIR_ACCESSES");
        const char* records = std::getenv("WEIR_RECORDS");
        std::string folder;
        if (chosen != nullptr && *chosen != '\0') {
            const std::string text = chosen;
            const std::size_t colon = text.find(':');
            use_ = text.substr(0, colon) == "mock" ? log_use::mock : log_use::expect;
            remote_ = text.substr(0, colon) == "remote";
            folder = text.substr(colon + 1);
        } else if (records != nullptr) {
            use_ = log_use::record;
            folder = std::string(records) + "/accesses";
        } else {
            return;
        }
        std::string name = test_name();
        std::replace(name.begin(), name.end(), '/', '_');
        if (system_test::child_number > 0) name += fmt::format(".{}", system_test::child_number);
        path_ = folder + "/" + name + ".log";
        if (use_ == log_use::record) {
            std::filesystem::create_directories(folder);
            out_ = std::fopen(path_.c_str(), "wb");
            // Children of a test end without closing anything.
            if (out_ != nullptr) std::setvbuf(out_, nullptr, _IONBF, 0);
            return;
        }
        make_if_stale();
        std::ifstream in(path_, std::ios::binary);
        for (logged_access a{}; in.read(reinterpret_cast<char*>(&a), sizeof a);) script_.push_back(a);
        if (use_ == log_use::mock) weir_mock_init(mock_.get(), true);
    }
    ~access_log() {
        if (out_ != nullptr) std::fclose(out_);
        // The whole script must have come, unless the test has failed anyway.
        if (use_ == log_use::record || use_ == log_use::none || at_ == script_.size()) return;
        std::fprintf(stderr, "%s: %zu of %zu accesses did not come\n", path_.c_str(), script_.size() - at_,
                     script_.size());
        std::_Exit(1);
    }
    access_log(const access_log&) = delete;
    access_log& operator=(const access_log&) = delete;

    [[nodiscard]] log_use use() const { return use_; }
    [[nodiscard]] bool remote() const { return remote_; }

    void record(const logged_access& a) {
        if (out_ == nullptr || std::fwrite(&a, sizeof a, 1, out_) != 1) ADD_FAILURE() << path_ << " cannot be written";
    }

    /// The script's next access.
    logged_access next() {
        if (at_ == script_.size()) {
            ADD_FAILURE() << "an access after the last of " << path_;
            return {};
        }
        return script_[at_++];
    }
    void expect(const logged_access& came) {
        if (differs_) return;
        const logged_access want = next();
        differs_ = came.write != want.write || came.address != want.address || came.word != want.word ||
                   came.status != want.status;
        EXPECT_FALSE(differs_) << fmt::format(
            "access {}: {} of {:#x} {} {:#x}, status {}; natively {} of {:#x} {} {:#x}, status {}", at_,
            came.write ? "write" : "read", came.address, came.write ? "to" : "gave", came.word, came.status,
            want.write ? "write" : "read", want.address, want.write ? "to" : "gave", want.word, want.status);
    }
    weir_mock& mock() { return *mock_; }

private:
    void make_if_stale() const {
        namespace fs = std::filesystem;
        const char* recorder = WEIR_RECORDER;
        std::error_code none;
        if (fs::exists(path_) && fs::last_write_time(path_, none) > fs::last_write_time(recorder, none)) return;
        const std::string command = fmt::format("WEIR_ACCESSES= WEIR_RECORDS={} {} --gtest_filter={} >{}.out 2>&1",
                                                WEIR_BINARY_DIR, recorder, test_name(), path_);
        if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
    }

    log_use use_{log_use::none};
    bool remote_{false};
    std::string path_;
    std::FILE* out_{nullptr};
    std::vector<logged_access> script_;
    std::size_t at_{0};
    bool differs_{false};
    std::unique_ptr<weir_mock> mock_{std::make_unique<weir_mock>()};
};

access_log& the_log() {
    static access_log log;
    return log;
}

/// One HAL and the one behind it.
struct between {
    explicit between(const weir_hal& direct) : inner(direct) {}

    weir_status read(std::uint32_t address, std::uint32_t* word) {
        std::uint32_t value = 0;
        const weir_status status = inner.read32(inner.ctx, address, &value);
        return done({0, address, status == WEIR_OK ? value : 0, static_cast<std::uint32_t>(status)}, word);
    }
    weir_status write(std::uint32_t address, std::uint32_t word) {
        const weir_status status = inner.write32(inner.ctx, address, word);
        return done({1, address, word, static_cast<std::uint32_t>(status)}, nullptr);
    }

    weir_hal inner;

private:
    static weir_status done(const logged_access& a, std::uint32_t* word) {
        access_log& log = the_log();
        if (log.use() == log_use::mock) return answered_by_mock(a, word);
        if (log.use() == log_use::record) log.record(a);
        if (log.use() == log_use::expect) log.expect(a);
        if (word != nullptr && a.status == WEIR_OK) *word = a.word;
        return static_cast<weir_status>(a.status);
    }

    // The device has seen the access too, so that the test can look at it; what the driver sees comes from the mock.
    static weir_status answered_by_mock(const logged_access& a, std::uint32_t* word) {
        weir_mock& mock = the_log().mock();
        const logged_access want = the_log().next();
        if (mock.expected == WEIR_MOCK_STEPS) weir_mock_init(&mock, true);
        if (want.write != 0) {
            weir_mock_expect_write(&mock, want.address, want.word);
        } else {
            weir_mock_expect_read(&mock, want.address, want.word);
        }
        weir_mock_answer_status(&mock, static_cast<weir_status>(want.status));
        const weir_hal hal = weir_mock_hal(&mock);
        std::uint32_t answer = 0;
        const weir_status status =
            a.write != 0 ? hal.write32(hal.ctx, a.address, a.word) : hal.read32(hal.ctx, a.address, &answer);
        EXPECT_FALSE(mock.mismatch) << mock.message;
        if (word != nullptr && status == WEIR_OK) *word = answer;
        return status;
    }
};

weir_hal logged(const weir_hal& direct) {
    if (the_log().use() == log_use::none) return direct;
    static std::vector<std::unique_ptr<between>> all;
    all.push_back(std::make_unique<between>(direct));
    weir_hal hal = direct;
    hal.ctx = all.back().get();
    hal.read32 = [](void* ctx, std::uint32_t address, std::uint32_t* word) {
        return static_cast<between*>(ctx)->read(address, word);
    };
    hal.write32 = [](void* ctx, std::uint32_t address, std::uint32_t word) {
        return static_cast<between*>(ctx)->write(address, word);
    };
    if (direct.barrier != nullptr) {
        hal.barrier = [](void* ctx) {
            const weir_hal& h = static_cast<between*>(ctx)->inner;
            h.barrier(h.ctx);
        };
    }
    hal.now_ns = [](void* ctx) {
        const weir_hal& h = static_cast<between*>(ctx)->inner;
        return h.now_ns(h.ctx);
    };
    hal.delay_ns = [](void* ctx, std::uint64_t ns) {
        const weir_hal& h = static_cast<between*>(ctx)->inner;
        h.delay_ns(h.ctx, ns);
    };
    if (direct.wait_irq != nullptr) {
        hal.wait_irq = [](void* ctx, std::uint64_t ns) {
            const weir_hal& h = static_cast<between*>(ctx)->inner;
            return h.wait_irq(h.ctx, ns);
        };
    }
    if (direct.lock != nullptr) {
        hal.lock = [](void* ctx) {
            const weir_hal& h = static_cast<between*>(ctx)->inner;
            h.lock(h.ctx);
        };
    }
    if (direct.unlock != nullptr) {
        hal.unlock = [](void* ctx) {
            const weir_hal& h = static_cast<between*>(ctx)->inner;
            h.unlock(h.ctx);
        };
    }
    if (direct.log != nullptr) {
        hal.log = [](void* ctx, weir_log_level level, const char* text) {
            const weir_hal& h = static_cast<between*>(ctx)->inner;
            h.log(h.ctx, level, text);
        };
    }
    return hal;
}

}  // namespace

weir_hal through_back_end(const weir_hal& direct) {
    return logged(the_log().remote() ? over_a_socket(direct) : direct);
}

void through_back_end(platforms::machine& machine) {
    weir_hal& hal = machine.cpu(0).hal();
    hal = logged(the_log().remote() ? over_the_register_port(machine) : hal);
}

}  // namespace weir::sw
