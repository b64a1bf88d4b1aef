/**
 * A server of the official SDK whose tools are what a file says: `node changing-server.mjs <file>` on stdio. The tool `control` replaces
 * the content of the file, and returns the names of the tools that were called. The content: `{ instructions, tools }`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const CONTROL = { name: 'control', description: 'For the test', inputSchema: { type: 'object' } };

/** @param {string} file @param {string[]} calls */
function createChanging(file, calls) {
  const state = () => JSON.parse(readFileSync(file, 'utf8'));
  const server = new Server(
    { name: 'changing', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } }, instructions: state().instructions },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [CONTROL, ...state().tools] }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    if (params.name !== 'control') {
      calls.push(params.name);
      return { content: [{ type: 'text', text: `did ${params.name}` }] };
    }
    if (params.arguments?.state !== undefined) {
      writeFileSync(file, JSON.stringify(params.arguments.state));
      await server.sendToolListChanged();
    }
    return { content: [{ type: 'text', text: JSON.stringify(calls) }] };
  });
  return server;
}

/** Serves it over Streamable HTTP, with sessions. @param {string} file */
export async function serveChanging(file) {
  /** @type {Map<string, StreamableHTTPServerTransport>} */
  const sessions = new Map();
  /** @type {string[]} */
  const calls = [];
  const http = createServer((request, response) => {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (known !== undefined) return void known.handleRequest(request, response);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (session) => void sessions.set(session, transport),
    });
    void createChanging(file, calls)
      .connect(transport)
      .then(() => transport.handleRequest(request, response));
  });
  await new Promise((resolve) => http.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = http.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      http.close();
      http.closeAllConnections();
    },
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await createChanging(process.argv[2] ?? '', []).connect(new StdioServerTransport());
}
