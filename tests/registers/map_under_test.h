// SPDX-License-Identifier: Apache-2.0
// The register map that a test program's driver was built for. A driver's names are the same for every map, so each map
// has a program of its own, made of the same tests.
#pragma once

#include "models/registers/map.h"

namespace weir::registers {

const map& map_under_test();

}  // namespace weir::registers
