// The console as an app in a host on the official AppBridge, which npm has; the basic host of ext-apps it has not.

import { fileURLToPath } from "node:url";
import { call } from "./people.mjs";

const SANDBOX = "http://sandbox.localhost";
// What the specification has a host enforce where a view declares no domains.  -- ext-apps 2026-01-26
const POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; media-src 'self' data:; connect-src 'none'";
const PROXY = `<!doctype html><html lang="en"><title>Sandbox</title><body style="margin:0"><script>
const view = document.createElement("iframe");
view.setAttribute("sandbox", "allow-scripts");
view.title = "App";
view.style = "border:0;width:100vw;height:100vh";
addEventListener("message", ({ source, data }) => {
  if (source === view.contentWindow) parent.postMessage(data, "*");
  else if (source !== parent) return;
  else if (data.method === "ui/notifications/sandbox-resource-ready") { view.srcdoc = data.params.html; document.body.append(view); }
  else view.contentWindow.postMessage(data, "*");
});
parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} }, "*");
<\/script>`;

export async function bridged({ page, open, shoot, given, require }) {
  const { build } = require("esbuild");
  const host = fileURLToPath(new URL("./bridge_host.js", import.meta.url));
  const modules = fileURLToPath(new URL("../../../.local/node_page/node_modules", import.meta.url));
  const { outputFiles } = await build({ entryPoints: [host], nodePaths: [modules], bundle: true, format: "iife", write: false });
  const html = (body, headers) => (route) => route.fulfill({ contentType: "text/html", body, headers });
  await page.route("**/host", html('<!doctype html><html lang="en"><title>Host</title><body><script src="host.js"></script>'));
  await page.route("**/host.js", (route) => route.fulfill({ contentType: "text/javascript", body: outputFiles[0].text }));
  await page.route(`${SANDBOX}/**`, html(PROXY, { "content-security-policy": POLICY }));
  await open("host");
  const tasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  await call(page, "you", "gallery", {}, tasks);
  const shown = await page.evaluate((what) => window.show(what), { tool: "task_list", mode: given.mode, sandbox: `${SANDBOX}/` });
  const view = page.frameLocator("iframe").frameLocator("iframe");
  await view.getByRole("link", { name: "Tasks" }).click();
  await view.locator(".rows a", { hasText: "gallery" }).click();
  await view.locator(".card", { hasText: "Result" }).first().waitFor();
  const text = await view.locator(".card", { hasText: "Result" }).innerText();
  await view.getByRole("link", { name: /example\.com/ }).click();
  await page.waitForFunction(() => window.links.length > 0);
  await view.getByRole("link", { name: "Inbox" }).click();
  await view.getByRole("article").filter({ hasText: "80 EUR" }).getByRole("button", { name: "Approve" }).click();
  await view.getByText("Approved: Pay 80 EUR?").waitFor();
  await view.locator("summary", { hasText: "Decided in the last day" }).click();
  const past = await view.locator(".past").first().innerText();
  await shoot(`bridged-${given.mode}`);
  return { ...shown, text, past, links: await page.evaluate(() => window.links) };
}
