// The console as an app: a small host, by the specification, that shows it in a frame and calls tools for it.
//
// The host runs in the page: it reads the view by resources/read, gives it the policy of the specification's default and a
// sandbox that lets scripts run, and answers what the view asks, by the server's own answers.

const HOST = `<!doctype html><html lang="en"><title>Host</title><body style="margin:0"><script>
const UI = "io.modelcontextprotocol/ui", TASKS = "io.modelcontextprotocol/tasks", NS = "io.modelcontextprotocol/";
const POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "media-src 'self' data:; connect-src 'none'";
window.seen = { methods: [], links: [] };
async function ask(method, params, extensions = {}, more = {}) {
  const name = params.name ?? params.uri ?? params.taskId, headers = { "content-type": "application/json",
    accept: "application/json, text/event-stream", "mcp-protocol-version": "2026-07-28", "mcp-method": method };
  if (name) headers["mcp-name"] = name;
  const capabilities = { ...more, extensions: { [UI]: { mimeTypes: ["text/html;profile=mcp-app"] }, ...extensions } };
  const _meta = { [NS + "protocolVersion"]: "2026-07-28", [NS + "clientCapabilities"]: capabilities };
  const reply = await fetch("/mcp", { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }) });
  return reply.json();
}
window.start = (name, given) => ask("tools/call", { name, arguments: given }, { [TASKS]: {} }, { elicitation: { form: {} } });
window.show = async () => {
  const { result } = await ask("tools/list", {});
  const tool = result.tools.find((each) => each.name === "task_list");
  const uri = tool._meta.ui.resourceUri, read = (await ask("resources/read", { uri })).result.contents[0];
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.style = "border:0;width:100vw;height:100vh";
  frame.title = "View";
  addEventListener("message", async ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    const answer = (more) => frame.contentWindow.postMessage({ jsonrpc: "2.0", id: data.id, ...more }, "*");
    seen.methods.push(data.method);
    if (data.method === "ui/initialize") answer({ result: { protocolVersion: "2026-01-26", hostInfo: { name: "host", version: "1" }, hostCapabilities: { serverTools: {}, openLinks: {} }, hostContext: {} } });
    else if (data.method === "ui/open-link") { seen.links.push(data.params.url); answer({ result: {} }); }
    else if (data.method === "tools/call") { const { result, error } = await ask("tools/call", data.params); answer(error ? { error } : { result }); }
    else if (data.id !== undefined) answer({ error: { code: -32601, message: "not offered: " + data.method } });
  });
  frame.srcdoc = read.text.replace("<head>", '<head><meta http-equiv="Content-Security-Policy" content="' + POLICY + '">');
  document.body.append(frame);
  return { uri, type: read.mimeType, listed: result.tools.map((each) => each.name) };
};
<\/script></body></html>`;

export async function hosted({ page, open, shoot, given }) {
  await page.route("**/host", (route) => route.fulfill({ contentType: "text/html", body: HOST }));
  await open("host");
  const ended = (await page.evaluate(() => window.start("gallery", {}))).result.taskId;
  const failed = (await page.evaluate(() => window.start("fail", { with_code: 4711 }))).result.taskId;
  const live = (await page.evaluate(() => window.start("hold", {}))).result.taskId;
  const offered = await page.evaluate(() => window.show());
  const view = page.frameLocator("iframe");
  const card = (text) => view.locator(".card .badge", { hasText: text });
  await view.getByRole("link", { name: /Inbox/ }).waitFor();
  const tabs = await view.getByRole("navigation").getByRole("link").allInnerTexts();
  await view.getByRole("link", { name: "Tasks" }).click();
  await view.locator(".rows a").nth(2).waitFor();
  const rows = await view.locator(".rows .name").allInnerTexts();
  await view.locator(".rows a", { hasText: "gallery" }).click();
  await card("Completed").waitFor();
  const text = await view.locator(".card", { hasText: "Result" }).innerText();
  await view.getByRole("link", { name: /example\.com/ }).click();
  await shoot("hosted");
  await view.getByRole("link", { name: "Tasks" }).click();
  await view.locator(".rows a", { hasText: "The disk is gone" }).click();
  await card("Failed").waitFor();
  const error = await view.locator(".card", { has: view.getByRole("heading", { name: "Error", exact: true }) }).innerText();
  await view.getByRole("link", { name: "Tasks" }).click();
  await view.locator(".rows a", { hasText: "hold" }).click();
  await view.getByRole("button", { name: "Cancel task" }).click();
  await view.getByRole("button", { name: "Yes, cancel it" }).click();
  await card("Cancelled").waitFor();
  await view.getByRole("link", { name: "Inbox" }).click();
  await view.getByRole("article").filter({ hasText: "80 EUR" }).getByRole("button", { name: "Approve" }).click();
  await view.getByText("Approved: Pay 80 EUR?").waitFor();
  await view.getByRole("link", { name: "Tenants" }).click();
  await view.locator(".uses").first().waitFor();
  const tenants = await view.locator(".uses").first().innerText();
  const { methods, links } = await page.evaluate(() => window.seen);
  return { ...offered, tenants, tabs, rows, text, error, links, methods: [...new Set(methods)].sort(), ids: [ended, failed, live].length };
}
