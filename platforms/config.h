// SPDX-License-Identifier: Apache-2.0
// What a platform consists of: its hardware, its workload, and the script that programs it. Read from TOML, strictly.
//
//   platform.toml ─┐                                       ┌─ switches, hosts, registers   → builder
//   --hw KEY=VALUE ┼─► load_platform ─► platform_config ───┼─ workload                     → workload.h
//   --set N=VALUE ─┘                                       └─ program: script and ${values} → the driver's shell
//
// The members' initialisers are the defaults; keys.h binds every member to its key, unit, range and meaning. Nothing
// here leads into a threshold: what is programmed goes through the script and the registers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/ethernet/headers.h"
#include "models/ethernet/rocev2.h"
#include "models/timeline/time.h"

namespace weir::platforms {

/// Bad input. what() is the whole message: "file:line:column: what is wrong", and below it, indented, what would be
/// right. The program prints it and exits with 2.
class config_error : public std::runtime_error {
public:
    config_error(const std::string& where, const std::string& what, const std::string& right = {});
};

/// A switch's port and the cable that is plugged into it.
struct port_config {
    std::uint32_t count{1};  ///< of such ports in a row; 1 in what load_platform returns
    data_rate rate{*data_rate::from_megabits(100'000)};
    std::uint32_t cable_metres{3};
    std::string peer{"host"};     ///< "host", "none", or the name of a [host.NAME]
    std::int32_t clock_ppm{0};    ///< this port's clock against the nominal rate
    picoseconds start_jitter{0};  ///< the port's first transmission opportunity is later by up to this much
    picoseconds pfc_response{0};  ///< from the last octet of a pause frame to the closing of the gate
};

/// Where frames wait, and how inputs and outputs are matched if not at the egress (models/scheduler/crossbar.h).
enum class queueing_kind : std::uint8_t { output, ingress_fifo, voq };
enum class matching_kind : std::uint8_t { maximal, single };

struct switch_config {
    std::string name;
    std::uint32_t cell_octets{256};
    std::uint32_t cells{65'536};
    std::uint32_t frame_overhead{0};  ///< octets added to each frame before it is cut into cells
    std::uint32_t pools{8};
    std::uint32_t wred_profiles{16};
    queueing_kind queueing{queueing_kind::output};
    matching_kind matching{matching_kind::maximal};
    picoseconds pipeline_latency{0};          ///< parse, look up, admit: last octet in to the egress queue
    picoseconds phy_latency{0};               ///< each way, each port
    picoseconds fec_latency{0};               ///< each way, each port
    picoseconds init_time{microseconds(20)};  ///< buffer memory's initialisation, polled by the driver
    std::uint32_t core_clock_khz{1'000'000};
    std::string topology;            ///< HPCC topology file that gives ports, rates and cables instead of [[ports]]
    std::vector<port_config> ports;  ///< by port number
};

/// An end station and where it is plugged in.
struct host_config {
    std::string name;
    ethernet::mac_address mac{};
    ethernet::ipv4_address ip{};
    bool obey_pfc{true};
    bool obey_pause{true};
    picoseconds pfc_response{0};
    std::int32_t clock_ppm{0};
    picoseconds start_jitter{0};  ///< its first frame is later by up to this much
    bool dcbx{false};             ///< it says by LLDP what it does, and does what it says
    bool dcbx_willing{false};
    std::uint32_t dcbx_pfc{0};  ///< a bit a priority
    std::uint32_t dcbx_pfc_capability{8};
    std::string dcbx_ets;  ///< eight words, of the classes 0 to 7: "strict" or a percentage; empty: says nothing of it
    std::uint32_t switch_index{0};
    std::uint32_t port{0};
    std::uint32_t node{0};  ///< its id in HPCC files: as the topology has it, else its number
};

enum class access_policy : std::uint8_t { bus_error, log, ignore };

/// The way from the driver to the registers.
struct register_config {
    picoseconds read_latency{nanoseconds(100)};
    picoseconds write_latency{nanoseconds(20)};
    bool posted_writes{false};  ///< a write returns at once and takes effect write_latency later
    access_policy on_error{access_policy::bus_error};
};

/// What the driver of each switch runs on: a thread of this program, or the RISC-V core of a board as firmware.
enum class cpu_kind : std::uint8_t { native, riscv };

struct cpu_config {
    cpu_kind kind{cpu_kind::native};
    std::string firmware;  ///< an ELF file for the core; empty: the driver that comes with Weir
    std::uint32_t clock_khz{1'000'000};
    std::uint64_t ram{8 << 20};             ///< octets
    picoseconds quantum{microseconds(10)};  ///< how far a CPU may run ahead; it changes no result
};

enum class workload_kind : std::uint8_t { none, incast, permutation, flows, capture, hpcc };

struct workload_config {
    workload_kind kind{workload_kind::none};
    std::string file;                  ///< flows, capture, hpcc
    std::vector<std::string> senders;  ///< incast: hosts by name or number; empty: all but the receiver
    std::string receiver{"0"};         ///< incast
    std::uint32_t shift{1};            ///< permutation: host i sends to host (i + shift) modulo their number
    std::uint64_t octets{1 << 20};     ///< of each generated flow
    std::uint32_t priority{3};
    std::int32_t dscp{-1};  ///< -1: eight times the priority
    ethernet::ecn congestion{ethernet::ecn::not_ect};
    std::int64_t rate{0};       ///< bits a second of each flow on the wire; 0: the port's
    std::uint32_t frame{4096};  ///< payload octets of each frame
    picoseconds start{0};       ///< after workload time zero
    std::string port{"0"};      ///< capture: the host that replays it
    double speed{1.0};          ///< capture: times its own speed; 0: as fast as the port can
    bool fcs_included{false};   ///< capture: frames end with their FCS (pcapng files that say so need not)
};

struct platform_config {
    std::string name;
    std::string file;                                   ///< the TOML file, as messages call it
    std::string program;                                ///< the script's path; empty: nothing is programmed
    std::map<std::string, std::string> program_values;  ///< for ${name} in the script
    std::vector<switch_config> switches;                ///< sorted by name
    std::vector<host_config> hosts;                     ///< by switch, then port; a host's number is its place
    register_config registers;
    cpu_config cpu;
    workload_config workload;

    std::map<std::string, std::string> sources;

    /// Where a key was given ("file:line:column" or "--hw …"), for messages; the file where it was not.
    [[nodiscard]] std::string where(const std::string& key) const;
};

struct load_options {
    std::vector<std::string> hardware;  ///< KEY=VALUE of --hw, applied in order before anything is judged
    std::vector<std::string> program;   ///< NAME=VALUE of --set
    std::string workload_file;          ///< of --workload: its ending says what it is (.csv, .pcap, .pcapng, .txt)
};

/// Reads, overrides, judges. `path` may lack its ".toml". Throws config_error.
[[nodiscard]] platform_config load_platform(const std::string& path, const load_options& options = {});

/// The same from text; `file` is what messages call it, and relative paths start from its folder.
[[nodiscard]] platform_config parse_platform(std::string_view text, const std::string& file,
                                             const load_options& options = {});

/// The number of the host that `name` means: its name or its number.
[[nodiscard]] std::optional<std::uint32_t> find_host(const platform_config& platform, std::string_view name);

/// "h0 h1 … h7", for messages.
[[nodiscard]] std::string host_names(const platform_config& platform);

}  // namespace weir::platforms
