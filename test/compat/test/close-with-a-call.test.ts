import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http';
import { sse } from '@mcp-fittings/transport-sse';
import { stdio } from '@mcp-fittings/transport-stdio';
import { ws } from '@mcp-fittings/transport-ws';
import { expect, it, vi } from 'vitest';
import { TOKEN, wireServers } from './support/wire-servers.js';

interface Waiting extends AsyncDisposable {
  readonly entry: Readonly<Record<string, unknown>>;
  /** The server has the call, which it does not answer. */
  hasCall(): boolean;
}

async function startProgram(): Promise<Waiting> {
  const folder = await mkdtemp(join(tmpdir(), 'close-with-a-call-'));
  const mark = join(folder, 'called');
  const code = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === 'tools/call') return require('node:fs').writeFileSync(process.argv[1], '');
    const { protocolVersion } = params ?? {};
    const results = {
      initialize: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'waiting', version: '1' } },
      'tools/list': { tools: [{ name: 'wait', inputSchema: { type: 'object' } }] },
    };
    const result = results[method];
    const answer = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });`;
  return {
    entry: { type: 'stdio', command: process.execPath, args: ['-e', code, mark] },
    hasCall: () => existsSync(mark),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function startListening(type: 'http' | 'sse' | 'ws'): Promise<Waiting> {
  let called = false;
  const server = await wireServers[type]({ tools: () => ['wait'], onCall: () => (called = true) });
  return {
    entry: { type, url: server.url, headers: { Authorization: `Bearer ${TOKEN}` } },
    hasCall: () => called,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

it.each(['http', 'sse', 'ws', 'stdio'] as const)(
  'host.close() with a call under way over %s is CONNECTION_LOST and unknown',
  async (kind) => {
    await using server = kind === 'stdio' ? await startProgram() : await startListening(kind);
    const host = createHost({
      name: 'tests',
      version: '1',
      transports: [http(), sse(), ws(), stdio()],
    });
    const [connected] = await host.connect({ waiting: server.entry });
    expect(connected?.state.status).toBe('connected');
    const call = host.callTool({ server: 'waiting', tool: 'wait' }).catch((error: unknown) => error);
    await vi.waitUntil(() => server.hasCall(), { timeout: 20_000, interval: 10 });
    await host.close();
    expect(await call).toMatchObject({ code: 'CONNECTION_LOST', delivery: 'unknown', server: 'waiting' });
    await expect(host.callTool({ server: 'waiting', tool: 'wait' })).rejects.toMatchObject({
      code: 'TRANSPORT_CLOSED',
      delivery: 'not-sent',
    });
  },
);
