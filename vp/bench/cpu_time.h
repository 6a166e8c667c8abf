// SPDX-License-Identifier: Apache-2.0
// The processor time of this process, for benches.
#pragma once

#include <ctime>

namespace weir::vp {

/// In seconds.
inline double cpu_now() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

}  // namespace weir::vp
