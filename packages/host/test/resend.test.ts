import { createManualClock, type ManualClock } from '@mcp-fittings/testkit/clock';
import { type ErrorCode, TransportError } from '@mcp-fittings/client-core';
import { http } from '@mcp-fittings/transport-http';
import { describe, expect, it } from 'vitest';
import { calculator, testHost } from './support/calculator.js';
import { testServers } from './support/in-process.js';
import { jsonRpcServer } from './support/json-rpc-server.js';
import { reaches } from './support/recorder.js';

/** A server whose tool `look` is read-only, and whose tool `change` is not. */
async function toyServer() {
  const calls: string[] = [];
  let refusals: { times: number; status: number; headers: Record<string, string> } | undefined;
  const inputSchema = { type: 'object' };
  const server = await jsonRpcServer({
    'tools/list': () => ({
      tools: [
        { name: 'look', inputSchema, annotations: { readOnlyHint: true } },
        { name: 'change', inputSchema },
      ],
    }),
    'tools/call'({ params }, response) {
      calls.push(String(params['name']));
      if (refusals === undefined || refusals.times-- <= 0)
        return { content: [{ type: 'text', text: 'done' }] };
      response.writeHead(refusals.status, refusals.headers).end();
      return undefined;
    },
  });
  return Object.assign(server, {
    /** Tool calls that came. */
    calls,
    /** Refuses so many of them, after it has counted them. */
    refuse(times: number, status: number, headers: Record<string, string> = {}) {
      refusals = { times, status, headers };
    },
  });
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
