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
#include "models/host/transport_parameters.h"
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
    std::string peer{"host"};       ///< "host", "none", or the name of a [host.NAME] or of another switch
    std::int32_t clock_ppm{0};      ///< this port's clock against the nominal rate
    std::uint32_t clock_spread{0};  ///< ppm, drawn from the seed and added: up to so much slower or faster
    picoseconds start_jitter{0};    ///< the port's first transmission opportunity is later by up to this much
    picoseconds pfc_response{0};    ///< from the last octet of a pause frame to the closing of the gate
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
    std::string program;             ///< its own script; empty: the platform's
    std::vector<port_config> ports;  ///< by port number
};

/// One end of a cable.
struct link_end {
    std::uint32_t switch_index{0};
    std::uint32_t port{0};
};

/// A cable between two switches; `a` is the end at the switch that comes first. Both ports have its rate and length.
struct link_config {
    link_end a;
    link_end b;
};

/// A shape of switches, hosts and cables that need not be written out (platforms/topology.h).
enum class topology_kind : std::uint8_t { none, star, chain, ring, leaf_spine, fat_tree, dumbbell, parking_lot, hpcc };

struct topology_config {
    topology_kind kind{topology_kind::none};
    std::string file;           ///< hpcc
    std::uint32_t switches{3};  ///< chain, ring, parking_lot
    std::uint32_t hosts{0};     ///< at each switch that has hosts; 0: what the shape says
    std::uint32_t leaves{4};
    std::uint32_t spines{0};  ///< 0: as many as the oversubscription asks for
    double oversubscription{1.0};
    std::uint32_t radix{4};  ///< fat_tree: ports of a switch
    std::uint32_t links{1};  ///< between two switches that are linked
    data_rate host_rate{*data_rate::from_megabits(100'000)};
    data_rate link_rate{*data_rate::from_megabits(100'000)};
    std::uint32_t host_cable{3};
    std::uint32_t link_cable{30};
    picoseconds pfc_response{0};  ///< of every port of every switch
    picoseconds start_jitter{0};
    std::uint32_t clock_spread{0};
};

/// Where the switches' forwarding tables come from: their scripts alone, shortest paths, or a file.
enum class routing_kind : std::uint8_t { script, shortest_path, file };

struct routes_config {
    routing_kind kind{routing_kind::script};
    std::string file;
    picoseconds delay{microseconds(1000)};  ///< from a link's failure or repair to the drivers' first write
};

/// A cable between two switches, or to a host, that is pulled for a while.
struct failure_config {
    std::string from;         ///< a switch
    std::string to;           ///< another one, or a host
    std::uint32_t number{0};  ///< which of parallel ones
    picoseconds at{0};        ///< after workload time zero
    picoseconds repair{0};    ///< the same; 0: never
};

/// How a host sends RoCEv2 flows: nobody acknowledges, or over reliable connections.
enum class transport_kind : std::uint8_t { open, rc };
/// Whose parameters DCQCN has where none are given.
enum class dcqcn_preset : std::uint8_t { paper, hpcc_paper, hpcc, nvidia, ns3_rdma };

/// A host's reliable connections and congestion control; models/host/transport_parameters.h and dcqcn.h say what each
/// member is.
struct host_transport_config {
    transport_kind transport{transport_kind::open};
    host::recovery_kind recovery{host::recovery_kind::go_back_n};
    std::uint64_t window{0};
    std::uint32_t ack_every{16};
    picoseconds rto{microseconds(16'000)};
    std::uint32_t retries{7};
    std::uint32_t first_psn{0};
    std::uint32_t ack_priority{6};
    std::uint32_t ack_dscp{48};
    std::uint32_t cnp_priority{6};
    std::uint32_t cnp_dscp{48};
    host::congestion_control control{host::congestion_control::none};
    platforms::dcqcn_preset dcqcn_preset{platforms::dcqcn_preset::paper};
    picoseconds dcqcn_cnp_interval{microseconds(50)};
    picoseconds dcqcn_alpha_timer{microseconds(55)};
    picoseconds dcqcn_decrease_interval{microseconds(50)};
    picoseconds dcqcn_increase_timer{microseconds(55)};
    std::uint64_t dcqcn_byte_counter{10'000'000};
    std::uint32_t dcqcn_threshold{5};
    std::int64_t dcqcn_rai{40'000'000};
    std::int64_t dcqcn_rhai{200'000'000};
    double dcqcn_g{1.0 / 256};
    double dcqcn_initial_alpha{1};
    std::int64_t dcqcn_min_rate{1'000'000};
    bool dcqcn_clamp_target{true};
    host::dcqcn_order dcqcn_order{host::dcqcn_order::cut_first};
    host::dcqcn_hyper dcqcn_hyper{host::dcqcn_hyper::growing};
    double dctcp_g{1.0 / 16};
    std::uint64_t dctcp_initial_window{65'536};
    double dctcp_initial_alpha{1};
};

/// An end station and where it is plugged in.
struct host_config : host_transport_config {
    std::string name;
    ethernet::mac_address mac{};
    ethernet::ipv4_address ip{};
    bool obey_pfc{true};
    bool obey_pause{true};
    picoseconds pfc_response{0};
    std::int32_t clock_ppm{0};
    std::uint32_t clock_spread{0};
    picoseconds start_jitter{0};        ///< its first frame is later by up to this much
    std::uint32_t hop_limit{64};        ///< of the frames that it sends
    std::uint32_t storm_priorities{0};  ///< a bit a priority that it pauses without a reason; 0: it does not
    picoseconds storm_start{0};         ///< after workload time zero
    picoseconds storm_duration{0};      ///< 0: for ever
    picoseconds storm_interval{microseconds(50)};
    std::int64_t receive_rate{0};  ///< bits a second that it takes out of its buffer; 0: as fast as the line
    std::uint64_t receive_buffer{1 << 20};
    std::uint64_t receive_xoff{1 << 19};
    std::uint64_t receive_xon{1 << 18};
    bool dcbx{false};  ///< it says by LLDP what it does, and does what it says
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

enum class workload_kind : std::uint8_t {
    none,
    incast,
    permutation,
    poisson,
    all_to_all,
    ring_all_reduce,
    tree_all_reduce,
    all_gather,
    reduce_scatter,
    flows,
    capture,
    hpcc,
    simai,
};
/// all_to_all: everybody sends to everybody at once, or in steps.
enum class exchange_kind : std::uint8_t { simultaneous, shifted };

struct workload_config {
    workload_kind kind{workload_kind::none};
    std::string file;                    ///< flows, capture, hpcc, simai
    std::vector<std::string> senders;    ///< incast, poisson: hosts by name or number; empty: all but the receiver
    std::string receiver{"0"};           ///< incast
    picoseconds period{0};               ///< incast: from one to the next
    std::uint32_t repetitions{1};        ///< incast
    std::vector<std::string> receivers;  ///< poisson; empty: all
    std::string sizes{"web_search"};     ///< poisson: a distribution's name or file
    double load{0.5};                    ///< poisson: payload over line rate, of each sender
    picoseconds duration{0};             ///< poisson: no flow starts later; 0: count ends it
    std::uint32_t count{0};              ///< poisson: flows in all; 0: duration ends it
    std::vector<std::string> ranks;      ///< collectives: hosts, by rank; empty: all
    exchange_kind exchange{exchange_kind::simultaneous};
    std::uint32_t pieces{1};        ///< tree_all_reduce
    std::uint32_t shift{1};         ///< permutation: host i sends to host (i + shift) modulo their number
    std::uint64_t octets{1 << 20};  ///< of each generated flow
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

/// A capture that a host replays, whatever else runs.
struct replay_config {
    std::string file;
    std::string port{"0"};     ///< the host
    double speed{1.0};         ///< times its own; 0: as fast as the port can
    bool fcs_included{false};  ///< frames end with their FCS
};

struct platform_config {
    std::string name;
    std::string file;                                   ///< the TOML file, as messages call it
    std::string program;                                ///< the script's path; empty: nothing is programmed
    std::map<std::string, std::string> program_values;  ///< for ${name} in the script
    std::vector<switch_config> switches;                ///< sorted by name
    std::vector<link_config> links;                     ///< by switch and port of end `a`
    std::vector<host_config> hosts;                     ///< by switch, then port; a host's number is its place
    topology_config topology;
    routes_config routes;
    std::vector<failure_config> failures;
    register_config registers;
    cpu_config cpu;
    workload_config workload;
    std::vector<replay_config> replays;

    std::map<std::string, std::string> sources;

    /// Where a key was given ("file:line:column" or "--hw …"), for messages; the file where it was not.
    [[nodiscard]] std::string where(const std::string& key) const;
};

struct load_options {
    std::vector<std::string> hardware;    ///< KEY=VALUE of --hw, applied in order before anything is judged
    std::vector<std::string> program;     ///< NAME=VALUE of --set
    std::string program_option{"--set"};  ///< what the command calls that option
    std::string workload_file;            ///< of --workload: its ending says what it is (.csv, .pcap, .pcapng, .txt)
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

/// The script of a switch, its own or the platform's; empty: none.
[[nodiscard]] const std::string& program_of(const platform_config& platform, std::uint32_t switch_index);

}  // namespace weir::platforms
