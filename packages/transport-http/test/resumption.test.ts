import { createManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it } from 'vitest';
import { createHttpTransport } from '../src/index.js';
import { connect, startCaller } from './support/caller.js';
import { modernParams } from './support/modern.js';
import { scriptedServer, type Exchange, type Script } from './support/scripted-server.js';
import { openStreams } from './support/streams.js';
import { timerSet } from './support/turns.js';

const progress = (step: number) => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken: 1, progress: step },
});

/** The GET that resumes; the one without a cursor is the server's own stream, which is not offered here. */
const resuming =
  (script: Script): Script =>
  (exchange) =>
    exchange.headers['last-event-id'] === undefined ? exchange.plain(405) : script(exchange);

/** The stream of a call that ends after its first event. */
const interrupted: Script = (exchange) =>
  exchange
    .sse()
    .event({ id: 'a1', retry: 1, data: progress(1) })
    .end();

const resumed = (server: { of(kind: string): readonly Exchange[] }): readonly Exchange[] =>
  server.of('GET').filter((exchange) => exchange.headers['last-event-id'] !== undefined);

describe('a stream that ends without the answer', () => {
  it.each([
    [
      'ends',
      (exchange: Exchange) =>
        exchange
          .sse()
          .event({ data: progress(1) })
          .end(),
    ],
    ['ends at once', (exchange: Exchange) => exchange.sse().end()],
    [
      'breaks',
      (exchange: Exchange) =>
        exchange
          .sse()
          .event({ data: progress(1) })
          .drop(),
    ],
  ])('fails the request at once when it %s and cannot be resumed', async (_, script) => {
    await using server = await scriptedServer({ on: { 'tools/call': script } });
    await using caller = await connect(createHttpTransport({ url: server.url }));
    await expect(caller.request('tools/call')).rejects.toMatchObject({
      code: 'STREAM_LOST',
      delivery: 'unknown',
    });
    expect(await caller.request('tools/list')).toEqual({});
  });
});

