// Opens a web page of another machine in Chromium, which sends requests to ports of this one, and prints their outcomes.
//
// usage: node foreign.mjs CHROMIUM PAGE RENAMED TARGETS, where PAGE and RENAMED are addresses at a name that leads here,
// RENAMED is at the port of a target (DNS rebinding), and TARGETS is a JSON list of addresses.

import { createRequire } from "node:module";

const require = createRequire(new URL("../../.local/node_page/", import.meta.url));
const { chromium } = require("playwright-core");

const [executablePath, address, renamed, written] = process.argv.slice(2);
const rules = "--host-resolver-rules=MAP evil.test 127.0.0.1";
const browser = await chromium.launch({ executablePath, args: ["--headless", "--no-sandbox", "--disable-gpu", rules] });
try {
  const page = await browser.newPage();
  const answers = [];
  page.on("response", (response) => answers.push(response.status()));
  await page.goto(address);
  const ways = await page.evaluate(async (targets) => {
    const settled = (promise) => promise.then(() => "sent", () => "failed");
    const loaded = (element, place) =>
      new Promise((done) => {
        element.onload = element.onerror = done;
        place.append(element);
      });
    const made = (tag, given) => Object.assign(document.createElement(tag), given);
    const found = [];
    for (const target of targets) {
      for (const method of ["GET", "POST"]) found.push(await settled(fetch(target, { method, mode: "no-cors" })));
      for (const method of ["GET", "POST", "PUT"]) found.push(await settled(fetch(target, { method })));
      await loaded(made("img", { src: target, referrerPolicy: "no-referrer" }), document.body);
      await loaded(made("iframe", { src: target, referrerPolicy: "no-referrer" }), document.body);
      // Its origin is null.
      const code = `<script>fetch(${JSON.stringify(target)}, {method: "POST", mode: "no-cors"})
        .finally(() => parent.postMessage("done", "*"))</script>`;
      const told = new Promise((done) => addEventListener("message", done, { once: true }));
      document.body.append(made("iframe", { sandbox: "allow-scripts", srcdoc: code }));
      await told;
      const form = made("form", { method: "POST", action: target, target: "shown" });
      const frame = made("iframe", { name: "shown" });
      document.body.append(form, frame);
      await new Promise((done) => ((frame.onload = done), form.submit()));
      frame.remove();
    }
    return found;
  }, JSON.parse(written));
  const visited = (await page.goto(renamed)).status();
  console.log(JSON.stringify({ ways, visited, statuses: [...new Set(answers.slice(1))].sort() }));
} finally {
  await browser.close();
}
