// SPDX-License-Identifier: Apache-2.0
// The keys of each section and the members they set.
#include "platforms/keys.h"

#include "platforms/host_transport.h"

namespace weir::platforms {
namespace {

using kind = value_kind;
constexpr double mega = 1e6;

/// [platform]: members of the whole configuration.
const std::vector<bound_key<platform_config>> platform_keys{
    {{"platform.name", kind::text, "", 0, 0, "What the platform is called in results. Default: the file's name."},
     &platform_config::name},
    {{"platform.program", kind::file, "", 0, 0,
      "Script of shell commands that programs the hardware through the driver, relative to the platform's file. "
      "${name} in it comes from [program] or --set."},
     &platform_config::program},
};

const std::vector<bound_key<topology_config>> topology_keys{
    {{"topology.kind", kind::choice, "none star chain ring leaf_spine fat_tree dumbbell parking_lot hpcc", 0, 0,
      "A shape that gives switches, ports, hosts and cables; [switch.NAME] then gives what a switch has of its own, "
      "[switches] what all have. hpcc: a topology file of the HPCC simulator."},
     &topology_config::kind},
    {{"topology.file", kind::file, "", 0, 0, "hpcc: the topology file, relative to the platform's file."},
     &topology_config::file},
    {{"topology.switches", kind::whole_number, "switches", 1, 1024, "chain, ring, parking_lot: how many."},
     &topology_config::switches},
    {{"topology.hosts", kind::whole_number, "hosts", 0, 127,
      "At each switch that has hosts; 0: radix / 2 in a fat tree, 2 elsewhere. parking_lot: one more at the last "
      "switch."},
     &topology_config::hosts},
    {{"topology.leaves", kind::whole_number, "switches", 1, 512, "leaf_spine: switches with hosts."},
     &topology_config::leaves},
    {{"topology.spines", kind::whole_number, "switches", 0, 128,
      "leaf_spine: switches between the leaves; 0: as many as oversubscription asks for."},
     &topology_config::spines},
    {{"topology.oversubscription", kind::real_number, "", 0.01, 100,
      "leaf_spine with spines = 0: rate of a leaf's hosts over that of its links, at most."},
     &topology_config::oversubscription},
    {{"topology.radix", kind::whole_number, "ports", 2, 128,
      "fat_tree: ports of a switch, even: radix pods, (radix / 2)^2 core switches, radix^3 / 4 hosts unless `hosts` "
      "says otherwise."},
     &topology_config::radix},
    {{"topology.links", kind::whole_number, "cables", 1, 64, "Cables between two switches that are linked."},
     &topology_config::links},
    {{"topology.host_rate", kind::ethernet_rate, "", 0, 0, "Line rate of hosts."}, &topology_config::host_rate},
    {{"topology.link_rate", kind::ethernet_rate, "", 0, 0, "Line rate between switches."}, &topology_config::link_rate},
    {{"topology.host_cable", kind::metres, "m", 0, 100'000, "Length of a host's cable, 5 ns a metre."},
     &topology_config::host_cable},
    {{"topology.link_cable", kind::metres, "m", 0, 100'000, "Length of a cable between switches."},
     &topology_config::link_cable},
    {{"topology.pfc_response", kind::duration, "", 0, mega, "pfc_response of every port of the switches."},
     &topology_config::pfc_response},
    {{"topology.start_jitter", kind::duration, "", 0, mega, "start_jitter of every port of the switches."},
     &topology_config::start_jitter},
    {{"topology.clock_spread", kind::whole_number, "ppm", 0, 200, "clock_spread of every port of the switches."},
     &topology_config::clock_spread},
};

const std::vector<bound_key<routes_config>> routes_keys{
    {{"routes.kind", kind::choice, "script shortest_path file", 0, 0,
      "What the drivers load into the forwarding tables after their scripts: nothing; all shortest paths to each host, "
      "equal ones as an ECMP group; or what a file says."},
     &routes_config::kind},
    {{"routes.file", kind::file, "", 0, 0,
      "file: CSV with the columns switch, destination (a host, or all) and ports (\"2\", or \"2 3\" to spread)."},
     &routes_config::file},
    {{"routes.delay", kind::duration, "", 0, 1000 * mega,
      "shortest_path: from a link's failure or repair until the drivers begin to change their routes."},
     &routes_config::delay},
};

const std::vector<bound_key<failure_config>> failure_keys{
    {{"failure[].from", kind::text, "", 0, 0, "A switch whose cable is pulled."}, &failure_config::from},
    {{"failure[].to", kind::text, "", 0, 0, "The switch or host at the cable's other end."}, &failure_config::to},
    {{"failure[].number", kind::whole_number, "", 0, 127, "Which one, where several cables join the two."},
     &failure_config::number},
    {{"failure[].at", kind::duration, "", 0, 1e12, "When it is pulled, after workload time zero."},
     &failure_config::at},
    {{"failure[].repair", kind::duration, "", 0, 1e12, "When it is plugged in again; 0: never."},
     &failure_config::repair},
};

const std::vector<bound_key<register_config>> register_keys{
    {{"registers.read_latency", kind::duration, "", 0, mega, "Time from a register read to its answer."},
     &register_config::read_latency},
    {{"registers.write_latency", kind::duration, "", 0, mega, "Time that a register write takes to arrive."},
     &register_config::write_latency},
    {{"registers.posted_writes", kind::truth, "", 0, 0,
      "Writes return at once and arrive write_latency later, so that a missing read-back shows."},
     &register_config::posted_writes},
    {{"registers.on_error", kind::choice, "bus_error log ignore", 0, 0,
      "What software sees of a failed access: a bus error, or zeros with a line in the log, or zeros. The chip's own "
      "error registers record it in any case."},
     &register_config::on_error},
};

const std::vector<bound_key<cpu_config>> cpu_keys{
    {{"cpu.kind", kind::choice, "native riscv", 0, 0,
      "What the driver of each switch runs on: natively in this program, or as firmware on a RISC-V core of its own."},
     &cpu_config::kind},
    {{"cpu.firmware", kind::file, "", 0, 0,
      "ELF file that the core runs, relative to the platform's file. Default: the driver that comes with Weir."},
     &cpu_config::firmware},
    {{"cpu.clock_khz", kind::whole_number, "kHz", 1000, 10'000'000,
      "Clock of the core: an instruction takes a period, rounded to a picosecond, and what the bus takes."},
     &cpu_config::clock_khz},
    {{"cpu.ram", kind::octets, "", 65'536, 268'435'456, "Memory of the core, in whole pages of 4096 octets."},
     &cpu_config::ram},
    {{"cpu.quantum", kind::duration, "", 0, mega,
      "How far a CPU may run ahead of the rest at once. It changes no result, only speed."},
     &cpu_config::quantum},
};

const std::vector<bound_key<switch_config>> switch_keys{
    {{"switch.*.cell_octets", kind::whole_number, "octets", 32, 4096, "Size of a buffer cell (rule R1)."},
     &switch_config::cell_octets},
    {{"switch.*.cells", kind::whole_number, "cells", 1, 16'777'214, "Cells of the whole packet buffer."},
     &switch_config::cells},
    {{"switch.*.frame_overhead", kind::whole_number, "octets", 0, 256,
      "Octets that each frame takes in its cells beyond its length (rule R1)."},
     &switch_config::frame_overhead},
    {{"switch.*.pools", kind::whole_number, "pools", 2, 16,
      "Buffer pools that the chip has: one a direction at least."},
     &switch_config::pools},
    {{"switch.*.wred_profiles", kind::whole_number, "profiles", 1, 16, "WRED/ECN profiles that the chip has."},
     &switch_config::wred_profiles},
    {{"switch.*.queueing", kind::choice, "output ingress_fifo voq", 0, 0,
      "Where frames wait: at their egress port, in one FIFO a class of their ingress port, or there in one a class and "
      "egress port (virtual output queues)."},
     &switch_config::queueing},
    {{"switch.*.matching", kind::choice, "maximal single", 0, 0,
      "With frames that wait at their ingress port: whether an output that comes too late for one head takes another, "
      "or loses its turn (one iteration)."},
     &switch_config::matching},
    {{"switch.*.pipeline_latency", kind::duration, "", 0, mega,
      "From a frame's last octet at the parser to its egress queue: parse, look up, admit."},
     &switch_config::pipeline_latency},
    {{"switch.*.phy_latency", kind::duration, "", 0, mega, "Delay of the PHY of each port, each way."},
     &switch_config::phy_latency},
    {{"switch.*.fec_latency", kind::duration, "", 0, mega, "Delay of error correction of each port, each way."},
     &switch_config::fec_latency},
    {{"switch.*.init_time", kind::duration, "", 0, 1000 * mega,
      "How long the buffer memory's initialisation takes, which the driver polls for."},
     &switch_config::init_time},
    {{"switch.*.core_clock_khz", kind::whole_number, "kHz", 1'000, 10'000'000,
      "Core clock that the capability register reports."},
     &switch_config::core_clock_khz},
    {{"switch.*.program", kind::file, "", 0, 0, "The switch's own script, instead of platform.program."},
     &switch_config::program},
};

const std::vector<bound_key<port_config>> port_keys{
    {{"switch.*.ports[].count", kind::whole_number, "ports", 1, 128, "How many such ports stand in a row."},
     &port_config::count},
    {{"switch.*.ports[].rate", kind::ethernet_rate, "", 0, 0, "Line rate of the port and its link."},
     &port_config::rate},
    {{"switch.*.ports[].cable", kind::metres, "m", 0, 100'000, "Length of the cable, 5 ns a metre."},
     &port_config::cable_metres},
    {{"switch.*.ports[].peer", kind::text, "", 0, 0,
      "What the cable leads to: \"host\" (an end station named h and the port's number), \"none\", the name of a "
      "[host.NAME], or that of another switch: its first port that names this switch, for the second the second."},
     &port_config::peer},
    {{"switch.*.ports[].clock_ppm", kind::whole_number, "ppm", -200, 200,
      "How much faster the port's transmit clock is than nominal."},
     &port_config::clock_ppm},
    {{"switch.*.ports[].clock_spread", kind::whole_number, "ppm", 0, 200,
      "Drawn from the seed and added to clock_ppm: up to so much slower or faster."},
     &port_config::clock_spread},
    {{"switch.*.ports[].start_jitter", kind::duration, "", 0, mega,
      "The port's first transmission is delayed by up to this much, drawn from the seed."},
     &port_config::start_jitter},
    {{"switch.*.ports[].pfc_response", kind::duration, "", 0, mega,
      "From the last octet of a received pause frame to the closing of the gate (rule G6). 802.3 Annex 31B allows 905 "
      "quanta at 400G, 394 at 100G."},
     &port_config::pfc_response},
};

const std::vector<bound_key<host_config>> host_keys{
    {{"host.*.mac", kind::mac, "", 0, 0,
      "The end station's MAC address. Default: 02:00:00:, the switch's number in two octets, the port's number."},
     &host_config::mac},
    {{"host.*.ip", kind::ipv4, "", 0, 0,
      "The end station's IPv4 address. Default: 10., the switch's number in two octets, the port's number plus one."},
     &host_config::ip},
    {{"host.*.obey_pfc", kind::truth, "", 0, 0, "Whether the station stops for PFC."}, &host_config::obey_pfc},
    {{"host.*.obey_pause", kind::truth, "", 0, 0, "Whether the station stops for 802.3x PAUSE."},
     &host_config::obey_pause},
    {{"host.*.pfc_response", kind::duration, "", 0, mega,
      "From the last octet of a received pause frame to the station's last frame start."},
     &host_config::pfc_response},
    {{"host.*.clock_ppm", kind::whole_number, "ppm", -200, 200,
      "How much faster the station's transmit clock is than nominal."},
     &host_config::clock_ppm},
    {{"host.*.clock_spread", kind::whole_number, "ppm", 0, 200,
      "Drawn from the seed and added to clock_ppm: up to so much slower or faster."},
     &host_config::clock_spread},
    {{"host.*.start_jitter", kind::duration, "", 0, mega,
      "The station's first frame is delayed by up to this much, drawn from the seed."},
     &host_config::start_jitter},
    {{"host.*.hop_limit", kind::whole_number, "", 1, 255,
      "Time to live of the IPv4 packets that the station sends: each switch that routes one takes one off, and drops "
      "it "
      "instead when none is left."},
     &host_config::hop_limit},
    {{"host.*.storm_priorities", kind::whole_number, "", 0, 255,
      "A broken NIC: priorities that it pauses whatever it receives, a bit each: 8 is priority 3."},
     &host_config::storm_priorities},
    {{"host.*.storm_start", kind::duration, "", 0, 1e12, "When the storm begins, after workload time zero."},
     &host_config::storm_start},
    {{"host.*.storm_duration", kind::duration, "", 0, 1e12, "How long it lasts; 0: for ever."},
     &host_config::storm_duration},
    {{"host.*.storm_interval", kind::duration, "", 0, 1000 * mega,
      "Time between two of its frames, each for 65535 quanta; in whole quanta of 512 bit times, one at least."},
     &host_config::storm_interval},
    {{"host.*.receive_rate", kind::bit_rate, "", 0, 1.6e12,
      "A slow receiver: how fast it takes frames out of its buffer; 0: as fast as its line."},
     &host_config::receive_rate},
    {{"host.*.receive_buffer", kind::octets, "", 1, 1e12,
      "What a slow receiver's buffer holds; what does not fit is lost."},
     &host_config::receive_buffer},
    {{"host.*.receive_xoff", kind::octets, "", 0, 1e12,
      "A slow receiver pauses the priorities that come while its buffer holds so much; 0: never."},
     &host_config::receive_xoff},
    {{"host.*.receive_xon", kind::octets, "", 0, 1e12, "And lets them go at so much or less."},
     &host_config::receive_xon},
    {{"host.*.dcbx", kind::truth, "", 0, 0,
      "Whether the station speaks DCBX: it tells its priorities by LLDP and obeys PFC on those alone."},
     &host_config::dcbx},
    {{"host.*.dcbx_willing", kind::truth, "", 0, 0, "DCBX: whether it does as the switch says."},
     &host_config::dcbx_willing},
    {{"host.*.dcbx_pfc", kind::whole_number, "", 0, 255,
      "DCBX: priorities that PFC is enabled for, a bit each: 8 is priority 3."},
     &host_config::dcbx_pfc},
    {{"host.*.dcbx_pfc_capability", kind::whole_number, "", 0, 8,
      "DCBX: how many priorities PFC can be enabled for; 0 stands for 8."},
     &host_config::dcbx_pfc_capability},
    {{"host.*.dcbx_ets", kind::text, "", 0, 0,
      "DCBX: how classes 0 to 7 are served, eight words separated by commas: strict, or a percentage. Default: nothing "
      "is "
      "said of it."},
     &host_config::dcbx_ets},
};

const std::vector<bound_key<workload_config>> workload_keys{
    {{"workload.kind", kind::choice,
      "none incast permutation poisson all_to_all ring_all_reduce tree_all_reduce all_gather reduce_scatter flows "
      "capture hpcc simai",
      0, 0,
      "What runs: nothing; many to one; each host to another; flows at random; a collective operation; a flow list; a "
      "capture on a port; a flow file of the HPCC simulator; a workload file of SimAI."},
     &workload_config::kind},
    {{"workload.file", kind::file, "", 0, 0,
      "The flow list (flows: CSV; hpcc, simai: their own formats) or the capture, relative to the platform's file."},
     &workload_config::file},
    {{"workload.senders", kind::host_list, "", 0, 0,
      "incast, poisson: who sends, by name or number: [1, 2, \"h3\"]. Default: all but incast's receiver."},
     &workload_config::senders},
    {{"workload.receiver", kind::host, "", 0, 0, "incast: who receives."}, &workload_config::receiver},
    {{"workload.period", kind::duration, "", 0, 1e12, "incast: from the start of one to that of the next."},
     &workload_config::period},
    {{"workload.repetitions", kind::whole_number, "", 1, 1e6, "incast: how many, one a period."},
     &workload_config::repetitions},
    {{"workload.receivers", kind::host_list, "", 0, 0,
      "poisson: who receives; each flow goes to one of them at random, never to its sender. Default: all."},
     &workload_config::receivers},
    {{"workload.sizes", kind::text, "", 0, 0,
      "poisson: lengths of the flows: web_search, fb_hadoop, ali_storage, google_rpc, solar, or a file of two columns, "
      "octets and cumulative share, relative to the platform's file."},
     &workload_config::sizes},
    {{"workload.load", kind::real_number, "", 0.001, 10,
      "poisson: share of each sender's line rate that payload takes; above 1 flows pile up."},
     &workload_config::load},
    {{"workload.duration", kind::duration, "", 0, 1e12,
      "poisson: flows start for so long; 0: until there are `count`."},
     &workload_config::duration},
    {{"workload.count", kind::whole_number, "flows", 0, 1e7, "poisson: how many in all; 0: as many as `duration` has."},
     &workload_config::count},
    {{"workload.ranks", kind::host_list, "", 0, 0,
      "Collectives and simai: the hosts that take part, in the order of their ranks. Default: all."},
     &workload_config::ranks},
    {{"workload.exchange", kind::choice, "simultaneous shifted", 0, 0,
      "all_to_all: everybody to everybody at once; or in steps, in step k rank i to rank i + k."},
     &workload_config::exchange},
    {{"workload.pieces", kind::whole_number, "", 1, 1024,
      "tree_all_reduce: pieces of the vector that follow one another through the tree, one a branch at a time."},
     &workload_config::pieces},
    {{"workload.shift", kind::whole_number, "hosts", 1, 127, "permutation: host i sends to host i + shift."},
     &workload_config::shift},
    {{"workload.octets", kind::octets, "", 1, 1e15,
      "incast, permutation: payload of each flow. Collectives: the whole vector that each rank has or gets."},
     &workload_config::octets},
    {{"workload.priority", kind::whole_number, "", 0, 7,
      "Generated flows: which PFC priority stops the flow at its sender, and the PCP where frames are tagged."},
     &workload_config::priority},
    {{"workload.dscp", kind::whole_number, "", -1, 63,
      "Generated flows: DSCP of the frames; -1: eight times the priority."},
     &workload_config::dscp},
    {{"workload.ecn", kind::choice, "not_ect ect0 ect1", 0, 0, "ECN codepoint that senders set."},
     &workload_config::congestion},
    {{"workload.rate", kind::bit_rate, "", 0, 1.6e12, "Pace of each flow on the wire; 0: as fast as the port."},
     &workload_config::rate},
    {{"workload.frame", kind::whole_number, "octets", 4, 15'936,
      "Payload of each RoCEv2 frame; in steps of 4 with what fills it up; over IPv4 the frame is 62 octets longer, "
      "FCS included."},
     &workload_config::frame},
    {{"workload.start", kind::duration, "", 0, 1e12, "When generated flows start, after workload time zero."},
     &workload_config::start},
    {{"workload.port", kind::host, "", 0, 0, "capture: the host that replays it, by name or number."},
     &workload_config::port},
    {{"workload.speed", kind::real_number, "", 0, 1e6,
      "capture: times its own speed: 1 as captured, 2 twice as fast, 0 as fast as the port can."},
     &workload_config::speed},
    {{"workload.fcs_included", kind::truth, "", 0, 0,
      "capture: frames end with their FCS. Files that say so themselves need not."},
     &workload_config::fcs_included},
};

const std::vector<bound_key<replay_config>> replay_keys{
    {{"replay[].file", kind::file, "", 0, 0,
      "A capture that a host replays beside the workload, relative to the platform's file."},
     &replay_config::file},
    {{"replay[].port", kind::host, "", 0, 0, "The host, by name or number; one capture each."}, &replay_config::port},
    {{"replay[].speed", kind::real_number, "", 0, 1e6,
      "Times its own speed: 1 as captured, 2 twice as fast, 0 as fast as the port can."},
     &replay_config::speed},
    {{"replay[].fcs_included", kind::truth, "", 0, 0,
      "Frames end with their FCS. Files that say so themselves need not."},
     &replay_config::fcs_included},
};

}  // namespace

template <>
const std::vector<bound_key<platform_config>>& keys_of<platform_config>() {
    return platform_keys;
}
template <>
const std::vector<bound_key<topology_config>>& keys_of<topology_config>() {
    return topology_keys;
}
template <>
const std::vector<bound_key<routes_config>>& keys_of<routes_config>() {
    return routes_keys;
}
template <>
const std::vector<bound_key<failure_config>>& keys_of<failure_config>() {
    return failure_keys;
}
template <>
const std::vector<bound_key<register_config>>& keys_of<register_config>() {
    return register_keys;
}
template <>
const std::vector<bound_key<cpu_config>>& keys_of<cpu_config>() {
    return cpu_keys;
}
template <>
const std::vector<bound_key<switch_config>>& keys_of<switch_config>() {
    return switch_keys;
}
template <>
const std::vector<bound_key<port_config>>& keys_of<port_config>() {
    return port_keys;
}
template <>
const std::vector<bound_key<host_config>>& keys_of<host_config>() {
    static const std::vector<bound_key<host_config>> all = [] {
        std::vector<bound_key<host_config>> made = host_keys;
        made.insert(made.end(), host_transport_keys().begin(), host_transport_keys().end());
        return made;
    }();
    return all;
}
template <>
const std::vector<bound_key<workload_config>>& keys_of<workload_config>() {
    return workload_keys;
}
template <>
const std::vector<bound_key<replay_config>>& keys_of<replay_config>() {
    return replay_keys;
}

}  // namespace weir::platforms
