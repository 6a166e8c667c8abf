// SPDX-License-Identifier: Apache-2.0
// Distributions over every event of the run: none of their numbers is a sample.

const shareAxis = {label: "share", log: true, range: (u, least) => [Math.min(0.01, least / 1.1), 1],
  text: (value) => (value === 0 || value >= 0.001 ? percent(value) : value.toExponential(0))};

function quantileTable(rows, caption, text) {
  return table(["", ">mean", ">p50", ">p95", ">p99", ">p99.9", ">max"], rows.map(([name, d, most]) =>
    [name, text(d.mean), ...[d.p50, d.p95, d.p99, d.p999].map(text), text(most)]), caption);
}

/** Occupancy of a place: how much of the time it held at least so many cells. */
function occupancyDistribution(place) {
  const kinds = Object.values(place.of).filter((level) => level.distribution && level.kind !== "guaranteed");
  const colours = {...regionColours, queue: "blue", pool: "purple"};
  const names = {service: "Service", headroom: "Headroom", queue: "Queue", pool: "Pool"};
  return [
    curveChart(`${place.name}: share of the time with at least so many cells`, {label: "cells"}, shareAxis,
      kinds.map((level) => ({label: names[level.kind], colour: colours[level.kind], stepped: true,
        x: level.distribution.x, y: level.distribution.of_time}))),
    quantileTable(kinds.map((level) => [names[level.kind], level.distribution, level.peak]), "Cells, weighted by time", short),
  ];
}

function pauseDistribution(lengths) {
  const curves = [];
  for (const [kind, colour, words] of [["asked", "vermilion", "asked"], ["stopped", "blue", "stopped"]]) {
    const d = lengths[kind];
    if (!d) continue;
    const x = [d.x[0] / 2, ...d.x];  // all are longer than half the shortest: where the curve begins
    curves.push({label: `of pauses ${words}`, colour, stepped: true, x, y: [1, ...d.pauses]},
      {label: `of their time, ${words}`, colour, stepped: true, dash: [6, 4], x, y: [1, ...d.of_time]});
  }
  const rows = Object.entries(lengths).map(([kind, d]) => [laneTitles[kind], {...d, mean: d.time / d.count}, d.max]);
  return [
    curveChart("Share of pauses, and of paused time, in pauses at least so long",
      {label: "length of a pause", log: true, text: duration}, {...shareAxis, log: false, range: [0, 1]}, curves),
    quantileTable(rows, "Length of pauses", duration),
  ];
}

function distributionSection({timeline}) {
  if (!timeline.exact) return null;
  const parts = [];
  const all = new Map([
    ...places(timeline.levels, ["service", "headroom"], groupName), ...places(timeline.levels, ["queue"], queueName),
    ...places(timeline.levels, ["pool"], poolName),
  ]);
  if (all.size > 0) {
    parts.push(el("h3", {}, "Occupancy"), placeCharts("Place", all, occupancyDistribution).element);
  }
  if (timeline.pause_lengths) parts.push(el("h3", {}, "Length of pauses"), ...pauseDistribution(timeline.pause_lengths));
  if (parts.length === 0) return null;
  return section("distributions", "Distributions",
    "Over every event of the run, weighted by time: no samples. A point (x, y) of an occupancy's curve: y of the time x cells or more were held.",
    ...parts);
}
