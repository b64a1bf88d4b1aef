import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createHttpTransport } from '../src/index.js';
import { connect, startCaller } from './support/caller.js';
import { modernParams } from './support/modern.js';
import { scriptedServer } from './support/scripted-server.js';
import { when } from './support/turns.js';

describe('giving up a request', () => {
  it.each([
    ['before the answer began', false],
    ['while the answer streams', true],
  ])('closes its stream %s, and nothing else', async (_, streams) => {
    await using server = await scriptedServer({
      on: {
        'tools/call': (exchange) => {
          if (streams) exchange.sse().event({ data: { jsonrpc: '2.0', method: 'notifications/x' } });
        },
      },
    });
    const transport = createHttpTransport({ url: server.url });
    expect(transport.hasPerRequestStream).toBe(true);
    await using caller = await startCaller(transport);
    const abort = new AbortController();
    const call = caller.request('tools/call', modernParams(), { requestSignal: abort.signal });
    const other = caller.request('tools/call', modernParams());
    const { ended } = await server.until('tools/call');
    await server.until('tools/call', 2);
    if (streams) await caller.until(() => caller.notifications('notifications/x')[1]);
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: 'ABORTED', delivery: 'unknown' });
    await ended;
    expect(server.of('tools/call')[1]?.isOpen).toBe(true);
    expect(server.of('notifications/cancelled')).toHaveLength(0);
    expect(caller.errors).toEqual([]);
    other.catch(() => undefined);
  });

  it('closes the stream of a request that was cancelled by notification, after the server was told', async () => {
    await using server = await scriptedServer({ on: { 'tools/call': (exchange) => void exchange.sse() } });
    await using caller = await connect(createHttpTransport({ url: server.url }));
    const call = caller.request('tools/call', {}, { id: 7 }).catch((error: unknown) => error);
    const { ended } = await server.until('tools/call');
    await caller.notify('notifications/cancelled', { requestId: 7 });
    await ended;
    expect(server.of('notifications/cancelled')).toHaveLength(1);
    await call;
    expect(caller.errors).toEqual([]);
  });

  it('leaves no listener on a signal that many requests share', async () => {
    await using server = await scriptedServer();
    await using caller = await startCaller(createHttpTransport({ url: server.url }));
    const { signal } = new AbortController();
    for (let count = 0; count < 50; count++) {
      await caller.request('tools/list', modernParams(), { requestSignal: signal });
    }
    expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(1);
    await when(() => getEventListeners(signal, 'abort').length === 0);
  });
});
