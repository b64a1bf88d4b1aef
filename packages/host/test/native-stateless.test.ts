import { describe, expect, it } from 'vitest';
import { FittingsError } from '@mcp-fittings/client-core';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import type { HostCallbacks } from '@mcp-fittings/host';
import { guardCallbacks } from '../src/server-requests/guard-callbacks.js';
import { identity } from './support/calculator.js';
import {
  callTool,
  done,
  PATIENT,
  stateless,
  turn,
  type Answer,
  type Bench,
  type Wire,
} from './support/wire.js';

describe('native(): revision 2026-07-28', () => {
  it('every message says the revision, the client and its capabilities', async () => {
    const { wire, connect } = stateless(
      {
        'server/discover': () => ({
          result: { supportedVersions: ['2026-07-28'], capabilities: { tools: {}, logging: {} } },
        }),
      },
      { roots: async () => [] },
    );
    const session = await connect();
    await session.setLogLevel?.('warning');
    await callTool(session, 'a', PATIENT, { _meta: { traceparent: '00-1-2-03' } });
    await session.notify('vendor/hello', {});
    const metas = wire.sent.map((message) => ('params' in message ? message.params?._meta : undefined));
    expect(metas).toHaveLength(3);
    for (const meta of metas) {
      expect(meta).toMatchObject({
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': identity,
        'io.modelcontextprotocol/clientCapabilities': { roots: {} },
      });
    }
    expect(metas[1]).toMatchObject({
      traceparent: '00-1-2-03',
      'io.modelcontextprotocol/logLevel': 'warning',
    });
  });

  it('repeats a request with the answers and the exact state, under a new id', async () => {
    const state = ' {"a":"\\u00e4"} ';
    const { wire, connect } = stateless(
      {
        'tools/call': ({ inputResponses }) =>
          inputResponses === undefined
            ? {
                result: {
                  resultType: 'input_required',
                  inputRequests: { where: { method: 'roots/list' } },
                  requestState: state,
                },
              }
            : done,
      },
      { roots: async () => [{ uri: 'file:///work' }] },
    );
    const session = await connect();
    await callTool(session, 'a', PATIENT, { arguments: { x: 1 } });
    const [first, second] = wire.of('tools/call');
    expect(second).toMatchObject({
      params: {
        name: 'a',
        arguments: { x: 1 },
        requestState: state,
        inputResponses: { where: { roots: [{ uri: 'file:///work' }] } },
      },
    });
    expect(second?.id).not.toBe(first?.id);
  });

  it('tells a callback which of several calls requires its answer', async () => {
    const asked: unknown[] = [];
    const { connect } = stateless(
      {
        'tools/call': ({ inputResponses }) =>
          inputResponses === undefined
            ? { result: { resultType: 'input_required', inputRequests: { where: { method: 'roots/list' } } } }
            : done,
      },
      {
        async roots({ call }) {
          asked.push(call);
          return [];
        },
      },
    );
    const session = await connect();
    const calls = ['a', 'b'].map((target) => ({ method: 'tools/call', target, origin: `of ${target}` }));
    await Promise.all(calls.map((call) => callTool(session, call.target, { ...PATIENT, call })));
    expect(asked).toEqual(calls);
  });

  it.each([
    ['an unknown kind of input', { inputRequests: { a: { method: 'vendor/ask' } } }, 'PROTOCOL_VIOLATION'],
    ['input that is not a request', { inputRequests: { a: 7 } }, 'PROTOCOL_VIOLATION'],
    ['neither input nor a state', {}, 'PROTOCOL_VIOLATION'],
    ['what the host cannot give', { inputRequests: { a: { method: 'roots/list' } } }, 'CAPABILITY_MISSING'],
  ])('a result that requires %s fails the call', async (_case, members, code) => {
    const { wire, connect } = stateless({
      'tools/call': () => ({ result: { resultType: 'input_required', ...members } }),
    });
    const session = await connect();
    await expect(callTool(session, 'a')).rejects.toMatchObject({ code });
    expect(wire.of('tools/call')).toHaveLength(1);
  });

  it('a failed answer aborts the other questions of its result', async () => {
    let other: AbortSignal | undefined;
    const { connect } = stateless(
      {
        'tools/call': () => ({
          result: {
            resultType: 'input_required',
            inputRequests: { a: { method: 'roots/list' }, b: { method: 'sampling/createMessage' } },
          },
        }),
      },
      {
        roots: () => Promise.reject(new FittingsError('CALLBACK_FAILED', 'no roots')),
        sample: (_params, { signal }) => {
          other = signal;
          return new Promise(() => undefined);
        },
      },
    );
    const session = await connect();
    await expect(callTool(session, 'a')).rejects.toMatchObject({ code: 'CALLBACK_FAILED' });
    expect(other?.aborted).toBe(true);
  });

  describe('a call that is under way while the server requires input', () => {
    const asking = (members: object, callbacks: HostCallbacks = {}) => {
      const clock = createManualClock();
      const { connect } = stateless(
        { 'tools/call': () => ({ result: { resultType: 'input_required', ...members } }) },
        guardCallbacks(callbacks, { clock, callbackMs: 1000 }),
      );
      return { clock, connect: () => connect({ clock }) };
    };
    const question = { inputRequests: { a: { method: 'roots/list' } } };

    it.each([
      ['the question', question],
      ['the wait before it is repeated', { requestState: 'later' }],
    ])('rejects with ABORTED when the caller aborts %s', async (_case, members) => {
      const { clock, connect } = asking(members, { roots: () => new Promise(() => undefined) });
      const session = await connect();
      const controller = new AbortController();
      const call = expect(
        callTool(session, 'a', { ...PATIENT, signal: controller.signal }),
      ).rejects.toMatchObject({
        code: 'ABORTED',
        delivery: 'unknown',
        message: 'The caller aborted tools/call on the server "wire".',
      });
      await turn();
      controller.abort();
      await call;
      expect(clock.pending).toBe(0);
    });

    it.each([
      ['throws', () => Promise.reject(new Error('boom')), 'failed'],
      ['does not answer in time', () => new Promise<never>(() => undefined), 'did not finish'],
    ])('has a delivery when a callback %s', async (_case, roots, text) => {
      const { clock, connect } = asking(question, { roots });
      const session = await connect();
      const call = expect(callTool(session, 'a')).rejects.toMatchObject({
        code: 'CALLBACK_FAILED',
        delivery: 'unknown',
        message: expect.stringContaining(text),
      });
      await turn();
      await clock.advance(1000);
      await call;
    });
  });

  it('a result without a type is complete; one of an unknown type is refused', async () => {
    const types: unknown[] = [undefined, 'later', 7];
    const { connect } = stateless({
      'tools/call': () => ({ result: { content: [], resultType: types.shift() } }),
    });
    const session = await connect();
    expect((await callTool(session, 'a'))['content']).toEqual([]);
    for (const shown of ['later', 'number']) {
      await expect(callTool(session, 'a')).rejects.toMatchObject({
        code: 'PROTOCOL_VIOLATION',
        message: expect.stringContaining(shown),
      });
    }
  });

  it('arguments are repeated in headers as their schema says', async () => {
    const text = (name: string) => ({ type: 'string', 'x-mcp-header': name });
    const inputSchema = {
      type: 'object',
      properties: {
        region: text('Region'),
        city: text('City'),
        padded: text('Padded'),
        sentinel: text('Sentinel'),
        count: { type: 'integer', 'x-mcp-header': 'Count' },
        huge: { type: 'integer', 'x-mcp-header': 'Huge' },
        dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
        none: text('None'),
        inner: { type: 'object', properties: { deep: text('Deep') } },
        plain: { type: 'string' },
      },
    } as const;
    const { wire, connect } = stateless();
    const session = await connect();
    const args = {
      region: 'eu west',
      city: 'Köln',
      padded: ' a',
      sentinel: '=?base64?eA==?=',
      count: 3,
      huge: 2 ** 60,
      dry: false,
      none: null,
      inner: { deep: 'd' },
      plain: 'p',
    };
    const definition = { name: 'a', inputSchema };
    await callTool(session, 'a', { ...PATIENT, definition }, { arguments: args });
    const base64 = (value: string): string => `=?base64?${Buffer.from(value).toString('base64')}?=`;
    expect(wire.headers).toEqual([
      {
        'Mcp-Param-Region': 'eu west',
        'Mcp-Param-City': base64('Köln'),
        'Mcp-Param-Padded': base64(' a'),
        'Mcp-Param-Sentinel': base64('=?base64?eA==?='),
        'Mcp-Param-Count': '3',
        'Mcp-Param-Dry': 'false',
        'Mcp-Param-Deep': 'd',
      },
    ]);
  });

  it('where each request has a stream, closing that is the cancellation', async () => {
    const { wire, connect } = stateless({ 'tools/call': () => undefined });
    Object.assign(wire, { hasPerRequestStream: true });
    const session = await connect();
    const controller = new AbortController();
    const call = callTool(session, 'slow', { ...PATIENT, signal: controller.signal });
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'ABORTED' });
    expect(wire.streams.map(({ aborted }) => aborted)).toEqual([true]);
    expect(wire.of('notifications/cancelled')).toEqual([]);
  });

  it.each(['ping', 'logging/setLevel', 'initialize'])('%s is not sent', async (method) => {
    const { wire, connect } = stateless();
    const session = await connect();
    const refused = { code: 'CAPABILITY_MISSING', delivery: 'not-sent' };
    await expect(session.request(method, {}, PATIENT)).rejects.toMatchObject(refused);
    await expect(session.notify('notifications/initialized', {})).rejects.toMatchObject(refused);
    expect(wire.of(method)).toEqual([]);
  });
});

