// An authorization server that knows nothing of this project: `oidc-provider`, on loopback, whose users agree at once.
//
// usage: node --input-type=module - TENANT USER SCOPES REGISTERED < authorization_server.mjs, in the folder that has the package
//
// It prints its address.  Clients register themselves; the tokens are JWTs for the resource that a client names, with
// the tenant and the scopes that it asks for.  Where REGISTERED is "kept", these are limited to those that the client
// registered with, which is what the package does by default; where it is "any", they are not.

import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { Provider } from "oidc-provider";

const [tenant, user, scope, registered] = process.argv.slice(2);

const listening = createServer((request, response) => answer(request, response));
await new Promise((ready) => listening.listen(0, "127.0.0.1", ready));
const issuer = `http://127.0.0.1:${listening.address().port}`;

const provider = new Provider(issuer, {
  pkce: { required: () => true },
  // Pages that log people in read its answers.
  clientBasedCORS: () => true,
  clientAuthMethods: ["none", "client_secret_basic", "client_secret_post"],
  scopes: ["offline_access", ...scope.split(" ")],
  extraTokenClaims: () => ({ tenant }),
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_, resource) => ({ audience: resource, scope, accessTokenFormat: "jwt" }),
    },
  },
});
// RFC 7591, 2: a client's registration may limit what it can ask for, and does so here unless the server leaves it out.
if (registered === "any") {
  provider.use(async (context, next) => {
    if (context.path === "/reg") context.req.body = { ...(await json(context.req)), scope: undefined };
    return next();
  });
}
const callback = provider.callback();

// The pages where a user would log in and consent.
async function interact(request, response) {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (prompt.name === "login") {
    return provider.interactionFinished(request, response, { login: { accountId: user } });
  }
  const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  grant.addOIDCScope((prompt.details.missingOIDCScope ?? []).join(" "));
  for (const [resource, scopes] of Object.entries(prompt.details.missingResourceScopes ?? {})) {
    grant.addResourceScope(resource, scopes.join(" "));
  }
  const consent = { grantId: await grant.save() };
  return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
}

function answer(request, response) {
  if (!request.url.startsWith("/interaction/")) return callback(request, response);
  return interact(request, response).catch((error) => response.writeHead(500).end(String(error)));
}

console.log(issuer);
