// SPDX-License-Identifier: Apache-2.0
// A sweep: a heat map of one figure over two parameters, and curves of it over one, with the boundary of the constraints.

const relations = {below: "<", at_most: "≤", above: ">", at_least: "≥", equals: "="};
const constraintText = (constraint) => `${constraint.figure} ${relations[constraint.relation] ?? constraint.relation} ${short(constraint.bound)}`;

/** Viridis: dark to bright, even to those who see fewer colours. `share` from 0 to 1. */
function heat(share) {
  const stops = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
  const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const i = Math.min(Math.floor(at), stops.length - 2);
  const mixed = stops[i].map((from, c) => Math.round(from + (at - i) * (stops[i + 1][c] - from)));
  return {background: `rgb(${mixed.join(",")})`, ink: at > 2.2 ? "#000" : "#fff"};
}

class Study {
  constructor(table) {
    this.table = table;
    this.figure = table.figures[0]?.name;
    // What decides whether the constraints hold comes first; the rest stands where they hold about as often as not.
    const axes = [...table.parameters].sort((a, b) => this.influence(b) - this.influence(a)).slice(0, 2);
    [this.x, this.y] = table.parameters.filter((parameter) => axes.includes(parameter)).map(({name}) => name);
    this.y ??= null;
    this.fixed = new Map(table.parameters.map((parameter) => [parameter.name, this.balanced(parameter)]));
    this.points = new Map(table.points.map((point) => [this.key(point.parameters), point]));
    this.body = el("div", {});
  }

  /** The share of the points with each value of a parameter at which the constraints hold. */
  holding({name, values}) {
    const counts = new Map(values.map((value) => [value, {points: 0, holding: 0}]));
    for (const point of this.table.points) {
      const of = counts.get(point.parameters[name]);
      of.points += 1;
      if (point.holds !== false) of.holding += 1;
    }
    return values.map((value) => counts.get(value).holding / Math.max(counts.get(value).points, 1));
  }
  /** How much that share depends on the parameter; −1 for one that does not vary. */
  influence(parameter) {
    if (parameter.values.length < 2) return -1;
    const shares = this.holding(parameter);
    return Math.max(...shares) - Math.min(...shares);
  }
  balanced(parameter) {
    const shares = this.holding(parameter).map((share) => Math.abs(share - 0.5));
    return parameter.values[shares.indexOf(Math.min(...shares))];
  }

  values(name) { return this.table.parameters.find((parameter) => parameter.name === name).values; }
  key(parameters) { return JSON.stringify(this.table.parameters.map(({name}) => parameters[name])); }
  /** The point where the two axes have these values, and the others what is chosen. */
  at(x, y) {
    const parameters = Object.fromEntries(this.fixed);
    parameters[this.x] = x;
    if (this.y !== null) parameters[this.y] = y;
    return this.points.get(this.key(parameters));
  }
  mean(point) { return point?.figures[this.figure]?.mean ?? null; }
  about() { return this.table.figures.find((figure) => figure.name === this.figure) ?? {}; }

  controls() {
    const names = this.table.parameters.map(({name}) => ({value: name, label: name}));
    const set = (field) => (value) => { this[field] = value; this.draw(); };
    const swap = (field, other) => (value) => {
      if (this[other] === value) this[other] = this[field];
      this[field] = value;
      this.draw();
    };
    const parts = [chooser("Figure", this.table.figures.map(({name}) => ({value: name, label: name})), this.figure, set("figure"))];
    if (this.y !== null && names.length > 1) {
      parts.push(chooser("Across", names, this.x, swap("x", "y")), chooser("Up", names, this.y, swap("y", "x")));
    }
    for (const {name, values} of this.table.parameters) {
      if (name === this.x || name === this.y || values.length < 2) continue;
      parts.push(chooser(name, values.map((value) => ({value: JSON.stringify(value), label: String(value)})),
        JSON.stringify(this.fixed.get(name)), (value) => { this.fixed.set(name, JSON.parse(value)); this.draw(); }));
    }
    return el("div", {class: "choosers"}, parts);
  }

  draw() {
    for (const chart of this.body.querySelectorAll(".plot")) chart.remove();
    const map = this.y === null ? null : this.sparse() ? this.scatter() : this.heatMap();
    this.body.replaceChildren(...[this.controls(), map, this.sparse() ? null : this.curves()].filter(Boolean));
  }

