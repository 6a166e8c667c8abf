// SPDX-License-Identifier: Apache-2.0
// Lets gdb look at and steer a core: a server of the GDB remote serial protocol for one client at a time.
//
//   core runs ──► poll, now and then: is somebody there, Ctrl-C? ──► true: serve_until_resumed ──► core runs
//   core stops by itself (breakpoint, watchpoint) ──► stopped ──► serve_until_resumed ──► core runs
//
// It has no thread: all happens in calls by whoever runs the core. The client's breakpoints live as long as its
// connection; when it goes, however it does, the core runs on. Source: "Debugging with GDB" 13.1, appendix E.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "vp/remote/gdb_connection.h"
#include "vp/remote/gdb_packets.h"
#include "vp/remote/gdb_target.h"

namespace weir::vp::remote {

class gdb_stub {
public:
    struct settings {
        gdb_endpoint endpoint;
        /// Gets one line a remark, without its end.
        std::function<void(const std::string& line)> log;
        /// Asked five times a second while the stub waits for a client: true ends the connection and lets the core go.
        std::function<bool()> give_up;
    };

    /// Throws std::runtime_error, one line, if nobody can listen there.
    gdb_stub(gdb_target& target, settings s);
    ~gdb_stub();
    gdb_stub(const gdb_stub&) = delete;
    gdb_stub& operator=(const gdb_stub&) = delete;

    /// Where clients come to; of TCP with the port that was chosen for port 0.
    [[nodiscard]] std::string address() const { return connection_.address(); }
    [[nodiscard]] std::uint16_t port() const { return connection_.port(); }
    [[nodiscard]] bool connected() const { return connection_.connected(); }
    /// What to wait for besides: something comes in there.
    [[nodiscard]] std::vector<int> sockets() const { return connection_.sockets(); }

    /// For a run that starts with the core halted: blocks until a client is there (true) or one gives up (false).
    bool wait_for_client();
    /// Looks at the sockets without waiting; a few microseconds. True: a client wants the core to stand still.
    bool poll();
    /// The core has stopped by itself. Without a client nothing happens, and `serve_until_resumed` returns at once.
    void stopped(const gdb_stop& why);
    /// Does what the client asks for until the core may run on, or there is no client.
    void serve_until_resumed();

private:
    void greet();
    void farewell(const std::string& why);
    void take_input();
    void handle(std::string_view packet);
    void reply(std::string_view payload);
    void report();

    void handle_query(std::string_view packet);
    void handle_transfer(std::string_view range);
    void handle_monitor(std::string_view digits);
    void handle_registers(std::string_view packet);
    void handle_memory_read(std::string_view arguments);
    void handle_memory_write(std::string_view arguments, bool binary);
    void handle_point(std::string_view packet);
    void handle_action(std::string_view packet);
    void remove_points();
    void resume();
    void step(std::string_view at);
    bool move_pc(std::string_view at);

    gdb_target& target_;
    settings settings_;
    gdb_connection connection_;
    gdb_unframer unframer_;
    std::vector<gdb_point> points_;
    std::string last_frame_;
    gdb_stop last_stop_;
    bool acknowledging_{true};
    bool halted_{false};  ///< a client is there and has the core
    bool tells_swbreak_{false};
    bool tells_hwbreak_{false};
};

}  // namespace weir::vp::remote
