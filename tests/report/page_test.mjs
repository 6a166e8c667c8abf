// SPDX-License-Identifier: Apache-2.0
// The report's page in Chromium, as a reader uses it: page_test.mjs WEIR SOURCE SCRATCH. Screenshots go to SCRATCH.
//
// The runs are real; their signals are made up (synthetic_signals.py), so that every number on the page is known.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {cpSync, mkdirSync, readFileSync, rmSync} from "node:fs";
import {after, before, test} from "node:test";
import {pathToFileURL} from "node:url";

const [weir, source, scratch] = process.argv.slice(2);
const {chromium} = await import("playwright-core").catch(() => {
  console.error("tests/report/node_modules is missing: run ./dev test, or npm ci --ignore-scripts in tests/report");
  process.exit(1);
});

const script = (name, ...words) => execFileSync("python3", [`${source}/tests/report/${name}`, ...words]);
const folder = (name) => `${scratch}/${name}`;
let browser;

before(async () => {
  rmSync(scratch, {recursive: true, force: true});
  mkdirSync(scratch, {recursive: true});
  execFileSync(weir, ["run", `${source}/platforms/one_switch_8x400g`, "--observe", "--series", "10us", "--out", folder("samples")]);
  execFileSync(weir, ["run", `${source}/platforms/one_switch_8x400g`, "--observe", "--signals", "--out", folder("recorded")]);
  for (const [name, changes] of [["run", 20_000], ["million", 1_000_000]]) {
    cpSync(folder("samples"), folder(name), {recursive: true});
    script("synthetic_signals.py", folder(name), String(changes));
  }
  for (const [name, ...every] of [["study"], ["points", "7"]]) {
    mkdirSync(folder(name));
    script("synthetic_study.py", folder(name), ...every);
  }
  for (const name of ["samples", "recorded", "run", "million", "study", "points"]) execFileSync(weir, ["report", folder(name)]);
  execFileSync(weir, ["report", folder("run"), folder("samples"), "--out", `${scratch}/compared.html`]);
  browser = await chromium.launch({executablePath: "/usr/bin/chromium", args: ["--no-sandbox"]});
});

after(async () => { await browser?.close(); });

/** A page that fails the test when it says anything on the console or asks for anything but itself. */
async function opened(file, {width = 1280, height = 900, ...more} = {}) {
  const context = await browser.newContext({viewport: {width, height}, colorScheme: "light", ...more});
  const page = await context.newPage();
  const url = pathToFileURL(file).href;
  const complaints = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.stack));
  page.on("request", (request) => { if (request.url().split("#")[0] !== url) complaints.push(`asked for ${request.url()}`); });
  const begin = performance.now();
  await page.goto(url);
  await page.waitForSelector("canvas, .heatmap, .scatter");
  await settled(page);
  const time = performance.now() - begin;
  return {page, time, close: async () => {
    assert.deepEqual(complaints, []);
    await context.close();
  }};
}

const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const run = () => `${folder("run")}/report.html`;

/** What the generator made: so many pauses of so many picoseconds each. */
function teeth() {
  const {begin_ps, end_ps} = JSON.parse(readFileSync(`${folder("run")}/signals.json`, "utf8"));
  const count = Math.floor(20_000 / (7 * (2 * 24 + 5)));
  const period = Math.floor((end_ps - begin_ps) / (count + 1));
  return {count, end: end_ps, pause: Math.floor(24 * period / 32) - Math.floor(16 * period / 32)};
}

/** The stretch that the bar tells, in microseconds: "0 to 2.400 ms (2.4 ms)". */
async function stretch(page) {
  const text = await page.locator(".stretch").first().textContent();
  const units = {ps: 1e-6, ns: 1e-3, "µs": 1, ms: 1e3};
  const [, from, fromUnit, to, toUnit] = text.match(/^([\d.\u202f]+)(?: (\S+))? to ([\d.\u202f]+) (\S+)/);
  const number = (digits, unit) => Number(digits.replaceAll("\u202f", "")) * (units[unit] ?? 1);
  return [number(from, fromUnit), number(to, toUnit)];
}

const pixels = (locator) => locator.evaluate((canvas) => canvas.toDataURL());

test("opens with the verdict first, and nothing asked for", async () => {
  const {page, close} = await opened(run());
  assert.equal(await page.locator(".badge").first().textContent(), "Passed");
  const titles = await page.locator("h2").allTextContents();
  for (const title of ["Over time", "Distributions", "Headroom against the closed form", "Why it paused", "Completion of flows",
    "Configuration"]) {
    assert.ok(titles.includes(title), title);
  }
  const key = (name) => page.locator("#configuration tbody tr").filter({hasText: name});
  assert.equal(await key("switch.*.ports[].cable").locator(".mark").count(), 1, "100m is not the default");
  assert.equal(await key("program.headroom").isVisible(), true);
  assert.equal(await key("switch.*.cells").isVisible(), false);
  await page.getByLabel("Defaults, too").check();
  assert.equal(await key("switch.*.cells").isVisible(), true);
  await page.getByLabel("Defaults, too").uncheck();
  await page.screenshot({path: `${scratch}/run-1280.png`, fullPage: true});
  await close();
});

