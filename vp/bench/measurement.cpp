// SPDX-License-Identifier: Apache-2.0
#include "vp/bench/measurement.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>

namespace weir::vp {

measurement in_a_process(const std::function<measurement()>& body) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw std::runtime_error("weir bench: no pipe");
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("weir bench: no process");
    if (child == 0) {
        close(ends[0]);
        measurement m;
        try {
            m = body();
        } catch (const std::exception& e) {
            std::fprintf(stderr, "weir bench: %s\n", e.what());
            _exit(1);
        }
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        m.resident_mib = static_cast<double>(usage.ru_maxrss) / 1024.0;
        const bool told = write(ends[1], &m, sizeof m) == static_cast<ssize_t>(sizeof m);
        _exit(told ? 0 : 1);
    }
    close(ends[1]);
    measurement m;
    const bool heard = read(ends[0], &m, sizeof m) == static_cast<ssize_t>(sizeof m);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!heard || status != 0) throw std::runtime_error("weir bench: a measurement failed");
    return m;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

}  // namespace weir::vp