  pointText(point) {
    if (!point) return "no run";
    const place = this.table.parameters.map(({name}) => `${name} ${point.parameters[name]}`).join(", ");
    const figure = point.figures[this.figure];
    const interval = figure && figure.low !== null ? ` (${short(figure.low)} to ${short(figure.high)})` : "";
    const numbers = figure && figure.mean !== null ? `${this.figure} ${short(figure.mean)}${interval}, ` : "";
    const failed = point.failed > 0 ? `, ${counted(point.failed, "run")} failed: ${(point.reasons ?? []).join("; ")}` : "";
    return `${place}: ${numbers}${counted(point.runs, "run")}${failed}${point.holds === false ? ", constraints do not hold" : ""}`;
  }

  /** Whether most combinations of the two axes have no run: a Latin hypercube, not a grid. */
  sparse() {
    return this.y !== null && this.table.points.length < 0.5 * this.values(this.x).length * this.values(this.y).length;
  }

  /** Every point where its two parameters put it. */
  scatter() {
    const {points} = this.table;
    const share = (name) => {
      const values = this.values(name);
      if (values.some((value) => typeof value !== "number")) return (value) => (values.indexOf(value) + 0.5) / values.length;
      const [least, most] = [Math.min(...values), Math.max(...values)];
      return (value) => (most > least ? (value - least) / (most - least) : 0.5);
    };
    const [x, y] = [share(this.x), share(this.y)];
    const told = el("p", {class: "told", "aria-live": "polite"}, "Choose a point for its numbers.");
    const colours = this.colours(points.map((point) => this.mean(point)));
    const dots = points.map((point) => {
      const tell = () => { told.textContent = this.pointText(point); };
      return el("button", {type: "button", class: point.holds === false ? "dot broken" : "dot", title: this.pointText(point),
        "aria-label": this.pointText(point), click: tell, focus: tell,
        style: `left: ${100 * x(point.parameters[this.x])}%; bottom: ${100 * y(point.parameters[this.y])}%; background-color: ${colours.of(this.mean(point)).background}`});
    });
    const ends = (name) => { const values = this.values(name); return typeof values[0] === "number" ? [Math.min(...values), Math.max(...values)] : [values[0], values[values.length - 1]]; };
    return this.map(el("div", {class: "scatter"}, el("div", {class: "dots"}, dots),
      el("div", {class: "scatter-scale"}, el("span", {}, `${this.x} ${ends(this.x)[0]}`), el("span", {}, String(ends(this.x)[1]))),
      el("p", {class: "note"}, `${this.y} from ${ends(this.y)[0]} at the bottom to ${ends(this.y)[1]} at the top`)), colours, told,
    (constraints) => `Squares: ${constraints} does not hold; empty ones: no run succeeded.`);
  }

  /** The scale of colours over these means. */
  colours(means) {
    const known = means.filter((mean) => mean !== null);
    const [least, most] = known.length === 0 ? [null, null] : [Math.min(...known), Math.max(...known)];
    const of = (mean) => (mean === null ? {background: "transparent", ink: "inherit"}
      : heat(most > least ? (mean - least) / (most - least) : 0.5));
    return {least, most, of};
  }

  /** A picture of two parameters with its title, its scale and the numbers of what was chosen. */
  map(picture, {least, most}, told, words) {
    const constraints = this.table.constraints.map(constraintText).join(", ");
    const {unit, meaning} = this.about();
    return el("figure", {class: "chart"},
      el("figcaption", {}, `${this.figure}${unit ? `, ${unit}` : ""}: ${this.y} up, ${this.x} across`),
      meaning ? el("p", {class: "note"}, meaning) : null,
      el("div", {class: "scroll"}, picture),
      el("div", {class: "heat-scale"}, el("span", {}, short(least)), el("i", {}), el("span", {}, short(most)),
        constraints ? el("span", {class: "quiet"}, words(constraints)) : null),
      told);
  }

