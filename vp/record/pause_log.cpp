// SPDX-License-Identifier: Apache-2.0
#include "vp/record/pause_log.h"

#include <fmt/format.h>

namespace weir::vp {

pause_log::pause_log(observer::observer& seen, const platforms::machine& m, const std::string& folder,
                     picoseconds origin)
    : machine_(m),
      names_(seen, m),
      origin_(origin),
      rows_(folder + "/" + file, {"pause", "cause", "begin_ps", "end_ps", "lasting", "switch", "port", "group", "stops",
                                  "most_octets", "root"}) {
    seen.on_pause([this](const observer::seen_pause& p) { write(p); });
}

void pause_log::write(const observer::seen_pause& p) {
    const std::uint64_t octets = static_cast<std::uint64_t>(p.most) * machine_.config().switches[p.at.chip].cell_octets;
    rows_.row(fmt::format("{},{},{},{},{},{},{},{},{},{},{}", p.number, p.cause.pause, (p.begin - origin_).count(),
                          (p.end - origin_).count(), p.lasting ? 1 : 0, names_.chip(p.at.chip), p.at.port, p.group,
                          names_.stopped_by(p.at), octets, names_.root(p.root)));
}

}  // namespace weir::vp
