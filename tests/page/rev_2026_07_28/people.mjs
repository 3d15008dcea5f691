// Other people than whoever opens the console: they call the same server by clients of their own, as `people.py` has it.

const NS = "io.modelcontextprotocol/", VERSION = "2026-07-28";

/** Calls a tool as somebody of this name. */
export async function call(page, name, tool, given, capabilities = {}) {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream",
    "mcp-protocol-version": VERSION, "mcp-method": "tools/call", "mcp-name": tool, authorization: `Bearer ${encodeURIComponent(name)}` };
  const _meta = { [NS + "protocolVersion"]: VERSION, [NS + "clientCapabilities"]: capabilities };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: given, _meta } });
  const reply = await fetch(new URL("/mcp", page.url()), { method: "POST", headers, body });
  const { result } = await reply.json();
  if (!result || result.isError) throw new Error(`${name} was refused: ${JSON.stringify(result)}`);
  return result.structuredContent;
}

/** Has somebody of this name decline whatever the console decides, while its decision is on its way. */
export async function overtaken(page, name) {
  await page.unrouteAll({ behavior: "wait" });
  await page.route("**/mcp", async (route) => {
    const { params } = route.request().postDataJSON();
    if (params.name === "approval_decide") await call(page, name, "approval_decide", { id: params.arguments.id, action: "decline" });
    await route.continue();
  });
}