test("a lane tells its pauses and shows its group", async () => {
  const {page, close} = await opened(run());
  const {count, pause} = teeth();
  const lane = page.locator(".lane-row.asked").nth(2);
  const name = await lane.locator("button").first().textContent();
  await lane.locator("canvas").click({position: {x: 200, y: 8}});
  const facts = await lane.locator("dd").allTextContents();
  assert.equal(facts[0], String(count));
  assert.equal(facts[5], `${Number((pause / 1e6).toPrecision(4))} µs`, "the longest");
  const group = await page.locator("#time select").first().inputValue();
  assert.equal(group, `${name.split(" · ")[0]} PG 3`);
  await lane.locator("ol button").first().click();
  const [from, to] = await stretch(page);
  assert.ok(Math.abs((to - from) - 2 * pause / 1e6) < 0.1, "zoomed to it, with half its length on either side");
  await lane.locator("canvas").click();
  assert.equal(await lane.locator("dl").count(), 0, "and shut again");
  await close();
});

test("zooms by dragging, by buttons and by keys, all charts together", async () => {
  const {page, close} = await opened(run());
  const whole = await stretch(page);
  const plot = page.locator("#time .u-over").first();
  const box = await plot.boundingBox();
  const lanes = page.locator("canvas.lane").first();
  const before = await pixels(lanes);
  await page.mouse.move(box.x + box.width / 4, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + 90, {steps: 4});
  await page.mouse.up();
  await settled(page);
  const dragged = await stretch(page);
  assert.ok(Math.abs(dragged[0] - whole[1] / 4) < whole[1] / 100, `${dragged}`);
  assert.ok(Math.abs(dragged[1] - whole[1] / 2) < whole[1] / 100, `${dragged}`);
  assert.notEqual(await pixels(lanes), before, "lanes follow");
  await page.mouse.dblclick(box.x + 300, box.y + 60);
  assert.deepEqual(await stretch(page), whole);
  await page.locator("#time .plot").first().focus();
  await page.keyboard.press("+");
  const nearer = await stretch(page);
  assert.ok(Math.abs((nearer[1] - nearer[0]) - whole[1] / 2) < whole[1] / 100);
  await page.keyboard.press("ArrowRight");
  assert.ok((await stretch(page))[0] > nearer[0]);
  await page.keyboard.press("-");
  await page.keyboard.press("-");
  assert.deepEqual(await stretch(page), whole, "never beyond the run");
  await page.getByRole("button", {name: "Zoom in"}).first().click();
  await page.getByRole("button", {name: "Whole run"}).first().click();
  assert.deepEqual(await stretch(page), whole);
  await close();
});

test("a series goes and comes back, by keyboard", async () => {
  const {page, close} = await opened(run());
  const canvas = page.locator("#time .u-wrap canvas").first();
  const before = await pixels(canvas);
  const series = page.locator("#time .series").first();
  await series.focus();
  await page.keyboard.press("Enter");
  await settled(page);
  assert.equal(await series.getAttribute("aria-pressed"), "false");
  assert.notEqual(await pixels(canvas), before);
  await page.keyboard.press("Enter");
  await settled(page);
  assert.equal(await pixels(canvas), before);
  const lane = page.locator(".lane-name").first();
  await lane.focus();
  await page.keyboard.press("Enter");
  assert.equal(await lane.getAttribute("aria-expanded"), "true");
  await close();
});

test("switches to dark and back, charts too, and begins as the system has it", async () => {
  const {page, close} = await opened(run());
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const [light, canvas] = [await background(), page.locator("#time .u-wrap canvas").first()];
  const drawn = await pixels(canvas);
  await page.locator("#theme").click();
  await settled(page);
  const dark = await background();
  assert.notEqual(dark, light);
  assert.notEqual(await pixels(canvas), drawn);
  await page.screenshot({path: `${scratch}/run-1280-dark.png`, fullPage: true});
  await page.locator("#theme").click();
  assert.equal(await background(), light);
  await close();
  const system = await opened(run(), {colorScheme: "dark"});
  assert.equal(await system.page.evaluate(() => getComputedStyle(document.body).backgroundColor), dark);
  await system.close();
});

test("fits 400 pixels, nothing sticks out", async () => {
  for (const [name, file] of [["run", run()], ["study", `${folder("study")}/report.html`], ["compared", `${scratch}/compared.html`]]) {
    const {page, close} = await opened(file, {width: 400});
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 400, name);
    await page.screenshot({path: `${scratch}/${name}-400.png`, fullPage: true});
    await close();
  }
});

