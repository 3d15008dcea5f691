// The official TypeScript client 1.x, which has the tasks of 2025-11-25: it polls them, and waits for them.
//
// usage: node --input-type=module - URL TOKEN < typescript_v1.mjs, in the folder that has the packages

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";

const [url, token] = process.argv.slice(2);
const text = (result) => result.content[0].text;

const transport = new StreamableHTTPClientTransport(new URL(url), {
  requestInit: { headers: { Authorization: `Bearer ${token}` } },
});
const client = new Client({ name: "tests", version: "1.0" });
await client.connect(transport);
const tasks = client.experimental.tasks;

// What is listed as a tool that may be a task is called as one.
const { tools } = await client.listTools();
const greeting = await client.callTool({ name: "greet", arguments: { name: "Ada" } });

// One that is polled.
const output = {};
for await (const message of tasks.callToolStream({ name: "slow_compute", arguments: { seconds: 3, label: "tea" } })) {
  output[message.type] = message;
}

async function start(name, given) {
  const { value } = await tasks.callToolStream({ name, arguments: given }).next();
  return value.task.taskId;
}

// Two that are waited for, on connections that end and are resumed.
const waitedFor = await start("slow_compute", { seconds: 3, label: "cake" });
const waited = await tasks.getTaskResult(waitedFor, CallToolResultSchema);
const failing = await start("failing_job", {});
const failure = await tasks.getTaskResult(failing, CallToolResultSchema);
const failed = await tasks.getTask(failing);

const cancelled = await tasks.cancelTask(await start("slow_compute", { seconds: 60, label: "never" }));

console.log(
  JSON.stringify({
    revision: transport.protocolVersion,
    support: tools.find((tool) => tool.name === "slow_compute").execution.taskSupport,
    greeting: text(greeting),
    created: output.taskCreated.task.status,
    final_status: output.taskStatus.task.status,
    result: text(output.result.result),
    waited: text(waited),
    failed: failed.status,
    failure: text(failure),
    cancelled: cancelled.status,
  }),
);
await client.close();
