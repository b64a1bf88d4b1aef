import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { startAuthorizationServer } from './authorization-server.js';
import { clockServer } from './clock-server.js';

export interface GuardedServer extends AsyncDisposable {
  readonly url: string;
}

/** An MCP server over HTTP that requires a token of its authorization server. */
export async function startGuardedServer(): Promise<GuardedServer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server that listens has such an address.
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `${origin}/mcp`;
  const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
  const authorization = await startAuthorizationServer(url);

  server.on('request', async (request, response) => {
    if (request.url === new URL(metadata).pathname) {
      const document = {
        resource: url,
        authorization_servers: [authorization.issuer],
        scopes_supported: ['tools'],
      };
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
    }
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    if (!(await authorization.accepts(token))) {
      return response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
    }
    if (request.method !== 'POST') return response.writeHead(405).end();
    // Without sessions, each message gets its own server.
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    await clockServer().connect(transport);
    return transport.handleRequest(request, response);
  });
  return {
    url,
    async [Symbol.asyncDispose]() {
      await authorization[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
