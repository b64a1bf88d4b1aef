import type { Transport } from '@mcp-fittings/client-core';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it } from 'vitest';
import { createFallbackTransport, createHttpTransport } from '../src/index.js';
import { connect, startCaller } from './support/caller.js';
import { scriptedServer, type Exchange, type Script } from './support/scripted-server.js';
import { openStreams } from './support/streams.js';
import { advanceUntil, timerSet, when } from './support/turns.js';

const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
const stateOf = (transport: Transport): unknown => transport.describe?.()['eventStream'];

/** How often the transport said that it is back. */
function countReturns(transport: Transport): { readonly count: number } {
  const returns = { count: 0 };
  transport.onreconnect = () => void returns.count++;
  return returns;
}

describe('the event stream comes back', () => {
  it('onreconnect is called each time it is open again, and not the first time', async () => {
    const streams = openStreams();
    const clock = createManualClock();
    await using server = await scriptedServer({ on: { GET: streams.script } });
    const transport = createHttpTransport({ url: server.url, clock, random: () => 0 });
    const returns = countReturns(transport);
    await using _ = await connect(transport);
    expect(returns.count).toBe(0);
    for (let round = 1; round <= 3; round++) {
      streams.writers[round - 1]?.event({ data: changed }).end();
      await timerSet(clock);
      await clock.advance(1000);
      await when(() => returns.count === round);
    }
  });

  it('onreconnect is called when the first stream opens late, or not at the first attempt', async () => {
    let refuse = true;
    const streams = openStreams();
    const clock = createManualClock();
    await using server = await scriptedServer({
      on: { GET: (exchange) => (refuse ? exchange.plain(502) : streams.script(exchange)) },
    });
    const transport = createHttpTransport({ url: server.url, clock, random: () => 0 });
    const returns = countReturns(transport);
    await using _ = await connect(transport);
    refuse = false;
    await clock.advance(1000);
    await when(() => returns.count === 1);
  });

  it.each(['open', 'none'])('onreconnect follows a restored session whose stream is %s', async (kind) => {
    const streams = openStreams();
    let sessions = 0;
    await using server = await scriptedServer({
      on: {
        GET: kind === 'open' ? streams.script : (exchange) => exchange.plain(405),
        initialize: (exchange) =>
          exchange.result(
            { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } },
            { 'mcp-session-id': `s${++sessions}` },
          ),
        'tools/list': (exchange) =>
          exchange.headers['mcp-session-id'] === 's1' ? exchange.plain(404) : exchange.result({}),
      },
    });
    const transport = createHttpTransport({ url: server.url });
    const returns = countReturns(transport);
    await using caller = await connect(transport);
    await caller.request('tools/list');
    await when(() => returns.count === 1);
  });

  it('a half-open stream is opened again after its silence, however often, with its cursor', async () => {
    const streams = openStreams();
    const clock = createManualClock();
    await using server = await scriptedServer({ on: { GET: streams.script } });
    const transport = createHttpTransport({
      url: server.url,
      clock,
      random: () => 0,
      reconnect: { silenceMs: 5000 },
    });
    const returns = countReturns(transport);
    await using caller = await connect(transport);
    streams.writers[0]?.event({ id: 'e1', data: changed });
    await caller.until(() => caller.notifications('notifications/tools/list_changed')[0]);
    // What keeps it alive counts as well.
    await clock.advance(4000);
    const heard = clock.nextIn;
    streams.writers[0]?.raw(': alive\n\n').event({ data: changed });
    await caller.until(() => caller.notifications('notifications/tools/list_changed')[1]);
    expect(heard).toBe(1000);
    await clock.advance(4999);
    expect(server.of('GET')).toHaveLength(1);
    for (let round = 2; round <= 8; round++) {
      await clock.advance(5000);
      expect((await server.until('GET', round)).headers['last-event-id']).toBe('e1');
      await when(() => returns.count === round - 1);
    }
    expect(caller.errors).toEqual([]);
    // The old ones are not left behind.
    await server.of('GET')[6]?.ended;
    expect(server.of('GET').filter(({ isOpen }) => isOpen)).toHaveLength(1);
  });

  it('a GET that is never answered is aborted and repeated within the budget', async () => {
    const clock = createManualClock();
    const streams = openStreams();
    let hang = true;
    await using server = await scriptedServer({
      on: { GET: (exchange) => (hang ? undefined : streams.script(exchange)) },
    });
    const transport = createHttpTransport({
      url: server.url,
      clock,
      random: () => 0,
      reconnect: { silenceMs: 5000 },
    });
    const returns = countReturns(transport);
    await using caller = await startCaller(transport);
    const ready = caller.handshake();
    await server.until('GET');
    // The handshake waits a second for the stream, and no longer.
    await when(() => clock.nextIn === 1000);
    await clock.advance(1000);
    await ready;
    hang = false;
    await clock.advance(4000);
    await timerSet(clock);
    await clock.advance(1000);
    await when(() => returns.count === 1);
  });

  it('silence is ignored if silenceMs is 0', async () => {
    const streams = openStreams();
    const clock = createManualClock();
    await using server = await scriptedServer({ on: { GET: streams.script } });
    const transport = createHttpTransport({ url: server.url, clock, reconnect: { silenceMs: 0 } });
    await using _ = await connect(transport);
    expect(clock.pending).toBe(0);
  });

  it('the fallback transport passes on onreconnect', async () => {
    const streams = openStreams();
    await using server = await scriptedServer({ on: { GET: streams.script } });
    const first = createHttpTransport({ url: server.url, reconnect: { initialMs: 1 } });
    const transport = createFallbackTransport({ first, fallback: () => first });
    const back = new Promise<void>((resolve) => (transport.onreconnect = resolve));
    await using _ = await connect(transport);
    streams.writers[0]?.end();
    await back;
  });
});

