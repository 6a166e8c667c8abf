// SPDX-License-Identifier: Apache-2.0
// The flow sizes that come with the program: the files of traces/sizes, embedded at build time.
#pragma once

#include <string_view>

namespace weir::platforms::known_sizes {

extern const std::string_view web_search;
extern const std::string_view fb_hadoop;
extern const std::string_view ali_storage;
extern const std::string_view google_rpc;
extern const std::string_view solar;

}  // namespace weir::platforms::known_sizes
