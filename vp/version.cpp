// SPDX-License-Identifier: Apache-2.0
// The version comes from the build.
#include "vp/version.h"

namespace weir::vp {

std::string_view version() {
    return WEIR_VERSION;
}

}  // namespace weir::vp
