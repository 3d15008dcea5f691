// The official TypeScript client 1.x is asked: while it follows a task, while it waits for one, and by a plain call.
//
// usage: node --input-type=module - URL TOKEN < typescript_v1.mjs, in the folder that has the packages

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

const [url, token] = process.argv.slice(2);
const forms = { "Which leaves?": { leaves: "green" }, "How much sugar?": { lumps: 2 } };
const brew = { name: "brew", arguments: {} };
const text = (result) => result.content[0].text;

const transport = new StreamableHTTPClientTransport(new URL(url), {
  requestInit: { headers: { Authorization: `Bearer ${token}` } },
});
const capabilities = { elicitation: { form: {} }, sampling: {} };
const client = new Client({ name: "tests", version: "1.0" }, { capabilities });
let asked = [];
let slips = 0;
client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
  asked.push(params.message);
  return { action: "accept", content: slips-- > 0 ? { leaves: "red" } : forms[params.message.split("\n")[0]] };
});
client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
  asked.push(params.messages[0].content.text);
  return { role: "assistant", model: "tests", content: { type: "text", text: "Calm" } };
});
await client.connect(transport);
const tasks = client.experimental.tasks;

// What is listed as a tool that may be a task is called as one.
await client.listTools();

const ways = {
  async followed() {
    let last;
    for await (const message of tasks.callToolStream(brew)) last = message;
    return last.result;
  },
  async waited_twice() {
    const { value } = await tasks.callToolStream(brew).next();
    const wait = () => tasks.getTaskResult(value.task.taskId, CallToolResultSchema);
    const [one, other] = await Promise.all([wait(), wait()]);
    return text(one) === text(other) && one;
  },
  called: () => client.callTool(brew),
  corrected() {
    slips = 1;
    return ways.followed();
  },
};

const output = {};
for (const [name, way] of Object.entries(ways)) {
  asked = [];
  output[name] = [text(await way()), ...asked];
}
console.log(JSON.stringify(output));
await client.close();
