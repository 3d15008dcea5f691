// A host of MCP Apps on the official client and its AppBridge: it shows the view of a tool in a sandbox of another origin.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AppBridge, PostMessageTransport, RESOURCE_MIME_TYPE, getToolUiResourceUri } from "@modelcontextprotocol/ext-apps/app-bridge";

const HOST = { name: "bridge-host", version: "1.0" };
window.links = [];

window.show = async ({ tool, mode, sandbox }) => {
  const capabilities = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [RESOURCE_MIME_TYPE] } } };
  const client = new Client(HOST, { capabilities, versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", location.href)));
  const { tools } = await client.listTools();
  const uri = getToolUiResourceUri(tools.find((each) => each.name === tool));
  const view = (await client.readResource({ uri })).contents[0];

  const frame = document.createElement("iframe");
  frame.title = "View";
  frame.style = "border: 0; width: 100vw; height: 20rem";
  // Of another origin, it is given its own, and nothing of this page.
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin");
  const proxied = new Promise((resolve) => addEventListener("message", ({ source, data }) => {
    if (source === frame.contentWindow && data.method === "ui/notifications/sandbox-proxy-ready") resolve();
  }));
  frame.src = sandbox;
  document.body.append(frame);
  await proxied;

  const bridge = new AppBridge(client, HOST, { openLinks: {}, serverTools: {} });
  const initialized = new Promise((resolve) => (bridge.oninitialized = resolve));
  const sized = new Promise((resolve) => (bridge.onsizechange = ({ height }) => {
    frame.style.height = `${height}px`;
    resolve(height);
  }));
  bridge.onopenlink = async ({ url }) => (window.links.push(url), {});
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  await bridge.sendSandboxResourceReady({ html: view.text, csp: view._meta.ui.csp });
  await initialized;
  await bridge.sendToolInput({ arguments: {} });
  await bridge.sendToolResult(await client.callTool({ name: tool, arguments: {} }));
  return { uri, type: view.mimeType, height: await sized, app: bridge.getAppVersion() };
};
