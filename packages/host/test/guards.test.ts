import { describe, expect, it, vi } from 'vitest';
import { FittingsError } from '@mcp-fittings/client-core';
import type { JSONRPCMessage } from '@mcp-fittings/client-core/transport';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { createLinkedPair } from '@mcp-fittings/transport-inprocess';
import type { HostCallbacks } from '@mcp-fittings/host';
import { DEFAULT_LIMITS, guardServer } from '@mcp-fittings/host/guards';
import { native } from '@mcp-fittings/host/native';
import { identity } from './support/calculator.js';

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: object | undefined;
  readonly error?: object;
}

const URL_REQUIRED = -32042;
const page = { mode: 'url', elicitationId: 'order-1', url: 'https://pay.example/1', message: 'Pay' };
const form = (properties: object) => ({
  message: 'Who?',
  requestedSchema: { type: 'object', properties, required: Object.keys(properties) },
});

/** Connects an engine, without a host, to a server that sends what the test says; `buy` is refused so often. */
async function connected(callbacks: HostCallbacks, refusals = 0) {
  const [client, other] = createLinkedPair({ server: 'bare' });
  const received: Message[] = [];
  let calls = 0;
  const send = (message: object) => void other.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage);
  const results: Record<string, () => object> = {
    initialize: () => ({
      result: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'bare', version: '1' },
      },
    }),
    'tools/call': () =>
      ++calls > refusals
        ? { result: { content: [] } }
        : { error: { code: URL_REQUIRED, message: 'Pay first', data: { elicitations: [page] } } },
  };
  other.onmessage = (message) => {
    const { id, method = '' }: Message = message;
    received.push(message);
    const answer = results[method];
    if (id !== undefined && answer !== undefined) send({ id, ...answer() });
  };
  await other.start();
  const clock = createManualClock();
  const onListChanged = vi.fn();
  const guard = guardServer({ server: 'bare', clock, callbacks, onListChanged });
  const ignore = (): void => undefined;
  const session = await native(identity).connect(client, {
    server: 'bare',
    signal: new AbortController().signal,
    timeoutMs: 5_000,
    clock,
    era: { kind: 'initialize' },
    callbacks: guard.callbacks,
    observe: guard.watch(client),
    events: {
      notification: guard.notified,
      listChanged: onListChanged,
      log: ignore,
      resourceUpdated: ignore,
      error: ignore,
      closed: ignore,
    },
  });
  const { signal } = new AbortController();
  return {
    clock,
    send,
    received,
    onListChanged,
    calls: () => calls,
    buy: () => guard.send(() => session.callTool('buy', {}, { timeoutMs: 5_000 }), signal),
    answer: (id: unknown) => vi.waitFor(() => received.find((each) => each.id === id) ?? expect.fail()),
  };
}

describe('an engine without a host', () => {
  it('declares the capabilities of the callbacks that are there', async () => {
    const capabilities = async (callbacks: HostCallbacks) =>
      (await connected(callbacks)).received.find(({ method }) => method === 'initialize')?.params;
    expect(await capabilities({})).toMatchObject({ capabilities: {} });
    const elicit = async () => ({ action: 'decline' as const });
    expect(await capabilities({ elicit, roots: async () => [] })).toMatchObject({
      capabilities: { elicitation: { form: {}, url: {} }, roots: { listChanged: true } },
    });
  });

  it('warns the user of a question for a secret, and passes on only what fits the form', async () => {
    const answers = [
      { action: 'accept', content: { password: 'x' } },
      { action: 'accept', content: { password: 7 } },
    ] as const;
    let asked = 0;
    const elicit = vi.fn(async () => answers[asked++] ?? expect.fail());
    const { send, answer } = await connected({ elicit });
    const params = form({ password: { type: 'string' } });
    send({ id: 'first', method: 'elicitation/create', params });
    expect(await answer('first')).toMatchObject({ result: answers[0] });
    send({ id: 'second', method: 'elicitation/create', params });
    expect(await answer('second')).toMatchObject({ error: {} });
    expect(elicit).toHaveBeenCalledWith(
      expect.objectContaining({ warnings: [expect.stringContaining('"password" looks like a secret')] }),
      expect.anything(),
    );
  });

  it('does not wait for a callback for ever', async () => {
    const elicit = vi.fn(() => new Promise<never>(() => undefined));
    const { send, answer, clock } = await connected({ elicit });
    send({ id: 'late', method: 'elicitation/create', params: form({}) });
    await vi.waitFor(() => expect(elicit).toHaveBeenCalled());
    await clock.advance(DEFAULT_LIMITS.callbackMs);
    expect(await answer('late')).toMatchObject({ error: {} });
  });

  it('refuses a root that is not a file', async () => {
    const { send, answer } = await connected({ roots: async () => [{ uri: 'https://example.com/' }] });
    send({ id: 'roots', method: 'roots/list' });
    expect(await answer('roots')).toMatchObject({ error: {} });
  });

  it('passes on only so many requests and changes of lists a second', async () => {
    const elicit = vi.fn(async () => ({ action: 'decline' as const }));
    const { send, answer, received, onListChanged } = await connected({ elicit });
    const most = DEFAULT_LIMITS.eventsPerSecond;
    for (let index = 0; index <= most; index++) {
      send({ id: `ask-${index}`, method: 'elicitation/create', params: form({}) });
      send({ method: 'notifications/tools/list_changed' });
    }
    expect(await answer(`ask-${most}`)).toMatchObject({
      error: { message: 'Too many requests in one second.' },
    });
    await vi.waitFor(() =>
      expect(received.filter(({ id }) => String(id).startsWith('ask-'))).toHaveLength(most + 1),
    );
    // At most so many wait for the user at once.
    expect(elicit.mock.calls.length).toBeLessThanOrEqual(80);
    expect(onListChanged).toHaveBeenCalledTimes(most + 1);
  });

  /** A user who visits the page, which the server reports as done. */
  const visit = (send: (message: object) => void) => async () => {
    send({ method: 'notifications/elicitation/complete', params: { elicitationId: 'order-1' } });
    return { action: 'accept' as const };
  };

  it('sends a call once more after the user has visited its page', async () => {
    const elicit = vi.fn(async () => visit(send)());
    const { buy, calls, send } = await connected({ elicit }, 1);
    expect(await buy()).toEqual({ content: [] });
    expect(calls()).toBe(2);
    expect(elicit).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['the user declines', async () => ({ action: 'decline' as const }), 1],
    ['the user cannot be asked', undefined, 1],
    ['the server refuses it again', 'visit', 2],
  ] as const)('rejects with the refusal if %s', async (_why, answer, sends) => {
    const elicit = answer === 'visit' ? async () => visit(send)() : answer;
    const { buy, calls, send } = await connected({ ...(elicit && { elicit }) }, 9);
    const error = await buy().catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(FittingsError);
    expect(error).toMatchObject({ code: 'RPC_ERROR', details: { rpcCode: URL_REQUIRED } });
    expect(calls()).toBe(sends);
  });
});
