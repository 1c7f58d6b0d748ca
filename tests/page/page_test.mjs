// The page of a report in headless Chromium: content, sorting, keyboard, themes, paper, and reports that mean harm.
//
//     node page_test.mjs --template FILE --modules NODE_MODULES [--chromium FILE] [--keep FOLDER]
//
// NODE_MODULES is what `npm ci --ignore-scripts` made from package.json here. --keep leaves screenshots in a folder.
// Exit status 77 where Chromium or the modules are missing.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { parseArgs } from "node:util";
import { Browser, fillTemplate, findChromium, findDriver, synthetic, untilDrawn } from "./browser.mjs";

const { values: options } = parseArgs({ options: { template: { type: "string" }, modules: { type: "string" }, chromium: { type: "string" }, keep: { type: "string" } } });
const executable = findChromium(options.chromium);
const driver = findDriver(options.modules);
const template = readFileSync(options.template, "utf8");
const browser = await Browser.start(driver, executable);
after(() => browser.stop());

const texts = new Map();
function json(name) {
  if (!texts.has(name)) texts.set(name, synthetic(name));
  return texts.get(name);
}

async function withPage(name, check, settings) {
  const page = await browser.open(fillTemplate(template, json(name)), settings);
  await untilDrawn(page);
  await check(page, JSON.parse(json(name)));
  assert.deepEqual(page.findings, []);
  await page.close();
}

async function keep(page, name) {
  if (!options.keep) return;
  mkdirSync(options.keep, { recursive: true });
  await page.screenshot({ path: join(options.keep, `${name}.png`), fullPage: true });
}

const openButtons = (page) => page.locator("#site-table .open");
const isOpen = async (page, index) => (await openButtons(page).nth(index).getAttribute("aria-expanded")) === "true";
const siteOrder = (page) => openButtons(page).evaluateAll((buttons) => buttons.map((button) => Number(button.getAttribute("aria-controls").slice(5))));
const firstCells = (page, table) => page.locator(`#${table} tbody tr.line th`).allTextContents();

function isSorted(values, isDescending) {
  return values.every((value, index) => index === 0 || (isDescending ? values[index - 1] >= value : values[index - 1] <= value));
}

test("the reports of this test conform to the schema", () => {
  assert.match(synthetic("--check"), /: 0 findings/);
});

test("every part has its content", () => withPage("slow_rank", async (page, report) => {
  assert.equal(await page.title(), "asp – Tutti report");
  assert.equal(await page.locator("h1").textContent(), "asp");
  assert.match(await page.locator("#run").textContent(), /8 ranks on 4 nodes.*62\.0\ss.*finalized.*MPICH Version: 4\.0\.2.*2026-11-26 10:00 UTC.*job 4711/);
  assert.deepEqual(await page.locator(".sentences li").allTextContents(), report.what_to_do);
  assert.match(await page.locator(".verdicts").textContent(), /Slow rank.*\(83\s%\).*Wrong algorithm.*\(7\s%\)/);
  assert.match(await page.locator("#what-to-do .facts").textContent(), /Waiting.*Transfer.*Hidden transfer.*Without lateness49\.0\ss/);
  for (const chart of ["timeline", "scores", "caused", "won"]) assert.equal(await page.locator(`[data-chart=${chart}] svg`).count(), 1, chart);
  assert.match(await page.locator("[data-chart=timeline] svg").textContent(), /waiting.*transfer/s);
  for (const { host } of report.nodes) assert.ok((await page.locator("[data-chart=timeline] svg").textContent()).includes(host));
  assert.equal(await openButtons(page).count(), report.sites.length);
  assert.deepEqual((await firstCells(page, "rank-table"))[0], "3");
  assert.deepEqual((await firstCells(page, "node-table"))[0], "n1");
  assert.match(await page.locator("#selection p").textContent(), /choices won/);
  for (const text of [...report.notes, ...report.chain]) assert.ok((await page.locator("#caveats").textContent()).includes(text));
  assert.equal(await page.locator(".warning").count(), 0);
  await keep(page, "light");
}));

