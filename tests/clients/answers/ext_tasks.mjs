// The tasks package for the TypeScript client 2.x is asked by a task that it polls, in either revision.
//
// usage: node --input-type=module - URL TOKEN MODE < ext_tasks.mjs, in the folder that has the packages

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createApplicationInputHandler, createTaskSessionFromClient } from "@modelcontextprotocol/ext-tasks/client";

const [url, token, mode] = process.argv.slice(2);
const forms = { "Which leaves?": { leaves: "green" }, "How much sugar?": { lumps: 2 } };
const asked = [];
const onInputRequest = createApplicationInputHandler({
  elicitation({ params }) {
    asked.push(params.message);
    return { action: "accept", content: forms[params.message] };
  },
  sampling({ params }) {
    asked.push(params.messages[0].content.text);
    return { role: "assistant", model: "tests", content: { type: "text", text: "Calm" } };
  },
});

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
const clientCapabilities = { elicitation: { form: {} }, sampling: {} };
const client = new Client(clientInfo, { capabilities: clientCapabilities, versionNegotiation: { mode } });
const headers = { Authorization: `Bearer ${token}` };
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
await client.connect(transport);
const session = createTaskSessionFromClient(client, {
  endpointId: url,
  onInputRequest,
  rawDispatch: dispatcher(transport),
  v2RequestFraming: { protocolVersion: client.getNegotiatedProtocolVersion(), clientInfo, clientCapabilities },
});

const execution = await session.callTool("brew", {}, { task: { preference: "require" } });
const { outcome } = await execution.settle();
console.log(JSON.stringify({ polled: [outcome.result?.content[0].text ?? outcome, ...asked] }));
await session.close();
await client.close();
