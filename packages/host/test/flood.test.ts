import { describe, expect, it, onTestFinished } from 'vitest';
import type { JSONRPCMessage, TransportPlugin } from '@mcp-fittings/client-core';
import { entrySchema } from '@mcp-fittings/toolbox/entries';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { createLinkedPair } from '@mcp-fittings/transport-inprocess';
import type { HostCallbacks } from '@mcp-fittings/host';
import { testHost } from './support/calculator.js';

/** A server without a library; `send` sends anything as it is. */
function bareServer() {
  const shares: { share: number; isStarted: boolean }[] = [];
  const received: (JSONRPCMessage & { method?: string; id?: unknown; error?: unknown; result?: unknown })[] =
    [];
  let send: (message: object) => void = () => undefined;
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: { listChanged: true }, logging: {} },
      serverInfo: { name: 'bare', version: '1.0.0' },
    },
    'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'echo' }] },
    ping: {},
  };
  const plugin: TransportPlugin = {
    specVersion: 1,
    type: 'bare',
    schema: entrySchema({}),
    create(_entry, { server }) {
      const [client, other] = createLinkedPair({ server });
      const start = client.start.bind(client);
      send = (message) =>
        void other.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage).catch(() => undefined);
      other.onmessage = (message) => {
        const { id, method } = message as { id?: number; method?: string };
        received.push(message);
        if (id === undefined || method === undefined || method === 'vendor/silent') return;
        const result = results[method];
        send(result === undefined ? { id, error: { code: -32601, message: 'unknown' } } : { id, result });
      };
      let isStarted = false;
      client.limitUnsolicited = (share) => void shares.push({ share, isStarted });
      client.start = async () => {
        isStarted = true;
        await other.start();
        await start();
      };
      return client;
    },
  };
  return { plugin, received, shares, send: (message: object) => send(message) };
}

describe('one server that floods', () => {
  async function connected(callbacks: HostCallbacks = {}) {
    const bare = bareServer();
    const clock = createManualClock({ now: 1_000_000 });
    const host = testHost([bare.plugin], { clock, callbacks, limits: { eventsPerSecond: 10 } });
    onTestFinished(() => host.close());
    const errors: string[] = [];
    const told: unknown[] = [];
    host.on('error', ({ error }) => errors.push(error.message));
    host.on('log', ({ data }) => told.push(data));
    await host.connect({ bare: { type: 'bare' } });
    const settle = async (): Promise<void> => {
      for (let turn = 0; turn < 20; turn++) await clock.advance(0);
    };
    const lists = (): number => bare.received.filter(({ method }) => method === 'tools/list').length;
    return { bare, clock, host, errors, told, settle, lists };
  }

  it('a transport is given, before it starts, the share of time for unrequested messages', async () => {
    const { bare } = await connected();
    expect(bare.shares).toEqual([{ share: 1 / 8, isStarted: false }]);
  });

  it('log messages over the limit are dropped and reported once; calls continue', async () => {
    const { bare, clock, host, errors, told, settle } = await connected();
    let read = 0;
    const params = {
      get level() {
        read++;
        return 'info';
      },
      data: 'x',
    };
    for (let i = 0; i < 5000; i++) bare.send({ method: 'notifications/message', params });
    await settle();
    expect(told).toHaveLength(10);
    expect(read).toBeLessThan(100);
    expect(errors).toEqual([
      'The server "bare" sent more than 10 notification messages in a second; the rest was dropped.',
    ]);
    expect(await host.callTool({ server: 'bare', tool: 'echo' })).toMatchObject({
      content: [{ text: 'echo' }],
    });
    await clock.advance(1000);
    bare.send({ method: 'notifications/message', params });
    await settle();
    expect(told).toHaveLength(11);
  });

  it('progress, vendor notifications and updates have a limit too', async () => {
    const { bare, errors, settle } = await connected();
    for (let i = 0; i < 1000; i++) {
      bare.send({ method: 'notifications/progress', params: { progressToken: i, progress: i } });
      bare.send({ method: 'notifications/vendor/any', params: { i } });
      bare.send({ method: 'notifications/resources/updated', params: { uri: 'x:y' } });
    }
    await settle();
    // What the SDK says of unknown progress tokens is at most as much as it was given.
    expect(errors.length).toBeLessThanOrEqual(12);
  });

  it('progress of a call over the limit is dropped', async () => {
    const { bare, host, settle } = await connected();
    const steps: number[] = [];
    const onProgress = ({ progress }: { readonly progress: number }): void => void steps.push(progress);
    const call = host.request({ server: 'bare', method: 'vendor/silent' }, {}, { onProgress });
    await settle();
    const id = bare.received.at(-1)?.id;
    for (let progress = 1; progress <= 100; progress++)
      bare.send({ method: 'notifications/progress', params: { progressToken: id, progress } });
    bare.send({ id, result: {} });
    await call;
    expect(steps).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('a burst of list changes causes one reading, and a flood ever fewer', async () => {
    const { bare, clock, settle, lists } = await connected();
    expect(lists()).toBe(1);
    for (let i = 0; i < 1000; i++) bare.send({ method: 'notifications/tools/list_changed' });
    await settle();
    await clock.advance(250);
    await settle();
    expect(lists()).toBe(2);
    // Ten seconds of a flood: news every 10 ms.
    for (let i = 0; i < 1000; i++) {
      bare.send({ method: 'notifications/tools/list_changed' });
      await clock.advance(10);
    }
    await settle();
    const during = lists();
    expect(during).toBeGreaterThan(3);
    expect(during).toBeLessThan(10);
    // The last news is never lost.
    bare.send({ method: 'notifications/tools/list_changed' });
    await clock.advance(20_000);
    await settle();
    expect(lists()).toBeGreaterThan(during);
  });

  it('a change while the list is being read causes one more reading', async () => {
    const { bare, clock, settle, lists } = await connected();
    bare.send({ method: 'notifications/tools/list_changed' });
    await clock.advance(250);
    bare.send({ method: 'notifications/tools/list_changed' });
    await settle();
    await clock.advance(2000);
    await settle();
    expect(lists()).toBe(3);
  });

  it('requests over the limit are refused without calling the host', async () => {
    let asked = 0;
    const { bare, settle } = await connected({
      roots: async () => {
        asked++;
        return [];
      },
    });
    for (let i = 0; i < 40; i++) bare.send({ id: i, method: 'roots/list' });
    await settle();
    expect(asked).toBe(10);
    const answers = bare.received.filter(({ method, id }) => method === undefined && id !== undefined);
    expect(answers).toHaveLength(40);
    expect(answers.filter(({ error }) => error !== undefined)).toHaveLength(30);
  });

  it('at most sixteen callbacks run for one server; further requests wait or are refused', async () => {
    let running = 0;
    let most = 0;
    const open: (() => void)[] = [];
    const { bare, clock, settle } = await connected({
      sample: async () => {
        most = Math.max(most, ++running);
        await new Promise<void>((resolve) => open.push(resolve));
        running--;
        return { model: 'm', role: 'assistant', content: { type: 'text', text: 'x' } };
      },
    });
    for (let i = 0; i < 100; i++) {
      bare.send({ id: i, method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } });
      await clock.advance(200);
    }
    await settle();
    expect(running).toBe(16);
    while (open.length > 0) {
      open.shift()?.();
      await settle();
    }
    expect(most).toBe(16);
    const answers = bare.received.filter(({ method, id }) => method === undefined && id !== undefined);
    expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(80);
    expect(answers.filter(({ error }) => error !== undefined)).toHaveLength(20);
  });
});
