import { createManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it } from 'vitest';
import { createHttpTransport } from '../src/index.js';
import { findStatusRow } from '@mcp-fittings/toolbox/refusal';
import { STATUS_TABLE } from '../src/status-table.js';
import { connect, startCaller } from './support/caller.js';
import { modernParams } from './support/modern.js';
import { scriptedServer, type Exchange } from './support/scripted-server.js';
import { timerSet } from './support/turns.js';

describe('the status table', () => {
  it.each([
    [401, [], 'challenge'],
    [403, ['insufficientScope'], 'challenge'],
    [403, ['credentialsMissing'], 'challenge'],
    [403, [], 'refused'],
    [404, ['session'], 'gone'],
    [404, [], 'refused'],
    [404, ['handshake'], 'refused'],
    [405, ['handshake'], 'refused'],
    [400, ['handshake'], 'refused'],
    [400, ['session'], 'refused'],
    [410, ['session'], 'gone'],
    [410, [], 'refused'],
    [405, ['stream'], 'no-stream'],
    [404, ['stream', 'firstStream', 'session'], 'no-stream'],
    [404, ['stream', 'session'], 'gone'],
    [409, ['stream', 'firstStream'], 'refused'],
    [401, ['stream', 'firstStream'], 'challenge'],
    [429, ['handshake', 'safe'], 'retry-later'],
    [429, [], 'busy'],
    [503, ['retryAfter'], 'busy'],
    [503, ['retryAfter', 'safe'], 'retry-later'],
    [503, [], 'broken'],
    [408, [], 'broken'],
    [500, ['handshake'], 'broken'],
    [304, [], 'broken'],
    [600, [], 'broken'],
  ] as const)('reads %i with %j as %s', (status, facts, meaning) => {
    expect(findStatusRow(STATUS_TABLE, status, new Set(facts)).meaning).toBe(meaning);
  });

  it('never calls a refusal rejected that may have come after the work was done', () => {
    for (const { from, when = [], delivery } of STATUS_TABLE) {
      const isProof = when.includes('safe') || when.includes('stream');
      if (from >= 500 && !isProof) expect(delivery).toBe('unknown');
    }
  });
});

describe('retry later', () => {
  it.each([
    ['429 with Retry-After', 429, { 'retry-after': '2' }, 2000],
    ['503 with Retry-After', 503, { 'retry-after': '1' }, 1000],
    ['429 without', 429, {}, 500],
  ])('sends again after %s', async (_, status, headers, ms) => {
    const clock = createManualClock();
    let refused = false;
    await using server = await scriptedServer({
      on: {
        'tools/list': (exchange) => {
          if (refused) return exchange.result({ ok: true });
          refused = true;
          exchange.plain(status, '', headers);
        },
      },
    });
    await using caller = await connect(createHttpTransport({ url: server.url, clock, random: () => 0 }));
    const call = caller.request('tools/list');
    await timerSet(clock);
    expect(clock.nextIn).toBe(ms);
    await clock.advance(ms);
    expect(await call).toEqual({ ok: true });
  });

  it('fails typed when the server goes on refusing', async () => {
    const clock = createManualClock();
    await using server = await scriptedServer({
      on: { 'tools/list': (exchange) => exchange.plain(429, 'slow down', { 'retry-after': '1' }) },
    });
    await using caller = await connect(createHttpTransport({ url: server.url, clock }));
    const call = caller.request('tools/list').catch((reason: unknown) => reason);
    for (let attempt = 1; attempt <= 2; attempt++) {
      await timerSet(clock);
      await clock.advance(1000);
    }
    expect(await call).toMatchObject({
      code: 'RATE_LIMITED',
      delivery: 'rejected',
      details: { status: 429, retryAfterMs: 1000 },
      status: 429,
    });
    expect(server.of('tools/list')).toHaveLength(3);
  });

  it('fails at once when asked to wait an hour', async () => {
    await using server = await scriptedServer({
      on: { 'tools/list': (exchange) => exchange.plain(429, '', { 'retry-after': '3600' }) },
    });
    await using caller = await connect(createHttpTransport({ url: server.url }));
    await expect(caller.request('tools/list')).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      details: { retryAfterMs: 3_600_000 },
    });
    expect(server.of('tools/list')).toHaveLength(1);
  });

  it.each([
    ['429 with Retry-After', 429, { 'retry-after': '0' }],
    ['429 without', 429, {}],
    ['503 with Retry-After', 503, { 'retry-after': '0' }],
    ['503 with a date', 503, { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }],
  ])('a call that was carried out before %s is not sent again', async (_, status, headers) => {
    let executed = 0;
    const after = (exchange: Exchange): void => {
      executed++;
      exchange.plain(status, '', headers);
    };
    await using server = await scriptedServer({ on: { 'tools/call': after, 'vendor/change': after } });
    await using caller = await connect(createHttpTransport({ url: server.url }));
    for (const method of ['tools/call', 'vendor/change']) {
      await expect(caller.request(method)).rejects.toMatchObject({
        code: 'RATE_LIMITED',
        delivery: 'unknown',
        retryable: true,
      });
    }
    expect(executed).toBe(2);
  });
});

