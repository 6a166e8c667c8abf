// SPDX-License-Identifier: Apache-2.0
// Numbers, times and places as people read them.

/** 28672 → "28 672", with a space that does not break. */
function grouped(number) {
  const [whole, rest] = String(number).split(".");
  return whole.replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f") + (rest ? `.${rest}` : "");
}

/** A few significant digits, without an exponent where people would write none. */
function short(number) {
  if (number === null || number === undefined) return "–";
  if (Number.isInteger(number)) return grouped(number);
  const size = Math.abs(number);
  if (size >= 1000) return grouped(Math.round(number));
  return size >= 1e-5 ? String(Number(number.toPrecision(4))) : number.toExponential(2);
}

const timeUnits = [[1e12, "s"], [1e9, "ms"], [1e6, "µs"], [1e3, "ns"], [1, "ps"]];

/** The unit in which times up to `ps` are told: [picoseconds, name]. */
function timeUnit(ps) {
  return timeUnits.find(([size]) => ps >= size) ?? timeUnits[timeUnits.length - 1];
}

/** A length of time: 1885249000 → "1.885 ms". */
function duration(ps) {
  if (ps === null || ps === undefined) return "–";
  if (ps === 0) return "0";
  const [size, name] = timeUnit(Math.abs(ps));
  return `${Number((ps / size).toPrecision(4))} ${name}`;
}

/** A point in time, exact enough to tell it from one `span` / 1000 away. */
function moment(ps, span) {
  if (ps === 0) return "0";
  const [size, name] = timeUnit(Math.max(Math.abs(ps), 1));
  const digits = Math.max(0, Math.min(6, Math.ceil(Math.log10(size / Math.max(span / 1000, 1)))));
  return `${grouped((ps / size).toFixed(digits))} ${name}`;
}

/** A share: 0.0313 → "3.13 %". */
function percent(share) {
  if (share === null || share === undefined) return "–";
  if (share > 0 && share < 1e-4) return "< 0.01 %";
  return `${Number((100 * share).toPrecision(3))} %`;
}

function octets(number) {
  for (const [size, name] of [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]]) {
    if (number >= size) return `${Number((number / size).toPrecision(3))} ${name}`;
  }
  return `${number} octets`;
}

/** A round number of powers of ten: 1000000 → "1 M". */
function decimal(number) {
  for (const [size, name] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (number >= size) return `${Number((number / size).toPrecision(3))}\u202f${name}`;
  }
  return String(number);
}

/** "1 pause", "2 pauses" */
function counted(number, one, several = `${one}s`) {
  return `${grouped(number)} ${number === 1 ? one : several}`;
}

/** A port by its switch and number: "s0.3"; a host has one port, so its name is enough. */
function portName(at) {
  return at.host ? at.device : `${at.device}.${at.port}`;
}
