// SPDX-License-Identifier: Apache-2.0
#include "tests/registers/map_under_test.h"

namespace weir::registers {

const map& map_under_test() {
    return weir_map();
}

}  // namespace weir::registers
