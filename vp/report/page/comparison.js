// SPDX-License-Identifier: Apache-2.0
// Several runs side by side: the first is what the others are compared with.

const runColours = ["blue", "vermilion", "green", "purple", "ochre", "sky", "ink", "muted"];
const runColour = (i) => runColours[i % runColours.length];
const runDash = (i) => (i < runColours.length ? undefined : [6, 4]);

/** Figures of a run: [name, value or null, text, whether less is better]. */
function keyFigures(run) {
  const all = run.completion[run.completion.length - 1];
  const lost = (lossless) => run.losses.filter((loss) => loss.lossless === lossless).reduce((sum, loss) => sum + loss.frames, 0);
  const headroom = run.groups.map((g) => g.headroom);
  const service = run.groups.map((g) => g.service);
  const lengths = run.timeline?.pause_lengths?.asked;
  return [
    ["Lossless frames lost", lost(true), grouped],
    ["Lossy frames lost", lost(false), grouped],
    ["Flows finished", run.flows.finished, grouped],
    ["Duration", run.run.end_ps - run.run.traffic_at_ps, duration],
    ["Completion p50", all?.time_ps.p50 ?? null, duration],
    ["Completion p99", all?.time_ps.p99 ?? null, duration],
    ["Slowdown p50", all?.slowdown.p50 ?? null, short],
    ["Slowdown p99", all?.slowdown.p99 ?? null, short],
    ["Frames marked", run.flows.marked_frames, grouped],
    ["Frames sent again", run.flows.retransmitted_frames, grouped],
    ["Pauses sent", run.pauses.reduce((sum, each) => sum + each.sent, 0), grouped],
    ["Time asked to pause, all ports", run.pauses.reduce((sum, each) => sum + each.asked_ns * 1000, 0), duration],
    ["Pause p99", lengths?.p99 ?? null, duration],
    ["Highest Service, cells", service.length > 0 ? Math.max(...service) : null, grouped],
    ["Highest Headroom, cells", headroom.length > 0 ? Math.max(...headroom) : null, grouped],
  ];
}

function figuresTable(runs) {
  const figures = runs.map(keyFigures);
  const rows = figures[0].map(([name, , text], f) => [name, ...figures.map((of, i) => {
    const value = of[f][1];
    const base = figures[0][f][1];
    if (value === null) return "–";
    const change = i > 0 && base !== null && base !== 0 && value !== base ? value / base - 1 : null;
    return el("span", {}, text(value), change === null ? null
      : el("span", {class: "quiet"}, ` ${change > 0 ? "+" : "−"}${percent(Math.abs(change))}`));
  })]).filter((row) => row.slice(1).some((cell) => cell !== "–"));
  return table(["", ...runs.map((run) => `>${run.name}`)],
    [["Verdict", ...runs.map(verdictBadge)], ...rows], "Figures, and their change against the first run");
}

/** Keys whose values are not the same in all runs. */
function configurationChanges(runs) {
  const texts = runs.map((run) => new Map(run.configuration.map((row) => [row.key, valueText(row).join(", ")])));
  const keys = [...new Set(texts.flatMap((of) => [...of.keys()]))];
  const changed = keys.filter((key) => new Set(texts.map((of) => of.get(key))).size > 1);
  if (changed.length === 0) return el("p", {class: "note"}, "The runs are configured alike.");
  return table(["key", ...runs.map((run) => run.name)], changed.map((key) => [key, ...texts.map((of) => of.get(key) ?? "–")]),
    "Configuration that differs");
}