describe('native(): streams of a stateless server', () => {
  const changing: Answer = () => ({
    result: { supportedVersions: ['2026-07-28'], capabilities: { tools: { listChanged: true } } },
  });
  const acknowledge = (wire: Wire, id: unknown): void =>
    wire.deliver({
      method: 'notifications/subscriptions/acknowledged',
      params: { _meta: { 'io.modelcontextprotocol/subscriptionId': id }, notifications: {} },
    });
  const acknowledging = (): Bench => {
    const made = stateless({
      'server/discover': changing,
      'subscriptions/listen'(_params, id) {
        queueMicrotask(() => acknowledge(made.wire, id));
        return undefined;
      },
    });
    return made;
  };

  it.each([
    ['the server ends it', (wire: Wire, id: unknown) => wire.deliver({ id, result: {} })],
    [
      'the server cancels it',
      (wire: Wire, id: unknown) =>
        wire.deliver({ method: 'notifications/cancelled', params: { requestId: id } }),
    ],
    ['it fails', (wire: Wire, id: unknown) => wire.deliver({ id, error: { code: -32_603, message: 'no' } })],
  ])('one is opened again after %s, and the lists count as changed', async (_case, end) => {
    const clock = createManualClock();
    const { wire, events, errors, connect } = acknowledging();
    await connect({ clock });
    const [first] = wire.of('subscriptions/listen');
    expect(first).toMatchObject({ params: { notifications: { toolsListChanged: true } } });
    end(wire, first?.id);
    await turn();
    await clock.advance(60_000);
    await turn();
    expect(wire.of('subscriptions/listen')).toHaveLength(2);
    expect(events).toEqual(['changed tools', 'changed prompts', 'changed resources']);
    expect(errors).toEqual([]);
  });

  it('one that is not acknowledged in time is reported and canceled, and the session is usable', async () => {
    const clock = createManualClock();
    const { wire, errors, connect } = stateless({
      'server/discover': changing,
      'subscriptions/listen': () => undefined,
    });
    const connecting = connect({ clock });
    await turn();
    await clock.advance(5000);
    const session = await connecting;
    expect(errors).toMatchObject([{ code: 'TIMEOUT' }]);
    expect(wire.of('notifications/cancelled')).toHaveLength(1);
    expect((await callTool(session, 'a'))['content']).toHaveLength(1);
  });

  describe('while none is open', () => {
    /** Connects to a server that has ended the stream, and refuses others if it says so. */
    const interrupted = async () => {
      const clock = createManualClock();
      let refuses: boolean | 'silently' = false;
      const made = stateless({
        'server/discover': changing,
        'subscriptions/listen'(_params, id) {
          if (refuses === true) return { error: { code: -32_603, message: 'no' } };
          if (refuses === 'silently') return undefined;
          queueMicrotask(() => acknowledge(made.wire, id));
          return undefined;
        },
      });
      const { wire } = made;
      const session = await made.connect({ clock });
      wire.deliver({ id: wire.of('subscriptions/listen')[0]?.id, result: {} });
      await turn();
      return { ...made, session, clock, refuse: (does: typeof refuses) => (refuses = does) };
    };

    it('a subscription that is refused does not end the attempts to open another', async () => {
      const { wire, events, session, clock, refuse } = await interrupted();
      refuse(true);
      await expect(session.subscribe?.('test://a')).rejects.toMatchObject({ code: 'RPC_ERROR' });
      refuse(false);
      await clock.advance(60_000);
      await turn();
      expect(wire.of('subscriptions/listen')).toHaveLength(3);
      expect(events).toEqual(['changed tools', 'changed prompts', 'changed resources']);
    });

    it('a subscription opens one, and what was missed counts as changed', async () => {
      const { wire, events, session, clock } = await interrupted();
      await session.subscribe?.('test://a');
      expect(events).toEqual(['changed tools', 'changed prompts', 'changed resources', 'updated test://a']);
      await session.subscribe?.('test://b');
      await clock.advance(60_000);
      await turn();
      expect(wire.of('subscriptions/listen')).toHaveLength(3);
      expect(events).toHaveLength(4);
    });

    it('two subscriptions to one resource fail together', async () => {
      const { session, refuse } = await interrupted();
      refuse(true);
      const refused = { status: 'rejected', reason: { code: 'RPC_ERROR' } };
      const both = [1, 2].map(async () => session.subscribe?.('test://a'));
      expect(await Promise.allSettled(both)).toMatchObject([refused, refused]);
      refuse(false);
      await expect(session.subscribe?.('test://a')).resolves.toBeUndefined();
    });

    it('close() ends the attempts to open another', async () => {
      const { wire, errors, session, clock, refuse } = await interrupted();
      refuse('silently');
      await clock.advance(1000);
      await turn();
      expect(wire.of('subscriptions/listen')).toHaveLength(2);
      await session.close();
      await turn();
      expect([errors, clock.pending]).toEqual([[], 0]);
    });
  });

  it('close() ends it', async () => {
    const { wire, events, connect } = acknowledging();
    const session = await connect();
    await session.close();
    expect(wire.of('notifications/cancelled')).toMatchObject([
      { params: { requestId: wire.of('subscriptions/listen')[0]?.id } },
    ]);
    expect(events).toEqual(['closed']);
  });
});
