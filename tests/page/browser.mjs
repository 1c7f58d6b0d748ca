// A headless Chromium that watches pages: whatever one logs as an error or asks of a network is a finding.

import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { pathToFileURL } from "node:url";

export const SKIPPED = 77;
const HERE = dirname(fileURLToPath(import.meta.url));

export function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(SKIPPED);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function findChromium(given) {
  if (given) return isExecutable(given) ? given : skip(`there is no ${given}`);
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = ["chromium", "chromium-browser", "google-chrome"].flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
  return found ?? skip("Chromium is missing (Debian package chromium)");
}

export function findDriver(modules) {
  if (Number(process.versions.node.split(".")[0]) < 18) skip("playwright-core needs Node.js 18 or later");
  if (!modules || !existsSync(join(modules, "playwright-core"))) skip("playwright-core is missing (npm ci with tests/page/package.json)");
  return createRequire(join(resolve(modules), "anything.js"))("playwright-core").chromium;
}

export function synthetic(...words) {
  return execFileSync("python3", ["-B", join(HERE, "synthetic.py"), ...words], { encoding: "utf8", maxBuffer: 1 << 28 });
}

// What the program that writes a report does with the template.
export function fillTemplate(template, json) {
  return template.replace("@REPORT@", () => json.replaceAll("<", "\\u003c"));
}

export class Browser {
  static async start(driver, executablePath) {
    const browser = new Browser();
    browser.chromium = await driver.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
    browser.folder = mkdtempSync(join(tmpdir(), "tutti-page-"));
    browser.files = 0;
    return browser;
  }

  async stop() {
    await this.chromium.close();
    rmSync(this.folder, { recursive: true });
  }

  // The page of a file, with `findings` that grow.
  async open(html, options = {}) {
    const path = join(this.folder, `${(this.files += 1)}.html`);
    writeFileSync(path, html);
    const page = await this.chromium.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: "light", acceptDownloads: true, ...options });
    page.setDefaultTimeout(120_000);
    page.findings = [];
    page.on("console", (message) => { if (["error", "warning"].includes(message.type())) page.findings.push(message.text()); });
    page.on("pageerror", (error) => page.findings.push(error.message));
    page.on("dialog", (dialog) => { page.findings.push("a dialog"); dialog.dismiss(); });
    const address = pathToFileURL(path).href;
    page.on("request", (request) => { if (!/^(data|blob):/.test(request.url()) && request.url() !== address) page.findings.push(`asks for ${request.url()}`); });
    await page.goto(address);
    return page;
  }
}

// All charts of a page are drawn a moment after it is laid out.
export async function untilDrawn(page) {
  await page.waitForFunction(() => [...document.querySelectorAll(".chart")].every((chart) => chart.childElementCount > 0));
}
