// SPDX-License-Identifier: Apache-2.0
// Charts: uPlot draws axes and lines; this file gives it steps, colours that follow the theme, and a legend of buttons.

const gutter = 80;  // left and right of all time charts and lanes, so that times align: style.css has the same
const rightMargin = 26;

/** A colour of style.css as the canvas wants it. */
function colour(name) {
  colour.probe ??= document.body.appendChild(el("i", {hidden: true}));
  colour.probe.style.color = `var(--${name})`;
  return getComputedStyle(colour.probe).color;
}

/** The same, translucent. */
function faint(name, alpha) {
  return colour(name).replace(/^rgba?\(([^)]*)\)$/, (_, rgb) => `rgba(${rgb.split(",").slice(0, 3).join(",")}, ${alpha})`);
}

const allCharts = new Set();
const redrawers = new Set();  // of what is drawn without uPlot

/** After the theme has changed. */
function redrawAll() {
  for (const chart of allCharts) chart.redraw(false, true);
  for (const draw of redrawers) draw();
}

/** Steps as the data holds them, with times in full. */
function decoded(data) {
  let time = 0;
  const t = Float64Array.from(data.t, (difference) => (time += difference));
  return {t, v: data.v, low: data.low ?? data.v, high: data.high ?? data.v, resolution: data.resolution};
}

