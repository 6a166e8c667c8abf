#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Signals of any length for a run that has none: synthetic_signals.py DIR CHANGES.

DIR is what `weir run platforms/one_switch_8x400g --observe --out DIR` left. Ports 1 to 7 fill group 3 in a saw-tooth
between XON and a little above XOFF and ask their hosts to stop meanwhile; queue 3 of port 0 holds what is in them. So
every number on the page is known: each tooth is a pause, and pauses are a third of the time."""
import json
import sys
from pathlib import Path

PORTS = range(1, 8)
XOFF, XON, OVER, GUARANTEED = 6800, 4752, 500, 8
STEPS = 24  # changes of Service in a tooth: 16 up, 8 down
REASONS = ["none", "fcs", "length", "no_route", "ttl", "watchdog", "no_cell", "group_limit", "headroom"]


def names():
    signals = []

    def add(kind, port, index, unit="cells", device=None, **limits):
        place = {"host": device} if device else {"switch": "s0"}
        signals.append({"name": f"{device or 's0'}.{port}.{index}.{kind}", "kind": kind, **place, "port": port,
                        "index": index, "unit": unit, **limits})
        return len(signals) - 1

    ports = {}
    for p in PORTS:
        ports[p] = {"guaranteed": add("guaranteed", p, 3, guaranteed=GUARANTEED),
                    "service": add("service", p, 3, xoff=XOFF, xon=XON),
                    "headroom": add("headroom", p, 3, headroom=768),
                    "asked": add("asked", p, 3, ""),
                    "stopped": add("stopped", 0, 3, "", f"h{p}")}
    whole = {"queue": add("queue", 0, 3, kmin=20000, kmax=45000), "pool": add("pool", 0, 0, limit=58880),
             "mark": add("mark", 0, 3, ""), "drop": add("drop", 1, 3, "")}
    return signals, ports, whole


def main():
    folder, wanted = Path(sys.argv[1]), int(sys.argv[2])
    run = json.loads((folder / "result.json").read_text())["run"]
    end = run["end_ps"] - run["traffic_at_ps"]
    signals, ports, whole = names()
    teeth = max(1, wanted // (len(PORTS) * (2 * STEPS + 5)))
    period = end // (teeth + 1)
    rows = []
    levels = {p: 0 for p in PORTS}
    for p in PORTS:
        rows.append((0, ports[p]["guaranteed"], GUARANTEED))
        for tooth in range(teeth):
            begin = tooth * period + p * period // 16
            for i in range(1, STEPS + 1):
                up = i <= 16
                height = XOFF - XON
                level = XON + height * i // 16 if up else XOFF - height * (i - 16) // 8
                rows.append((begin + i * period // 32, ports[p]["service"], level))
            top = begin + 16 * period // 32
            over = OVER - 37 * (tooth % 7)
            rows += [(top, ports[p]["asked"], 1), (top + 1, ports[p]["headroom"], over),
                     (top + period // 128, ports[p]["stopped"], 1), (top + period // 64, ports[p]["headroom"], 0),
                     (begin + 24 * period // 32, ports[p]["asked"], 0),
                     (begin + 25 * period // 32, ports[p]["stopped"], 0)]
    rows.sort()
    total = 0
    merged = []
    for row in rows:
        merged.append(row)
        for p in PORTS:
            if row[1] == ports[p]["service"]:
                total += row[2] - levels[p]
                levels[p] = row[2]
                merged += [(row[0], whole["queue"], total), (row[0], whole["pool"], total)]
                if total > 40000:
                    merged.append((row[0], whole["mark"], 3))
    for i in range(1, 6):
        merged.append((end * i // 9, whole["drop"], REASONS.index("headroom" if i % 2 else "group_limit")))
    merged.sort(key=lambda row: row[0])
    (folder / "signals.json").write_text(json.dumps(
        {"schema": "weir-signals", "schema_version": 1, "begin_ps": 0, "end_ps": end, "drop_reasons": REASONS,
         "signals": signals}))
    with open(folder / "signals.csv", "w", encoding="ascii") as out:
        out.write("time_ps,signal,value\n")
        out.writelines(f"{t},{s},{v}\n" for t, s, v in merged)
    print(f"{len(merged)} changes of {len(signals)} signals")


main()
