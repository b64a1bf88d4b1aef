import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { TestExchangeServer } from '../../../../auth-oauth/test/support/exchange-server.mjs';

/** An MCP server of the official SDK that requires tokens of its own audience, and whose tool reports whose they are. */
export interface TokenedServer extends AsyncDisposable {
  readonly url: string;
  /** All header names and values, and bodies, that it has received. */
  readonly received: string[];
}

export async function startTokenedServer(as: () => TestExchangeServer): Promise<TokenedServer> {
  const http = createServer();
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const url = `${origin}/mcp`;
  const received: string[] = [];

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    received.push([...request.rawHeaders, request.url, body].join('\n'));
    const metadata = '/.well-known/oauth-protected-resource/mcp';
    if (request.url === metadata) {
      response.setHeader('content-type', 'application/json');
      const document = { resource: url, authorization_servers: [as().origin], scopes_supported: ['tools'] };
      return void response.end(JSON.stringify(document));
    }
    const claims = await as().read(request.headers.authorization?.replace('Bearer ', '') ?? '');
    if (claims?.aud !== url) {
      const challenge = `Bearer resource_metadata="${origin}${metadata}"`;
      return void response.writeHead(401, { 'www-authenticate': challenge }).end();
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const mcp = new McpServer({ name: 'tokened', version: '1.0.0' });
    mcp.registerTool('whoami', { description: 'Who you are' }, () => ({
      content: [{ type: 'text', text: JSON.stringify({ sub: claims.sub, act: claims.act }) }],
    }));
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    await mcp.connect(transport);
    response.on('close', () => void mcp.close());
    await transport.handleRequest(request, response, JSON.parse(body));
  }
  http.on('request', (request: IncomingMessage, response: ServerResponse) => void serve(request, response));
  return {
    url,
    received,
    async [Symbol.asyncDispose]() {
      http.close();
      http.closeAllConnections();
    },
  };
}