test("the details of a call site", () => withPage("slow_rank", async (page, report) => {
  await page.locator(".verdicts a").first().click();
  await untilDrawn(page);
  const detail = page.locator("#site-0");
  const site = report.sites[0];
  assert.match(await detail.textContent(), /rank 3 computes 12\.0 ms longer.*31\.0\sms before the call, where the others take 19\.0\sms/);
  assert.match(await detail.textContent(), /900 of 900 calls/);
  for (const chart of ["arrival", "spread", "heat", "late"]) assert.ok((await detail.locator(`[data-chart=site-0-${chart}] svg`).count()) > 0, chart);
  assert.match(await detail.locator("[data-chart=site-0-arrival] svg").getAttribute("aria-label"), /rank 3 comes last/);
  assert.match(await detail.locator("[data-chart=site-0-late] svg").getAttribute("aria-label"), /caused: rank 3: /);
  for (const { choice } of site.choices) assert.ok((await detail.locator("code").allTextContents()).includes(choice));
  await detail.locator("[data-chart=site-0-arrival] svg").hover({ position: { x: 250, y: 100 } });
  await page.waitForFunction(() => document.querySelector('[data-chart=site-0-arrival] [aria-label=tip]').textContent.includes("mean"));
  await page.mouse.move(0, 0);
  await keep(page, "details");
}));

const SITE_VALUES = {
  place: (site) => site.place, collective: (site) => site.collective, ranks: (site) => site.ranks, bytes: (site) => site.most_bytes, calls: (site) => site.calls,
  waiting: (site) => site.waiting_ns, transfer: (site) => site.transfer_ns, both: (site) => site.waiting_ns + site.transfer_ns,
  median: (site) => site.spread.median_ns, p90: (site) => site.spread.p90_ns, most: (site) => site.spread.most_ns, latest: (site) => site.late_ranks[0].rank,
};

test("call sites sort by each column both ways", () => withPage("slow_rank", async (page, report) => {
  const heads = page.locator("#site-table > thead th");
  assert.deepEqual(await heads.evaluateAll((all) => all.map((head) => head.dataset.column)), Object.keys(SITE_VALUES));
  await openButtons(page).first().click();
  for (const [column, valueOf] of Object.entries(SITE_VALUES)) {
    const head = page.locator(`#site-table > thead th[data-column=${column}]`);
    const seen = new Set();
    for (const _ of [1, 2]) {
      await head.locator("button").click();
      const direction = await head.getAttribute("aria-sort");
      seen.add(direction);
      const values = (await siteOrder(page)).map((id) => valueOf(report.sites[id]));
      const keys = column === "place" ? values.map((text) => Number(text.match(/\d+/)[0])) : values;
      if (column !== "place") assert.ok(isSorted(keys, direction === "descending"), `${column} ${direction}`);
      assert.equal(keys.length, report.sites.length);
      assert.equal(await page.locator("#site-table > thead [aria-sort]").count(), 1);
      assert.ok(await page.locator("tr.line + tr.detail#site-0").isVisible(), "details stay below their line");
    }
    assert.deepEqual([...seen].sort(), ["ascending", "descending"]);
  }
  const places = async () => page.locator("#site-table .place").allTextContents();
  await page.locator("#site-table th[data-column=place] button").click();
  const expected = report.sites.map((site) => site.place).sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  assert.deepEqual(await places(), expected);
  await page.locator("#site-table th[data-column=place] button").click();
  assert.deepEqual(await places(), expected.reverse());
}));

