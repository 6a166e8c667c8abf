// SPDX-License-Identifier: Apache-2.0
// Why it paused, as a tree from the roots, and who suffered without a part in it.

function causeText(cause) {
  switch (cause.what) {
    case "congestion": return `Congestion at ${cause.where}.${cause.port} queue ${cause.queue_or_group}`;
    case "host": return `Host ${cause.where} pauses`;
    case "forced": return `${cause.where}.${cause.port} pauses although no group asks`;
    default: return `${cause.where}.${cause.port} PG ${cause.queue_or_group} stops ${cause.stops}`;
  }
}

/** Lines of a tree in depth-first order become nested lists that fold. */
function causeTree(causes) {
  const most = Math.max(...causes.map((cause) => cause.time_ps), 1);
  const line = (cause) => el("span", {class: "cause"},
    el("span", {class: "what"}, causeText(cause), cause.in_circle ? el("b", {class: "bad"}, " in a circle") : null),
    el("span", {class: "share", style: `--share: ${100 * cause.time_ps / most}%`}),
    el("span", {class: "numbers"}, `${counted(cause.times, "pause")}, ${duration(cause.time_ps)}, ${octets(cause.most_octets)} at most`));
  let next = 0;
  const below = (depth) => {
    const items = [];
    while (next < causes.length && causes[next].depth >= depth) {
      const cause = causes[next++];
      const children = below(cause.depth + 1);
      items.push(el("li", {}, children.length === 0 ? line(cause)
        : el("details", {open: cause.depth < 2}, el("summary", {}, line(cause)), el("ul", {}, children))));
    }
    return items;
  };
  return el("ul", {class: "tree"}, below(0));
}

function provenanceSection({observation}) {
  if (!observation) return null;
  const {causes, victims, circles} = observation;
  const suffering = victims.filter((victim) => victim.lost_to_others_ps > 0);
  if (causes.length === 0 && victims.length === 0 && circles.length === 0) return null;
  return section("provenance", "Why it paused",
    "From outside, over all devices: a root is where congestion began, each line further in is a pause that it caused. A root's numbers add up those below it.",
    circles.length === 0 ? null : table(["circle of waits (switch, port, priority)", ">first", ">times", "state"], circles.map((circle) => [
      circle.members.map((m) => `(${m.switch}, ${m.port}, ${m.priority})`).join(" → "), duration(circle.first_ps), grouped(circle.times),
      circle.stands_since_ps === null ? "came apart" : {text: `deadlock since ${duration(circle.stands_since_ps)}`, class: "bad"}])),
    causes.length === 0 ? null : causeTree(causes),
    more(causes.length, observation.causes_in_all, "pauses.csv has all."),
    suffering.length === 0 ? null : table([">flow", "victim", ">priority", ">lost", ">to others", "whose"], suffering.map((victim) => [
      victim.flow, `${victim.source} → ${victim.destination}`, victim.priority, duration(victim.lost_ps), duration(victim.lost_to_others_ps),
      victim.worst_cause]), "Flows that lost time to congestion that they have no part in"),
    more(victims.length, observation.victims_in_all, "victims.csv has all."));
}
