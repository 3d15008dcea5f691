// The official TypeScript client 1.x calls each tool, and checks the result against the schema that it was listed.
//
// usage: node --input-type=module - URL < typescript_v1.mjs, in the folder that has the packages

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const client = new Client({ name: "tests", version: "1.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])));

const called = (name) =>
  client.callTool({ name, arguments: {} }).then(
    (result) => (result.isError ? "refused" : "fits"),
    (error) => String(error).slice(0, 500),
  );
const found = {};
let cursor;
do {
  // A client knows the schemas of the page that it listed last.
  const page = await client.listTools(cursor ? { cursor } : {});
  for (const { name } of page.tools) found[name] = await called(name);
  cursor = page.nextCursor;
} while (cursor);

console.log(JSON.stringify(found));
await client.close();
