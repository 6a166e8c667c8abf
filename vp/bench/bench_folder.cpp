// SPDX-License-Identifier: Apache-2.0
#include "vp/bench/bench_folder.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace weir::vp {
namespace {

constexpr const char* benched_platform =
    "[platform]\nname = \"bench\"\nprogram = \"bench.cfg\"\n[program]\nxoff = 6800\n[switch.s0]\n"
    "[[switch.s0.ports]]\ncount = 8\nrate = \"400G\"\ncable = \"100m\"\npeer = \"host\"\n"
    "[workload]\nkind = \"incast\"\nreceiver = 0\noctets = \"8MiB\"\npriority = 3\nframe = 1000\n";

constexpr const char* benched_script =
    "pool create lossless ingress size 58000 cells\nmap dscp 24 tc 3\nmap tc 3 pg 3\ninterface all\n"
    "pg 3 guaranteed 8\npfc enable priority 3\npfc pause-threshold ${xoff}\npfc resume-threshold 2048\n"
    "pfc headroom 768 cells\nno shutdown\nexit\nmac-table add 02:00:00:00:00:00 port 0\n";

}  // namespace

bench_folder::bench_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "weir_bench.XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("weir bench: no temporary folder");
    path_ = name;
    std::ofstream(path_ + "/bench.cfg") << benched_script;
    std::ofstream(path_ + "/bench.toml") << benched_platform;
}

bench_folder::~bench_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace weir::vp
