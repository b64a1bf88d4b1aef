import { createManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it } from 'vitest';
import { createHttpTransport } from '../src/index.js';
import { connect, startCaller } from './support/caller.js';
import { scriptedServer, type Exchange } from './support/scripted-server.js';
import { openStreams } from './support/streams.js';
import { advanceUntil, timerSet, when } from './support/turns.js';

const announcement = (data: unknown) => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { data },
});

/** The state that the transport shows for its event stream. */
const stateOf = (transport: ReturnType<typeof createHttpTransport>): unknown =>
  transport.describe?.()['eventStream'];

describe('the event stream of the server', () => {
  it('is opened after the handshake and carries what belongs to no request', async () => {
    const streams = openStreams();
    await using server = await scriptedServer({ session: 's', on: { GET: streams.script } });
    await using caller = await startCaller(createHttpTransport({ url: server.url }));
    await caller.request('initialize');
    expect(server.of('GET')).toHaveLength(0);
    await caller.handshake();
    const { headers } = await server.until('GET');
    expect(headers).toMatchObject({ accept: 'text/event-stream', 'mcp-session-id': 's' });
    expect(headers['mcp-protocol-version']).toBe('2025-11-25');
    expect(headers['last-event-id']).toBeUndefined();
    streams.writers[0]?.event({ data: announcement('hello') });
    await caller.until(() => caller.notifications('notifications/message')[0]);
  });

  it.each([400, 404, 405, 406, 501])('is not missed when the server answers %i', async (status) => {
    await using server = await scriptedServer({
      session: 's',
      on: { GET: (exchange) => exchange.plain(status) },
    });
    const transport = createHttpTransport({ url: server.url });
    await using caller = await connect(transport);
    await (
      await server.until('GET')
    ).ended;
    await caller.request('tools/list');
    expect(stateOf(transport)).toBe('none');
    expect(caller.errors).toEqual([]);
    expect(server.of('GET')).toHaveLength(1);
    expect(server.of('initialize')).toHaveLength(1);
  });

  it('is reported once when the server answers a web page', async () => {
    await using server = await scriptedServer({
      on: { GET: (exchange) => exchange.plain(200, '<html>hi</html>', { 'content-type': 'text/html' }) },
    });
    await using caller = await connect(createHttpTransport({ url: server.url }));
    const error = await caller.until(() => caller.errors[0]);
    expect(error).toMatchObject({
      code: 'RECONNECT_EXHAUSTED',
      message: 'The event stream of the server could not be opened; its notifications are missed.',
      cause: { code: 'PROTOCOL_VIOLATION' },
    });
    expect(server.of('GET')).toHaveLength(1);
  });

  it('is tried again while the server still holds the former one (409)', async () => {
    let busy = true;
    const streams = openStreams();
    const clock = createManualClock();
    await using server = await scriptedServer({
      on: { GET: (exchange) => (busy ? exchange.plain(409) : streams.script(exchange)) },
    });
    const transport = createHttpTransport({ url: server.url, clock, random: () => 0 });
    await using caller = await connect(transport);
    await (
      await server.until('GET')
    ).ended;
    busy = false;
    await timerSet(clock);
    await clock.advance(1000);
    await server.until('GET', 2);
    expect(caller.errors).toEqual([]);
  });
});

describe('the cursor', () => {
  it('is kept over connections that bring no id', async () => {
    const streams = openStreams();
    const clock = createManualClock();
    await using server = await scriptedServer({ on: { GET: streams.script } });
    await using _ = await connect(createHttpTransport({ url: server.url, clock, random: () => 0 }));
    const ids: unknown[] = [];
    for (const [count, id] of [undefined, 'e1', undefined, undefined].entries()) {
      const exchange = await server.until('GET', count + 1);
      ids.push(exchange.headers['last-event-id']);
      streams.writers[count]?.event({ ...(id !== undefined && { id }), data: announcement(count) }).end();
      await timerSet(clock);
      await clock.advance(1000);
    }
    ids.push((await server.until('GET', 5)).headers['last-event-id']);
    expect(ids).toEqual([undefined, undefined, 'e1', 'e1', 'e1']);
  });

  it('starts over with an empty id, and never contains a line break', async () => {
    const streams = openStreams();
    const clock = createManualClock();
    await using server = await scriptedServer({ on: { GET: streams.script } });
    await using _ = await connect(createHttpTransport({ url: server.url, clock, random: () => 0 }));
    await server.until('GET');
    streams.writers[0]
      ?.event({ id: 'good', data: announcement(1) })
      .raw('id: a\0b\ndata: {}\n\n')
      .end();
    await timerSet(clock);
    await clock.advance(1000);
    expect((await server.until('GET', 2)).headers['last-event-id']).toBe('good');
    streams.writers[1]?.raw('id\n\n').end();
    await timerSet(clock);
    await clock.advance(1000);
    expect((await server.until('GET', 3)).headers['last-event-id']).toBeUndefined();
  });
});