  heatMap() {
    const across = this.values(this.x);
    const up = [...this.values(this.y)].reverse();
    const colours = this.colours(up.flatMap((y) => across.map((x) => this.mean(this.at(x, y)))));
    const told = el("p", {class: "told", "aria-live": "polite"}, "Choose a cell for its numbers.");
    const holds = (x, y) => { const point = this.at(x, y); return point === undefined ? null : point.holds !== false; };
    const cell = (column, row) => {
      const [x, y] = [across[column], up[row]];
      const point = this.at(x, y);
      const mean = this.mean(point);
      const edge = (side, otherColumn, otherRow) => {
        const other = across[otherColumn] === undefined || up[otherRow] === undefined ? null : holds(across[otherColumn], up[otherRow]);
        return other !== null && holds(x, y) !== null && other !== holds(x, y) ? `edge-${side}` : "";
      };
      const {background, ink} = colours.of(mean);
      const text = mean === null ? (point ? "✕" : "") : across.length <= 16 ? short(mean) : "";
      const classes = ["heat", point?.holds === false ? "broken" : "", edge("right", column + 1, row), edge("left", column - 1, row),
        edge("top", column, row - 1), edge("bottom", column, row + 1)];
      const tell = () => { told.textContent = this.pointText(point); };
      return el("td", {class: classes.filter(Boolean).join(" "), style: `background-color: ${background}; color: ${ink}`},
        el("button", {type: "button", title: this.pointText(point), "aria-label": this.pointText(point), click: tell, focus: tell}, text));
    };
    return this.map(el("table", {class: "heatmap"},
      el("tbody", {}, up.map((y, row) => el("tr", {}, el("th", {scope: "row"}, String(y)), across.map((_, column) => cell(column, row))))),
      el("tfoot", {}, el("tr", {}, el("th", {}, ""), across.map((x) => el("th", {scope: "col"}, String(x)))))), colours, told,
    (constraints) => `Hatched, behind the line: ${constraints} does not hold. ✕: no run succeeded.`);
  }

  curves() {
    const values = this.values(this.x);
    const numeric = values.every((value) => typeof value === "number");
    const xs = numeric ? values : values.map((_, i) => i);
    const order = xs.map((_, i) => i).sort((a, b) => xs[a] - xs[b]);
    const log = numeric && Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) >= 20;
    const rows = this.y === null ? [null] : this.values(this.y);
    const curves = rows.map((y, r) => {
      const points = order.map((i) => this.at(values[i], y));
      const of = (name) => points.map((point) => point?.figures[this.figure]?.[name] ?? null);
      return {label: y === null ? this.figure : `${this.y} ${y}`, colour: runColour(r), dash: runDash(r), points: true,
        x: order.map((i) => xs[i]), y: of("mean"), low: of("low"), high: of("high")};
    });
    const bounds = this.table.constraints.filter(({figure}) => figure === this.figure)
      .map((constraint) => ({y: constraint.bound, label: constraintText(constraint)}));
    const {unit} = this.about();
    const all = curves.flatMap((curve) => [...curve.y, ...curve.low, ...curve.high]).concat(bounds.map((bound) => bound.y))
      .filter((value) => value !== null);
    const [least, most] = [Math.min(0, ...all), Math.max(...all, 0)];
    return curveChart(`${this.figure} over ${this.x}`,
      {label: this.x, log, text: numeric ? short : (i) => (Number.isInteger(i) ? String(values[i] ?? "") : "")},
      {label: unit || this.figure, range: () => [least < 0 ? least * 1.08 : 0, most * 1.08 || 1]}, curves,
      "Means over the seeds; upright bars: their confidence intervals. Dashed line: a constraint's bound.", 300, bounds);
  }
}

function studySection(table) {
  const drawn = table.parameters.length > 0 && table.figures.length > 0;
  const study = drawn ? new Study(table) : null;
  const failed = table.points.reduce((sum, point) => sum + point.failed, 0);
  const runs = table.points.reduce((sum, point) => sum + point.runs, 0);
  const holding = table.points.filter((point) => point.holds !== false).length;
  const made = section("study", "Study", null,
    el("dl", {class: "facts"}, [["Points", grouped(table.points.length)], ["Runs", grouped(runs)], ["Failed runs", grouped(failed)],
      ["Constraints", table.constraints.map(constraintText).join(", ") || "none"],
      ["Points where they hold", `${grouped(holding)} of ${grouped(table.points.length)}`]]
      .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
    study?.body);
  study?.draw();
  return made;
}

function pointSection(study) {
  const shown = 200;
  const heads = [...study.parameters.map(({name}) => `>${name}`), ">runs", ">failed", "holds",
    ...study.figures.map(({name, unit}) => `>${name}${unit ? `, ${unit}` : ""}`)];
  return section("points", "All points", "Means over the seeds, and half the confidence interval.",
    study.points.length === 0 ? null : table(heads, study.points.slice(0, shown).map((point) => [
      ...study.parameters.map(({name}) => String(point.parameters[name])), grouped(point.runs),
      point.failed > 0 ? {text: grouped(point.failed), class: "bad"} : "0",
      point.holds === false ? {text: "no", class: "bad"} : "yes",
      ...study.figures.map(({name}) => {
        const figure = point.figures[name];
        if (!figure || figure.mean === null) return "–";
        const half = (figure.high - figure.low) / 2;
        return half > 0 ? `${short(figure.mean)} ± ${short(Number(half.toPrecision(2)))}` : short(figure.mean);
      })])),
    more(shown, study.points.length, "the study's table has all."));
}