test("prints in light and without its buttons", async () => {
  const {page, close} = await opened(run(), {colorScheme: "dark"});
  const pdf = await page.pdf({format: "A4", path: `${scratch}/run.pdf`});
  assert.ok(pdf.length > 50_000, "charts are in it");
  await page.emulateMedia({media: "print"});
  assert.equal(await page.locator("nav").isVisible(), false);
  assert.equal(await page.locator("#theme").isVisible(), false);
  await close();
});

test("a million changes open within three seconds", async () => {
  const {page, time, close} = await opened(`${folder("million")}/report.html`);
  console.log(`a million changes: ${Math.round(time)} ms`);
  assert.ok(time < 3000, `${time} ms`);
  assert.match(await page.locator("figure.chart .note").first().textContent(), /changes; within .* only the least and the greatest/);
  await close();
});

test("what was recorded is what the ports counted", async () => {
  const {page, close} = await opened(`${folder("recorded")}/report.html`);
  const counted = await page.locator("#pauses tbody tr").evaluateAll((rows) =>
    rows.map((row) => [`${row.cells[0].textContent} · ${row.cells[1].textContent}`, row.cells[2].textContent]));
  assert.equal(counted.length, 7);
  for (const [name, times] of counted) {
    const lane = page.locator(".lane-row.asked").filter({has: page.getByText(name, {exact: true})});
    await lane.locator("button").first().click();
    assert.equal(await lane.locator("dd").first().textContent(), times, name);
  }
  const peak = await page.locator("#peaks tbody tr").first().locator("td").nth(6).textContent();
  const told = page.locator("#distributions tbody tr").filter({hasText: "Headroom"}).first();
  assert.equal(await told.locator("td").last().textContent(), peak);
  await page.screenshot({path: `${scratch}/recorded-1280.png`, fullPage: true});
  await close();
});

test("samples are called samples, and have no distributions", async () => {
  const {page, close} = await opened(`${folder("samples")}/report.html`);
  assert.match(await page.locator("#time figure .note").first().textContent(), /samples/);
  assert.equal(await page.locator("#distributions").count(), 0);
  await close();
});

test("runs stand side by side, and each in detail", async () => {
  const {page, close} = await opened(`${scratch}/compared.html`);
  assert.deepEqual(await page.locator("#comparison thead").first().locator("th").allTextContents(), ["", "run", "samples"]);
  assert.equal(await page.locator("#distributions").count(), 1);
  await page.getByRole("button", {name: "samples", exact: true}).last().click();
  assert.equal(await page.locator("#distributions").count(), 0);
  await settled(page);
  await page.screenshot({path: `${scratch}/compared-1280.png`, fullPage: true});
  await close();
});

test("a sweep: heat map with its boundary, curves, and another figure", async () => {
  const {page, close} = await opened(`${folder("study")}/report.html`);
  const choice = (name) => page.getByRole("combobox", {name, exact: true});
  // 900 frames a sender and more than XOFF are lost: with fan-in 8 that ends between 4000 and 8000.
  const row = page.locator(".heatmap tbody tr").nth(2);
  assert.deepEqual(await row.locator("td").allTextContents(), ["5\u202f200", "3\u202f200", "0", "0", "0", "0"]);
  assert.match(await row.locator("td").nth(1).getAttribute("class"), /broken.*edge-right/);
  assert.match(await row.locator("td").nth(2).getAttribute("class"), /edge-left/);
  await row.locator("button").nth(1).click();
  assert.match(await page.locator(".told").textContent(), /^xoff 4000, fan_in 8, alpha 1\/8: lossless_lost 3\u202f200 .* constraints do not hold$/);
  await choice("alpha").selectOption({label: "1/2"});
  assert.equal(await page.locator(".heatmap tbody tr").nth(2).locator("td").first().textContent(), "10\u202f400");
  await choice("Figure").selectOption("slowdown_p99");
  await choice("Across").selectOption("fan_in");
  assert.deepEqual(await page.locator(".heatmap tfoot th").allTextContents(), ["", "2", "4", "8", "16", "32"]);
  await settled(page);
  await page.screenshot({path: `${scratch}/study-1280.png`, fullPage: true});
  await close();
});

test("a sweep without a grid: its points", async () => {
  const {page, close} = await opened(`${folder("points")}/report.html`);
  assert.equal(await page.locator(".heatmap").count(), 0);
  const dots = page.locator(".dot");
  assert.equal(await dots.count(), 9, "every seventh of 60");
  await dots.first().focus();
  assert.match(await page.locator(".told").textContent(), /^xoff 2000, fan_in 2, alpha 1\/8: lossless_lost 0 /);
  await close();
});
