// SPDX-License-Identifier: Apache-2.0
#include "vp/results/stored_run.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "models/registers/bank.h"
#include "platforms/config.h"
#include "sw/include/weir/device.h"
#include "sw/include/weir/shell.h"
#include "vp/results/stored_json.h"
#include "vp/results/stored_result.h"
#include "vp/results/stored_tables.h"

namespace weir::vp {
namespace {

using json = nlohmann::ordered_json;  // port.drops is told by reason, in the order of their numbers
using platforms::config_error;

/// The registers of one switch as result.json has them; what it leaves out stands at its reset value.
class stored_registers {
public:
    explicit stored_registers(const json& of)
        : name_(of.at("name").get<std::string>()),
          bank_(registers::weir_map(),
                {{"ports", static_cast<std::uint32_t>(of.at("ports").size()) + 1},
                 {"pools", static_cast<std::uint32_t>(of.at("chip").at("bm").at("pool_size").size())}}) {
        const auto& map = bank_.layout();
        for (std::uint32_t n = 0; n < map.register_count; ++n) {
            const auto& about = map.registers[n];
            const std::string block{about.block};
            const std::string name{about.name};
            if (about.dim_count == 0 || about.dims[0].symbol != "ports") {
                fill(about, of.at("chip"), block, name, {}, 0);
                continue;
            }
            std::uint32_t port = 0;
            for (const auto& each : of.at("ports")) fill(about, each, block, name, {port++, 0, 0}, 1);
        }
    }

    [[nodiscard]] const std::string& name() const { return name_; }
    weir_hal hal() {
        weir_hal h{};
        h.ctx = this;
        h.read32 = [](void* ctx, std::uint32_t address, std::uint32_t* word) {
            const auto value = static_cast<stored_registers*>(ctx)->bank_.peek(address);
            if (!value) return WEIR_E_BUS;
            *word = *value;
            return WEIR_OK;
        };
        h.write32 = [](void*, std::uint32_t, std::uint32_t) { return WEIR_OK; };  // restarting a peak changes no record
        h.now_ns = [](void*) { return std::uint64_t{0}; };
        h.delay_ns = [](void*, std::uint64_t) {};
        return h;
    }

private:
    void fill(const registers::register_descriptor& about, const json& in, const std::string& block,
              const std::string& name, registers::index at, std::size_t level) {
        const auto found = in.find(block);
        if (found == in.end() || !found->contains(name)) return;
        fill_level(about, found->at(name), at, level);
    }
    void fill_level(const registers::register_descriptor& about, const json& value, registers::index at,
                    std::size_t level) {
        if (level < at.size() && level < about.dim_count) {
            for (const auto& each : value) {
                fill_level(about, each, at, level + 1);
                ++at[level];
            }
            return;
        }
        for (std::uint32_t f = 0; f < about.field_count; ++f) {
            const std::string field{about.fields[f].name};
            const json& number = value.is_object() ? value.at(field) : value;
            bank_.set(bank_.field(fmt::format("{}.{}.{}", about.block, about.name, field)), at,
                      number.get<std::uint64_t>());
        }
    }

    std::string name_;
    registers::bank bank_;
};

/// What the driver's shell shows of each switch.
std::string shell_text(const json& result, const std::string& folder, const std::string& words) {
    std::string text;
    for (const json& each : result.at("switches")) {
        stored_registers registers(each);
        auto device = std::make_unique<weir_dev>();
        auto shell = std::make_unique<weir_shell>();
        const weir_hal hal = registers.hal();
        if (const weir_status status = weir_device_attach(device.get(), &hal); status != WEIR_OK) {
            throw config_error(folder, weir_device_message(device.get(), status), "a run of this version of weir");
        }
        if (result.at("switches").size() > 1) text += fmt::format("{}:\n", registers.name());
        weir_shell_init(
            shell.get(), device.get(), [](void* ctx, const char* piece) { *static_cast<std::string*>(ctx) += piece; },
            &text);
        if (weir_shell_execute(shell.get(), ("show " + words).c_str()) != WEIR_OK) {
            throw config_error("weir show", weir_shell_error(shell.get()),
                               "pg, queue, pfc, flows, drops, or the shell's show words of docs/driver.md");
        }
    }
    return text;
}

}  // namespace

std::string show_stored_run(const std::string& folder, const std::string& words) {
    const json result = read_stored_result(folder);
    const auto damaged = [&folder](const std::string& reason) {
        return config_error(folder + "/result.json", "lacks what every result has", reason);
    };
    try {
        if (auto text = stored_table(result, words)) return *text;
        return shell_text(result, folder, words);
    } catch (const json::exception& e) {
        throw damaged(reason_of(e));
    } catch (const std::logic_error& e) {
        throw damaged(e.what());  // more ports, or more of something, than any chip has
    }
}

}  // namespace weir::vp
