// SPDX-License-Identifier: Apache-2.0
// Headroom used against what the closed form needs and what is programmed.

/** A bar of what was used, with marks at what is needed and programmed. */
function headroomBar(use, most) {
  const at = (cells) => `${100 * cells / most}%`;
  return el("div", {class: "bar", role: "img",
    "aria-label": `used ${use.used}, needed ${use.needed}, programmed ${use.programmed} cells`},
  el("i", {class: "programmed", style: `width: ${at(use.programmed)}`}),
  el("i", {class: use.used > use.needed ? "used over" : "used", style: `width: ${at(use.used)}`}),
  el("i", {class: "needed", style: `left: ${at(use.needed)}`}));
}

function headroomSection(run) {
  const uses = run.observation?.headroom ?? [];
  if (uses.length === 0) return null;
  const most = Math.max(...uses.map((use) => Math.max(use.used, use.needed, use.programmed)));
  return section("headroom", "Headroom against the closed form",
    "Cells. Bar: the most that was used. Upright line: what the closed form needs at worst for the workload's longest frame. Frame: what is programmed.",
    table(["group", "", ">used", ">needed at worst", ">programmed", ">spare"], uses.map((use) => [
      `${use.switch}.${use.port} PG ${use.group}`, headroomBar(use, most), grouped(use.used), grouped(use.needed), grouped(use.programmed),
      use.programmed < use.needed ? {text: grouped(use.programmed - use.needed), class: "bad"} : grouped(use.programmed - use.needed)])));
}
