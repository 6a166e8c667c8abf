// SPDX-License-Identifier: Apache-2.0
#include "tests/registers/second_map.h"
#include "tests/registers/map_under_test.h"

namespace weir::registers {

const map& map_under_test() {
    return second_map();
}

}  // namespace weir::registers
