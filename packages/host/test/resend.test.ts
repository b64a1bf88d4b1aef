import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createManualClock, type ManualClock } from '@mcp-fittings/testkit/clock';
import { type ErrorCode, TransportError } from '@mcp-fittings/client-core';
import { http } from '@mcp-fittings/transport-http';
import { describe, expect, it } from 'vitest';
import { calculator, testHost } from './support/calculator.js';
import { testServers } from './support/in-process.js';
import { reaches } from './support/recorder.js';

interface ToyServer extends AsyncDisposable {
  readonly url: string;
  /** Tool calls that came. */
  readonly calls: readonly string[];
  /** Refuses so many of them, after it has counted them. */
  refuse(times: number, status: number, headers?: Record<string, string>): void;
  stop(): Promise<void>;
  restart(): Promise<void>;
}

/** A Streamable HTTP server without sessions: `look` is read-only, `change` is not. */
async function toyServer(): Promise<ToyServer> {
  const calls: string[] = [];
  let refusals: { times: number; status: number; headers: Record<string, string> } | undefined;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(text) as {
      id?: number;
      method: string;
      params?: { name?: string };
    };
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'tools/call') {
      calls.push(params?.name ?? '');
      if (refusals !== undefined && refusals.times-- > 0)
        return void response.writeHead(refusals.status, refusals.headers).end();
    }
    const inputSchema = { type: 'object' };
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'toy', version: '1' },
      },
      'tools/list': {
        tools: [
          { name: 'look', inputSchema, annotations: { readOnlyHint: true } },
          { name: 'change', inputSchema },
        ],
      },
      'tools/call': { content: [{ type: 'text', text: 'done' }] },
    };
    const result = results[method];
    const reply = result === undefined ? { error: { code: -32_601, message: 'unknown' } } : { result };
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...reply }));
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    calls,
    refuse(times, status, headers = {}) {
      refusals = { times, status, headers };
    },
    stop,
    async restart() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** The next timer that a call waits for; the connection has longer ones of its own. */
async function nextWait(clock: ManualClock): Promise<number> {
  for (;;) {
    const { nextIn } = clock;
    if (nextIn !== undefined && nextIn < 20_000) return nextIn;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('delivery retry', () => {
  async function connected(url: string) {
    const clock = createManualClock();
    const host = testHost([http()], {
      clock,
      random: () => 0,
      delivery: 'retry',
      defaults: { healthCheck: { enabled: false } },
    });
    await host.connect({ toy: { type: 'http', url } });
    return { host, clock };
  }

  it('backs off, and survives a restart of the server', async () => {
    await using server = await toyServer();
    const { host, clock } = await connected(server.url);
    await server.stop();
    const call = host.callTool({ server: 'toy', tool: 'look' });
    const waits: number[] = [];
    for (let attempt = 0; attempt < 4; attempt++) {
      const ms = await nextWait(clock);
      waits.push(ms);
      await clock.advance(ms);
    }
    expect(waits).toEqual([500, 1000, 2000, 4000]);
    await nextWait(clock);
    await server.restart();
    await clock.advance(8000);
    expect((await call).content).toEqual([{ type: 'text', text: 'done' }]);
    expect(server.calls).toEqual(['look']);
    await host.close();
  });

  it('waits as long as Retry-After says, and gives up after three calls that reached the server', async () => {
    await using server = await toyServer();
    const { host, clock } = await connected(server.url);
    server.refuse(Infinity, 503, { 'retry-after': '7' });
    const call = host.callTool({ server: 'toy', tool: 'look' });
    const failure = expect(call).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await nextWait(clock)).toBe(7000);
      await clock.advance(7000);
    }
    await failure;
    expect(server.calls).toHaveLength(3);
    await host.close();
  });

  it.each([429, 503])('a call that changes something is sent once when the answer is %i', async (status) => {
    await using server = await toyServer();
    const { host } = await connected(server.url);
    server.refuse(1, status, { 'retry-after': '1' });
    await expect(host.callTool({ server: 'toy', tool: 'change' })).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      delivery: 'unknown',
    });
    expect(server.calls).toEqual(['change']);
    await host.close();
  });

  it('the wait ends when the signal is aborted', async () => {
    await using server = await toyServer();
    const { host, clock } = await connected(server.url);
    server.refuse(1, 503, { 'retry-after': '7' });
    const caller = new AbortController();
    const call = host.callTool({ server: 'toy', tool: 'look' }, {}, { signal: caller.signal });
    const failure = expect(call).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(await nextWait(clock)).toBe(7000);
    caller.abort();
    await failure;
    expect(server.calls).toHaveLength(1);
    await host.close();
  });
});

describe('a server that has worked before is reconnected', () => {
  it.each<[ErrorCode, boolean]>([
    ['HOST_NOT_FOUND', true],
    ['HTTP_STATUS', true],
    ['ENDPOINT_INCOMPATIBLE', true],
    ['REDIRECT_REFUSED', true],
    ['TLS_FAILED', true],
    ['PROTOCOL_VIOLATION', true],
    ['AUTH_REJECTED', false],
    ['CONFIG_INVALID', false],
  ])('%s on a reconnect is tried again: %s', async (code, again) => {
    let failures = 0;
    const servers = testServers(calculator);
    const clock = createManualClock();
    const plugin = {
      ...servers.plugin,
      create(...args: Parameters<typeof servers.plugin.create>) {
        const transport = servers.plugin.create(...args);
        if (failures-- > 0) transport.start = () => Promise.reject(new TransportError(code, 'away'));
        return transport;
      },
    };
    await using host = testHost([plugin], { clock, random: () => 0 });
    await host.connect({ calc: { type: 'test' } });
    failures = 3;
    await servers.drop();
    await reaches(host, 'calc', 'pending');
    await clock.advance(60_000);
    await reaches(host, 'calc', again ? 'connected' : 'failed');
  });

  it('at the first connection it is final', async () => {
    const servers = testServers(calculator);
    const plugin = {
      ...servers.plugin,
      create(...args: Parameters<typeof servers.plugin.create>) {
        const transport = servers.plugin.create(...args);
        transport.start = () => Promise.reject(new TransportError('HOST_NOT_FOUND', 'no such host'));
        return transport;
      },
    };
    await using host = testHost([plugin], { clock: createManualClock() });
    await host.connect({ calc: { type: 'test' } });
    expect(host.server('calc').state.status).toBe('failed');
  });
});
