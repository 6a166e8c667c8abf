// SPDX-License-Identifier: Apache-2.0
// Binds the pipeline to its registers: the class maps of map.*, and the indirect forwarding tables of fwd.*.
#pragma once

#include <functional>
#include <string>

#include "models/pipeline/pipeline.h"
#include "models/registers/bank.h"
#include "models/timeline/timeline.h"

namespace weir::pipeline {

/// `name`: of the forwarding unit among the timeline's actors. `on_bit_error`: called when a command met one.
void bind_registers(pipeline& p, registers::bank& bank, timeline& time, const std::string& name,
                    std::function<void()> on_bit_error);

}  // namespace weir::pipeline
