/**
 * Three real servers for the examples: `vault` needs a sign-in (HTTP, with a real authorization server), `flaky` exits in the middle
 * of the first call that it ever gets, and `warehouse` has 300 tools.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  scriptedPerson,
  startAuthorizationServer,
} from '../../../packages/auth-oauth/test/support/authorization-server.mjs';

export async function startThreeServers() {
  const folder = await mkdtemp(join(tmpdir(), 'fittings-three-'));
  const vault = createServer();
  vault.listen(0, '127.0.0.1');
  await once(vault, 'listening');
  const origin = `http://127.0.0.1:${vault.address().port}`;
  const url = `${origin}/mcp`;
  const issuer = await startAuthorizationServer({ resource: () => url });
  vault.on('request', (request, response) => void serveVault(request, response, { origin, url, issuer }));
  const program = (file) => fileURLToPath(new URL(file, import.meta.url));
  return {
    /** Entries for `host.connect()`. */
    entries: {
      vault: { url },
      flaky: {
        command: process.execPath,
        args: [program('flaky-server.mjs'), join(folder, 'died')],
        reconnect: { delayMs: 10 },
      },
      warehouse: { command: process.execPath, args: [program('warehouse-server.mjs')] },
    },
    /** The person: signs in on the pages of the authorization server, in place of a browser. */
    async openPage(page) {
      const { location = '' } = await scriptedPerson(page);
      get(location, (response) => response.resume());
    },
    async [Symbol.asyncDispose]() {
      vault.close();
      vault.closeAllConnections();
      await issuer[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A server that is protected as in RFC 9728; stateless, so that each request has its own `McpServer`. */
async function serveVault(request, response, { origin, url, issuer }) {
  const metadata = '/.well-known/oauth-protected-resource/mcp';
  if (request.url === metadata) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ resource: url, authorization_servers: [issuer.origin], scopes_supported: ['tools'] }),
    );
    return;
  }
  const [, token = ''] = request.headers.authorization?.split(' ') ?? [];
  const account = await issuer.find(token);
  if (account === undefined) {
    response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${origin}${metadata}"` }).end();
    return;
  }
  const server = new McpServer({ name: 'vault', version: '1.0.0' });
  server.registerTool('secret', { description: 'The number in the vault of the user' }, () => ({
    content: [{ type: 'text', text: `The number of ${account.accountId} is 42.` }],
  }));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  response.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response);
}
