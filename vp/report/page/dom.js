// SPDX-License-Identifier: Apache-2.0
// Elements. All these files are one module of the page: they share their names.

/** An element with attributes (functions are listeners of that event) and children; strings become text, never markup. */
function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name, value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** A section of the page with its heading and a line that says how to read it. */
function section(id, title, note, ...children) {
  return el("section", {id, "aria-labelledby": `${id}-title`}, el("h2", {id: `${id}-title`}, title),
    note ? el("p", {class: "note"}, note) : null, ...children);
}

const rowsAtFirst = 20;

/**
 * A table. A heading that begins with ">" is a column of numbers. A cell is text, an element, or {text, class}.
 * Wide tables scroll by themselves, not with the page; long ones begin with their first rows and a button.
 */
function table(headings, rows, caption) {
  const numeric = headings.map((h) => typeof h === "string" && h.startsWith(">"));
  const cell = (content, column) => {
    const made = content !== null && typeof content === "object" && !(content instanceof Node) ? content : {text: content};
    return el("td", {class: [numeric[column] ? "number" : null, made.class].filter(Boolean).join(" ") || null},
      made.text ?? "");
  };
  const body = el("tbody");
  const fill = (some) => body.append(...some.map((row) => el("tr", {}, row.map(cell))));
  const first = rows.length > rowsAtFirst + 5 ? rowsAtFirst : rows.length;
  fill(rows.slice(0, first));
  const rest = rows.length === first ? null : el("button", {type: "button", class: "rest", click: () => {
    fill(rows.slice(first));
    rest.remove();
  }}, `Show ${counted(rows.length - first, "more row")}`);
  const scroll = el("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": caption ?? "table"},
    el("table", {},
      el("thead", {}, el("tr", {}, headings.map((h, i) =>
        el("th", {scope: "col", class: numeric[i] ? "number" : null}, numeric[i] ? h.slice(1) : h)))),
      body));
  return el("div", {}, caption ? el("p", {class: "caption"}, caption) : null, scroll, rest);
}

/** A choice of one of several {value, label}; `chosen` is called with a value whenever the user takes another. */
function chooser(label, options, value, chosen) {
  const select = el("select", {"aria-label": label, change: () => chosen(select.value)},
    options.map((option) => el("option", {value: option.value, selected: option.value === value}, option.label)));
  return el("label", {class: "chooser"}, el("span", {}, label), select);
}

/** Of a list that was cut: how much more there is, and where. */
function more(shown, all, where) {
  return all > shown ? el("p", {class: "note"}, `${grouped(all - shown)} more: ${where}`) : null;
}
