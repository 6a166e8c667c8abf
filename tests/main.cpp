// SPDX-License-Identifier: Apache-2.0
// Entry of the C++ tests. GoogleTest runs inside sc_main, so that every test may elaborate a model of its own.
// What the tests build is checked: P1 to P32 hold in all of them.
#include <gtest/gtest.h>

#include <systemc>

#include "models/timeline/property.h"

int sc_main(int, char**) {
    return RUN_ALL_TESTS();
}

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    weir::check_properties(true);
    return sc_core::sc_elab_and_sim(argc, argv);
}
