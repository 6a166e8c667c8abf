// SPDX-License-Identifier: Apache-2.0
#include "platforms/host_transport.h"

namespace weir::platforms {
namespace {

using kind = value_kind;
constexpr double mega = 1e6;
constexpr double fastest = 1.6e12;

/// DCQCN's part of a host as the sources give it (docs/hosts.md). HPCC's simulator scales the increases with the line:
/// 5 and 50 Mb/s at 25G.
host::dcqcn_parameters preset(dcqcn_preset which, data_rate line) {
    host::dcqcn_parameters p;  // the paper's
    switch (which) {
        case dcqcn_preset::paper:
            break;
        case dcqcn_preset::hpcc_paper:
        case dcqcn_preset::hpcc:
            p.order = host::dcqcn_order::periodic;
            p.cnp_interval = picoseconds{0};
            p.alpha_timer = microseconds(50);
            p.decrease_interval = microseconds(50);
            p.byte_counter = 0;
            p.threshold = 1;
            p.additive = line.bits_per_second() / 5000;
            p.hyper = line.bits_per_second() / 500;
            p.least_rate = 100'000'000;
            p.hyper_steps = host::dcqcn_hyper::constant;
            if (which == dcqcn_preset::hpcc_paper) break;
            p.alpha_timer = microseconds(1);
            p.decrease_interval = microseconds(4);
            p.increase_timer = microseconds(300);
            p.clamp_target = false;
            break;
        case dcqcn_preset::nvidia:
            p.order = host::dcqcn_order::periodic;
            p.cnp_interval = microseconds(4);
            p.alpha_timer = microseconds(1);
            p.decrease_interval = microseconds(4);
            p.increase_timer = microseconds(300);
            p.byte_counter = 32'767 * std::uint64_t{1024};
            p.threshold = 1;
            p.additive = 5'000'000;
            p.hyper = 50'000'000;
            p.gain = 5.0 / 1024;
            p.initial_alpha = 1023.0 / 1024;
            p.clamp_target = false;
            break;
        case dcqcn_preset::ns3_rdma:
            p.order = host::dcqcn_order::alpha_first;
            p.increase_timer = microseconds(60);
            p.byte_counter = 300'000'000;
            p.hyper_steps = host::dcqcn_hyper::growing_by_one_more;
            break;
    }
    return p;
}

const std::vector<bound_key<host_config>> keys{
    {{"host.*.transport", kind::choice, "open rc", 0, 0,
      "How the station sends its RoCEv2 flows: open: nobody acknowledges and nothing is sent again; rc: a reliable "
      "connection each (docs/hosts.md). Any station answers any."},
     &host_config::transport},
    {{"host.*.recovery", kind::choice, "go_back_n go_back_0 selective", 0, 0,
      "rc: what is sent again when a frame is missing: everything from it on, the whole message, or that frame alone, "
      "which needs a window."},
     &host_config::recovery},
    {{"host.*.window", kind::octets, "", 0, 1e12,
      "rc: payload that a flow may have sent and not acknowledged; 0: no limit. One frame always goes."},
     &host_config::window},
    {{"host.*.ack_every", kind::whole_number, "frames", 1, 65'536,
      "rc: every so many frames one asks to be acknowledged; a message's last, and one that fills the window, too."},
     &host_config::ack_every},
    {{"host.*.rto", kind::duration, "", 1000, 1e12,
      "rc: when nothing was acknowledged for so long, what is unacknowledged is sent again."},
     &host_config::rto},
    {{"host.*.retries", kind::whole_number, "", 0, 1000,
      "rc: timeouts without progress before a flow is given up, which fails the run."},
     &host_config::retries},
    {{"host.*.first_psn", kind::whole_number, "", 0, 16'777'215, "rc: sequence number of a flow's first frame."},
     &host_config::first_psn},
    {{"host.*.ack_priority", kind::whole_number, "", 0, 7,
      "rc: the PFC priority that stops the station's ACKs and NAKs. The default is not that of the data: a paused "
      "class would hold back what opens its windows."},
     &host_config::ack_priority},
    {{"host.*.ack_dscp", kind::whole_number, "", 0, 63, "rc: DSCP of the station's ACKs and NAKs."},
     &host_config::ack_dscp},
    {{"host.*.cnp_priority", kind::whole_number, "", 0, 7, "dcqcn: the PFC priority that stops the station's CNPs."},
     &host_config::cnp_priority},
    {{"host.*.cnp_dscp", kind::whole_number, "", 0, 63, "dcqcn: DSCP of the station's CNPs."}, &host_config::cnp_dscp},
    {{"host.*.control", kind::choice, "none dcqcn dctcp", 0, 0,
      "rc: congestion control of the station's flows. With it their frames are ECT(0) where the workload leaves them "
      "not_ect."},
     &host_config::control},
    {{"host.*.dcqcn_preset", kind::choice, "paper hpcc_paper hpcc nvidia ns3_rdma", 0, 0,
      "dcqcn: whose parameters the keys below have that are not given: the paper's, HPCC's simulator as its paper or "
      "as "
      "a vendor has them, NVIDIA's NICs, or the authors' simulator. The defaults here are the paper's."},
     &host_config::dcqcn_preset},
    {{"host.*.dcqcn_cnp_interval", kind::duration, "", 0, mega,
      "dcqcn: the least time between two CNPs of a flow, at the station that receives it."},
     &host_config::dcqcn_cnp_interval},
    {{"host.*.dcqcn_alpha_timer", kind::duration, "", 100, mega,
      "dcqcn: K: without a CNP for so long alpha decays; with order periodic: how often alpha moves."},
     &host_config::dcqcn_alpha_timer},
    {{"host.*.dcqcn_decrease_interval", kind::duration, "", 100, mega,
      "dcqcn, order periodic: how often it is looked whether a CNP came and the rate is cut."},
     &host_config::dcqcn_decrease_interval},
    {{"host.*.dcqcn_increase_timer", kind::duration, "", 100, mega, "dcqcn: T: the rate is raised every so often."},
     &host_config::dcqcn_increase_timer},
    {{"host.*.dcqcn_byte_counter", kind::octets, "", 0, 1e12,
      "dcqcn: B: and whenever the flow has sent so much; 0: by the timer alone."},
     &host_config::dcqcn_byte_counter},
    {{"host.*.dcqcn_threshold", kind::whole_number, "", 1, 1000,
      "dcqcn: F: so many increases after a cut are fast recovery, towards the rate before it."},
     &host_config::dcqcn_threshold},
    {{"host.*.dcqcn_rai", kind::bit_rate, "", 0, fastest, "dcqcn: R_AI: the step of additive increase."},
     &host_config::dcqcn_rai},
    {{"host.*.dcqcn_rhai", kind::bit_rate, "", 0, fastest, "dcqcn: R_HAI: the step of hyper increase."},
     &host_config::dcqcn_rhai},
    {{"host.*.dcqcn_g", kind::real_number, "", 0, 1, "dcqcn: g: the weight of what is new in alpha."},
     &host_config::dcqcn_g},
    {{"host.*.dcqcn_initial_alpha", kind::real_number, "", 0, 1, "dcqcn: alpha at the first CNP."},
     &host_config::dcqcn_initial_alpha},
    {{"host.*.dcqcn_min_rate", kind::bit_rate, "", 1000, fastest, "dcqcn: no cut goes below it."},
     &host_config::dcqcn_min_rate},
    {{"host.*.dcqcn_clamp_target", kind::truth, "", 0, 0,
      "dcqcn: whether each cut lowers the target rate, or not one that follows a cut without an increase between."},
     &host_config::dcqcn_clamp_target},
    {{"host.*.dcqcn_order", kind::choice, "cut_first alpha_first periodic", 0, 0,
      "dcqcn: at a CNP the cut before alpha's rise, or after it; or both at times of their own."},
     &host_config::dcqcn_order},
    {{"host.*.dcqcn_hyper", kind::choice, "growing growing_by_one_more constant", 0, 0,
      "dcqcn: R_HAI in the n-th step of hyper increase: n times, n + 1 times, once."},
     &host_config::dcqcn_hyper},
    {{"host.*.dctcp_g", kind::real_number, "", 0, 1, "dctcp: g: the weight of the last window in alpha."},
     &host_config::dctcp_g},
    {{"host.*.dctcp_initial_window", kind::octets, "", 1, 1e12,
      "dctcp: payload that a flow begins with, a frame at least; slow start goes on from there."},
     &host_config::dctcp_initial_window},
    {{"host.*.dctcp_initial_alpha", kind::real_number, "", 0, 1, "dctcp: alpha at the start."},
     &host_config::dctcp_initial_alpha},
};

}  // namespace

const std::vector<bound_key<host_config>>& host_transport_keys() {
    return keys;
}

void apply_preset(host_config& host, data_rate line, const std::function<bool(std::string_view key)>& given) {
    const host::dcqcn_parameters p = preset(host.dcqcn_preset, line);
    const auto set = [&](std::string_view key, auto& member, auto value) {
        if (!given(key)) member = value;
    };
    set("dcqcn_cnp_interval", host.dcqcn_cnp_interval, p.cnp_interval);
    set("dcqcn_alpha_timer", host.dcqcn_alpha_timer, p.alpha_timer);
    set("dcqcn_decrease_interval", host.dcqcn_decrease_interval, p.decrease_interval);
    set("dcqcn_increase_timer", host.dcqcn_increase_timer, p.increase_timer);
    set("dcqcn_byte_counter", host.dcqcn_byte_counter, p.byte_counter);
    set("dcqcn_threshold", host.dcqcn_threshold, p.threshold);
    set("dcqcn_rai", host.dcqcn_rai, p.additive);
    set("dcqcn_rhai", host.dcqcn_rhai, p.hyper);
    set("dcqcn_g", host.dcqcn_g, p.gain);
    set("dcqcn_initial_alpha", host.dcqcn_initial_alpha, p.initial_alpha);
    set("dcqcn_min_rate", host.dcqcn_min_rate, p.least_rate);
    set("dcqcn_clamp_target", host.dcqcn_clamp_target, p.clamp_target);
    set("dcqcn_order", host.dcqcn_order, p.order);
    set("dcqcn_hyper", host.dcqcn_hyper, p.hyper_steps);
}

host::transport_parameters transport_of(const host_config& host) {
    host::transport_parameters p;
    p.recovery = host.recovery;
    p.window = host.window;
    p.ack_every = host.ack_every;
    p.timeout = host.rto;
    p.retries = host.retries;
    p.first_sequence = host.first_psn;
    p.control = host.control;
    p.ack_priority = static_cast<std::uint8_t>(host.ack_priority);
    p.ack_dscp = static_cast<std::uint8_t>(host.ack_dscp);
    p.cnp_priority = static_cast<std::uint8_t>(host.cnp_priority);
    p.cnp_dscp = static_cast<std::uint8_t>(host.cnp_dscp);
    p.dcqcn.cnp_interval = host.dcqcn_cnp_interval;
    p.dcqcn.alpha_timer = host.dcqcn_alpha_timer;
    p.dcqcn.decrease_interval = host.dcqcn_decrease_interval;
    p.dcqcn.increase_timer = host.dcqcn_increase_timer;
    p.dcqcn.byte_counter = host.dcqcn_byte_counter;
    p.dcqcn.threshold = host.dcqcn_threshold;
    p.dcqcn.additive = host.dcqcn_rai;
    p.dcqcn.hyper = host.dcqcn_rhai;
    p.dcqcn.gain = host.dcqcn_g;
    p.dcqcn.initial_alpha = host.dcqcn_initial_alpha;
    p.dcqcn.least_rate = host.dcqcn_min_rate;
    p.dcqcn.clamp_target = host.dcqcn_clamp_target;
    p.dcqcn.order = host.dcqcn_order;
    p.dcqcn.hyper_steps = host.dcqcn_hyper;
    p.dctcp.gain = host.dctcp_g;
    p.dctcp.initial_window = host.dctcp_initial_window;
    p.dctcp.initial_alpha = host.dctcp_initial_alpha;
    return p;
}

}  // namespace weir::platforms