describe('connecting again', () => {
  it.each([
    [0, 500],
    [0.5, 525],
    [0.9999, 550],
  ])('lengthens that time a little by chance (%d)', async (chance, expected) => {
    const streams = openStreams();
    const clock = createManualClock();
    await using server = await scriptedServer({ on: { GET: streams.script } });
    await using _ = await connect(createHttpTransport({ url: server.url, clock, random: () => chance }));
    await server.until('GET');
    streams.writers[0]?.event({ id: '1', retry: 500, data: announcement(1) }).end();
    await timerSet(clock);
    expect(clock.nextIn).toBe(expected);
  });

  it('waits as long as a busy server asks for', async () => {
    const clock = createManualClock();
    await using server = await scriptedServer({
      on: { GET: (exchange) => exchange.plain(503, '', { 'retry-after': '90' }) },
    });
    await using _ = await connect(createHttpTransport({ url: server.url, clock, random: () => 0 }));
    await (
      await server.until('GET')
    ).ended;
    await timerSet(clock);
    expect(clock.nextIn).toBe(90_000);
  });

  it('makes no hot loop of `retry: 0`', async () => {
    const clock = createManualClock();
    await using server = await scriptedServer({
      on: {
        GET: (exchange) =>
          exchange
            .sse()
            .event({ id: '1', retry: 0, data: announcement(1) })
            .end(),
      },
    });
    await using _ = await connect(createHttpTransport({ url: server.url, clock, random: () => 0 }));
    for (let count = 1; count <= 4; count++) {
      await server.until('GET', count);
      await timerSet(clock);
      expect(clock.nextIn).toBe(250);
      await clock.advance(250);
    }
    expect(server.of('GET').length).toBeLessThanOrEqual(5);
  });

  it.each([
    ['ends it at once', (exchange: Exchange) => exchange.sse().end()],
    ['drops it', (exchange: Exchange) => exchange.drop()],
    ['sends comments only', (exchange: Exchange) => exchange.sse().raw(': hi\n\nretry: 1\n\n').end()],
    ['repeats one event id', (exchange: Exchange) => exchange.sse().raw('id: same\n\n').end()],
    ['fails', (exchange: Exchange) => exchange.plain(502)],
  ])('gives up by budget, and says so, when the server %s', async (_, script) => {
    const clock = createManualClock();
    await using server = await scriptedServer({ on: { GET: script } });
    const transport = createHttpTransport({ url: server.url, clock, reconnect: { maxAttempts: 3 } });
    await using caller = await connect(transport);
    const failed = caller.until(() => caller.errors[0]);
    await advanceUntil(clock, () => stateOf(transport) === 'lost');
    expect(await failed).toMatchObject({ code: 'RECONNECT_EXHAUSTED' });
    expect(server.of('GET').length).toBeLessThanOrEqual(5);
    expect(clock.pending).toBe(0);
    expect(caller.errors).toHaveLength(1);
  });

  it('counts progress: a stream that brings an event each time is followed without end', async () => {
    const clock = createManualClock();
    await using server = await scriptedServer({
      on: {
        GET: (exchange) =>
          exchange
            .sse()
            .event({ data: announcement(1) })
            .end(),
      },
    });
    const transport = createHttpTransport({
      url: server.url,
      clock,
      random: () => 0,
      reconnect: { maxAttempts: 2 },
    });
    await using caller = await connect(transport);
    for (let count = 1; count <= 8; count++) {
      await server.until('GET', count);
      await timerSet(clock);
      await clock.advance(1000);
    }
    expect(caller.errors).toEqual([]);
  });

  it('tolerates a proxy that ends quiet streams now and then', async () => {
    const streams = openStreams();
    const clock = createManualClock();
    await using server = await scriptedServer({ on: { GET: streams.script } });
    const transport = createHttpTransport({
      url: server.url,
      clock,
      random: () => 0,
      reconnect: { maxAttempts: 2 },
    });
    await using caller = await connect(transport);
    for (let count = 1; count <= 6; count++) {
      await server.until('GET', count);
      await open(transport);
      await clock.advance(60_000);
      streams.writers[count - 1]?.end();
      await timerSet(clock);
      await clock.advance(1000);
    }
    expect(caller.errors).toEqual([]);
  });

  it('comes back to life with the server', async () => {
    const streams = openStreams();
    const clock = createManualClock();
    await using server = await scriptedServer({ on: { GET: (exchange) => exchange.plain(502) } });
    const transport = createHttpTransport({ url: server.url, clock, reconnect: { maxAttempts: 1 } });
    await using caller = await connect(transport);
    await advanceUntil(clock, () => stateOf(transport) === 'lost');
    const tried = server.of('GET').length;
    await caller.request('tools/list');
    // By the second answer a GET that the first one had caused would be there.
    await caller.request('tools/list');
    expect(server.of('GET')).toHaveLength(tried);
    await clock.advance(30_000);
    await caller.request('tools/list');
    await (
      await server.until('GET', tried + 1)
    ).ended;
    await when(() => stateOf(transport) === 'lost');
    // The same loss is reported once.
    expect(caller.errors).toHaveLength(1);
    server.script({ GET: streams.script });
    await clock.advance(30_000);
    await caller.request('tools/list');
    await server.until('GET', tried + 2);
    await open(transport);
  });

  it('keeps the `retry` of one stream away from another', async () => {
    const streams = openStreams();
    const clock = createManualClock();
    await using server = await scriptedServer({
      on: {
        GET: streams.script,
        'tools/call': (exchange) => exchange.sse().event({ retry: 9000, id: 'r' }).result({}).end(),
      },
    });
    await using caller = await connect(createHttpTransport({ url: server.url, clock, random: () => 0 }));
    await server.until('GET');
    await caller.request('tools/call');
    // The stream of the call has ended: what is left is the watch over the silence of the other one.
    await when(() => clock.nextIn === 120_000);
    streams.writers[0]?.end();
    await timerSet(clock);
    expect(clock.nextIn).toBe(1000);
  });
});

const open = (transport: ReturnType<typeof createHttpTransport>): Promise<void> =>
  when(() => stateOf(transport) === 'open');
