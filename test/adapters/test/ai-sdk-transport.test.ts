import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createMCPClient } from '@ai-sdk/mcp';
import { toAiSdkTransport } from '@mcp-fittings/adapter-ai-sdk';
import type { Transport } from '@mcp-fittings/client-core';
import { createLinkedPair } from '@mcp-fittings/transport-inprocess';
import { createHttpTransport } from '@mcp-fittings/transport-http';
import { createStdioTransport } from '@mcp-fittings/transport-stdio';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMCPClient as createOldest } from 'ai-sdk-mcp-oldest';
import { describe, expect, it, vi } from 'vitest';

const SERVER = fileURLToPath(new URL('../servers/suite-server.mjs', import.meta.url));
const stdio = (): Transport => createStdioTransport({ command: process.execPath, args: [SERVER, 'one'] });

/** What a test needs of a client of either version. */
interface Client {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  tools(): Promise<Record<string, { execute(input: object, options: object): unknown }>>;
  close(): Promise<void>;
}

const versions: readonly {
  readonly version: string;
  readonly connect: (ours: Transport) => Promise<Client>;
}[] = [
  {
    version: 'newest',
    connect: async (ours) => createMCPClient({ transport: toAiSdkTransport(ours) }),
  },
  {
    version: 'oldest',
    connect: async (ours) => createOldest({ transport: toAiSdkTransport(ours) }),
  },
];

async function call(
  client: Client,
  name: string,
  input: object = {},
  options: object = {},
): Promise<unknown> {
  const tool = (await client.tools())[name];
  return tool?.execute(input, { toolCallId: '1', messages: [], ...options });
}

function notesServer(): McpServer {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  server.registerTool('today', {}, () => ({ content: [{ type: 'text', text: 'Water the plants.' }] }));
  return server;
}

describe.each(versions)('our transports inside createMCPClient of @ai-sdk/mcp, $version', ({ connect }) => {
  it('stdio', async () => {
    const client = await connect(stdio());
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo');
    expect(await call(client, 'echo', { text: 'hi' })).toMatchObject({
      content: [{ type: 'text', text: 'Echo: hi' }],
    });
    await client.close();
  });

  it('in process', async () => {
    const [ours, theirs] = createLinkedPair();
    const server = notesServer();
    await server.connect(theirs);
    const client = await connect(ours);
    expect(await call(client, 'today')).toMatchObject({ content: [{ text: 'Water the plants.' }] });
    await client.close();
  });

  it('Streamable HTTP', async () => {
    const listener = createServer((request, response) => {
      const server = notesServer();
      const transport = new StreamableHTTPServerTransport({});
      response.on('close', () => void server.close());
      void server.connect(transport).then(() => transport.handleRequest(request, response));
    }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    const client = await connect(createHttpTransport({ url: `http://127.0.0.1:${port}/mcp` }));
    expect(await call(client, 'today')).toMatchObject({ content: [{ text: 'Water the plants.' }] });
    await client.close();
    listener.close();
    listener.closeAllConnections();
  });

  it('a call ends at once, with the reason, when the server dies', async () => {
    const client = await connect(stdio());
    await expect(call(client, 'die')).rejects.toMatchObject({ code: 'PROCESS_EXITED', delivery: 'unknown' });
    await client.close();
  });
});

describe('cancellation inside createMCPClient', () => {
  it('the newest version: aborting a call cancels it on the server', async () => {
    const client = await versions[0]!.connect(stdio());
    const abort = new AbortController();
    const running = call(client, 'hang', {}, { abortSignal: abort.signal });
    const log = async (): Promise<unknown> => JSON.stringify(await call(client, 'log'));
    await vi.waitFor(async () => expect(await log()).toContain('hang'), { timeout: 20_000 });
    abort.abort();
    await expect(running).rejects.toThrow('Request was aborted');
    await vi.waitFor(async () => expect(await log()).toContain('cancelled'), { timeout: 20_000 });
    await client.close();
  });
});
