// SPDX-License-Identifier: Apache-2.0
#include "vp/output/colour.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

namespace weir::vp {

bool takes_colour(const std::ostream& out) {
    const char* refused = std::getenv("NO_COLOR");
    return &out == &std::cout && isatty(STDOUT_FILENO) != 0 && (refused == nullptr || *refused == '\0');
}

std::string painted(std::string text, colour in) {
    const bool ended = !text.empty() && text.back() == '\n';
    if (ended) text.pop_back();
    const int code = in == colour::red ? 31 : in == colour::yellow ? 33 : 32;
    return fmt::format("\x1b[{}m{}\x1b[0m{}", code, text, ended ? "\n" : "");
}

}  // namespace weir::vp
