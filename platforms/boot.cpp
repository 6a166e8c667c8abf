// SPDX-License-Identifier: Apache-2.0
#include "platforms/boot.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

namespace weir::platforms {
namespace {

std::string known_names(const std::map<std::string, std::string>& values) {
    std::string names;
    for (const auto& [name, value] : values) names += (names.empty() ? "" : " ") + name;
    return names.empty() ? "none is given" : names;
}

std::string substitute(const std::string& line, const std::string& where,
                       const std::map<std::string, std::string>& values) {
    std::string result;
    std::size_t at = 0;
    for (std::size_t open = line.find("${"); open != std::string::npos; open = line.find("${", at)) {
        result.append(line, at, open - at);
        const std::size_t close = line.find('}', open);
        const std::string place = fmt::format("{}:{}", where, open + 1);
        if (close == std::string::npos) throw config_error(place, "\"${\" without its \"}\"", "${name}");
        const std::string name = line.substr(open + 2, close - open - 2);
        if (name.empty()) throw config_error(place, "${} names no value", "${name}");
        const auto value = values.find(name);
        if (value == values.end()) {
            throw config_error(place, fmt::format("${{{}}} has no value", name),
                               fmt::format("give one: --set {}=VALUE, or {} = VALUE under [program]; known: {}", name,
                                           name, known_names(values)));
        }
        result += value->second;
        at = close + 1;
    }
    return result.append(line, at);
}

}  // namespace

std::vector<script_line> parse_script(const std::string& text, const std::string& file,
                                      const std::map<std::string, std::string>& values) {
    std::vector<script_line> lines;
    std::istringstream in(text);
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        const std::string where = fmt::format("{}:{}", file, number);
        const auto control = std::find_if(line.begin(), line.end(), [](char c) {
            return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r';
        });
        if (control != line.end()) {
            throw config_error(fmt::format("{}:{}", where, control - line.begin() + 1),
                               fmt::format("octet {:#04x} is no text", static_cast<unsigned char>(*control)),
                               "wanted: a text file of shell commands");
        }
        // A comment may speak of names that have no value.
        line.erase(std::min(line.find('#'), line.size()));
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        lines.push_back({where, substitute(line, where, values)});
    }
    return lines;
}

std::vector<script_line> read_script(const std::string& path, const std::map<std::string, std::string>& values) {
    std::ifstream in(path);
    if (!in) throw config_error(path, "the script cannot be read", "a file of shell commands: [platform] program");
    std::ostringstream text;
    text << in.rdbuf();
    return parse_script(text.str(), path, values);
}

std::vector<script_line> boot_script(const platform_config& platform, std::uint32_t switch_index) {
    const std::string& script = program_of(platform, switch_index);
    if (script.empty()) return {};
    std::map<std::string, std::string> values = platform.program_values;
    const switch_config& own = platform.switches[switch_index];
    values.emplace("switch", own.name);
    values.emplace("last_port", fmt::format("{}", own.ports.size() - 1));
    values.emplace("mac", fmt::format("02:57:{:02x}:{:02x}:00:00", switch_index >> 8, switch_index & 0xffU));
    return read_script(script, values);
}

switch_driver::switch_driver(native_initiator& cpu)
    : cpu_(cpu),
      device_(std::make_unique<weir_dev>()),
      shell_(std::make_unique<weir_shell>()),
      watchdog_(std::make_unique<weir_watchdog>()),
      dcbx_(std::make_unique<weir_dcbx>()),
      service_(std::make_unique<weir_service>()) {
    weir_dcbx_init(dcbx_.get(), device_.get(), nullptr, nullptr);
    weir_watchdog_init(watchdog_.get(), device_.get(), nullptr, nullptr);
    const auto print = [](void* ctx, const char* text) {
        auto& self = *static_cast<switch_driver*>(ctx);
        if (self.print_) self.print_(text);
    };
    weir_service_init(service_.get(), device_.get(), watchdog_.get(), print, this);
    weir_shell_init(shell_.get(), device_.get(), print, this);
    shell_->watchdog = watchdog_.get();
    shell_->dcbx = dcbx_.get();
    shell_->service = service_.get();
}

void switch_driver::carry_out(std::vector<script_line> lines) {
    for (auto& line : lines) later_.push_back(std::move(line));
    if (!cpu_.running()) cpu_.program([this] { catch_up(); });
}

void switch_driver::catch_up() {
    // More may come while these are carried out.
    std::size_t next = 0;
    while (next < later_.size()) {
        const script_line line = later_[next++];
        if (execute(line.text) != WEIR_OK) error_ = fmt::format("{}: {}", line.where, weir_shell_error(shell_.get()));
        ++commands_;
    }
    later_.clear();
}

void switch_driver::keep_serving() {
    if (!weir_service_active(service_.get())) return;
    cpu_.program([this] {
        while (weir_service_active(service_.get())) {
            catch_up();
            const weir_hal& hal = device_->hal;
            const std::uint64_t wait = weir_service_wait_ns(service_.get());
            bool interrupted = false;
            // A line that the service has not enabled is somebody else's.
            if (service_->causes != 0) {
                interrupted = hal.wait_irq(hal.ctx, wait) == WEIR_OK;
            } else {
                hal.delay_ns(hal.ctx, wait);
            }
            const weir_status status = weir_service_serve(service_.get(), interrupted);
            if (status == WEIR_OK || status == service_->found || !print_) continue;
            print_("% ");
            print_(device_->message);
            print_("\n");
        }
    });
}

weir_status switch_driver::start() {
    return weir_device_start(device_.get(), &cpu_.hal());
}

weir_status switch_driver::execute(const std::string& line) {
    return weir_shell_execute(shell_.get(), line.c_str());
}

void switch_driver::program(std::vector<script_line> lines) {
    cpu_.program([this, script = std::move(lines)] {
        if (const weir_status status = start(); status != WEIR_OK) {
            error_ = fmt::format("{}: the device does not come up: {}", cpu_.name(),
                                 weir_device_message(device_.get(), status));
            return;
        }
        for (const script_line& line : script) {
            if (execute(line.text) != WEIR_OK) {
                error_ = fmt::format("{}: {}", line.where, weir_shell_error(shell_.get()));
                return;
            }
            ++commands_;
        }
    });
}

}  // namespace weir::platforms
