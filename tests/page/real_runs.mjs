// Reports of runs that took place conform to the schema, and headless Chromium shows their pages.
//
//     node real_runs.mjs --build FOLDER --mpi mpich|openmpi --modules NODE_MODULES [--chromium FILE]
//
// Exit status 77 where Chromium or the modules are missing.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Browser, findChromium, findDriver, synthetic, untilDrawn } from "./browser.mjs";

const { values: options } = parseArgs({ options: { build: { type: "string" }, mpi: { type: "string" }, modules: { type: "string" }, chromium: { type: "string" } } });
const executable = findChromium(options.chromium);
const browser = await Browser.start(findDriver(options.modules), executable);
const folder = mkdtempSync(join(tmpdir(), "tutti-runs-"));
after(() => { rmSync(folder, { recursive: true }); return browser.stop(); });

const RECORDS = join(dirname(fileURLToPath(import.meta.url)), "records");
const tutti = join(options.build, "bin/tutti");
const LAUNCHERS = {
  mpich: ["mpirun.mpich", "-n", "4"],
  openmpi: ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "4"],
};

// What becomes of the words on a machine that is taken for two nodes; the folder of the record.
function record(name, settings, words) {
  const record = join(folder, name);
  const set = ["NODES=0,0,1,1", "LINKS=slow", ...settings].flatMap((setting) => ["--set", setting]);
  spawnSync(tutti, ["run", "--report", "none", "--record", record, ...set, "--", ...LAUNCHERS[options.mpi], ...words], { timeout: 120_000, stdio: "ignore" });
  return record;
}

const computing = (...more) => [join(options.build, `bin/alltoall_compute-${options.mpi}`), "--sleep", "--unrelated-ms", "1", "--bytes", "102400", ...more];

async function withReport(record, check) {
  const [html, json] = ["html", "json"].map((kind) => `${record.split("/").pop()}.${kind}`).map((name) => join(folder, name));
  execFileSync(tutti, ["report", record, "--html", html, "--json", json], { stdio: "ignore" });
  assert.match(synthetic("--check", json), /: 0 findings/);
  const page = await browser.open(readFileSync(html, "utf8"));
  assert.equal(await page.locator("#failure").isVisible(), false, await page.locator("#failure").textContent());
  await untilDrawn(page);
  await check(page, JSON.parse(readFileSync(json, "utf8")));
  assert.deepEqual(page.findings, []);
  await page.close();
}

test("a run whose native MPI was not measured", () => withReport(join(RECORDS, "native_not_measured"), async (page, report) => {
  assert.equal(report.selection[0].won_ns, undefined);
  assert.match(await page.locator("#selection").textContent(), /No choice was compared with the native MPI.*chain:segment=64K.*–/s);
}));

for (const tune of ["off", "on", "all"]) {
  test(`a run with TUTTI_TUNE=${tune}`, () => withReport(record(tune, [`TUNE=${tune}`], computing("--bcast", "--iterations", "30")), async (page, report) => {
    assert.ok(report.run.calls >= 30);
    assert.equal(await page.locator("#site-table .open").count(), report.sites.length);
  }));
}

test("a run that was aborted", () => withReport(record("aborted", [], [join(options.build, `bin/run_ends-${options.mpi}`), "abort"]), async (page) => {
  assert.match(await page.locator("#run").textContent(), /MPI_Abort on rank 2/);
  assert.match(await page.locator(".verdicts").textContent(), /^Did not finish The run did not finish: MPI_Abort on rank 2/);
}));
