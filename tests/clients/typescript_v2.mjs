// The official TypeScript client 2.x, which has no tasks: its calls wait, and return a task handle if they last longer.
//
// usage: node --input-type=module - URL TOKEN MODE < typescript_v2.mjs, in the folder that has the packages

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const [url, token, mode] = process.argv.slice(2);
const text = (result) => result.content[0].text;

const client = new Client({ name: "tests", version: "1.0" }, { versionNegotiation: { mode } });
const headers = { Authorization: `Bearer ${token}` };
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
const call = (name, given) => client.callTool({ name, arguments: given });

const { tools } = await client.listTools();
const greeting = await call("greet", { name: "Ada" });
const result = await call("slow_compute", { seconds: 3, label: "tea" });

const { structuredContent: taskHandle } = await call("dawdle", { seconds: 3 });
const fetched = await call("task_result", { task_id: taskHandle.task_id, wait_seconds: 20 });

const { structuredContent: hopeless } = await call("dawdle", { seconds: 60 });
const cancelled = await call("task_cancel", { task_id: hopeless.task_id });

const rejection = await call("failing_job", {}).then(
  () => "none",
  (error) => error.code,
);

console.log(
  JSON.stringify({
    revision: client.getNegotiatedProtocolVersion(),
    task_tools: tools.map((tool) => tool.name).filter((name) => name.startsWith("task_")).sort(),
    greeting: text(greeting),
    result: text(result),
    task_handle: taskHandle.status,
    fetched: text(fetched),
    cancelled: text(cancelled),
    rejection,
  }),
);
await client.close();