test("the other tables sort by each column both ways", () => withPage("slow_rank", async (page) => {
  for (const table of ["rank-table", "node-table", "selection-table"]) {
    const heads = page.locator(`#${table} thead th`);
    for (let index = 0; index < (await heads.count()); index += 1) {
      const orders = {};
      for (const _ of [1, 2]) {
        await heads.nth(index).locator("button").click();
        orders[await heads.nth(index).getAttribute("aria-sort")] = await page.locator(`#${table} tbody tr > :nth-child(${index + 1})`).allTextContents();
      }
      assert.deepEqual(Object.keys(orders).sort(), ["ascending", "descending"]);
      if (table !== "selection-table") assert.deepEqual(orders.ascending, [...orders.descending].reverse(), `${table} column ${index}`);
    }
  }
  await page.locator("#selection-table th[data-column=won] button").click();
  assert.match((await page.locator("#selection-table tbody tr > :last-child").allTextContents())[0], /^\+2\.72\ss$/);
  assert.equal(await page.locator("#selection-table tbody tr").count(), 10);
  await page.getByRole("button", { name: "Show all 15 choices" }).click();
  assert.equal(await page.locator("#selection-table tbody tr").count(), 15);
}));

test("everything works without a mouse", () => withPage("slow_rank", async (page) => {
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.keyboard.press("Enter");
  for (let presses = 0; presses < 20 && !(await openButtons(page).first().evaluate((button) => button === document.activeElement)); presses += 1) await page.keyboard.press("Tab");
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.equal(outline, "solid", "the focus can be seen");
  await page.keyboard.press("Enter");
  assert.ok(await isOpen(page, 0));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  assert.ok(await isOpen(page, 1));
  await page.keyboard.press("Escape");
  assert.ok(!(await isOpen(page, 1)));
  await page.keyboard.press("Home");
  await page.keyboard.press("Tab");
  assert.ok(await page.evaluate(() => document.activeElement.closest("#site-0") !== null), "the way goes through the details");
  await page.keyboard.press("Escape");
  assert.ok(!(await isOpen(page, 0)));
  assert.ok(await openButtons(page).first().evaluate((button) => button === document.activeElement), "the focus comes back");
  await page.keyboard.press("End");
  assert.ok(await openButtons(page).last().evaluate((button) => button === document.activeElement));
  await page.locator("#site-table th[data-column=calls] button").focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("#site-table th[data-column=calls]").getAttribute("aria-sort"), "descending");
}));

test("a filter leaves the call sites that have its words", () => withPage("slow_rank", async (page) => {
  await page.locator("#site-filter").fill("SOLVE bcast");
  assert.deepEqual(await page.locator("#site-table .place").allTextContents(), ["solve (solve.c:40)", "solve (solve.c:176)"]);
  assert.equal(await page.locator("#sites [role=status]").textContent(), "2 of 12 call sites");
  await page.locator("#site-filter").fill("norm");
  await page.locator(".verdicts a").first().click();
  assert.ok(await page.locator("#site-0").isVisible(), "a link finds what the filter hides");
}));

test("a chart is saved as SVG in the colours of paper", () => withPage("slow_rank", async (page) => {
  await openButtons(page).first().click();
  await untilDrawn(page);
  for (const chart of ["timeline", "site-0-heat", "won"]) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`[data-chart=${chart}] button.save`).click()]);
    assert.equal(download.suggestedFilename(), `${chart}.svg`);
    const text = readFileSync(await download.path(), "utf8");
    assert.match(text, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    assert.ok(!text.includes("var(--w") && !text.includes("var(--ink"), "colours are in the file");
    assert.ok(chart !== "timeline" || text.includes("#cc6f00"));
    assert.ok(await page.evaluate((svg) => new DOMParser().parseFromString(svg, "image/svg+xml").querySelector("parsererror") === null, text));
  }
}, { colorScheme: "dark" }));

