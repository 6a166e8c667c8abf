// SPDX-License-Identifier: Apache-2.0
// The handler only takes a note.
#include "vp/run/interruption.h"

#include <array>

namespace weir::vp {
namespace {

volatile std::sig_atomic_t noted = 0;
constexpr std::array<int, 2> watched{SIGINT, SIGTERM};

}  // namespace

interrupted::interrupted(int signal) : runtime_error("weir: interrupted: nothing was written"), signal_(signal) {}

interruption_watch::interruption_watch() : earlier_{} {
    noted = 0;
    struct sigaction action {};
    action.sa_handler = [](int signal) { noted = signal; };
    action.sa_flags = SA_RESETHAND;
    for (std::size_t i = 0; i < watched.size(); ++i) sigaction(watched[i], &action, &earlier_[i]);
}

interruption_watch::~interruption_watch() {
    for (std::size_t i = 0; i < watched.size(); ++i) sigaction(watched[i], &earlier_[i], nullptr);
}

void interruption_watch::check() const {
    throw_if_interrupted();
}

bool interruption_noted() {
    return noted != 0;
}

void throw_if_interrupted() {
    if (noted != 0) throw interrupted(noted);
}

}  // namespace weir::vp
