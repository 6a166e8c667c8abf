// SPDX-License-Identifier: Apache-2.0
// Pauses as lanes, one a port and priority: full height while it stands, as dense as it is where several are merged.

const lanesAtFirst = 16;
const laneTitles = {
  asked: "Asks its neighbour to stop",
  stopped: "Is stopped by its neighbour",
};

const laneName = (lane) => `${portName(lane)} · ${lane.index}`;

function drawLane(canvas, lane, zoom) {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (width === 0) return;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext("2d");
  pen.fillStyle = colour(lane.kind === "asked" ? "vermilion" : "blue");
  const x = (time) => (time - zoom.from) / zoom.span * canvas.width;
  let begin = 0;
  for (let i = 0; i < lane.t.length; ++i) {
    begin += lane.t[i];
    const end = begin + lane.length[i];
    if (end < zoom.from) continue;
    if (begin > zoom.to) break;
    const left = Math.max(0, x(begin));
    const right = Math.max(left + 1, Math.min(canvas.width, x(end)));
    // Of merged pauses, as much of the height as they take of the time.
    const share = lane.time && lane.length[i] > 0 ? lane.time[i] / lane.length[i] : 1;
    const tall = Math.max(2, share * canvas.height);
    pen.fillRect(left, canvas.height - tall, right - left, tall);
  }
}

function laneDetails(lane, timeline, zoom) {
  const {lengths} = lane;
  const span = timeline.end - timeline.begin;
  const facts = [["Pauses", grouped(lengths.count)], ["Time", duration(lengths.time)],
    ["Of the run", percent(lengths.time / span)]];
  if (lane.longest) facts.push(["Median", duration(lengths.p50)], ["p99", duration(lengths.p99)], ["Longest", duration(lengths.max)]);
  const jump = ([begin, end]) => el("li", {}, el("button", {type: "button", class: "link", click: () => {
    const margin = Math.max((end - begin) / 2, 1);
    zoom.show(begin - margin, end + margin);
  }}, `${duration(end - begin)} at ${moment(begin, end - begin)}`));
  return el("div", {class: "details"},
    el("dl", {class: "facts"}, facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
    lane.longest ? [el("p", {}, "The longest, to zoom to:"), el("ol", {class: "longest"}, lane.longest.map(jump))] : null);
}

function laneRow(lane, timeline, zoom, chosen) {
  const canvas = el("canvas", {class: "lane", "aria-hidden": "true"});
  const place = el("div", {});
  const open = () => {
    const shut = button.getAttribute("aria-expanded") !== "true";
    button.setAttribute("aria-expanded", String(shut));
    place.replaceChildren(...(shut ? [laneDetails(lane, timeline, zoom)] : []));
    if (shut) chosen(lane);
  };
  const told = `${laneName(lane)}: ${counted(lane.lengths.count, "pause")}, ${duration(lane.lengths.time)}`;
  const button = el("button", {type: "button", class: "lane-name", "aria-expanded": "false", title: told, "aria-label": told,
    click: open}, laneName(lane));
  canvas.addEventListener("click", open);
  const row = el("div", {class: `lane-row ${lane.kind}`}, button, canvas, place);
  row.draw = () => drawLane(canvas, lane, zoom);
  return row;
}

/** Heading, lanes and their scale, of both kinds. `chosen` is called with a lane that is opened. */
function lanesPart(timeline, zoom, chosen) {
  const parts = [el("h3", {}, "Pauses"), el("p", {class: "note"},
    "A lane is a port and a priority. Choose one for its numbers; its group is shown above. Merged pauses are as tall as they are dense." +
    (timeline.exact ? "" : " Drawn from samples: what lies between two is not seen."))];
  for (const [kind, title] of Object.entries(laneTitles)) {
    const lanes = timeline.lanes.filter((lane) => lane.kind === kind).sort((a, b) => b.lengths.time - a.lengths.time);
    if (lanes.length === 0) continue;
    const list = el("div", {class: "lanes"});
    const draw = () => { for (const row of list.children) row.draw(); };
    const scale = el("div", {class: "lane-scale", "aria-hidden": "true"}, el("span", {}), el("span", {}));
    const fill = (some) => list.append(...some.map((lane) => laneRow(lane, timeline, zoom, chosen)));
    fill(lanes.slice(0, lanesAtFirst));
    const rest = lanes.slice(lanesAtFirst);
    const button = rest.length === 0 ? null : el("button", {type: "button", click: () => {
      fill(rest);
      button.remove();
      draw();
    }}, `Show ${counted(rest.length, "more lane")}`);
    let asked = false;
    const later = () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => { asked = false; draw(); });
    };
    new ResizeObserver(later).observe(list);
    redrawers.add(draw);
    zoom.follow(() => {
      scale.firstChild.textContent = moment(zoom.from, zoom.span);
      scale.lastChild.textContent = moment(zoom.to, zoom.span);
      later();
    }, list);
    const left = timeline.left_out.lanes;
    parts.push(el("h4", {}, title, " ", el("span", {class: "quiet"}, counted(lanes.length, "lane"))), list, scale, button,
      left ? el("p", {class: "note"}, `${grouped(left)} lanes of less time are left out.`) : null);
  }
  return parts.filter(Boolean);
}
