# SPDX-License-Identifier: Apache-2.0
# Finds the packaged SystemC (which ships only a pkg-config file) and proves by a small link that it fits this
# compiler and this C++ standard, because a mismatch otherwise shows as an undefined symbol much later.
find_package(PkgConfig QUIET)
pkg_check_modules(SYSTEMC QUIET IMPORTED_TARGET systemc)
if(NOT SYSTEMC_FOUND)
  message(FATAL_ERROR "SystemC was not found. On Debian 12: apt-get install libsystemc-dev (or run ./dev, which does it).")
endif()
file(WRITE ${CMAKE_BINARY_DIR}/systemc_try/main.cpp
  "#include <systemc>\nint sc_main(int, char**) { return sc_core::sc_time_stamp() == sc_core::SC_ZERO_TIME ? 0 : 1; }\n")
try_compile(SYSTEMC_LINKS ${CMAKE_BINARY_DIR}/systemc_try ${CMAKE_BINARY_DIR}/systemc_try/main.cpp
  LINK_LIBRARIES PkgConfig::SYSTEMC CXX_STANDARD ${CMAKE_CXX_STANDARD} CXX_STANDARD_REQUIRED ON
  OUTPUT_VARIABLE SYSTEMC_TRY_OUTPUT)
if(NOT SYSTEMC_LINKS)
  message(FATAL_ERROR
    "SystemC ${SYSTEMC_VERSION} is installed but a trivial program does not link with it.\n"
    "The C++ standard is part of one of its symbols: it must have been built with C++${CMAKE_CXX_STANDARD}, as Debian 12's is.\n"
    "Remove any other SystemC from PKG_CONFIG_PATH and install libsystemc-dev. The compiler said:\n${SYSTEMC_TRY_OUTPUT}")
endif()
if(NOT TARGET SystemC::systemc)
  add_library(SystemC::systemc INTERFACE IMPORTED)
  # SYSTEM: the kernel's headers are not ours to lint or to hold to our warnings.
  target_include_directories(SystemC::systemc SYSTEM INTERFACE ${SYSTEMC_INCLUDE_DIRS})
  target_link_libraries(SystemC::systemc INTERFACE PkgConfig::SYSTEMC)
endif()
set(SystemC_FOUND TRUE)
