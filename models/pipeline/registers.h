// SPDX-License-Identifier: Apache-2.0
// Binds the pipeline to its registers: the class maps of map.*, and the indirect forwarding tables of fwd.*.
#pragma once

#include "models/pipeline/pipeline.h"
#include "models/registers/bank.h"

namespace weir::pipeline {

void bind_registers(pipeline& p, registers::bank& bank);

}  // namespace weir::pipeline
