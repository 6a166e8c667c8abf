// SPDX-License-Identifier: Apache-2.0
// Stars of hosts whose switch marks: for tests of DCQCN and DCTCP.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/system/fabric.h"

namespace weir::system_test {

/// The queue ${marked} marks; 0 and 3 are served alike; answers in class 6, strict.
inline std::string marking_script() {
    return std::string(fabric_script) + R"(map dscp 48 tc 6
map tc 6 pg 6
wred profile 1 green min ${kmin} max ${kmax} probability ${pmax}%
interface 0-${last_port}
  queue ${marked} wred profile 1 ecn
  queue 0,3 scheduler dwrr 1
  queue 6 scheduler strict
exit
)";
}

/// A star of hosts. `sends`: lines "source,destination" of endless flows, of priority 3 unless ",priority,dscp" follow.
inline platforms::platform_config star(const platforms::testing::temporary_folder& folder, std::uint32_t hosts,
                                       const std::string& rate, const std::string& host_keys,
                                       const std::vector<std::string>& sends, const std::vector<std::string>& program,
                                       std::uint32_t payload = 1024) {
    std::string flows = "start,octets,source,destination,priority,dscp\n";
    for (const auto& line : sends) {
        const bool whole = std::count(line.begin(), line.end(), ',') > 1;
        flows += "0,100GB," + line + (whole ? "\n" : ",3,24\n");
    }
    platforms::load_options options;
    options.program = program;
    options.program.insert(options.program.begin(), "marked=3");  // what `program` says stands behind it and counts
    return fabric(folder,
                  fmt::format("[topology]\nkind='star'\nhosts={}\nhost_rate='{}'\n[switches]\ncell_octets=64\n"
                              "cells=1000000\n[routes]\nkind='shortest_path'\n[hosts]\n{}\n"
                              "[workload]\nkind='flows'\nfile='f.csv'\nframe={}\n",
                              hosts, rate, host_keys, payload),
                  {{"switch.cfg", marking_script()}, {"f.csv", flows}}, options);
}

constexpr const char* dcqcn = "transport='rc'\ncontrol='dcqcn'\n";

/// Senders 1 to n to host 0.
inline std::vector<std::string> incast(std::uint32_t n) {
    std::vector<std::string> sends;
    for (std::uint32_t h = 1; h <= n; ++h) sends.push_back(fmt::format("h{},h0", h));
    return sends;
}

inline mmu::cells queue_of(network& n, std::uint16_t port, std::uint8_t queue = 3) {
    return n.machine.chip(0).memory().queue(port, queue).used();
}

}  // namespace weir::system_test
