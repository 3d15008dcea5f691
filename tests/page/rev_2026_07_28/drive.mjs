// Opens the console in Chromium, does one scenario with it, and prints what it saw as JSON.
//
// usage: node drive.mjs SCENARIO ADDRESS OPTIONS, where OPTIONS is JSON: width, height, scheme, bypass, folder, given.
//
// What no scenario may cause is in `faults`: uncaught errors, dialogs, violations of the policy, requests elsewhere.

import { createRequire } from "node:module";
import * as apps from "./apps.mjs";
import * as bridge from "./bridged.mjs";
import * as links from "./links.mjs";
import * as logins from "./logins.mjs";
import * as operators from "./operators.mjs";
import * as scenarios from "./scenarios.mjs";
import * as views from "./views.mjs";

const require = createRequire(new URL("../../../.local/node_page/", import.meta.url));
const { chromium } = require("playwright-core");

const ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
ARGUMENTS.push("--disable-background-networking", "--disable-component-update", "--disable-sync");

const [name, address, written] = process.argv.slice(2);
const options = JSON.parse(written);
const browser = await chromium.launch({ executablePath: options.chromium, args: ARGUMENTS });
const viewport = { width: options.width ?? 1280, height: options.height ?? 800 };
const context = await browser.newContext({
  viewport,
  colorScheme: options.scheme ?? "light",
  bypassCSP: options.bypass ?? false,
  locale: "en-GB",
  timezoneId: "UTC",
});
const page = await context.newPage();
page.setDefaultTimeout(20_000);

const faults = [];
const allowed = [new URL(address).origin, ...(options.given?.origins ?? [])];
page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
page.on("dialog", (dialog) => (faults.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
page.on("request", (request) => {
  const url = request.url();
  if (!url.startsWith("data:") && !allowed.includes(new URL(url).origin)) faults.push(`request: ${url}`);
});
await page.exposeFunction("reportFault", (text) => faults.push(text));
await page.addInitScript(() => {
  window.pwned = (what) => window.reportFault(`executed: ${what}`);
  document.addEventListener("securitypolicyviolation", (event) =>
    window.reportFault(`policy: ${event.violatedDirective} ${event.blockedURI}`),
  );
});

try {
  const open = async (path = "") => {
    await page.goto("about:blank");
    await page.goto(address + path);
  };
  const shoot = (label, of = page) => of.screenshot({ path: `${options.folder}/${label}.png` });
  const found = await { ...scenarios, ...views, ...apps, ...bridge, ...links, ...logins, ...operators }[name]({ page, context, open, shoot, given: options.given ?? {}, require });
  console.log(JSON.stringify({ found: found ?? null, faults }));
} catch (error) {
  await page.screenshot({ path: `${options.folder}/failed-${name}.png` }).catch(() => {});
  console.error(error.stack, JSON.stringify(faults));
  process.exitCode = 1;
} finally {
  await browser.close();
}
