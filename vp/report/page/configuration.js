// SPDX-License-Identifier: Apache-2.0
// What was configured, and what of it is not the default.

function valueText(row) {
  return row.values.map(({value, count, where}) => {
    const text = value === "" ? "–" : value;
    if (row.values.length === 1 && (count === 1 || where.length === 0)) return text;
    if (row.values.length === 1) return `${text} (all ${grouped(count)})`;
    return `${text} (${where.join(", ")}${count > where.length ? `, … ${grouped(count)} in all` : ""})`;
  });
}

function configurationSection(run) {
  const rows = run.configuration;
  const script = rows.some((row) => row.default === undefined);
  const plain = !script && !rows.some((row) => row.differs);
  const several = 6;  // values of one key that are told; a host's address has one each
  const body = (row) => {
    const texts = valueText(row);
    const shown = texts.length > several ? [...texts.slice(0, several), `… ${grouped(texts.length)} values`] : texts;
    // A value of the script has no default to be at.
    return el("tr", {class: row.differs || row.default === undefined ? null : "default"},
      el("th", {scope: "row", title: row.meaning}, row.key, row.differs ? el("span", {class: "mark", title: "not the default"}, " ●") : null),
      el("td", {}, shown.map((text) => el("div", {}, text))), el("td", {}, row.default === undefined ? "" : row.default || "–"),
      el("td", {class: "quiet"}, row.values.every(({value}) => /^-?[\d.]+$/.test(value)) ? row.unit ?? "" : ""));
  };
  const list = el("table", {class: plain ? "configuration same" : "configuration"},
    el("thead", {}, el("tr", {}, ["key", "value", "default", "unit"].map((h) => el("th", {scope: "col"}, h)))),
    el("tbody", {}, rows.map(body)));
  const box = el("input", {type: "checkbox", change: () => list.classList.toggle("whole", box.checked)});
  return section("configuration", "Configuration",
    `A dot marks what differs from its default.${script ? " Keys program.… are the values of the driver's script." : ""}`,
    plain ? el("p", {}, "Every key is at its default.") : null,
    el("label", {class: "chooser"}, box, el("span", {}, "Defaults, too")),
    el("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "configuration"}, list));
}
