// SPDX-License-Identifier: Apache-2.0
// Workload files of SimAI (and of ASTRA-sim 1.0): the layers of a model, how long each computes, and which collectives
// run between.
//
//   HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 8 ga: 1 all_gpus: 8 …
//   2
//   name dependency forward_ns COLL octets input_grad_ns COLL octets weight_grad_ns COLL octets update_ns
//
// One pass. Forward, layer by layer: compute, then the collective. Backward, from the last layer: input gradient and
// its collective; then the weight gradient, whose collective the next layer does not wait for. Each rank goes on by
// itself, when what it waits for has arrived.
#pragma once

#include <string>
#include <vector>

#include "platforms/config.h"
#include "platforms/workload.h"

namespace weir::platforms {

/// The flows of a file over the hosts of `workload.ranks`. ALLREDUCE, ALLGATHER, REDUCESCATTER run on rings, ALLTOALL
/// at once; collectives of one rank take no time. Groups: of forward and input gradient, `model_parallel_NPU_group`
/// neighbouring ranks; of the weight gradient, the ranks with the same place in those groups; with _EP, `ep` of the
/// latter that are next to each other; with _DP_EP, those with the same place among these. Throws config_error with
/// line and column.
[[nodiscard]] std::vector<flow> read_simai(const std::string& path, const platform_config& platform);

}  // namespace weir::platforms
