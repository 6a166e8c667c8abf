// SPDX-License-Identifier: Apache-2.0
// Charts of one number over another that is not time.

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
