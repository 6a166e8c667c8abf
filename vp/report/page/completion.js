// SPDX-License-Identifier: Apache-2.0
// How long flows took, by their length.

const percentiles = [["p50", "p50", "blue"], ["p95", "p95", "green"], ["p99", "p99", "ochre"], ["p999", "p99.9", "vermilion"],
  ["max", "max", "purple"]];

const binName = (bin) => `${grouped(bin.least_octets)} to ${grouped(bin.most_octets)}`;

/** The bins of a power of ten each; the last one of several is of all. */
const sizes = (completion) => (completion.length > 1 ? completion.slice(0, -1) : completion);

function completionSection(run) {
  const bins = run.completion.filter((bin) => bin.finished > 0);
  if (bins.length === 0) return null;
  const curved = sizes(run.completion).filter((bin) => bin.finished > 0 && bin.slowdown.p50 !== null);
  const chart = curved.length < 2 ? null : curveChart("Slowdown by length of flow",
    {label: "octets of a flow, from", log: true, text: decimal}, {label: "slowdown", log: true},
    percentiles.map(([key, label, colour]) => ({label, colour, points: true, x: curved.map((bin) => bin.least_octets),
      y: curved.map((bin) => bin.slowdown[key])})));
  const rows = (what, text) => bins.map((bin, i) => [
    i === bins.length - 1 && bins.length > 1 ? "all" : binName(bin), grouped(bin.flows), grouped(bin.finished),
    ...percentiles.map(([key]) => text(bin[what][key]))]);
  const heads = ["octets", ">flows", ">finished", ...percentiles.map(([, label]) => `>${label}`)];
  return section("completion", "Completion of flows",
    "Percentiles by nearest rank, of the flows that finished. Slowdown: time over what the flow takes alone.",
    chart, table(heads, rows("time_ps", duration), "Time from start to finish"),
    table(heads, rows("slowdown", short), "Slowdown"),
    slowestFlows(run));
}

function slowestFlows(run) {
  const {slowest} = run.flows;
  if (slowest.length < 2) return null;
  return el("details", {}, el("summary", {}, `The ${slowest.length} slowest flows`),
    table([">flow", "from", "to", ">priority", ">octets", ">time", ">slowdown", ">paused", ">lost", ">marked"], slowest.map((f) => [
      f.flow, f.source, f.destination, f.priority, grouped(f.octets), duration(f.finish_ps - f.start_ps), short(f.slowdown),
      duration(f.paused_ps), grouped(f.lost_frames), grouped(f.marked_frames)])));
}

function hostSection(run) {
  const receivers = run.hosts.filter((host) => host.data_frames > 0);
  if (receivers.length === 0) return null;
  return section("receivers", "Receivers", null,
    table(["host", "rate", ">frames", ">octets", ">of the wire", ">CE", ">overruns"], receivers.map((host) => [
      host.name, host.rate, grouped(host.data_frames), grouped(host.data_octets), percent(host.utilisation), grouped(host.rx_marked),
      host.overruns > 0 ? {text: grouped(host.overruns), class: "bad"} : "0"])));
}
