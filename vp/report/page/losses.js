// SPDX-License-Identifier: Apache-2.0
// Frames that were lost, and what the groups that lost or nearly lost had.

function lossSection(run) {
  const places = (run.timeline?.drop_places ?? []);
  if (run.losses.length === 0 && places.length === 0) return null;
  return section("losses", "Lost frames", null,
    run.losses.length === 0 ? null : table(["where", "class", "reason", ">frames"], run.losses.map((loss) => [
      `${loss.switch}.${loss.port} PG ${loss.group}`,
      loss.lossless ? {text: "lossless", class: "bad"} : "lossy", loss.reason.replaceAll("_", " "), grouped(loss.frames)]),
    "By where they came in"),
    places.length === 0 ? null : eventTable(places, "When", groupName));
}

/** Peaks as the registers have them, against what was programmed. */
function peakSection(run) {
  if (run.groups.length === 0) return null;
  const of = (limit) => (limit === undefined ? "–" : grouped(limit));
  return section("peaks", "Peaks of priority groups", "From the chip's own registers. “of” is what is programmed; – where a limit is off or moves with the pool.",
    table(["group", "class", ">Service", ">XOFF", ">XON", ">limit", ">Headroom", ">of", ">dropped"], run.groups.map((g) => [
      `${g.device}.${g.port} PG ${g.group}`, g.lossless ? "lossless" : "lossy", grouped(g.service), of(g.limits.xoff), of(g.limits.xon),
      of(g.limits.limit), grouped(g.headroom), of(g.limits.headroom),
      g.drops > 0 ? {text: grouped(g.drops), class: "bad"} : "0"])));
}

/** What ports asked and obeyed, as their counters have it. */
function pauseCounters(run) {
  if (run.pauses.length === 0) return null;
  const span = run.run.end_ps - run.run.traffic_at_ps;
  const time = (ns) => (ns === 0 ? "–" : `${duration(ns * 1000)} (${percent(ns * 1000 / span)})`);
  return section("pauses", "Pauses by port", "Counted by the ports themselves.",
    table(["port", ">priority", ">asked", ">time asked", ">obeyed", ">time stopped"], run.pauses.map((each) => [
      `${each.device}.${each.port}`, each.priority, grouped(each.sent), time(each.asked_ns), grouped(each.obeyed), time(each.stopped_ns)])));
}
