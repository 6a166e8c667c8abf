// SPDX-License-Identifier: Apache-2.0
// Entry of the program `weir`: into the kernel's sc_main and on to the command line.
#include <cstdlib>
#include <iostream>
#include <systemc>

#include "vp/commands/commands.h"
#include "vp/output/report_log.h"

int sc_main(int count, char** words) {
    return weir::vp::run_command_line({words + 1, words + count}, weir::vp::make_engine(), std::cout, std::cerr);
}

int main(int count, char** words) {
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
    weir::vp::install_report_log();
    return sc_core::sc_elab_and_sim(count, words);
}