/** Signals that several runs have, overlaid. */
function overlays(runs) {
  const timed = runs.map((run, i) => ({run, i})).filter(({run}) => run.timeline);
  if (timed.length < 2) return [];
  const levels = new Map();
  for (const {run, i} of timed) {
    for (const level of run.timeline.levels.filter((each) => each.kind !== "guaranteed")) {
      const words = {service: "Service", headroom: "Headroom", queue: "depth", pool: "in use"}[level.kind];
      const place = {queue: queueName, pool: poolName}[level.kind] ?? groupName;
      const name = `${place(level)}: ${words}`;
      if (!levels.has(name)) levels.set(name, []);
      levels.get(name).push({level, i});
    }
  }
  const shared = [...levels].sort(([, a], [, b]) => b.length - a.length || b[0].level.peak - a[0].level.peak);
  if (shared.length === 0) return [];
  const zoom = new Zoom(Math.min(...timed.map(({run}) => run.timeline.begin)), Math.max(...timed.map(({run}) => run.timeline.end)));
  const charts = ({name, of}) => {
    const lines = of.map(({level, i}) => ({label: runs[i].name, colour: runColour(i), dash: runDash(i), steps: decoded(level)}));
    const spread = of.filter(({level}) => level.distribution);
    return [
      timeChart(name, "cells", lines, zoom, null, 260),
      spread.length === 0 ? null : curveChart(`${name}: share of the time with at least so many cells`, {label: "cells"}, shareAxis,
        spread.map(({level, i}) => ({label: runs[i].name, colour: runColour(i), dash: runDash(i), stepped: true,
          x: level.distribution.x, y: level.distribution.of_time}))),
    ].filter(Boolean);
  };
  const all = new Map(shared.map(([name, of]) => [name, {name, of}]));
  const part = el("div", {}, zoom.bar(), placeCharts("Signal", all, charts).element);
  part.addEventListener("keydown", (event) => {
    if (!event.target.matches("select, input") && !event.ctrlKey && !event.metaKey && zoom.key(event.key)) event.preventDefault();
  });
  return [el("h3", {}, "Occupancy"), part];
}

/** How long pauses were, in each run. */
function comparedPauses(runs) {
  const known = runs.map((run, i) => ({i, lengths: run.timeline?.pause_lengths?.asked})).filter(({lengths}) => lengths);
  if (known.length < 2) return null;
  return curveChart("Share of pauses at least so long", {label: "length of a pause", log: true, text: duration},
    {...shareAxis, log: false, range: [0, 1]}, known.map(({i, lengths}) => ({label: runs[i].name, colour: runColour(i), dash: runDash(i),
      stepped: true, x: [lengths.x[0] / 2, ...lengths.x], y: [1, ...lengths.pauses]})));
}

function comparedCompletion(runs) {
  const curved = runs.map((run, i) => ({i, bins: sizes(run.completion).filter((bin) => bin.slowdown.p99 !== null)}));
  if (Math.max(...curved.map(({bins}) => bins.length)) < 2) return null;
  return curveChart("Slowdown p99 by length of flow", {label: "octets of a flow, from", log: true, text: decimal},
    {label: "slowdown p99", log: true}, curved.map(({i, bins}) => ({label: runs[i].name, colour: runColour(i), dash: runDash(i), points: true,
      x: bins.map((bin) => bin.least_octets), y: bins.map((bin) => bin.slowdown.p99)})));
}

function comparedHeadroom(runs) {
  const all = new Map();
  runs.forEach((run, i) => (run.observation?.headroom ?? []).forEach((use) => {
    const name = `${use.switch}.${use.port} PG ${use.group}`;
    if (!all.has(name)) all.set(name, runs.map(() => null));
    all.get(name)[i] = use;
  }));
  if (all.size === 0) return null;
  const rows = [...all].sort(([, a], [, b]) => Math.max(...b.map((u) => u?.used ?? 0)) - Math.max(...a.map((u) => u?.used ?? 0)));
  return table(["group", ...runs.map((run) => `>${run.name}`)], rows.slice(0, 20).map(([name, uses]) => [name, ...uses.map((use) =>
    (use ? `${grouped(use.used)} of ${grouped(use.programmed)}, ${grouped(use.needed)} needed` : "–"))]), "Headroom used, in cells");
}

function comparisonSection(runs) {
  return section("comparison", "Side by side", null, figuresTable(runs), configurationChanges(runs), ...overlays(runs),
    comparedPauses(runs), comparedCompletion(runs), comparedHeadroom(runs));
}
