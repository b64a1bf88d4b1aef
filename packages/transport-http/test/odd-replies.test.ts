import { createManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it } from 'vitest';
import { createHttpTransport } from '../src/index.js';
import { connect } from './support/caller.js';
import { scriptedServer, type Exchange } from './support/scripted-server.js';
import { openStreams } from './support/streams.js';

const SECRET = 'sk-live-0123456789';

async function callerOf(answer: (exchange: Exchange) => void) {
  const server = await scriptedServer({ on: { 'tools/call': answer } });
  const options = { url: server.url, apiKey: SECRET, reconnect: { maxAttempts: 0 } };
  const caller = await connect(createHttpTransport(options));
  return Object.assign(caller, {
    async [Symbol.asyncDispose]() {
      await caller.transport.close();
      await server[Symbol.asyncDispose]();
    },
  });
}

describe('a reply that is a list', () => {
  it.each(['json', 'sse'] as const)('is the only response in it, as %s', async (kind) => {
    await using caller = await callerOf((exchange) => {
      const list = [{ jsonrpc: '2.0', id: exchange.message.id, result: { ok: true } }];
      if (kind === 'json') exchange.json(list);
      else exchange.sse().event({ data: list }).end();
    });
    expect(await caller.request('tools/call')).toEqual({ ok: true });
    expect(caller.errors).toEqual([]);
  });
});

describe('the reason of a reply without a response', () => {
  it.each([
    [{ error: `bad key ${SECRET}` }, '{"error":"bad key [redacted]"}'],
    [{ detail: 'Not Found' }, '{"detail":"Not Found"}'],
    [{ jsonrpc: '2.0', id: 'other', result: {} }, '"id":"other"'],
  ])('is in the error: %j', async (body, text) => {
    await using caller = await callerOf((exchange) => exchange.json(body));
    await expect(caller.request('tools/call')).rejects.toMatchObject({
      code: 'PROTOCOL_VIOLATION',
      delivery: 'unknown',
      message: expect.stringContaining(text),
    });
  });
});

describe('an event with the name "error"', () => {
  it.each(['end', 'drop'] as const)(
    'is the reason of a stream that ends without an answer: %s',
    async (how) => {
      await using caller = await callerOf((exchange) => {
        const stream = exchange.sse().event({ event: 'error', data: `the worker died (${SECRET})` });
        stream[how]();
      });
      await expect(caller.request('tools/call')).rejects.toMatchObject({
        code: 'STREAM_LOST',
        delivery: 'unknown',
        message: expect.stringContaining('the worker died ([redacted])'),
      });
    },
  );

  it('is the answer if it contains the response', async () => {
    await using caller = await callerOf((exchange) => {
      const error = { code: -32_000, message: 'the worker died' };
      exchange
        .sse()
        .event({ event: 'error', data: { jsonrpc: '2.0', id: exchange.message.id, error } })
        .end();
    });
    await expect(caller.request('tools/call')).rejects.toMatchObject({ rpc: { message: 'the worker died' } });
  });

  it('does not replace an answer', async () => {
    await using caller = await callerOf((exchange) =>
      exchange.sse().event({ event: 'error', data: 'slow' }).result({ ok: true }).end(),
    );
    expect(await caller.request('tools/call')).toEqual({ ok: true });
    expect(caller.errors).toEqual([]);
  });

  it('is the cause when the event stream of the server is lost', async () => {
    const clock = createManualClock();
    const streams = openStreams();
    await using server = await scriptedServer({ session: 's', on: { GET: streams.script } });
    const reconnect = { maxAttempts: 0 };
    await using caller = await connect(createHttpTransport({ url: server.url, clock, reconnect }));
    await server.until('GET');
    streams.writers[0]?.event({ event: 'error', data: 'too many streams' }).end();
    const error = await caller.until(() => caller.errors[0]);
    expect(error).toMatchObject({
      code: 'RECONNECT_EXHAUSTED',
      message: expect.stringContaining('reopened'),
      cause: { message: expect.stringContaining('too many streams') },
    });
  });
});
