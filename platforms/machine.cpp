// SPDX-License-Identifier: Apache-2.0
#include "platforms/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/ethernet/capture_reader.h"
#include "models/timeline/natural_order.h"
#include "models/timeline/random_stream.h"
#include "platforms/host_dcbx.h"
#include "platforms/host_transport.h"

namespace weir::platforms {
namespace {

scheduler::queueing queueing_of(queueing_kind q) {
    switch (q) {
        case queueing_kind::output:
            return scheduler::queueing::output;
        case queueing_kind::ingress_fifo:
            return scheduler::queueing::ingress_fifo;
        case queueing_kind::voq:
            return scheduler::queueing::voq;
    }
    return scheduler::queueing::output;
}

asic::error_policy policy_of(access_policy p) {
    switch (p) {
        case access_policy::bus_error:
            return asic::error_policy::bus_error;
        case access_policy::log:
            return asic::error_policy::logged;
        case access_policy::ignore:
            return asic::error_policy::ignored;
    }
    return asic::error_policy::bus_error;
}

picoseconds draw(picoseconds up_to, std::uint64_t seed, const std::string& name) {
    random_stream random(seed, name);
    return picoseconds{static_cast<std::int64_t>(random.uniform() * static_cast<double>(up_to.count()))};
}

/// Parts in a million, up to `spread` either way.
std::int32_t draw_ppm(std::uint32_t spread, std::uint64_t seed, const std::string& name) {
    if (spread == 0) return 0;
    random_stream random(seed, name);
    return static_cast<std::int32_t>(random.next() % (2 * spread + 1)) - static_cast<std::int32_t>(spread);
}

}  // namespace

/// What hangs on a cable that leads nowhere.
struct machine::unplugged : sc_core::sc_module, ethernet::receiver, ethernet::sender {
    explicit unplugged(sc_core::sc_module_name name) : sc_module(name) {
        rx.bind(static_cast<ethernet::fw_interface&>(*this));
        tx.bind(static_cast<ethernet::bw_interface&>(*this));
    }
    tlm::tlm_sync_enum nb_transport_fw(ethernet::frame& f, tlm::tlm_phase&, sc_core::sc_time&) override {
        f.release();
        return tlm::TLM_COMPLETED;
    }
    ethernet::rx_socket rx{"rx"};
    ethernet::tx_socket tx{"tx"};
};

/// A hand that pulls a cable and plugs it in again.
class machine::flapper : private actor {
public:
    explicit flapper(timeline& time) : actor(time, "flapper"), time_(time) {}
    void flap(ethernet::link& cable, std::uint32_t times, picoseconds distance) {
        cable_ = &cable;
        left_ = 2 * times;
        distance_ = distance;
        ++turn_;
        if (left_ > 0) time_.at(time_.now(), phase::timer, *this, turn_);
    }

private:
    void due(std::uint32_t turn) override {
        if (turn != turn_ || left_ == 0) return;
        cable_->set_plugged(left_ % 2 == 1);
        if (--left_ > 0) time_.at(time_.now() + distance_, phase::timer, *this, turn_);
    }
    timeline& time_;
    ethernet::link* cable_{nullptr};
    picoseconds distance_{0};
    std::uint32_t left_{0};
    std::uint32_t turn_{0};
};

machine::machine(const platform_config& config, std::uint64_t seed, const registers::map& layout)
    : config_(config),
      time_("time"),
      starter_(time_, [this](std::uint32_t number, const flow& f, picoseconds start) { start_flow(number, f, start); }),
      flapper_(std::make_unique<flapper>(time_)) {
    for (const auto& s : config_.switches) build_switch(s, seed, layout);
    for (const auto& h : config_.hosts) build_host(h, seed);
    for (const auto& l : config_.links) connect(l);
    std::vector<std::vector<bool>> occupied;
    for (const auto& each : switches_) occupied.emplace_back(each->ports(), false);
    for (const auto& h : config_.hosts) occupied[h.switch_index][h.port] = true;
    for (const auto& l : config_.links) {
        for (const link_end& end : {l.a, l.b}) occupied[end.switch_index][end.port] = true;
    }
    for (std::uint32_t s = 0; s < switches_.size(); ++s) {
        for (std::uint32_t p = 0; p < switches_[s]->ports(); ++p) {
            if (!occupied[s][p]) leave_open({s, p});
        }
    }
}

machine::~machine() = default;

void machine::build_switch(const switch_config& s, std::uint64_t seed, const registers::map& layout) {
    asic::asic_parameters p;
    for (std::size_t n = 0; n < s.ports.size(); ++n) {
        const port_config& port = s.ports[n];
        asic::front_port_parameters q;
        q.rate = port.rate;
        q.clock_ppm = port.clock_ppm + draw_ppm(port.clock_spread, seed, fmt::format("{}.p{}.clock", s.name, n));
        q.phy_latency = s.phy_latency + s.fec_latency;
        q.pipeline_latency = s.pipeline_latency;
        q.pfc_response = port.pfc_response;
        q.start_delay = draw(port.start_jitter, seed, fmt::format("{}.p{}.start", s.name, n));
        p.ports.push_back(q);
    }
    p.cells = static_cast<mmu::cells>(s.cells);
    p.cell_octets = s.cell_octets;
    p.frame_overhead = s.frame_overhead;
    p.core_khz = s.core_clock_khz;
    p.ram_init_time = s.init_time;
    p.pools = s.pools;
    p.wred_profiles = s.wred_profiles;
    p.queueing = queueing_of(s.queueing);
    p.matching = s.matching == matching_kind::single ? scheduler::matching::single : scheduler::matching::maximal;
    const register_config& r = config_.registers;
    p.bus.read_latency = r.read_latency;
    // A posted write answers within a bus cycle; the rest of its latency is when it takes effect.
    p.bus.write_latency = r.posted_writes ? nanoseconds(1) : r.write_latency;
    p.bus.posted_delay = r.posted_writes ? r.write_latency : picoseconds{0};
    p.on_access_error = policy_of(r.on_error);
    p.seed = seed;
    p.layout = &layout;
    switches_.push_back(std::make_unique<asic::switch_asic>(s.name.c_str(), time_, frames_, p, &record_));
    build_cpu(s);
}

void machine::build_cpu(const switch_config& s) {
    asic::switch_asic& chip = *switches_.back();
    const cpu_config& c = config_.cpu;
    cpus_.push_back(std::make_unique<native_initiator>((s.name + "_cpu").c_str(), time_, chip, c.quantum));
    cpus_.back()->socket.bind(chip.socket());
    if (c.kind != cpu_kind::riscv) return;
    constexpr std::int64_t picoseconds_by_kilohertz = 1'000'000'000;
    cpu::board_parameters p;
    p.clock_period = picoseconds{(picoseconds_by_kilohertz + c.clock_khz / 2) / c.clock_khz};
    p.quantum = c.quantum;
    p.ram_octets = static_cast<std::uint32_t>((c.ram + 4095) / 4096 * 4096);
    boards_.push_back(std::make_unique<cpu::board>((s.name + "_board").c_str(), time_, p));
    cpu::board* board = boards_.back().get();
    board->switch_socket().bind(chip.socket());
    chip.on_interrupt([board](bool asserted) { board->set_switch_interrupt(asserted); });
}

void machine::build_host(const host_config& h, std::uint64_t seed) {
    host::end_station_parameters p;
    p.rate = config_.switches[h.switch_index].ports[h.port].rate;
    p.clock_ppm = h.clock_ppm + draw_ppm(h.clock_spread, seed, h.name + ".clock");
    p.pfc_response = h.pfc_response;
    p.obeys_pfc = h.obey_pfc;
    p.obeys_pause = h.obey_pause;
    p.receive = {h.receive_rate, h.receive_buffer, h.receive_xoff, h.receive_xon};
    p.address = h.mac;
    if (h.dcbx) p.dcbx = dcbx_of(h);
    p.transport = transport_of(h);
    // The kernel keeps the full stop for itself.
    std::string module_name = h.name;
    std::replace(module_name.begin(), module_name.end(), '.', '_');
    hosts_.push_back(std::make_unique<host::end_station>(module_name.c_str(), time_, frames_, ledger_, p, &record_));
    jitter_.push_back(draw(h.start_jitter, seed, h.name + ".start"));
    connect(h, *hosts_.back());
}

std::unique_ptr<ethernet::link> machine::cable_at(const link_end& end) {
    const switch_config& at = config_.switches[end.switch_index];
    asic::switch_asic& chip = *switches_[end.switch_index];
    asic::front_port& front = chip.port(end.port);
    const std::string name = fmt::format("{}_cable{}", at.name, end.port);
    auto cable = std::make_unique<ethernet::link>(name.c_str(), at.ports[end.port].cable_metres);
    front.mac.tx.bind(cable->a().in);
    cable->a().out.bind(front.mac.rx);
    cable->set_enabled(ethernet::link::side::a, false);
    cable->listen(ethernet::link::side::a, [&chip, port = end.port](bool up) { chip.link_changed(port, up); });
    return cable;
}

void machine::connect(const host_config& h, host::end_station& station) {
    auto cable = cable_at({h.switch_index, h.port});
    asic::front_port& front = switches_[h.switch_index]->port(h.port);
    front.on_admin([made = cable.get()](bool up) { made->set_enabled(ethernet::link::side::a, up); });
    front.on_speed([&station](data_rate rate) { station.set_rate(rate); });
    station.mac.tx.bind(cable->b().in);
    cable->b().out.bind(station.mac.rx);
    cable->listen(ethernet::link::side::b, [&station](bool up) { station.link_changed(up); });
    // A station has no groups: what it loses is told of the switch's end of its cable.
    station.mac.on_lost([&classifier = switches_[h.switch_index]->ingress_pipeline(),
                         port = h.port](const ethernet::frame& f) { classifier.lost_on_cable(f, port); });
    cables_.push_back(std::move(cable));
}

void machine::connect(const link_config& l) {
    auto cable = cable_at(l.a);
    asic::switch_asic& far = *switches_[l.b.switch_index];
    asic::front_port& a = switches_[l.a.switch_index]->port(l.a.port);
    asic::front_port& b = far.port(l.b.port);
    // Ports of different speeds do not hear each other.
    const auto judge = [&a, &b, made = cable.get()] {
        const bool same = a.mac.rate().bits_per_second() == b.mac.rate().bits_per_second();
        made->set_enabled(ethernet::link::side::a, a.admin() && same);
        made->set_enabled(ethernet::link::side::b, b.admin() && same);
    };
    judge();
    for (asic::front_port* end : {&a, &b}) {
        end->on_admin([judge](bool) { judge(); });
        end->on_speed([judge](data_rate) { judge(); });
    }
    b.mac.tx.bind(cable->b().in);
    cable->b().out.bind(b.mac.rx);
    cable->listen(ethernet::link::side::b, [&far, port = l.b.port](bool up) { far.link_changed(port, up); });
    trunks_.push_back(std::move(cable));
}

void machine::leave_open(const link_end& end) {
    auto cable = cable_at(end);
    asic::front_port& front = switches_[end.switch_index]->port(end.port);
    front.on_admin([made = cable.get()](bool up) { made->set_enabled(ethernet::link::side::a, up); });
    unplugged_.push_back(std::make_unique<unplugged>(fmt::format("{}_end", cable->basename()).c_str()));
    unplugged_.back()->tx.bind(cable->b().in);
    cable->b().out.bind(unplugged_.back()->rx);
    cable->set_plugged(false);
    open_cables_.push_back(std::move(cable));
}

void machine::flap(std::size_t h, std::uint32_t times, picoseconds distance) {
    flapper_->flap(*cables_[h], times, distance);
}

bool machine::run_programs(picoseconds limit, picoseconds step) {
    const auto running = [this] {
        return std::any_of(cpus_.begin(), cpus_.end(), [](const auto& cpu) { return cpu->running(); });
    };
    return run_while(running, limit, step);
}

bool machine::run_while(const std::function<bool()>& busy, picoseconds limit, picoseconds step) {
    picoseconds t = from_kernel(sc_core::sc_time_stamp());
    const picoseconds end = t + limit;
    while (busy() && t < end) {
        t += step;
        time_.run_until(t);
    }
    return !busy();
}

picoseconds machine::first_traffic_time() const {
    picoseconds booted{0};
    for (const auto& cpu : cpus_) booted = std::max(booted, cpu->local_time());
    return first_traffic_time(booted);
}

picoseconds machine::first_traffic_time(picoseconds booted) {
    const picoseconds whole = microseconds(100);
    return (booted / whole + 1) * whole;
}

void machine::add_flows(const std::vector<flow>& flows, picoseconds origin) {
    const auto first = static_cast<std::uint32_t>(ledger_.size());
    bool waits = false;
    for (const flow& f : flows) {
        const std::uint32_t number = ledger_.add((f.octets + f.payload - 1) / f.payload);
        const picoseconds start = origin + f.start + jitter_[f.source];
        if (f.after.empty()) {
            start_flow(number, f, start);
            continue;
        }
        std::vector<std::uint32_t> after = f.after;
        for (std::uint32_t& other : after) other += first;
        starter_.add(number, f, start, after);
        waits = true;
    }
    if (waits) ledger_.on_delivered([this](std::uint32_t number, picoseconds) { starter_.delivered(number); });
}

void machine::start_flow(std::uint32_t number, const flow& f, picoseconds start) {
    const host_config& from = config_.hosts[f.source];
    const host_config& to = config_.hosts[f.destination];
    host::flow_parameters p;
    p.number = number;
    p.priority = f.priority;
    p.octets = f.octets;
    p.frame_payload = f.payload;
    p.plain_udp = f.plain_udp;
    p.bits_per_second = f.rate;
    p.start = start;
    ledger_[number].started = start;
    p.path.source_mac = from.mac;
    p.path.destination_mac = to.mac;
    p.path.source_ipv4 = from.ip;
    p.path.destination_ipv4 = to.ip;
    p.path.dscp = f.dscp;
    p.path.congestion = f.congestion;
    p.path.hop_limit = static_cast<std::uint8_t>(from.hop_limit);
    // Flows differ in their source port, as RoCEv2 senders make them, so that ECMP spreads them.
    p.path.source_port = static_cast<std::uint16_t>(49152 + p.number % 16384);
    host::end_station& source = *hosts_[f.source];
    if (f.plain_udp || from.transport == transport_kind::open) {
        source.flows.add(p);
        return;
    }
    host::end_station& destination = *hosts_[f.destination];
    ledger_[p.number].connected = true;
    const std::uint32_t responder = destination.answers.next_queue_pair();
    destination.answers.open(p, source.connected.next_queue_pair(), source.connected.parameters(),
                             static_cast<std::uint8_t>(to.hop_limit));
    source.connected.open(p, responder);
}

void machine::begin(picoseconds origin) {
    for (std::size_t h = 0; h < hosts_.size(); ++h) {
        const host_config& c = config_.hosts[h];
        hosts_[h]->storm.plan(
            {static_cast<pfc::bitmap>(c.storm_priorities), c.storm_start, c.storm_duration, c.storm_interval}, origin,
            hosts_[h]->mac.rate());
    }
}

void machine::play(const replay& r, picoseconds origin) {
    ethernet::capture_options options;
    options.fcs_included = r.fcs_included;
    ethernet::capture c = ethernet::read_capture(r.file, options);
    const double stretch = r.speed > 0 ? 1.0 / r.speed : 0.0;
    constexpr double longest = 100.0 * 24 * 3600 * 1e12;
    for (const auto& f : c.frames) {
        // Not written as "greater": infinity times zero is no number, and no time either.
        if (f.time.count() == 0 || std::abs(static_cast<double>(f.time.count()) * stretch) <= longest) continue;
        throw ethernet::capture_error(
            fmt::format("{}: at {} times its speed it lasts more than 100 days", r.file, r.speed));
    }
    hosts_[r.host]->player.play(std::move(c.frames), origin + jitter_[r.host], stretch);
}

bool machine::drained() const {
    return frames_.in_use() == 0 &&
           std::all_of(hosts_.begin(), hosts_.end(), [](const auto& h) { return h->finished(); });
}

picoseconds machine::next_departure() const {
    const picoseconds now = time_.now();
    picoseconds earliest = never;
    for (const auto& h : hosts_) earliest = std::min(earliest, h->next_departure(now));
    for (const timeline_entry& e : time_.pending()) {
        if (e.when == phase::transmit && e.time > now) earliest = std::min(earliest, e.time);
    }
    return earliest;
}

std::size_t machine::unfinished_hosts() const {
    return static_cast<std::size_t>(
        std::count_if(hosts_.begin(), hosts_.end(), [](const auto& h) { return !h->finished(); }));
}

std::uint64_t machine::link_hops() const {
    std::uint64_t hops = 0;
    for (const auto& s : switches_) {
        for (std::size_t p = 0; p < s->ports(); ++p) hops += s->port(p).mac.counters.rx_frames;
    }
    for (const auto& h : hosts_) hops += h->mac.counters.rx_frames;
    return hops;
}

void machine::finish_record() {
    const auto fold = [this](const port::port_counters& c) {
        for (const std::uint64_t word : {c.rx_frames, c.rx_octets, c.rx_discards, c.tx_frames, c.tx_octets}) {
            record_.fold_word(word);
        }
    };
    // By name and port, in whatever order things were built.
    std::vector<std::size_t> chips(switches_.size());
    for (std::size_t s = 0; s < chips.size(); ++s) chips[s] = s;
    std::sort(chips.begin(), chips.end(), [this](std::size_t a, std::size_t b) {
        return natural_less(config_.switches[a].name, config_.switches[b].name);
    });
    std::vector<std::size_t> places(chips.size());
    for (std::size_t i = 0; i < chips.size(); ++i) places[chips[i]] = i;
    std::vector<std::size_t> stations(hosts_.size());
    for (std::size_t h = 0; h < stations.size(); ++h) stations[h] = h;
    std::sort(stations.begin(), stations.end(), [&](std::size_t a, std::size_t b) {
        const host_config& x = config_.hosts[a];
        const host_config& y = config_.hosts[b];
        return std::pair(places[x.switch_index], x.port) < std::pair(places[y.switch_index], y.port);
    });
    for (const std::size_t s : chips) {
        for (std::size_t p = 0; p < switches_[s]->ports(); ++p) fold(switches_[s]->port(p).mac.counters);
    }
    for (const std::size_t h : stations) fold(hosts_[h]->mac.counters);
}

}  // namespace weir::platforms
