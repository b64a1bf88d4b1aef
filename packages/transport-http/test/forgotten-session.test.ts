import { describe, expect, it } from 'vitest';
import { createHttpTransport } from '../src/index.js';
import { connect, startCaller } from './support/caller.js';
import { forgetfulServer } from './support/forgetful-server.js';
import type { Exchange } from './support/scripted-server.js';

const answered = ({ message }: Exchange, error: object) => ({ jsonrpc: '2.0', id: message.id, error });
const NOT_FOUND = { code: -32_001, message: 'Session not found' };

/** Ways in which servers say that they do not know a session. Notifications are refused in the same way. */
const WAYS: Readonly<Record<string, (exchange: Exchange) => void>> = {
  '404 and an error': (exchange) => exchange.rpcError(-32_001, 'Session not found', 404, null),
  '410 without a body': (exchange) => exchange.plain(410),
  '409 and an error': (exchange) => exchange.rpcError(-32_000, 'Stale Mcp-Session-Id', 409, null),
  '409 and the error of the request': (exchange) => exchange.json(answered(exchange, NOT_FOUND), 409),
  '409 without a body': (exchange) => exchange.plain(409),
  '400 and JSON of its own': (exchange) => exchange.json({ detail: 'unknown sid' }, 400),
  '400 and an error with an id of its own': (exchange) =>
    exchange.rpcError(-32_600, 'Bad Request: No valid session', 400, 'server-error'),
  '422 and a text in another language': (exchange) => exchange.plain(422, 'Sitzung abgelaufen'),
  '200 and an error without an id': (exchange) => exchange.rpcError(-32_000, 'invalid session', 200, null),
  '200 and an error about the handshake': (exchange) =>
    exchange.json(answered(exchange, { code: -32_002, message: 'Server not initialized' })),
  '200 and an error in an event stream without an end': (exchange) =>
    void exchange.sse().event({ data: answered(exchange, NOT_FOUND) }),
};

describe('a session that the server has forgotten', () => {
  it.each(Object.entries(WAYS))(
    'is opened again, once for all that are refused with %s',
    async (_, refusal) => {
      await using server = await forgetfulServer({}, { refusal });
      const transport = createHttpTransport({ url: server.url });
      await using caller = await connect(transport);
      server.forget();
      const results = await Promise.all(Array.from({ length: 8 }, () => caller.request('tools/call')));
      expect(results).toEqual(Array.from({ length: 8 }, () => ({ session: 's2' })));
      expect(transport.sessionId).toBe('s2');
      expect(server.of('initialize')).toHaveLength(2);
      expect(server.of('tools/call')).toHaveLength(16);
      expect(caller.errors).toEqual([]);
    },
  );

  it.each(Object.entries(WAYS))('is not sought for ever when each is refused with %s', async (_, refusal) => {
    await using server = await forgetfulServer({ request: refusal }, { refusal });
    await using caller = await connect(createHttpTransport({ url: server.url }));
    server.forget();
    await expect(caller.request('tools/call')).rejects.toThrow(/./);
    expect(server.of('initialize')).toHaveLength(2);
    expect(server.of('tools/call')).toHaveLength(2);
  });

  it('is not opened again for a request that was canceled meanwhile', async () => {
    const refusal = (exchange: Exchange): void => exchange.json(answered(exchange, NOT_FOUND));
    await using server = await forgetfulServer({}, { refusal });
    await using caller = await connect(createHttpTransport({ url: server.url }));
    server.forget();
    const canceled = new AbortController();
    server.script({
      ping: (exchange) => {
        canceled.abort();
        refusal(exchange);
      },
    });
    const options = { requestSignal: canceled.signal };
    await expect(caller.request('tools/call', {}, options)).rejects.toMatchObject({ code: 'ABORTED' });
    await caller.request('tools/list');
    expect(server.of('tools/call')).toHaveLength(1);
  });
});

