// SPDX-License-Identifier: Apache-2.0
// The stretch of time that all time charts of a run show, and the ways to change it.

class Zoom {
  /** From `begin` to `end`, picoseconds; it shows all of it at first. */
  constructor(begin, end) {
    this.begin = begin;
    this.end = Math.max(end, begin + 1);
    this.from = this.begin;
    this.to = this.end;
    this.listeners = [];
  }

  get span() { return this.to - this.from; }
  get whole() { return this.from === this.begin && this.to === this.end; }

  /** `listener` is called once now, and after each change while `element` is on the page. */
  follow(listener, element) {
    this.listeners.push({listener, element});
    listener(this);
  }

  /** Kept inside the run, and at least a nanosecond long. */
  show(from, to) {
    const least = Math.min(1000, this.end - this.begin);
    const span = Math.min(Math.max(to - from, least), this.end - this.begin);
    this.from = Math.round(Math.min(Math.max(from, this.begin), this.end - span));
    this.to = Math.round(this.from + span);
    this.listeners = this.listeners.filter(({element}) => element.isConnected);
    for (const {listener} of this.listeners) listener(this);
  }

  /** So many times the stretch, about its middle. */
  scale(factor) {
    const middle = (this.from + this.to) / 2;
    this.show(middle - this.span * factor / 2, middle + this.span * factor / 2);
  }

  /** By a part of the stretch. */
  move(part) { this.show(this.from + part * this.span, this.to + part * this.span); }
  reset() { this.show(this.begin, this.end); }

  /** Keys that work wherever the focus is inside the charts; true when this was one. */
  key(name) {
    const actions = {
      "+": () => this.scale(0.5), "=": () => this.scale(0.5), "-": () => this.scale(2), "0": () => this.reset(),
      ArrowLeft: () => this.move(-0.25), ArrowRight: () => this.move(0.25),
    };
    if (!(name in actions)) return false;
    actions[name]();
    return true;
  }

  /** The bar with the buttons and the stretch in words. */
  bar() {
    const told = el("output", {class: "stretch"});
    const button = (text, title, action) =>
      el("button", {type: "button", title, "aria-label": title, click: action}, text);
    const bar = el("div", {class: "zoombar", role: "toolbar", "aria-label": "Stretch of time shown"},
      button("−", "Zoom out (key −)", () => this.scale(2)), button("+", "Zoom in (key +)", () => this.scale(0.5)),
      button("◀", "Earlier (key ←)", () => this.move(-0.25)), button("▶", "Later (key →)", () => this.move(0.25)),
      button("Whole run", "Whole run (key 0)", () => this.reset()), told);
    this.follow(() => {
      told.value = `${moment(this.from, this.span)} to ${moment(this.to, this.span)} (${duration(this.span)})`;
    }, bar);
    return bar;
  }
}
