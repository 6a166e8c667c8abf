#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a definition of every public function of the driver that has it carried out on a hart.

usage: calls.py OUTPUT.cpp HEADER…

What a parameter's type says is enough: objects go by their counterpart on the hart, `const T*` in, `T*` in and out,
`x[6]` as so many. Functions for which it is not are written by hand, in riscv_by_hand.cpp, and named here.
"""
import re
import sys
from pathlib import Path

# Take callbacks, arrays with a count, or give what lives on in the hart.
BY_HAND = {
    "weir_shell_init", "weir_watchdog_init", "weir_dcbx_init", "weir_service_init", "weir_nos_init",
    "weir_device_start", "weir_device_attach", "weir_pools_set", "weir_ecmp_set", "weir_ecmp_get", "weir_cpu_send",
    "weir_cpu_send_forwarded", "weir_cpu_receive", "weir_dcbx_decode", "weir_dcbx_encode", "weir_nos_create",
    "weir_nos_set", "weir_nos_get", "weir_nos_get_stats",
}
DECLARATION = re.compile(r"^((?:const char|[a-z_0-9]+)\*?)\s+(weir_[a-z0-9_]+)\(([^;]*)\);", re.M | re.S)


def argument(parameter):
    array = re.match(r".*?(\w+)\[(\d+)\]$", parameter)
    if array:
        return f"weir::riscv::fixed({array.group(1)}, {array.group(2)})"
    return re.search(r"(\w+)$", parameter).group(1)


def main():
    output, headers = Path(sys.argv[1]), [Path(p) for p in sys.argv[2:]]
    lines = ["// Made by tests/sw/riscv/calls.py.", '#include "tests/sw/riscv/riscv_driver.h"']
    lines += [f'#include "sw/include/weir/{h.name}"' for h in headers]
    lines += ["", 'extern "C" {']
    seen = set()
    for header in headers:
        text = re.sub(r"//.*", "", header.read_text())
        for result, name, parameters in DECLARATION.findall(text):
            if name in BY_HAND or name in seen:
                continue
            seen.add(name)
            parameters = re.sub(r"\s+", " ", parameters).strip()
            arguments = "".join(", " + argument(p.strip()) for p in parameters.split(","))
            lines.append(f"{result} {name}({parameters}) {{")
            lines.append(f'    return weir::riscv::on_hart<{result}>("{name}"{arguments});')
            lines.append("}")
    lines.append("}")
    output.write_text("\n".join(lines) + "\n")


main()
