// SPDX-License-Identifier: Apache-2.0
// Puts the page together from the data that weir report left in it.

const data = JSON.parse(document.getElementById("data").textContent);
const page = document.getElementById("page");

/** Light or dark: what the system says until the reader chooses. */
function themeButton() {
  const dark = () => getComputedStyle(document.documentElement).colorScheme === "dark" ||
    (document.documentElement.style.colorScheme === "" && matchMedia("(prefers-color-scheme: dark)").matches);
  const say = () => { button.textContent = dark() ? "Light" : "Dark"; };
  const button = el("button", {type: "button", id: "theme", title: "Light or dark", click: () => {
    document.documentElement.style.colorScheme = dark() ? "light" : "dark";
    say();
    redrawAll();
  }});
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { say(); redrawAll(); });
  say();
  return button;
}

/** On paper: light, and what is folded stands open. */
function preparePrint() {
  let before = "";
  const opened = [];
  addEventListener("beforeprint", () => {
    before = document.documentElement.style.colorScheme;
    document.documentElement.style.colorScheme = "light";
    for (const details of document.querySelectorAll("details:not([open])")) opened.push(details);
    for (const details of opened) details.open = true;
    redrawAll();
  });
  addEventListener("afterprint", () => {
    document.documentElement.style.colorScheme = before;
    for (const details of opened.splice(0)) details.open = false;
    redrawAll();
  });
}

function runSections(run) {
  redrawers.clear();
  const zoom = run.timeline ? new Zoom(run.timeline.begin, run.timeline.end) : null;
  return [
    verdict(run), lossSection(run), zoom && hasTimeline(run) ? timelineSection(run, zoom) : null,
    run.timeline ? distributionSection(run) : null, headroomSection(run), provenanceSection(run), completionSection(run),
    hostSection(run), peakSection(run), pauseCounters(run), configurationSection(run),
  ].filter(Boolean);
}

const hasTimeline = ({timeline}) => ["levels", "lanes", "drops", "marks"].some((part) => timeline[part].length > 0);

/** Links to the sections that are there. */
function navigation(sections) {
  const titled = sections.filter((each) => each.querySelector("h2"));
  return el("nav", {"aria-label": "Sections"}, titled.map((each) =>
    el("a", {href: `#${each.id}`}, each.querySelector("h2").textContent)));
}

/** With several runs: which one the sections below the comparison are about. */
function runTabs(runs, body) {
  const show = (i) => {
    tabs.forEach((tab, t) => tab.setAttribute("aria-pressed", String(t === i)));
    body.replaceChildren(...runSections(runs[i]));
  };
  const tabs = runs.map((run, i) => el("button", {type: "button", "aria-pressed": "false", click: () => show(i)}, run.name));
  show(0);
  return el("div", {class: "tabs", role: "group", "aria-label": "Run"}, el("span", {}, "In detail:"), tabs);
}

function build() {
  const {runs, study} = data;
  const title = study ? study.study : [...new Set(runs.map((run) => run.platform))].join(", ");
  const subtitle = study ? study.platform : runs.map((run) => run.name).join(", ");
  const head = el("header", {}, el("div", {}, el("h1", {}, title), el("p", {class: "quiet"}, subtitle)), themeButton());
  if (study) {
    const sections = [studySection(study), pointSection(study)];
    page.append(head, navigation(sections), ...sections);
  } else if (runs.length > 1) {
    const body = el("div", {});
    const compared = comparisonSection(runs);
    const tabs = runTabs(runs, body);
    page.append(head, compared, tabs, body);
  } else {
    const sections = runSections(runs[0]);
    page.append(head, navigation(sections), ...sections);
  }
  preparePrint();
}

build();