test("strings of a report are text and nothing else", () => withPage("hostile", async (page, report) => {
  for (let index = 0; index < report.sites.length; index += 1) await openButtons(page).nth(index).click();
  await untilDrawn(page);
  assert.equal(await page.evaluate(() => globalThis.wasHostile), undefined);
  assert.equal(await page.locator("img, b, iframe, body script[src]").count(), 0);
  assert.equal(await page.locator("script").count(), 4);
  assert.equal(await page.locator(".sentences li").first().textContent(), report.what_to_do[0]);
  assert.equal(await page.evaluate(() => document.querySelector("meta[http-equiv]").content.includes("default-src 'none'")), true);
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "globalThis.wasHostile = 1";
    document.body.append(script);
    return globalThis.wasHostile;
  });
  assert.equal(ran, undefined, "the policy stops a script that is not the page's own");
  assert.match(page.findings.shift() ?? "", /Content Security Policy/);
}));

test("a run without calls", () => withPage("empty", async (page) => {
  assert.match(await page.locator("main").textContent(), /called no collective.*Nothing wrong.*no call was recorded.*Nothing was selected/s);
  assert.equal(await page.locator(".failure:visible").count(), 0);
}));

test("a run with gaps says so at the top", () => withPage("missing", async (page) => {
  assert.match(await page.locator(".warning").textContent(), /2 parts missing.*120 records dropped.*one call in 4/);
  assert.match(await page.locator("#caveats").textContent(), /rank 5: there is no file/);
  assert.match(await page.locator("#ranks").textContent(), /Without a record: rank 5\./);
  assert.match(await page.locator("#rank-table tbody tr:last-child").textContent(), /^5n2–––––/);
  assert.match(await page.locator("#selection p").textContent(), /which was not measured for 2 choices more/);
  await openButtons(page).first().click();
  await untilDrawn(page);
  assert.equal(await page.locator("[data-chart$=-heat]").count(), 0);
}));

test("what is no report gets one sentence", async () => {
  const good = () => JSON.parse(json("slow_rank"));
  const changed = (change) => { const report = good(); change(report); return JSON.stringify(report); };
  const cases = [
    ["", /no readable report/], ["{", /no readable report/], ["@REPORT@", /no readable report/], ["[1]", /no report of Tutti/], ["null", /no report of Tutti/],
    [changed((report) => { report.schema = 2; }), /of schema 1, and this one is of schema 2/],
    [changed((report) => { report.sites[4].spread.median_ns = "<b>"; }), /damaged: sites\[4\]\.spread\.median_ns is no number/],
    [changed((report) => { report.sites[2].arrival.mean_ns.pop(); }), /damaged: sites\[2\]\.arrival has lists of different lengths/],
    [changed((report) => { report.sites[1].heat.lateness_ns[3].pop(); }), /damaged: sites\[1\]\.heat is no full table/],
    [changed((report) => { report.timeline.nodes[1].waiting.pop(); }), /damaged: timeline/],
    ...["run", "ranks", "notes"].map((name) => [changed((report) => { delete report[name]; }), new RegExp(`damaged: ${name} is no`)]),
  ];
  for (const [text, expected] of cases) {
    const page = await browser.open(fillTemplate(template, text));
    assert.match(await page.locator("#failure").textContent(), expected);
    assert.ok(await page.locator("#failure").isVisible());
    assert.ok(!(await page.locator("main").isVisible()));
    assert.deepEqual(page.findings, []);
    await page.close();
  }
});

