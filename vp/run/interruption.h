// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and a polite kill: a run ends at its next step and clears away what it had begun to write.
#pragma once

#include <csignal>
#include <stdexcept>

namespace weir::vp {

class interrupted : public std::runtime_error {
public:
    explicit interrupted(int signal);
    /// What a shell expects of a program that a signal has ended.
    [[nodiscard]] int exit_code() const { return 128 + signal_; }

private:
    int signal_;
};

/// Whether a signal has come since the last watch began; for loops that cannot throw.
[[nodiscard]] bool interruption_noted();
/// Throws interrupted when one has.
void throw_if_interrupted();

/// Watches for SIGINT and SIGTERM while it lives. A second signal ends the program at once.
class interruption_watch {
public:
    interruption_watch();
    ~interruption_watch();
    interruption_watch(const interruption_watch&) = delete;
    interruption_watch& operator=(const interruption_watch&) = delete;

    /// Throws interrupted when a signal has come.
    void check() const;

private:
    struct sigaction earlier_[2];
};

}  // namespace weir::vp