describe('a refusal that is an answer', () => {
  it('does not count when it answers another request', async () => {
    await using server = await scriptedServer({
      on: { 'tools/call': (exchange) => exchange.rpcError(-32_602, 'bad arguments', 400, 777) },
    });
    await using caller = await connect(createHttpTransport({ url: server.url }));
    await expect(caller.request('tools/call')).rejects.toMatchObject({
      code: 'HTTP_STATUS',
      message: expect.stringContaining('bad arguments') as string,
      details: { status: 400, rpcCode: -32_602 },
    });
  });

  it.each([
    ['bad arguments', {}, -32_602, 400],
    ['SPEC 29 HeaderMismatch of the stateless revision', modernParams(), -32_020, 400],
    ['SPEC 33 an unknown method of the stateless revision', modernParams(), -32_601, 404],
    ['an internal error of the stateless revision', modernParams(), -32_603, 500],
  ])('reaches the caller as the JSON-RPC error that it is: %s', async (_, params, code, status) => {
    await using server = await scriptedServer({
      on: { 'tools/call': (exchange) => exchange.rpcError(code, 'said the server', status) },
    });
    await using caller = await startCaller(createHttpTransport({ url: server.url }));
    await expect(caller.request('tools/call', params)).rejects.toMatchObject({
      rpc: { code, message: 'said the server' },
    });
  });
});

describe('C.3 the probe for the era', () => {
  const probe = { method: 'server/discover', params: modernParams() };

  it.each([400, 415])('is answered in-band on %i without a JSON-RPC body', async (status) => {
    await using server = await scriptedServer({
      on: {
        'server/discover': (exchange) => exchange.plain(status, '<html>', { 'content-type': 'text/html' }),
      },
    });
    await using caller = await startCaller(createHttpTransport({ url: server.url }));
    await expect(caller.request(probe.method, probe.params)).rejects.toMatchObject({
      rpc: { code: -32_601 },
    });
  });

  it('is answered with the error of the body, also when that has no id', async () => {
    await using server = await scriptedServer({
      on: {
        'server/discover': (exchange) => exchange.rpcError(-32_000, 'Server not initialized', 400, null),
      },
    });
    await using caller = await startCaller(createHttpTransport({ url: server.url }));
    await expect(caller.request(probe.method, probe.params)).rejects.toMatchObject({
      rpc: { code: -32_000 },
    });
  });

  it.each([403, 500])('is not answered by %i, which says nothing of the era', async (status) => {
    await using server = await scriptedServer({
      on: { 'server/discover': (exchange) => exchange.rpcError(-32_000, 'no', status) },
    });
    await using caller = await startCaller(createHttpTransport({ url: server.url }));
    const error: unknown = await caller
      .request(probe.method, probe.params)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'TransportError', status, data: { status } });
    const brands: unknown = Reflect.get(error as object, Symbol.for('mcp.sdk.errorBrands'));
    expect(brands).toEqual(new Set(['mcp.SdkError', 'mcp.SdkHttpError']));
  });
});