// The contrast of WCAG between two colours that the page has in force.
function contrast(page, foreground, background) {
  return page.evaluate(([one, other]) => {
    const luminance = (name) => {
      const { r, g, b } = globalThis.d3.rgb(getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
      const [x, y, z] = [r, g, b].map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  }, [foreground, background]);
}

for (const theme of ["light", "dark"]) {
  test(`${theme} theme`, () => withPage("slow_rank", async (page) => {
    const color = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const [shown, hidden] = theme === "light" ? ["light", "dark"] : ["dark", "light"];
    await openButtons(page).first().click();
    await untilDrawn(page);
    assert.ok(await page.locator(`#site-0 .on-${shown}`).isVisible());
    assert.ok(!(await page.locator(`#site-0 .on-${hidden}`).isVisible()));
    for (const background of ["paper", "raised"]) {
      for (const text of ["ink", "quiet", "link"]) assert.ok((await contrast(page, text, background)) >= 4.5, `${text} on ${background}`);
      for (const mark of ["waiting", "transfer", "lateness", "won", "lost"]) assert.ok((await contrast(page, mark, background)) >= 3, `${mark} on ${background}`);
    }
    await page.locator("[data-chart=timeline] svg").hover({ position: { x: 500, y: 150 } });
    const tip = page.locator("[data-chart=timeline] [aria-label=tip] path");
    await tip.waitFor({ state: "attached" });
    assert.equal(await tip.evaluate((path) => getComputedStyle(path).fill), await color(), "what the pointer shows has the paper of the theme");
    await page.mouse.move(0, 0);
    await keep(page, theme === "light" ? "light-details" : "dark");
    const before = await color();
    await page.locator("#theme").click();
    assert.notEqual(await color(), before);
    assert.ok(await page.locator(`#site-0 .on-${hidden}`).isVisible());
  }, { colorScheme: theme }));
}

test("paper is light and has details", () => withPage("slow_rank", async (page) => {
  const details = () => page.locator("tr.detail").count();
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.equal(await details(), 4);
  await untilDrawn(page);
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  assert.ok(await page.locator("#site-0 .on-light").isVisible());
  assert.ok(!(await page.locator("#theme, nav").first().isVisible()));
  await page.emulateMedia({ media: null });
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  assert.equal(await details(), 0);
  const pdf = await page.pdf({ preferCSSPageSize: true });
  assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
  const pages = pdf.toString("latin1").match(/\/Type\s*\/Page\b/g).length;
  assert.ok(pages >= 4, `${pages} pages: the details were printed`);
  assert.equal(await details(), 0);
}, { colorScheme: "dark" }));

test("those who want no motion get none", () => withPage("empty", async (page) => {
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior), "auto");
}, { reducedMotion: "reduce" }));

test("a narrow window does not scroll sideways", () => withPage("slow_rank", async (page) => {
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
}, { viewport: { width: 400, height: 800 } }));

test("a thousand ranks and three hundred call sites", async () => {
  const html = fillTemplate(template, json("large"));
  console.log(`template: ${Buffer.byteLength(template)} bytes; page with 1,024 ranks: ${Buffer.byteLength(html)} bytes`);
  assert.ok(Buffer.byteLength(html) < 10e6);
  const start = performance.now();
  const page = await browser.open(html);
  await untilDrawn(page);
  console.log(`drawn after ${Math.round(performance.now() - start)} ms`);
  await keep(page, "large");
  assert.equal(await page.locator("#timeline figure").count(), 4);
  await page.locator("#timeline-select").selectOption("n32");
  await untilDrawn(page);
  assert.match(await page.locator("[data-chart=timeline-node]").textContent(), /Node n32/);
  assert.equal(await openButtons(page).count(), 30);
  await openButtons(page).first().click();
  await untilDrawn(page);
  assert.match(await page.locator("#site-0 [data-chart=site-0-heat]").textContent(), /neighbouring ranks and calls share a cell/);
  await page.getByRole("button", { name: "Show all 300 call sites" }).click();
  assert.equal(await openButtons(page).count(), 300);
  await openButtons(page).last().click();
  assert.match(await page.locator("#sites").textContent(), /keeps arrivals by rank only for the call sites with most waiting/);
  await page.getByRole("button", { name: "Show all 1,024 ranks" }).click();
  assert.equal(await page.locator("#rank-table tbody tr").count(), 1024);
  await page.locator("#rank-table th[data-column=caused] button").click();
  assert.equal((await firstCells(page, "rank-table"))[0], "517");
  assert.deepEqual(page.findings, []);
  await page.close();
});
