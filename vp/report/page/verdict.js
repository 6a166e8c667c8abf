// SPDX-License-Identifier: Apache-2.0
// What a reader must know first: passed or not, why not, and what else is bad, the worst first.

/** Things that are wrong or remarkable: [{weight: "bad" | "warn", text}]. */
function findings(run) {
  const found = run.verdict.failures.map((text) => ({weight: "bad", text}));
  for (const circle of run.observation?.circles ?? []) {
    if (circle.stands_since_ps !== null) continue;  // among the failures
    const where = circle.members.map((m) => `(${m.switch}, ${m.port}, ${m.priority})`).join(" → ");
    found.push({weight: "warn", text: `A circle of waits closed ${counted(circle.times, "time")} and came apart: ${where}`});
  }
  const lossy = run.losses.filter((loss) => !loss.lossless).reduce((sum, loss) => sum + loss.frames, 0);
  if (lossy > 0) found.push({weight: "warn", text: `${counted(lossy, "frame")} of lossy classes lost`});
  const {count, finished} = run.flows;
  if (finished < count) {
    found.push({weight: "warn", text: `${grouped(count - finished)} of ${counted(count, "flow")} did not finish`});
  }
  for (const use of run.observation?.headroom ?? []) {
    if (use.needed > use.programmed) {
      found.push({weight: "warn", text: `${use.switch}.${use.port} PG ${use.group} has ${grouped(use.programmed)} cells of ` +
        `headroom and may need ${grouped(use.needed)}`});
    }
  }
  const victims = run.observation?.victims_of_others ?? 0;
  if (victims > 0) {
    found.push({weight: "warn", text: `${counted(victims, "flow")} lost time to pauses that they had no part in, at most ` +
      duration(Math.max(...run.observation.victims.map((victim) => victim.lost_to_others_ps)))});
  }
  if (!run.run.drained) found.push({weight: "warn", text: "Frames were under way when the run ended"});
  return found;
}

const findingsShown = 8;

function verdictBadge(run) {
  return el("strong", {class: `badge ${run.verdict.passed ? "good" : "bad"}`}, run.verdict.passed ? "Passed" : "Failed");
}

function verdict(run) {
  const all = findings(run);
  const item = (finding) => el("li", {class: finding.weight}, finding.text);
  const facts = [
    ["Duration", duration(run.run.end_ps - run.run.traffic_at_ps)],
    ["Flows finished", `${grouped(run.flows.finished)} of ${grouped(run.flows.count)}`],
    ["Frames lost", grouped(run.losses.reduce((sum, loss) => sum + loss.frames, 0))],
    ["Frames marked", grouped(run.flows.marked_frames)],
    ["Pauses sent", grouped(run.pauses.reduce((sum, each) => sum + each.sent, 0))],
    ["Sent again", grouped(run.flows.retransmitted_frames)],
    ["Seed", run.run.seed], ["Digest", run.digest], ["Weir", run.weir],
  ];
  return el("section", {id: "verdict", "aria-label": "Verdict"},
    el("p", {class: "verdict"}, verdictBadge(run),
      run.verdict.passed ? "No loss on lossless classes, conservation holds." : `For ${run.verdict.failures.length === 1 ? "this reason" : "these reasons"}:`),
    all.length > 0 ? el("ul", {class: "findings"}, all.slice(0, findingsShown).map(item)) : null,
    all.length > findingsShown ? el("details", {}, el("summary", {}, `${grouped(all.length - findingsShown)} more`),
      el("ul", {class: "findings"}, all.slice(findingsShown).map(item))) : null,
    el("dl", {class: "facts"}, facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))));
}
