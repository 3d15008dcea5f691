// The official TypeScript client 2.x is asked by a plain call, behind which there is a task that it knows nothing of.
//
// usage: node --input-type=module - URL TOKEN MODE < typescript_v2.mjs, in the folder that has the packages

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const [url, token, mode] = process.argv.slice(2);
const forms = { "Which leaves?": { leaves: "green" }, "How much sugar?": { lumps: 2 } };
const headers = { Authorization: `Bearer ${token}` };

// Call the tool with a client that can do so much, and return what the tool says, and what was asked on the way.
async function called(capabilities) {
  const client = new Client({ name: "tests", version: "1.0" }, { capabilities, versionNegotiation: { mode } });
  const asked = [];
  if (capabilities.elicitation)
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: forms[params.message] };
    });
  if (capabilities.sampling)
    client.setRequestHandler("sampling/createMessage", ({ params }) => {
      asked.push(params.messages[0].content.text);
      return { role: "assistant", model: "tests", content: { type: "text", text: "Calm" } };
    });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  const result = await client.callTool({ name: "brew", arguments: {} });
  await client.close();
  return [result.content[0].text, ...asked];
}

const able = await called({ elicitation: { form: {} }, sampling: {} });
console.log(JSON.stringify({ called: able, without_capabilities: await called({}) }));
