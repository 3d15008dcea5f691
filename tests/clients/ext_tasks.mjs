// The tasks package for the TypeScript client 2.x, which has the tasks of both revisions: it polls them.
//
// usage: node --input-type=module - URL TOKEN MODE < ext_tasks.mjs, in the folder that has the packages

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createTaskSessionFromClient } from "@modelcontextprotocol/ext-tasks/client";

const [url, token, mode] = process.argv.slice(2);
const text = (result) => result.content[0].text;

// What the package needs of its host in 2026-07-28: requests below the client, which refuses results that are tasks.
function dispatcher(transport) {
  const waiting = new Map();
  const others = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const answered = waiting.get(message.id) ?? ((other) => others(other, extra));
    waiting.delete(message.id);
    answered(message);
  };
  return async (request, options) => {
    const id = `task-${crypto.randomUUID()}`;
    const answer = new Promise((resolve) => waiting.set(id, resolve));
    const headers = options?.context?.headers;
    await transport.send({ jsonrpc: "2.0", id, ...request }, { headers, requestSignal: options?.signal });
    const { error, result } = await answer;
    return error ? { kind: "error", error } : { kind: "result", result };
  };
}

const clientInfo = { name: "tests", version: "1.0" };
const client = new Client(clientInfo, { versionNegotiation: { mode } });
const headers = { Authorization: `Bearer ${token}` };
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
await client.connect(transport);
const revision = client.getNegotiatedProtocolVersion();
const session = createTaskSessionFromClient(client, {
  endpointId: url,
  rawDispatch: dispatcher(transport),
  v2RequestFraming: { protocolVersion: revision, clientInfo, clientCapabilities: {} },
});
const start = (name, given) => session.callTool(name, given, { task: { preference: "require" } });

const greeting = await (await session.callTool("greet", { name: "Ada" })).settle();

const execution = await start("slow_compute", { seconds: 3, label: "tea" });
const created = await session.task(execution.handle.taskId).snapshot();
const { outcome, lastTask } = await execution.settle();

const { outcome: failed } = await (await start("failing_job", {})).settle();

const hopeless = await start("slow_compute", { seconds: 60, label: "never" });
await hopeless.cancel();
const { outcome: cancelled } = await hopeless.settle();

console.log(
  JSON.stringify({
    revision,
    greeting: text(greeting.outcome.result),
    created: created.status,
    final_status: lastTask.status,
    result: text(outcome.result),
    failed: failed.status,
    failure: failed.error?.message ?? text(failed.result),
    cancelled: cancelled.status,
  }),
);
await session.close();
await client.close();
