// SPDX-License-Identifier: Apache-2.0
// Stars of hosts whose switch marks: for tests of DCQCN.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/system/fabric.h"

namespace weir::system_test {

/// Priority 3 lossless and marked, answers in class 6, strict.
constexpr const char* marking_script = R"(pool create lossless ingress size ${pool} cells
map dscp 24 tc 3
map tc 3 pg 3
map dscp 48 tc 6
map tc 6 pg 6
wred profile 1 green min ${kmin} max ${kmax} probability ${pmax}%
interface 0-${last_port}
  mac ${mac}
  mtu 9216
  pg all guaranteed 8
  pg 0-2,4-7 limit 256
  pfc enable priority 3
  pfc pause-threshold ${xoff}
  pfc resume-threshold ${xon}
  pfc headroom ${headroom} cells
  queue 0-2,4-7 limit 1024
  queue 3 wred profile 1 ecn
  queue 6 scheduler strict
  no shutdown
exit
)";

/// A star of hosts. `sends`: lines "source,destination" of endless flows.
inline platforms::platform_config star(const platforms::testing::temporary_folder& folder, std::uint32_t hosts,
                                       const std::string& rate, const std::string& host_keys,
                                       const std::vector<std::string>& sends, const std::vector<std::string>& program,
                                       std::uint32_t payload = 1024) {
    std::string flows = "start,source,destination,octets\n";
    for (const auto& line : sends) flows += "0," + line + ",100GB\n";
    platforms::load_options options;
    options.program = program;
    return fabric(folder,
                  fmt::format("[topology]\nkind='star'\nhosts={}\nhost_rate='{}'\n[switches]\ncell_octets=64\n"
                              "cells=1000000\n[routes]\nkind='shortest_path'\n[hosts]\n{}\n"
                              "[workload]\nkind='flows'\nfile='f.csv'\nframe={}\n",
                              hosts, rate, host_keys, payload),
                  {{"switch.cfg", marking_script}, {"f.csv", flows}}, options);
}

constexpr const char* dcqcn = "transport='rc'\ncontrol='dcqcn'\n";

/// Senders 1 to n to host 0.
inline std::vector<std::string> incast(std::uint32_t n) {
    std::vector<std::string> sends;
    for (std::uint32_t h = 1; h <= n; ++h) sends.push_back(fmt::format("h{},h0", h));
    return sends;
}

inline mmu::cells queue_of(network& n, std::uint16_t port) {
    return n.machine.chip(0).memory().queue(port, 3).used();
}

}  // namespace weir::system_test
