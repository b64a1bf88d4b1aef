/** A server behind a guard that requires a token of its authorization server (`oidc-provider`). A page of any origin may use both. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { startAuthorizationServer } from '../../packages/auth-oauth/test/support/authorization-server.mjs';
import { forward } from './forward.mjs';

const METADATA = '/.well-known/oauth-protected-resource/mcp';
/** Registered by hand: `oidc-provider` registers no client for a page. Loopback redirects may have any port. */
const PAGE = {
  client_id: 'page',
  token_endpoint_auth_method: 'none',
  application_type: 'native',
  grant_types: ['authorization_code', 'refresh_token'],
  redirect_uris: ['http://127.0.0.1/signed-in'],
};
const MACHINE = {
  client_id: 'machine',
  client_secret: 'secret of the machine',
  token_endpoint_auth_method: 'client_secret_post',
  grant_types: ['client_credentials'],
  response_types: [],
  redirect_uris: [],
};

/** Guards the server at `port`. Resolves with the URL of the guard, the client of a page, a token of a machine, and `stop`. */
export async function startGuardedEverything(port) {
  const guard = createServer().listen(0, '127.0.0.1');
  await once(guard, 'listening');
  const origin = `http://127.0.0.1:${guard.address().port}`;
  const url = `${origin}/mcp`;
  const authorization = await startAuthorizationServer({ resource: () => url, clients: [PAGE, MACHINE] });
  const metadata = {
    resource: url,
    authorization_servers: [authorization.origin],
    scopes_supported: ['tools'],
  };

  guard.on('request', async (incoming, reply) => {
    allowPages(incoming, reply);
    if (incoming.method === 'OPTIONS') return reply.writeHead(204).end();
    if (incoming.url === METADATA)
      return reply.setHeader('content-type', 'application/json').end(JSON.stringify(metadata));
    const token = incoming.headers.authorization?.replace('Bearer ', '') ?? '';
    if ((await authorization.find(token)) !== undefined) return forward(incoming, reply, port);
    reply.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${origin}${METADATA}"` }).end();
  });
  return {
    entry: { url, clientId: PAGE.client_id, token: await tokenOfMachine(authorization.origin, url) },
    async stop() {
      guard.close();
      guard.closeAllConnections();
      await authorization[Symbol.asyncDispose]();
    },
  };
}

function allowPages(incoming, reply) {
  reply.setHeader('access-control-allow-origin', '*');
  reply.setHeader('access-control-allow-methods', 'GET, POST, DELETE');
  reply.setHeader('access-control-allow-headers', incoming.headers['access-control-request-headers'] ?? '');
  reply.setHeader('access-control-expose-headers', 'Mcp-Session-Id, WWW-Authenticate');
}

async function tokenOfMachine(issuer, resource) {
  const { client_id, client_secret } = MACHINE;
  const body = { grant_type: 'client_credentials', client_id, client_secret, resource, scope: 'tools' };
  const answer = await fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(body) });
  const { access_token: token } = await answer.json();
  if (token === undefined) throw new Error(`The authorization server gave no token: ${answer.status}`);
  return token;
}
