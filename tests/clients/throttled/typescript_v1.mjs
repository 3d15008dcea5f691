// The official TypeScript client 1.x polls a completed task, so many times, 20 at a time, and gets its result.
//
// usage: node --input-type=module - URL TOKEN TASK_ID TIMES < typescript_v1.mjs, in the folder that has the packages

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";

const [url, , taskId, times] = process.argv.slice(2);
const client = new Client({ name: "tests", version: "1.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const tasks = client.experimental.tasks;

const told = [];
while (told.length < Number(times)) {
  const polls = Array.from({ length: Math.min(20, Number(times) - told.length) }, () =>
    tasks.getTask(taskId).then((task) => task.status, (error) => String(error)));
  told.push(...(await Promise.all(polls)));
}
const result = await tasks.getTaskResult(taskId, CallToolResultSchema);
console.log(JSON.stringify({ told, result: result.content[0].text }));
await client.close();
