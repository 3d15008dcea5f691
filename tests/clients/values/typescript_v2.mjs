// The official TypeScript client 2.x calls each tool, and checks the result against the schema that it was listed.
//
// usage: node --input-type=module - URL < typescript_v2.mjs, in the folder that has the packages

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

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
