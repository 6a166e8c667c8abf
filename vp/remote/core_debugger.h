// SPDX-License-Identifier: Apache-2.0
// The gdb door: a debugger on the core of the first switch's board.
//
//   gdb ─► gdb_stub ─► core: halt, step, points     while the core stands still, so does the packet plane
//              └─ monitor ─► the registry of commands
#pragma once

#include <vector>

#include "models/cpu/board.h"
#include "vp/remote/address.h"
#include "vp/remote/gdb_stub.h"
#include "vp/remote/hart_gdb_target.h"
#include "vp/remote/registry.h"
#include "vp/remote/run_control.h"

namespace weir::vp::remote {

class core_debugger : public door {
public:
    /// Listens at `where`, on loopback or a Unix socket. Throws config_error. The others outlive it.
    core_debugger(const address& where, run_control& control, cpu::board& board, registry& commands);

    /// Blocks until a debugger is there, which then finds the core before its first instruction; or until the user
    /// gives up.
    void wait_for_client();
    /// The run is over: whoever is there hears so.
    void finish();

    void waits_for(std::vector<pollfd>& all) const override;
    void serve() override;

private:
    /// A step is one instruction of the core in its turn, so that the packet plane keeps its order.
    class target : public hart_gdb_target {
    public:
        target(cpu::board& board, registry& commands);
        std::optional<gdb_stop> step() override;

    private:
        cpu::board& board_;
    };

    /// The debugger has the core, until he lets it go.
    void stand();

    run_control& control_;
    cpu::board& board_;
    target target_;
    gdb_stub stub_;
    bool standing_{false};  ///< in a call of `stand`
};

}  // namespace weir::vp::remote
