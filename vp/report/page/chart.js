// SPDX-License-Identifier: Apache-2.0
// Charts over time: uPlot draws axes and lines, and gets colours that follow the theme, and a legend of buttons.

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
  const plot = el("div", {class: "plot", role: "img", "aria-label": title});
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
      chart = null;
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
  plot.tabIndex = 0;  // for the keys of the zoom
  zoom.follow(() => {
    chart()?.setData(data());
    tell(null);
  }, plot);
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
