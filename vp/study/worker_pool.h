// SPDX-License-Identifier: Apache-2.0
// Work in processes of its own: the kernel runs one simulation a process, and a worker that dies takes nobody along.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace weir::vp {

class worker_pool {
public:
    struct outcome {
        std::uint64_t job{0};
        std::string text;   ///< what the work gave back
        std::string death;  ///< how its process died before it could; empty: it did not
    };

    /// At most `workers` at a time; each may use `memory` octets (no bound: no limit).
    explicit worker_pool(std::size_t workers, std::optional<std::uint64_t> memory = std::nullopt);
    /// Ends those that are at work.
    ~worker_pool();
    worker_pool(const worker_pool&) = delete;
    worker_pool& operator=(const worker_pool&) = delete;

    [[nodiscard]] bool full() const { return working_.size() >= most_; }
    [[nodiscard]] bool idle() const { return working_.empty(); }
    [[nodiscard]] std::size_t workers() const { return most_; }

    /// Forks; `work` runs in the child, whose standard streams lead nowhere. Precondition: not full. Throws
    /// std::system_error when there can be no more processes.
    void start(std::uint64_t job, const std::function<std::string()>& work);

    /// One that has ended, waiting for at most `milliseconds` (negative: as long as it takes); nothing when none has.
    /// Throws interrupted (vp/run/interruption.h).
    [[nodiscard]] std::optional<outcome> next(int milliseconds = -1);

    /// Ends those that are at work and forgets them.
    void stop();

private:
    struct worker {
        std::uint64_t job;
        pid_t process;
        int pipe;
        std::string text;
    };
    outcome reap(std::size_t place);

    std::size_t most_;
    std::optional<std::uint64_t> memory_;
    std::vector<worker> working_;
};

/// As many as there are processors for this process.
[[nodiscard]] std::size_t processors();

}  // namespace weir::vp
