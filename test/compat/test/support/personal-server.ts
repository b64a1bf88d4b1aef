import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import type { TestAuthorizationServer } from '../../../../packages/auth-oauth/test/support/authorization-server.mjs';

/** One request that came with a token. */
export interface SeenRequest {
  readonly token: string;
  /** Whom the authorization server gave the token to; undefined if it is not, or no longer, a token of its own. */
  readonly account: string | undefined;
  /** Whom the caller said it is: the argument `as` of a call. */
  readonly calledAs: string | undefined;
}

/** Two MCP servers of the official SDK, at `/one` and `/two`, that require a token and know whose it is. */
export interface PersonalServers extends AsyncDisposable {
  readonly origin: string;
  readonly one: string;
  readonly two: string;
  readonly seen: SeenRequest[];
  /** Tokens that are refused although their time is not over. */
  readonly dead: Set<string>;
}

export async function startPersonalServers(
  authorization: () => Pick<TestAuthorizationServer, 'find' | 'origin'>,
): Promise<PersonalServers> {
  const http = createServer();
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  if (address === null || typeof address !== 'object') throw new Error('no port');
  const origin = `http://127.0.0.1:${address.port}`;
  const seen: SeenRequest[] = [];
  const dead = new Set<string>();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const wellKnown = /^\/\.well-known\/oauth-protected-resource(\/\w+)$/.exec(path)?.[1];
    if (wellKnown !== undefined) {
      const document = { resource: origin + wellKnown, authorization_servers: [authorization().origin] };
      response.setHeader('content-type', 'application/json');
      return void response.end(JSON.stringify({ ...document, scopes_supported: ['tools'] }));
    }
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const token = request.headers.authorization?.split(' ')[1];
    const found = token === undefined || dead.has(token) ? undefined : await authorization().find(token);
    const account = found?.accountId;
    if (token !== undefined) {
      seen.push({ token, account, calledAs: /"as":"(\w+)"/.exec(text)?.[1] });
    }
    if (found === undefined) {
      const place = `${origin}/.well-known/oauth-protected-resource${path}`;
      return void response
        .writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${place}"` })
        .end();
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const mcp = new McpServer({ name: 'personal', version: '1.0.0' });
    mcp.registerTool(`tool_of_${account}`, { description: `For ${account}` }, () => ({ content: [] }));
    mcp.registerTool('whoami', { description: 'Who you are', inputSchema: { as: z.string() } }, () => ({
      content: [{ type: 'text', text: `you are ${account}` }],
    }));
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    await mcp.connect(transport);
    response.on('close', () => void mcp.close());
    await transport.handleRequest(request, response, JSON.parse(text));
  }
  http.on('request', (request: IncomingMessage, response: ServerResponse) => void serve(request, response));
  return {
    origin,
    one: `${origin}/one`,
    two: `${origin}/two`,
    seen,
    dead,
    async [Symbol.asyncDispose]() {
      http.close();
      http.closeAllConnections();
    },
  };
}