describe('a session that the server knows', () => {
  const REFUSALS: Readonly<Record<string, [refuse: (exchange: Exchange) => void, error: object]>> = {
    '400 and a text': [(exchange) => exchange.plain(400, 'no such tool'), { code: 'HTTP_STATUS' }],
    '409 about another session': [
      (exchange) => exchange.plain(409, 'the browser session is busy'),
      { code: 'HTTP_STATUS', delivery: 'rejected' },
    ],
    '400 and the error of the request': [
      (exchange) => exchange.json(answered(exchange, NOT_FOUND), 400),
      { rpc: NOT_FOUND },
    ],
    '200 and an error about another session': [
      (exchange) => exchange.json(answered(exchange, NOT_FOUND)),
      { rpc: NOT_FOUND },
    ],
    '200 and such an error in a stream without an end': [
      (exchange) => void exchange.sse().event({ data: answered(exchange, NOT_FOUND) }),
      { rpc: NOT_FOUND },
    ],
  };
  const PINGS: Readonly<Record<string, (exchange: Exchange) => void>> = {
    'answers ping': (exchange) => exchange.result({}),
    'does not know ping': (exchange) =>
      exchange.json(answered(exchange, { code: -32_601, message: 'no ping' })),
    'refuses ping otherwise': (exchange) => exchange.plain(405),
    'drops ping': (exchange) => exchange.drop(),
  };
  /** Each refusal by a server that answers `ping`; other answers to it after the refusal that they resemble most. */
  const cases = [
    ...Object.keys(REFUSALS).map((way) => [way, 'answers ping'] as const),
    ['200 and an error about another session', 'does not know ping'],
    ['400 and a text', 'refuses ping otherwise'],
    ['400 and a text', 'drops ping'],
  ] as const;

  it.each(cases)('is kept after %s by a server that %s', async (way, kind) => {
    const [refuse, error] = REFUSALS[way]!;
    await using server = await forgetfulServer({ 'tools/call': refuse, ping: PINGS[kind]! });
    const transport = createHttpTransport({ url: server.url });
    await using caller = await connect(transport);
    await expect(caller.request('tools/call')).rejects.toMatchObject(error);
    expect(transport.sessionId).toBe('s1');
    expect(server.of('initialize')).toHaveLength(1);
    expect(server.of('tools/call')).toHaveLength(1);
  });

  it('gets no request id twice, from the caller or the transport', async () => {
    await using server = await forgetfulServer({ 'tools/call': (exchange) => exchange.plain(400, 'no') });
    await using caller = await connect(createHttpTransport({ url: server.url }));
    for (let round = 0; round < 2; round++) {
      const calls = Array.from({ length: 4 }, () => caller.request('tools/call'));
      expect((await Promise.allSettled(calls)).map(({ status }) => status)).not.toContain('fulfilled');
    }
    const ids = ['initialize', 'tools/call', 'ping'].flatMap((kind) =>
      server.of(kind).map(({ message }) => message.id),
    );
    expect(server.of('ping').length).toBeGreaterThan(1);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is not asked about after a 403, or an error that does not speak of sessions', async () => {
    await using server = await forgetfulServer({
      'tools/call': (exchange) => exchange.json(answered(exchange, { code: -32_602, message: 'no' }), 400),
      'tools/list': (exchange) => exchange.json(answered(exchange, { code: -32_001, message: 'no' })),
      'prompts/list': (exchange) => exchange.plain(403),
    });
    await using caller = await connect(createHttpTransport({ url: server.url }));
    await expect(caller.request('tools/call')).rejects.toMatchObject({ rpc: { code: -32_602 } });
    await expect(caller.request('tools/list')).rejects.toMatchObject({ rpc: { code: -32_001 } });
    await expect(caller.request('prompts/list')).rejects.toMatchObject({ status: 403 });
    expect(server.of('ping')).toHaveLength(0);
  });

  it('is not asked about before a message was accepted in it', async () => {
    await using server = await forgetfulServer({ 'tools/call': (exchange) => exchange.plain(400) });
    await using caller = await startCaller(createHttpTransport({ url: server.url }));
    await caller.request('initialize');
    await expect(caller.request('tools/call')).rejects.toMatchObject({ status: 400 });
    expect(server.of('ping')).toHaveLength(0);
  });
});