describe('a stream that has worked is retried', () => {
  it.each<[string, Script]>([
    ['403', (exchange) => exchange.plain(403)],
    ['404 without a session', (exchange) => exchange.plain(404)],
    ['410', (exchange) => exchange.plain(410)],
    ['a web page', (exchange) => exchange.plain(200, '<html>', { 'content-type': 'text/html' })],
    ['a redirect elsewhere', (exchange) => exchange.plain(302, '', { location: 'https://login.example/' })],
  ])('%s does not end it for good', async (_, script) => {
    const streams = openStreams();
    const clock = createManualClock();
    await using server = await scriptedServer({ on: { GET: streams.script } });
    const transport = createHttpTransport({ url: server.url, clock, random: () => 0 });
    const returns = countReturns(transport);
    await using caller = await connect(transport);
    server.script({ GET: script });
    streams.writers[0]?.event({ data: changed }).end();
    for (const ms of [1000, 2000, 4000]) {
      await timerSet(clock);
      await clock.advance(ms);
    }
    await server.until('GET', 4);
    await timerSet(clock);
    server.script({ GET: streams.script });
    await clock.advance(8000);
    await when(() => returns.count === 1);
    expect(caller.errors).toEqual([]);
  });

  it('a name that does not resolve for a while does not end it', async () => {
    const streams = openStreams();
    const clock = createManualClock();
    await using server = await scriptedServer({ on: { GET: streams.script } });
    let found = true;
    let asked = 0;
    const resolve = (): Promise<readonly string[]> => {
      asked++;
      return found
        ? Promise.resolve(['127.0.0.1'])
        : Promise.reject(Object.assign(new Error('gone'), { code: 'ENOTFOUND' }));
    };
    const url = server.url.replace('127.0.0.1', 'mcp.example');
    const transport = createHttpTransport({
      url,
      clock,
      random: () => 0,
      network: { resolve, proxy: 'none' },
    });
    const returns = countReturns(transport);
    await using _ = await connect(transport);
    found = false;
    const before = asked;
    for (const socket of server.sockets) socket.destroy();
    for (const ms of [1000, 2000]) {
      await timerSet(clock);
      await clock.advance(ms);
    }
    await when(() => asked >= before + 2);
    await timerSet(clock);
    found = true;
    await clock.advance(4000);
    await when(() => returns.count === 1);
  });

  it('a session that is forgotten while a gateway answers 404 is restored later', async () => {
    const streams = openStreams();
    const clock = createManualClock();
    await using server = await scriptedServer({ session: 's', on: { GET: streams.script } });
    const transport = createHttpTransport({ url: server.url, clock, random: () => 0 });
    const returns = countReturns(transport);
    let restored = 0;
    transport.onsessionrestored = () => void restored++;
    await using _ = await connect(transport);
    // Later than the client looks at its timers.
    const away = (exchange: Exchange): void => void setTimeout(() => exchange.plain(404), 60);
    server.script({ GET: away, initialize: away });
    streams.writers[0]?.event({ data: changed }).end();
    await timerSet(clock);
    await clock.advance(1000);
    await server.until('initialize', 2);
    await timerSet(clock);
    server.script({
      GET: (exchange) =>
        exchange.headers['mcp-session-id'] === 's2' ? streams.script(exchange) : away(exchange),
      initialize: (exchange) =>
        exchange.result(
          { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } },
          { 'mcp-session-id': 's2' },
        ),
    });
    await advanceUntil(clock, () => returns.count === 1);
    expect(restored).toBe(1);
    expect(stateOf(transport)).toBe('open');
  });
});

describe('notifications/initialized', () => {
  it('settles when the event stream is open', async () => {
    const streams = openStreams();
    let answer: (() => void) | undefined;
    await using server = await scriptedServer({
      on: {
        GET: (exchange) => {
          answer = () => void streams.script(exchange);
        },
      },
    });
    await using caller = await startCaller(
      createHttpTransport({ url: server.url, clock: createManualClock() }),
    );
    let ready = false;
    const shaken = caller.handshake().then(() => (ready = true));
    await server.until('GET');
    await new Promise((resolve) => setImmediate(resolve));
    expect(ready).toBe(false);
    answer?.();
    await shaken;
    // A change that is announced from now on is heard.
    streams.writers[0]?.event({ data: changed });
    await caller.until(() => caller.notifications('notifications/tools/list_changed')[0]);
  });

  it('does not fail when the transport is closed meanwhile', async () => {
    const clock = createManualClock();
    await using server = await scriptedServer({ on: { GET: () => undefined } });
    await using caller = await startCaller(
      createHttpTransport({ url: server.url, clock, closeTimeoutMs: 0 }),
    );
    const shaken = caller.handshake();
    await server.until('GET');
    await caller.transport.close();
    await shaken;
    expect(clock.pending).toBe(0);
  });
});
