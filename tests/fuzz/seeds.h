// SPDX-License-Identifier: Apache-2.0
// How many seeds the random tests take: a dozen, or, for a long night, as many as WEIR_FUZZ_SEEDS says.
#pragma once

#include <cstdlib>

namespace weir::fuzz {

/// One beyond the last seed; the first is 1.
inline int end_of_seeds() {
    const char* wanted = std::getenv("WEIR_FUZZ_SEEDS");
    return wanted != nullptr ? std::atoi(wanted) + 1 : 13;
}

}  // namespace weir::fuzz
