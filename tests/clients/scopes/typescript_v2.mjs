// The official TypeScript client 2.x finds the authorization server, logs in, and asks for more where a tool needs it.
//
// usage: node --input-type=module - URL MODE < typescript_v2.mjs, in the folder that has the packages

import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";

const [url, mode] = process.argv.slice(2);
const redirectUrl = "http://127.0.0.1:9/callback";
const asked = [];
const kept = {};

// What a browser does: it follows redirects with its cookies, until it is sent back to the client.
async function logIn(page) {
  asked.push(page.searchParams.get("scope"));
  const cookies = new Map();
  while (!page.href.startsWith(redirectUrl)) {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const response = await fetch(page, { redirect: "manual", headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [name, value] = line.split(";")[0].split("=");
      cookies.set(name, value);
    }
    page = new URL(response.headers.get("location"), page);
  }
  kept.back = page.searchParams;
}

const authProvider = {
  redirectUrl,
  clientMetadata: { client_name: "tests", redirect_uris: [redirectUrl] },
  clientInformation: () => kept.client,
  saveClientInformation: (client) => void (kept.client = client),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => void (kept.tokens = tokens),
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
  saveDiscoveryState: (state) => void (kept.discovery = state),
  discoveryState: () => kept.discovery,
  redirectToAuthorization: logIn,
};

// This SDK throws once the user was sent away; its caller finishes with what came back, and tries again.
async function authorized(work) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    await transport.finishAuth(kept.back);
    return await work();
  }
}

let client, transport;
await authorized(async () => {
  client = new Client({ name: "tests", version: "1.0" }, { versionNegotiation: { mode } });
  transport = new StreamableHTTPClientTransport(new URL(url), { authProvider });
  await client.connect(transport);
});
const call = async (name, given) => await authorized(() => client.callTool({ name, arguments: given }));
const greeting = async () => (await call("greet", { name: "Ada" })).content[0].text;

const said = { revision: client.getNegotiatedProtocolVersion(), greeting: await greeting() };
try {
  const { structuredContent: task } = await call("publish", { seconds: 0.5 });
  const fetched = await call("task_result", { task_id: task.task_id, wait_seconds: 20 });
  Object.assign(said, { task: task.status, published: fetched.content[0].text });
} catch (error) {
  Object.assign(said, { error: [error.name, error.code, error.data?.status ?? null], afterwards: await greeting() });
}
console.log(JSON.stringify({ ...said, asked }));
await client.close();