describe('a stream with event ids', () => {
  it('is resumed by GET after its own last id, as often as it takes', async () => {
    const clock = createManualClock();
    await using server = await scriptedServer({
      session: 's',
      on: {
        'tools/call': (exchange) =>
          exchange
            .sse()
            .event({ id: 'a1', retry: 300, data: progress(1) })
            .end(),
        GET: resuming((exchange) => {
          const id = exchange.headers['last-event-id'];
          const stream = exchange.sse();
          if (id === 'a1') stream.event({ id: 'a2', data: progress(2) }).end();
          else stream.event({ id: 'a3', data: { jsonrpc: '2.0', id: 2, result: { done: true } } }).end();
        }),
      },
    });
    await using caller = await connect(createHttpTransport({ url: server.url, clock, random: () => 0 }));
    const tokens: string[] = [];
    const call = caller.request(
      'tools/call',
      {},
      { id: 2, onresumptiontoken: (token) => tokens.push(token) },
    );
    await timerSet(clock);
    expect(clock.nextIn).toBe(300);
    await clock.advance(300);
    await timerSet(clock);
    await clock.advance(300);
    expect(await call).toEqual({ done: true });
    expect(resumed(server).map(({ headers }) => headers['last-event-id'])).toEqual(['a1', 'a2']);
    expect(resumed(server)[0]?.headers).toMatchObject({ 'mcp-session-id': 's', accept: 'text/event-stream' });
    expect(tokens).toEqual(['a1', 'a2', 'a3']);
    expect(caller.notifications('notifications/progress')).toHaveLength(2);
    expect(caller.errors).toEqual([]);
  });

  it('is resumed after an id without data, which is how a server announces that it will poll', async () => {
    await using server = await scriptedServer({
      on: {
        'tools/call': (exchange) => exchange.sse().event({ id: 'prime', retry: 20 }).end(),
        GET: resuming((exchange) =>
          exchange
            .sse()
            .event({ id: 'x', data: { jsonrpc: '2.0', id: 2, result: { late: 1 } } })
            .end(),
        ),
      },
    });
    await using caller = await connect(createHttpTransport({ url: server.url }));
    expect(await caller.request('tools/call', {}, { id: 2 })).toEqual({ late: 1 });
  });

  it('of two requests are resumed each with its own id', async () => {
    await using server = await scriptedServer({
      on: {
        'tools/call': (exchange) =>
          exchange
            .sse()
            .event({ id: `id-of-${exchange.message.id}`, retry: 20, data: progress(1) })
            .drop(),
        GET: resuming((exchange) => {
          const id = Number(String(exchange.headers['last-event-id']).slice('id-of-'.length));
          exchange
            .sse()
            .event({ data: { jsonrpc: '2.0', id, result: { id } } })
            .end();
        }),
      },
    });
    await using caller = await connect(createHttpTransport({ url: server.url }));
    const ids = [21, 22, 23];
    const calls = ids.map((id) => caller.request('tools/call', {}, { id }));
    expect(await Promise.all(calls)).toEqual(ids.map((id) => ({ id })));
  });

  it.each<[string, Script, object]>([
    [
      '405',
      (exchange) => exchange.plain(405),
      { code: 'STREAM_LOST', cause: { code: 'HTTP_STATUS', details: { status: 405 } } },
    ],
    [
      '404',
      (exchange) => exchange.rpcError(-32_001, 'Session not found', 404, null),
      { code: 'STREAM_LOST', cause: { code: 'HTTP_STATUS', details: { status: 404 } } },
    ],
    [
      'a web page',
      (exchange) => exchange.plain(200, '<p>', { 'content-type': 'text/html' }),
      { code: 'PROTOCOL_VIOLATION', message: expect.stringContaining('text/html') },
    ],
    [
      'another message',
      (exchange) => exchange.json(progress(2)),
      { code: 'PROTOCOL_VIOLATION', message: expect.stringContaining('does not contain its response') },
    ],
    [
      'nothing',
      (exchange) => exchange.plain(200, '', { 'content-type': 'application/json' }),
      { code: 'MESSAGE_INVALID', message: expect.stringContaining('(0 bytes)') },
    ],
  ])('is lost when the server answers the request to resume it with %s', async (_, script, reason) => {
    await using server = await scriptedServer({
      session: 's',
      on: {
        'tools/call': interrupted,
        GET: resuming(script),
      },
    });
    await using caller = await connect(createHttpTransport({ url: server.url }));
    const error = await caller.request('tools/call').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ delivery: 'unknown', ...reason });
    expect(resumed(server)).toHaveLength(1);
    // What may have been carried out is not sent again.
    expect(server.of('tools/call')).toHaveLength(1);
  });

  it('is lost when the session is forgotten meanwhile, and that is not tried twice', async () => {
    const own = openStreams();
    await using server = await scriptedServer({
      session: 's',
      on: {
        'tools/call': interrupted,
        GET: (exchange) =>
          exchange.headers['last-event-id'] === undefined ? own.script(exchange) : exchange.plain(404),
      },
    });
    await using caller = await connect(createHttpTransport({ url: server.url }));
    await server.until('GET');
    await expect(caller.request('tools/call')).rejects.toMatchObject({
      code: 'STREAM_LOST',
      delivery: 'unknown',
      cause: { code: 'SESSION_LOST' },
    });
    expect(resumed(server)).toHaveLength(1);
  });

  it('is lost when the budget is spent without an event', async () => {
    await using server = await scriptedServer({
      on: {
        'tools/call': (exchange) =>
          exchange
            .sse()
            .event({ id: 'a1', data: progress(1) })
            .end(),
        GET: resuming((exchange) => exchange.sse().end()),
      },
    });
    const reconnect = { maxAttempts: 3, initialMs: 1 };
    await using caller = await connect(createHttpTransport({ url: server.url, reconnect }));
    await expect(caller.request('tools/call')).rejects.toMatchObject({
      code: 'STREAM_LOST',
      delivery: 'unknown',
    });
    expect(resumed(server)).toHaveLength(3);
  });

  it('counts an error answer as the answer', async () => {
    await using server = await scriptedServer({
      on: {
        'tools/call': (exchange) =>
          exchange
            .sse()
            .event({ id: 'a1', retry: 1 })
            .event({
              id: 'a2',
              data: { jsonrpc: '2.0', id: exchange.message.id, error: { code: 1, message: 'no' } },
            })
            .end(),
      },
    });
    await using caller = await connect(createHttpTransport({ url: server.url }));
    await expect(caller.request('tools/call')).rejects.toMatchObject({ rpc: { code: 1 } });
    await caller.request('tools/list');
    expect(resumed(server)).toHaveLength(0);
  });

  it('is taken up again later by a new request, whose id the answer gets', async () => {
    await using server = await scriptedServer({
      on: {
        GET: resuming((exchange) =>
          exchange
            .sse()
            .event({ data: { jsonrpc: '2.0', id: 55, result: { stolen: true } } })
            .event({ id: 'z', data: { jsonrpc: '2.0', id: 999, result: { old: true } } })
            .end(),
        ),
        held: (exchange) => void exchange.sse(),
      },
    });
    await using caller = await connect(createHttpTransport({ url: server.url }));
    // An answer to an open request does not answer the old request.
    caller.request('held', {}, { id: 55 }).catch(() => undefined);
    await server.until('held');
    expect(await caller.request('tools/call', {}, { resumptionToken: 'y' })).toEqual({ old: true });
    expect(resumed(server)[0]?.headers['last-event-id']).toBe('y');
    expect(server.of('tools/call')).toHaveLength(0);
  });

  it('that goes on after the answer is closed by this side', async () => {
    const clock = createManualClock();
    let ended: Promise<void> | undefined;
    await using server = await scriptedServer({
      on: {
        'tools/call': (exchange) => {
          ended = exchange.ended;
          exchange.sse().result({ done: true });
        },
      },
    });
    await using caller = await connect(createHttpTransport({ url: server.url, clock }));
    await caller.request('tools/call');
    await clock.advance(1000);
    await ended;
    expect(clock.pending).toBe(0);
  });
});

describe('the stateless revision', () => {
  it('never resumes: the stream is lost and the host decides', async () => {
    let ends = 0;
    await using server = await scriptedServer({
      on: {
        'tools/call': interrupted,
      },
    });
    await using caller = await startCaller(createHttpTransport({ url: server.url }));
    const call = caller.request('tools/call', modernParams(), {
      onRequestStreamEnd: () => ends++,
      resumptionToken: 'ignored',
    });
    await expect(call).rejects.toMatchObject({ code: 'STREAM_LOST', delivery: 'unknown' });
    expect(server.of('GET')).toHaveLength(0);
    expect(ends).toBe(1);
  });

  it('does not report the end of a stream that this side closed', async () => {
    let ends = 0;
    await using server = await scriptedServer({ on: { 'tools/call': (exchange) => void exchange.sse() } });
    await using caller = await startCaller(createHttpTransport({ url: server.url }));
    const abort = new AbortController();
    const call = caller.request('tools/call', modernParams(), {
      onRequestStreamEnd: () => ends++,
      requestSignal: abort.signal,
    });
    const { ended } = await server.until('tools/call');
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: 'ABORTED' });
    await ended;
    expect(ends).toBe(0);
    expect(caller.errors).toEqual([]);
  });
});
