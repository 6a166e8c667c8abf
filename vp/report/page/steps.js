// SPDX-License-Identifier: Apache-2.0
// Signals as steps: their values at a time, and their path on a chart.

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
