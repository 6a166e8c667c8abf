// SPDX-License-Identifier: Apache-2.0
#include "vp/record/samplers.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "vp/output/output_directory.h"

namespace weir::vp {

samplers::samplers(platforms::machine& m, const run_request& request, picoseconds origin, observer::observer* outside)
    : machine_(m), origin_(origin), folder_(request.output) {
    if (request.output.empty()) return;
    for (std::size_t s = 0; s < m.switches(); ++s) {
        for (const std::uint32_t port : request.captured) {
            if (port >= m.chip(s).ports()) continue;
            const std::string name = fmt::format("{}.{}", m.config().switches[s].name, port);
            auto& mac = m.chip(s).port(port).mac;
            files_.push_back(name + ".pcapng");
            captures_.push_back(std::make_unique<port_capture>(request.output + "/" + files_.back(), name, mac.rate(),
                                                               origin, request.snap_octets));
            mac.observe(*captures_.back());
        }
    }
    if (request.series_interval > picoseconds{0}) {
        files_.emplace_back("occupancy.csv");
        series_ = std::make_unique<csv_writer>(request.output + "/occupancy.csv", occupancy_columns());
        for (std::size_t s = 0; s < m.switches(); ++s) held_.emplace_back(m.chip(s).ports() * mmu::groups_per_port);
    }
    if (outside != nullptr) {
        files_.emplace_back(pause_log::file);
        pauses_ = std::make_unique<pause_log>(*outside, m, request.output, origin);
    }
    if (request.signals) {
        for (const auto& file : signal_recorder::files()) files_.push_back(file);
        signals_ = std::make_unique<signal_recorder>(m, request.output, origin);
    }
}

void samplers::sample(picoseconds now) {
    if (!series_) return;
    for (std::size_t s = 0; s < machine_.switches(); ++s) {
        auto& chip = machine_.chip(s);
        for (std::uint16_t port = 0; port < chip.ports(); ++port) {
            for (std::uint8_t g = 0; g < mmu::groups_per_port; ++g) {
                const mmu::priority_group& group = chip.memory().group(port, g);
                bool& held = held_[s][port * mmu::groups_per_port + g].value;
                if (group.used() == 0 && !held) continue;
                held = group.used() != 0;
                series_->row({(now - origin_).count(), static_cast<std::int64_t>(s), port, g, group.guaranteed_used(),
                              group.service_used(), group.headroom_used(), group.paused() ? 1 : 0});
            }
        }
    }
}

bool samplers::quiet() const {
    for (std::size_t s = 0; s < machine_.switches(); ++s) {
        if (machine_.chip(s).memory().used() != 0) return false;
    }
    return std::none_of(held_.begin(), held_.end(), [](const auto& of_switch) {
        return std::any_of(of_switch.begin(), of_switch.end(), [](flag f) { return f.value; });
    });
}

void samplers::flush() {
    for (auto& capture : captures_) capture->flush();
    if (series_) series_->flush();
    if (pauses_) pauses_->flush();
    if (signals_) signals_->flush();
}

void samplers::continue_in(const std::string& folder) {
    for (const std::string& file : files_) {
        if (file == "signals.json") continue;  // it is written at the end
        std::error_code error;
        std::filesystem::copy_file(folder_ + "/" + file, folder + "/" + file, error);
        if (error) throw output_error(fmt::format("{}/{}: cannot be written: {}", folder, file, error.message()));
    }
    for (std::size_t i = 0; i < captures_.size(); ++i) captures_[i]->continue_in(folder + "/" + files_[i]);
    if (series_) series_->continue_in(folder + "/occupancy.csv");
    if (pauses_) pauses_->continue_in(folder);
    if (signals_) signals_->continue_in(folder);
    folder_ = folder;
}

void samplers::close() {
    for (auto& capture : captures_) capture->close();
    if (series_) series_->close();
    if (pauses_) pauses_->close();
    if (signals_) signals_->close();
}

}  // namespace weir::vp
