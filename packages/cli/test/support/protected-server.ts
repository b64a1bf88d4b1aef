import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { z } from 'zod';
import {
  startAuthorizationServer,
  type TestAuthorizationServer,
} from '../../../auth-oauth/test/support/authorization-server.mjs';

/** An MCP server that wants OAuth, and its authorization server; both real. */
export interface ProtectedServer extends AsyncDisposable {
  readonly url: string;
  readonly authorizationServer: TestAuthorizationServer;
  /** Requests that came with a good token. */
  readonly admitted: number;
  /** Tokens that it does not accept any more. */
  readonly dead: Set<string>;
  /** From now on no token is good enough. */
  refuseAll(): void;
  /** Tokens that were shown. */
  readonly shown: Set<string>;
}

const PRM = '/.well-known/oauth-protected-resource';

export async function startProtectedServer(): Promise<ProtectedServer> {
  const dead = new Set<string>();
  const shown = new Set<string>();
  let admitted = 0;
  let refusesAll = false;
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'protected', version: '1' });
    server.registerTool('add', { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => ({
      content: [{ type: 'text', text: String(a + b) }],
    }));
    return server;
  });
  const serve = toNodeHandler(handler);
  const http = createServer((request, response) => {
    void (async () => {
      if (request.url?.startsWith(PRM) === true) {
        const document = { resource: url, authorization_servers: [as.origin], scopes_supported: ['tools'] };
        return void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify(document));
      }
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      if (token !== '') shown.add(token);
      if (refusesAll || dead.has(token) || (await as.find(token)) === undefined) {
        const challenge = `Bearer resource_metadata="${origin}${PRM}/mcp"`;
        return void response.writeHead(401, { 'www-authenticate': challenge }).end();
      }
      admitted += 1;
      await serve(request as unknown as Parameters<typeof serve>[0], response);
    })();
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const url = `${origin}/mcp`;
  const as = await startAuthorizationServer({ resource: () => url });
  return {
    url,
    authorizationServer: as,
    dead,
    shown,
    refuseAll() {
      refusesAll = true;
    },
    get admitted() {
      return admitted;
    },
    async [Symbol.asyncDispose]() {
      await handler.close();
      http.close();
      http.closeAllConnections();
      await as[Symbol.asyncDispose]();
    },
  };
}
