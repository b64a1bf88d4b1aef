import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { TestResourceAuthorizationServer } from './company.mjs';

/** A server of the official SDK, protected as in RFC 9728. */
export interface TestMcpServer extends AsyncDisposable {
  readonly url: string;
  /** Names of the extensions that clients declared. */
  extensions(): readonly string[];
}

export async function startMcpServer(as: TestResourceAuthorizationServer): Promise<TestMcpServer> {
  const http = createServer();
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  if (address === null || typeof address !== 'object') throw new Error('no port');
  const origin = `http://127.0.0.1:${address.port}`;
  const url = `${origin}/mcp`;
  const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
  const extensions = new Set<string>();

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === '/.well-known/oauth-protected-resource/mcp') {
      response.setHeader('content-type', 'application/json');
      const document = { resource: url, authorization_servers: [as.origin], scopes_supported: ['tools'] };
      return void response.end(JSON.stringify(document));
    }
    const found = await as.find(request.headers.authorization?.split(' ')[1] ?? '');
    if (found === undefined) {
      response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` });
      return void response.end();
    }
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const message: unknown = text === '' ? undefined : JSON.parse(text);
    for (const [, name = ''] of text.matchAll(/"(io\.modelcontextprotocol\/[a-z-]+)"/g)) extensions.add(name);
    const mcp = new McpServer({ name: 'notes', version: '1.0.0' });
    mcp.registerTool('whoami', { description: 'Who you are' }, async () => ({
      content: [{ type: 'text', text: found.accountId ?? 'none' }],
    }));
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    await mcp.connect(transport);
    response.on('close', () => void mcp.close());
    await transport.handleRequest(request, response, message);
  };
  http.on('request', (request: IncomingMessage, response: ServerResponse) => void serve(request, response));
  return {
    url,
    extensions: () => [...extensions],
    async [Symbol.asyncDispose]() {
      http.close();
      http.closeAllConnections();
    },
  };
}
