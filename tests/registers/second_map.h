// SPDX-License-Identifier: Apache-2.0
// The second map (tests/registers/second.map.toml): the same registers, laid out by somebody else.
#pragma once

#include "models/registers/map.h"

namespace weir::registers {

const map& second_map();

}  // namespace weir::registers
