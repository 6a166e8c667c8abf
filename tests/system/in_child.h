// SPDX-License-Identifier: Apache-2.0
// Runs part of a test in a process of its own, since the kernel elaborates once, and hands back what it found.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <type_traits>

namespace weir::system_test {

/// Which child this process is, from 1; 0: it is the test's own.
inline int child_number = 0;
inline int children_so_far = 0;

/// What `run` returned there; a failure there is one here.
template <typename Run>
auto in_child(const Run& run) {
    using result_type = decltype(run());
    static_assert(std::is_trivially_copyable_v<result_type>);
    result_type result{};
    int ends[2];
    if (pipe(ends) != 0) {
        ADD_FAILURE() << "no pipe";
        return result;
    }
    ++children_so_far;
    const pid_t child = fork();
    if (child == 0) {
        child_number = children_so_far;
        result = run();
        const bool told = write(ends[1], &result, sizeof result) == static_cast<ssize_t>(sizeof result);
        _exit(told && !::testing::Test::HasFailure() ? 0 : 1);
    }
    close(ends[1]);
    const bool heard = read(ends[0], &result, sizeof result) == static_cast<ssize_t>(sizeof result);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(heard && status == 0);
    return result;
}

}  // namespace weir::system_test