/** The number of the last step at or before a time; −1: none. */
function stepAt(steps, time) {
  let low = 0;
  let high = steps.t.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps.t[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function valueAt(steps, time) {
  const i = stepAt(steps, time);
  return i < 0 ? 0 : steps.v[i];
}

/** The greatest value between two times. */
function greatest(steps, from, to) {
  let most = valueAt(steps, from);
  for (let i = Math.max(0, stepAt(steps, from)); i < steps.t.length && steps.t[i] <= to; ++i) {
    most = Math.max(most, steps.high[i]);
  }
  return most;
}

const fewPerPixel = 3;  // changes that are still drawn one by one

/**
 * uPlot's paths of steps: {stroke, fill} and `band`, between the least and the greatest value where more happens than a
 * pixel or the steps themselves can tell apart. There the line is the mean over time.
 */
function stepPaths(u, steps, filled) {
  const stroke = new Path2D();
  const band = new Path2D();
  const {min, max} = u.scales.x;
  const x = (time) => u.valToPos(time, "x", true);
  const y = (value) => u.valToPos(value, "y", true);
  const pixel = (max - min) / u.bbox.width;
  let last = valueAt(steps, min);
  stroke.moveTo(x(min), y(last));
  let i = stepAt(steps, min) + 1;
  while (i < steps.t.length && steps.t[i] <= max) {
    const begin = steps.t[i];
    const before = last;
    let end = i;
    let [low, high, weighted] = [steps.low[i], steps.high[i], 0];
    for (; end + 1 < steps.t.length && steps.t[end + 1] < begin + pixel; ++end) {
      weighted += steps.v[end] * (steps.t[end + 1] - steps.t[end]);
      low = Math.min(low, steps.low[end + 1]);
      high = Math.max(high, steps.high[end + 1]);
    }
    last = steps.v[end];
    const width = Math.max(end > i ? pixel : 0, low < high ? steps.resolution : 0);
    const at = x(begin);
    stroke.lineTo(at, y(before));
    if (end - i >= fewPerPixel || (low < high && width > 0)) {
      [low, high] = [Math.min(low, before), Math.max(high, before)];
      band.rect(at, y(high), Math.max(1, x(begin + width) - at), y(low) - y(high));
      const stop = Math.max(begin + pixel, steps.t[end]);
      stroke.lineTo(at, y((weighted + last * (stop - steps.t[end])) / (stop - begin)));
      // Where it is quiet afterwards the line goes on at the last value, not aslant to it.
      if (!(steps.t[end + 1] < begin + 2 * pixel)) stroke.lineTo(x(stop), y(last));
    } else {
      for (let each = i; each <= end; ++each) stroke.lineTo(at, y(steps.v[each]));
    }
    i = end + 1;
  }
  stroke.lineTo(x(max), y(last));
  if (!filled) return {stroke, fill: null, band};
  const fill = new Path2D(stroke);
  fill.lineTo(x(max), y(0));
  fill.lineTo(x(min), y(0));
  return {stroke, fill, band};
}

function axis(label, more = {}) {
  return {
    label, stroke: () => colour("muted"), font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif",
    labelSize: 18, grid: {stroke: () => colour("grid"), width: 1}, ticks: {stroke: () => colour("grid"), width: 1, size: 5},
    ...more,
  };
}

/** A button for each series, with its colour, its value, and whether it is shown. */
function legend(lines, toggled) {
  const values = lines.map(() => el("span", {class: "value"}));
  const buttons = lines.map((line, i) => el("button", {
    type: "button", class: "series", "aria-pressed": String(line.shown !== false),
    click: (event) => {
      const shown = event.currentTarget.getAttribute("aria-pressed") !== "true";
      event.currentTarget.setAttribute("aria-pressed", String(shown));
      toggled(i, shown);
    },
  }, el("span", {class: `swatch ${line.dash ? "dashed" : ""}`, style: `--swatch: var(--${line.colour})`}), line.label,
  values[i]));
  return {bar: el("div", {class: "legend", role: "group", "aria-label": "Series"}, buttons), values};
}

/** A figure: title, legend, the chart, and a line below. */
function figure(title, lines, note, toggled) {
  const keys = legend(lines, toggled);
  const plot = el("div", {class: "plot"});
  const frame = el("figure", {class: "chart"}, el("figcaption", {}, title), keys.bar, plot,
    note ? el("p", {class: "note"}, note) : null);
  return {frame, plot, values: keys.values};
}

/** uPlot as wide as its place, from when it has one until it is taken away. */
function mount(plot, height, make) {
  let chart = null;
  const observer = new ResizeObserver(() => {
    const width = plot.clientWidth;
    if (!plot.isConnected) {
      observer.disconnect();
      allCharts.delete(chart);
      chart?.destroy();
    } else if (width > 0 && chart === null) {
      chart = make(width, height);
      allCharts.add(chart);
    } else if (width > 0 && chart.width !== width) {
      chart.setSize({width, height});
    }
  });
  observer.observe(plot);
  return () => chart;
}

/**
 * Lines over time. A line is {label, colour, steps, filled} or, for a limit, {label, colour, level, dash}; `shown: false`
 * leaves it to the reader to turn it on. The vertical axis holds what is shown, and begins at 0.
 */
function timeChart(title, unit, lines, zoom, note, height = 220) {
  const shown = lines.map((line) => line.shown !== false);
  const top = () => {
    let most = 1;
    lines.forEach((line, i) => {
      if (shown[i]) most = Math.max(most, line.steps ? greatest(line.steps, zoom.from, zoom.to) : line.level);
    });
    return most * 1.06;
  };
  const {frame, plot, values} = figure(title, lines, note, (i, on) => {
    shown[i] = on;
    chart()?.setSeries(i + 1, {show: on});
  });
  const tell = (time) => lines.forEach((line, i) => {
    if (!line.steps) values[i].textContent = grouped(line.level);
    else if (time === null) values[i].textContent = `max ${grouped(greatest(line.steps, zoom.from, zoom.to))}`;
    else values[i].textContent = grouped(valueAt(line.steps, time));
  });
  const bands = [];
  const series = lines.map((line, i) => ({
    label: line.label, show: line.shown !== false, scale: "y", points: {show: false}, dash: line.dash,
    stroke: () => colour(line.colour), width: 1.5, fill: line.filled ? () => faint(line.colour, 0.14) : undefined,
    paths: (u) => {
      if (line.steps) {
        const paths = stepPaths(u, line.steps, line.filled);
        bands[i] = paths.band;
        return paths;
      }
      const stroke = new Path2D();
      stroke.moveTo(u.bbox.left, u.valToPos(line.level, "y", true));
      stroke.lineTo(u.bbox.left + u.bbox.width, u.valToPos(line.level, "y", true));
      return {stroke, fill: null};
    },
  }));
  // What uPlot holds are the ends only: paths, scales and values come from the steps.
  const data = () => [[zoom.from, zoom.to], ...lines.map(() => [0, 0])];
  const chart = mount(plot, height, (width) => new uPlot({
    width, height: height, legend: {show: false}, padding: [8, rightMargin, 0, 0],
    scales: {x: {time: false, range: () => [zoom.from, zoom.to]}, y: {range: () => [0, top()]}},
    series: [{}, ...series],
    axes: [
      axis(null, {size: 30, values: (u, at) => timeTicks(at, zoom.span)}),
      axis(unit, {size: gutter - 18, values: (u, at) => at.map(short)}),
    ],
    cursor: {sync: {key: "time"}, drag: {x: true, y: false, setScale: false}, points: {show: false},
      bind: {dblclick: () => () => { zoom.reset(); return null; }}},
    hooks: {
      setSelect: [(u) => {
        if (u.select.width < 4) return;
        const [from, to] = [u.select.left, u.select.left + u.select.width].map((left) => u.posToVal(left, "x"));
        u.setSelect({left: 0, width: 0, top: 0, height: 0}, false);
        zoom.show(from, to);
      }],
      drawSeries: [(u, number) => {
        const band = bands[number - 1];
        if (!band || !shown[number - 1]) return;
        u.ctx.save();
        u.ctx.beginPath();
        u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
        u.ctx.clip();
        u.ctx.fillStyle = faint(lines[number - 1].colour, 0.45);
        u.ctx.fill(band);
        u.ctx.restore();
      }],
      setCursor: [(u) => tell(u.cursor.left >= 0 ? u.posToVal(u.cursor.left, "x") : null)],
    },
  }, data(), plot));
  zoom.follow(() => {
    chart()?.setData(data());
    tell(null);
  });
  return frame;
}

/** Ticks of a time axis: numbers, and the unit once, at the last. */
function timeTicks(at, span) {
  if (at.length === 0) return [];
  const [size, name] = timeUnit(Math.max(...at.map(Math.abs), 1));
  const step = at.length > 1 ? at[1] - at[0] : span;
  let digits = 0;
  while (digits < 9 && Math.abs(step / size * 10 ** digits - Math.round(step / size * 10 ** digits)) > 1e-6) ++digits;
  return at.map((time, i) => (time / size).toFixed(digits) + (i === at.length - 1 ? ` ${name}` : ""));
}

/** Ticks of a logarithmic axis: 1, 2 and 5 of each power of ten, or the powers alone where there are many. */
function logTicks(min, max) {
  const made = [];
  const powers = Math.ceil(Math.log10(max / min));
  for (let power = Math.floor(Math.log10(min)); 10 ** power <= max; ++power) {
    for (const digit of powers > 3 ? [1] : [1, 2, 5]) {
      const at = Number((digit * 10 ** power).toPrecision(12));
      if (at >= min && at <= max) made.push(at);
    }
  }
  return made;
}

/**
 * Curves of y over x. `x` and `y` are {label, log, text}: text makes a tick of a number. A curve is {label, colour, x, y,
 * stepped, dash, points, low, high}: low and high are the ends of an upright bar at each point. `bounds`: [{label, y}],
 * drawn straight through.
 */
function curveChart(title, x, y, curves, note, height = 240, bounds = []) {
  const {frame, plot, values} = figure(title, curves, note, (i, on) => chart()?.setSeries(i + 1, {show: on}));
  const data = uPlot.join(curves.map((curve) => [curve.x, curve.y]));
  const xRange = x.log ? () => [data[0][0] / 1.1, data[0][data[0].length - 1] * 1.1] : undefined;
  const drawMarks = (u) => {
    const pen = u.ctx;
    const px = window.devicePixelRatio || 1;
    pen.save();
    pen.beginPath();
    pen.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    pen.clip();
    pen.lineWidth = 1.5 * px;
    curves.forEach((curve, c) => {
      if (!curve.low || !u.series[c + 1].show) return;
      pen.strokeStyle = colour(curve.colour);
      pen.beginPath();
      curve.x.forEach((at, i) => {
        if (curve.low[i] === null) return;
        pen.moveTo(u.valToPos(at, "x", true), u.valToPos(curve.low[i], "y", true));
        pen.lineTo(u.valToPos(at, "x", true), u.valToPos(curve.high[i], "y", true));
      });
      pen.stroke();
    });
    pen.strokeStyle = pen.fillStyle = colour("ink");
    pen.font = `${12 * px}px system-ui, sans-serif`;
    pen.textAlign = "left";
    pen.textBaseline = "alphabetic";
    pen.setLineDash([8 * px, 4 * px]);
    for (const bound of bounds) {
      const at = u.valToPos(bound.y, "y", true);
      pen.beginPath();
      pen.moveTo(u.bbox.left, at);
      pen.lineTo(u.bbox.left + u.bbox.width, at);
      pen.stroke();
      pen.fillText(bound.label, u.bbox.left + 6 * px, at - 5 * px);
    }
    pen.restore();
  };
  const logAxis = {splits: (u, number, min, max) => logTicks(min, max), filter: (u, at) => at};
  const ticks = (text) => (u, at) => at.map((value) => (value === null ? "" : (text ?? short)(value)));
  const chart = mount(plot, height, (width) => new uPlot({
    width, height: height, legend: {show: false}, padding: [8, 24, 0, 0],
    scales: {x: {time: false, distr: x.log ? 3 : 1, range: xRange}, y: {distr: y.log ? 3 : 1, range: y.range}},
    series: [{}, ...curves.map((curve) => ({
      label: curve.label, stroke: () => colour(curve.colour), width: 2, spanGaps: true, dash: curve.dash,
      paths: curve.stepped ? uPlot.paths.stepped({align: -1}) : undefined,
      points: {show: curve.points === true, size: 7},
    }))],
    axes: [
      axis(x.label, {size: 34, values: ticks(x.text), space: 70, ...(x.log ? logAxis : {})}),
      axis(y.label, {size: gutter - 18, values: ticks(y.text), ...(y.log ? logAxis : {})}),
    ],
    cursor: {drag: {x: false, y: false}, points: {size: 6}},
    hooks: {draw: [drawMarks], setCursor: [(u) => {
      const i = u.cursor.idx;
      curves.forEach((curve, c) => {
        const value = i === null || i === undefined ? null : u.data[c + 1][i];
        values[c].textContent = value === null || value === undefined ? "" : `${(y.text ?? short)(value)} at ${(x.text ?? short)(u.data[0][i])}`;
      });
    }]},
  }, data, plot));
  return frame;
}
