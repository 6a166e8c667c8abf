// SPDX-License-Identifier: Apache-2.0
// The register port: a driver in another process, on a CPU of the prototype.
//
//   driver ── socket ──► register_port ── body of the CPU's thread ──► native_initiator ── bus ──► chips
//
// Lockstep, as a connection begins: simulated time passes only inside the client's requests, an access takes the bus's
// latency, so a run is the same every time. After RUN time goes on by itself, and requests are served between steps.
// Nothing that the thread needs lies on its stack as heap memory: a run may end while it waits.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "platforms/native_initiator.h"
#include "vp/remote/port_protocol.h"
#include "vp/remote/run_control.h"
#include "vp/remote/stream.h"

namespace weir::vp::remote {

class register_port : public door {
public:
    /// A driver's message: which level, which text.
    using log_function = std::function<void(weir_log_level, const std::string&)>;

    /// Serves clients of `where` on `cpu`, whose program is `serve_client`. `map_hash`: of the register map. All
    /// references outlive it.
    register_port(const listener& where, run_control& control, platforms::native_initiator& cpu, std::uint32_t map_hash,
                  log_function log);

    /// The CPU's program: until the run ends.
    void serve_client();
    /// A program that ends: serves one client, in lockstep, until it has gone.
    void serve_session();

    /// The client has said READY and waits for the workload.
    [[nodiscard]] bool ready() const { return ready_; }
    /// The workload begins at that time; READY is answered then.
    void workload_begins(picoseconds time);
    /// Chip `asic`'s interrupt line has risen.
    void interrupt(std::uint8_t asic, picoseconds time);
    /// Tells the client that it was the last; the connection ends.
    void finish(const std::string& reason);

    void waits_for(std::vector<pollfd>& all) const override;
    void serve() override;

private:
    void take_or_refuse();
    void rest();
    bool next_request(port_request& request);
    void carry_out(const port_request& request);
    bool fill();
    void handle(const port_request& r);
    void handle_access(const port_request& r);
    void handle_time(const port_request& r);
    void pass_until(picoseconds time);
    void say_hello(const port_request& r);
    void get_ready(const port_request& r);
    void set_mode(bool running, bool held);
    void reply(const port_request& r, port_status status, std::uint32_t value = 0, std::string_view text = {});
    void put(std::string_view octets);
    void flush(bool inside);
    void drop(const std::string& why);
    void dismiss(const std::string& why);
    [[nodiscard]] std::uint64_t now_ns() const {
        return static_cast<std::uint64_t>(cpu_.local_time() / nanoseconds(1));
    }

    const listener& where_;
    run_control& control_;
    platforms::native_initiator& cpu_;
    std::uint32_t map_hash_;
    log_function log_;
    descriptor client_;
    std::vector<unsigned char> in_;
    std::size_t used_{0};   // octets of in_ that have been received
    std::size_t taken_{0};  // … and handled
    std::string out_;
    sc_core::sc_event work_;  // ends the thread's rest while time goes on by itself
    picoseconds workload_at_{never};
    std::uint32_t requests_{0};
    std::uint32_t failed_address_{0};  // of the first posted write that failed
    bool posted_failed_{false};
    bool greeted_{false};  // the client has said HELLO
    bool busy_{false};     // in the middle of a request
    bool ready_{false};
    bool running_{false};  // RUN
    bool resting_{false};  // the thread waits for work_
    bool subscribed_{false};
};

}  // namespace weir::vp::remote
