#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of a sweep that nobody ran: synthetic_study.py DIR [every N-th point]. Loss falls with XOFF's distance and rises with fan-in;
points hold where it is 0. One point has no run that succeeded."""
import json
import sys
from pathlib import Path

xoffs, fans, alphas = [2000, 4000, 8000, 16000, 32000, 64000], [2, 4, 8, 16, 32], ["1/8", "1/2"]
points = []
for xoff in xoffs:
    for fan in fans:
        for alpha in alphas:
            lost = max(0, fan * 900 - xoff) * (1 if alpha == "1/8" else 2)
            slow = 1 + fan * 0.9 + 4000 / xoff
            failed = 3 if (xoff, fan) == (2000, 32) else 0

            def spread(mean, part):
                return {"mean": mean, "sd": mean * part, "low": mean * (1 - part), "high": mean * (1 + part),
                        "min": mean * (1 - 2 * part), "max": mean * (1 + 2 * part)}

            nothing = dict.fromkeys(("mean", "sd", "low", "high", "min", "max"))
            points.append({"parameters": {"xoff": xoff, "fan_in": fan, "alpha": alpha}, "runs": 3, "failed": failed,
                           "reasons": ["p.toml: the pool is too small"] if failed else [],
                           "figures": {"lossless_lost": nothing if failed else spread(lost, 0.1),
                                       "slowdown_p99": nothing if failed else spread(slow, 0.04)},
                           "holds": not failed and lost == 0})
table = {"schema": "weir-study", "schema_version": 1, "study": "xoff_and_fan_in", "platform": "one_switch_8x400g",
         "parameters": [{"name": "xoff", "values": xoffs}, {"name": "fan_in", "values": fans},
                        {"name": "alpha", "values": alphas}],
         "figures": [{"name": "lossless_lost", "unit": "frames", "meaning": "Frames that lossless classes lost."},
                     {"name": "slowdown_p99", "unit": "", "meaning": "Slowdown of flows, the 99th percentile."}],
         "constraints": [{"figure": "lossless_lost", "relation": "equals", "bound": 0},
                         {"figure": "slowdown_p99", "relation": "at_most", "bound": 16}],
         "points": points}
if len(sys.argv) > 2:
    table["points"] = points[::int(sys.argv[2])]
Path(sys.argv[1], "table.json").write_text(json.dumps(table))
