// The tasks package for the TypeScript client 2.x gets a completed task and gets its outcome, so many times, 20 at a time.
//
// usage: node --input-type=module - URL TOKEN TASK_ID TIMES MODE < ext_tasks.mjs, in the folder that has the packages

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createTaskSessionFromClient } from "@modelcontextprotocol/ext-tasks/client";

const [url, , taskId, times, mode] = process.argv.slice(2);

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
const transport = new StreamableHTTPClientTransport(new URL(url));
await client.connect(transport);
const revision = client.getNegotiatedProtocolVersion();
const session = createTaskSessionFromClient(client, {
  endpointId: url,
  rawDispatch: dispatcher(transport),
  v2RequestFraming: { protocolVersion: revision, clientInfo, clientCapabilities: {} },
});
const told = [];
while (told.length < Number(times)) {
  const polls = Array.from({ length: Math.min(20, Number(times) - told.length) }, async () => {
    const outcome = await session.task(taskId).result();
    return outcome.status === "completed" ? outcome.result.content[0].text : `${outcome.status}: ${outcome.error}`;
  });
  told.push(...(await Promise.all(polls.map((poll) => poll.catch((error) => String(error.cause ?? error))))));
}
console.log(JSON.stringify({ revision, told }));
await session.close();
await client.close();
