// SPDX-License-Identifier: Apache-2.0
// Charts over time: regions of a group, pools, queues, what was dropped and marked, how far pauses reached.

const regionColours = {guaranteed: "green", service: "blue", headroom: "vermilion"};
const limitLines = {
  xoff: {label: "XOFF", colour: "vermilion", dash: [10, 4]},
  xon: {label: "XON", colour: "purple", dash: [5, 4]},
  limit: {label: "Limit", colour: "ink", dash: [2, 3]},
  kmin: {label: "Kmin", colour: "ochre", dash: [5, 4]},
  kmax: {label: "Kmax", colour: "vermilion", dash: [10, 4]},
  headroom: {label: "Headroom programmed", colour: "ink", dash: [10, 4]},
};

/** Lines of the limits that a signal has. One far above what the signal reaches is left to the reader to turn on, but for `always`. */
function limitsOf(level, names, always = false) {
  return names.filter((name) => level.limits?.[name] !== undefined).map((name) => ({
    ...limitLines[name], level: level.limits[name], shown: always || level.limits[name] <= 4 * level.peak,
  }));
}

function levelLine(level, label, colour, filled) {
  return {label, colour, filled, steps: decoded(level)};
}

/** Signals by the place that they share: Map of name → {name, of: {kind: level}}. Those that reached into Headroom furthest first. */
function places(levels, kinds, name) {
  const found = new Map();
  for (const level of levels.filter((each) => kinds.includes(each.kind))) {
    const key = name(level);
    if (!found.has(key)) found.set(key, {name: key, of: {}});
    found.get(key).of[level.kind] = level;
  }
  const headroom = ({of}) => of.headroom?.peak ?? 0;
  const peak = ({of}) => Math.max(...Object.values(of).map((level) => level.peak));
  return new Map([...found].sort(([, a], [, b]) => headroom(b) - headroom(a) || peak(b) - peak(a)));
}

const groupName = (at) => `${portName(at)} PG ${at.index}`;
const queueName = (at) => `${portName(at)} queue ${at.index}`;
const poolName = (at) => `${at.device} pool ${at.index}`;

/** A chooser of a place above the charts of that place. `show(name)` of what it returns chooses from elsewhere. */
function placeCharts(label, all, charts) {
  const names = [...all.keys()];
  const inner = el("div", {class: "charts"});
  const show = (name) => {
    if (!all.has(name)) return;
    chooserElement.querySelector("select").value = name;
    inner.replaceChildren(...charts(all.get(name)));
  };
  const chooserElement = chooser(label, names.map((name) => ({value: name, label: name})), names[0], show);
  show(names[0]);
  return {element: el("div", {}, names.length > 1 ? chooserElement : null, inner), show};
}

function exactness(timeline, level) {
  if (!timeline.exact) return "Drawn from samples: what lies between two is not seen.";
  if (level.resolution === 1) return null;
  return `${grouped(level.changes)} changes; within ${duration(level.resolution)} only the least and the greatest are drawn.`;
}

function regionCharts(timeline, zoom, place) {
  const {guaranteed, service, headroom} = place.of;
  const made = [];
  const main = service ?? guaranteed;
  if (main) {
    const lines = [];
    if (service) lines.push(levelLine(service, "Service", regionColours.service, true), ...limitsOf(service, ["xoff", "xon", "limit"]));
    if (guaranteed) lines.push(levelLine(guaranteed, "Guaranteed", regionColours.guaranteed, false));
    made.push(timeChart(`${place.name}: Service and Guaranteed`, "cells", lines, zoom, exactness(timeline, main)));
  }
  if (headroom) {
    made.push(timeChart(`${place.name}: Headroom`, "cells",
      [levelLine(headroom, "Headroom", regionColours.headroom, true), ...limitsOf(headroom, ["headroom"], true)], zoom,
      exactness(timeline, headroom), 150));
  }
  return made;
}

function sumLines(sums) {
  const colours = ["vermilion", "blue", "purple", "green", "ochre", "sky"];
  return sums.map((sum, i) => ({label: sum.name.replaceAll("_", " "), colour: colours[i % colours.length], steps: decoded(sum)}));
}

/** The section; `run.timeline` is there. */
function timelineSection(run, zoom) {
  const {timeline} = run;
  const {levels} = timeline;
  const parts = [zoom.bar()];
  const groups = places(levels, ["guaranteed", "service", "headroom"], groupName);
  let regions = null;
  if (groups.size > 0) {
    regions = placeCharts("Priority group", groups, (place) => regionCharts(timeline, zoom, place));
    parts.push(el("h3", {}, "Occupancy of priority groups"), regions.element);
  }
  if (timeline.lanes.length > 0) parts.push(...lanesPart(timeline, zoom, (lane) => regions?.show(groupName(lane))));
  const queues = places(levels, ["queue"], queueName);
  if (queues.size > 0) {
    parts.push(el("h3", {}, "Egress queues"), placeCharts("Queue", queues, ({name, of: {queue}}) => [
      timeChart(`${name}: depth`, "cells", [levelLine(queue, "Depth", "blue", true), ...limitsOf(queue, ["kmin", "kmax", "limit"])],
        zoom, exactness(timeline, queue))]).element);
  }
  const pools = places(levels, ["pool"], poolName);
  if (pools.size > 0) {
    parts.push(el("h3", {}, "Pools"), placeCharts("Pool", pools, ({name, of: {pool}}) => [
      timeChart(`${name}: cells in use`, "cells", [levelLine(pool, "In use", "purple", true), ...limitsOf(pool, ["limit"])], zoom,
        exactness(timeline, pool), 170)]).element);
  }
  if (timeline.drops.length > 0) {
    parts.push(el("h3", {}, "Dropped frames"), timeChart("Dropped so far, by reason", "frames", sumLines(timeline.drops), zoom, null, 170));
  }
  if (timeline.marks.length > 0) {
    parts.push(el("h3", {}, "Marked frames"), timeChart("CE set so far", "frames", sumLines(timeline.marks), zoom, null, 150));
    parts.push(eventTable(timeline.mark_places, "Frames marked, by queue", queueName));
  }
  const spread = run.observation?.spread ?? {};
  if (spread.hosts || spread.links) {
    const lines = [["links", "Links between switches", "vermilion"], ["hosts", "Hosts", "blue"], ["causes", "Causes", "green"]]
      .filter(([key]) => spread[key]).map(([key, label, colour]) => ({label, colour, steps: decoded(spread[key])}));
    parts.push(el("h3", {}, "How far pauses reach"), timeChart("Stopped at once", "links, hosts", lines, zoom, null, 170));
  }
  const left = timeline.left_out;
  if (left.levels) parts.push(el("p", {class: "note"}, `${grouped(left.levels)} signals of lower peaks are left out.`));
  const made = section("time", "Over time",
    "Times count from workload time zero. Drag across a chart to zoom, double-click for the whole run; with the keyboard: + − ← → 0.",
    ...parts);
  made.addEventListener("keydown", (event) => {
    const typing = event.target.matches("select, input");
    if (!typing && !event.ctrlKey && !event.metaKey && !event.altKey && zoom.key(event.key)) event.preventDefault();
  });
  return made;
}

function eventTable(list, caption, name) {
  return table(["place", ">frames", ">first", ">last"],
    list.map((place) => [name(place), grouped(place.events), duration(place.first), duration(place.last)]), caption);
}
