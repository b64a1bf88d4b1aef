import { once } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { createToolDispatcher, serveToolCalls, toTypeScript } from '../../src/code-mode.js';
import { createTools } from '../../src/create-tools.js';
import { fakeHost, text, tool } from '../support/fake-host.js';

const CATALOG = [tool('add')];

it('code in a worker calls tools over its port', async () => {
  const host = fakeHost(CATALOG, async ({ a }) => text(`got ${String(a)}`));
  const turn = createTools(host, { defaultPermission: 'allow' }).snapshot();
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
     const pending = new Map();
     parentPort.on('message', ({ id, ...reply }) => pending.get(id)(reply));
     const callTool = (request) => new Promise((resolve) => {
       pending.set(pending.size, resolve);
       parentPort.postMessage({ id: pending.size - 1, ...request });
     });
     ${toTypeScript(turn).script}
     (async () => {
       const [first, second] = await Promise.all([s.add({ a: 1 }), s.add({ a: 2 })]);
       const error = await mcp.call('s', 'sub').catch(({ code, delivery }) => ({ code, delivery }));
       parentPort.postMessage({ done: [first.content[0].text, second.content[0].text, error] });
     })();`,
    { eval: true },
  );
  using _serving = serveToolCalls(worker, createToolDispatcher(turn));
  const done = await new Promise((resolve) => {
    worker.on(
      'message',
      (message: { done?: unknown }) => message.done !== undefined && resolve(message.done),
    );
  });
  expect(done).toEqual(['got 1', 'got 2', { code: 'TOOL_UNKNOWN', delivery: 'not-sent' }]);
  await worker.terminate();
});

/** A dispatcher whose calls end when they are aborted. */
function untilAborted() {
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const aborted: unknown[] = [];
  return {
    begun,
    aborted,
    respond: (request: unknown, { signal }: { signal?: AbortSignal | undefined } = {}) =>
      new Promise<{ error: { code: 'ABORTED'; message: string } }>((resolve) => {
        signal?.addEventListener('abort', () => {
          aborted.push(request);
          resolve({ error: { code: 'ABORTED', message: 'The call was aborted.' } });
        });
        begin();
      }),
  };
}

it('aborts a call over the port', async () => {
  const { port1, port2 } = new MessageChannel();
  const dispatcher = untilAborted();
  using _serving = serveToolCalls(port1, dispatcher);
  port2.postMessage({ id: 1, server: 's', tool: 'add' });
  await dispatcher.begun;
  port2.postMessage({ id: 1, abort: true });
  await expect(once(port2, 'message')).resolves.toMatchObject([{ id: 1, error: { code: 'ABORTED' } }]);
  expect(dispatcher.aborted).toEqual([{ server: 's', tool: 'add' }]);
  port1.close();
});

it('aborts the calls of a sandbox that ends', async () => {
  const { port1, port2 } = new MessageChannel();
  const dispatcher = untilAborted();
  using _serving = serveToolCalls(port1, dispatcher);
  port2.postMessage({ id: 1, server: 's', tool: 'add' });
  await dispatcher.begun;
  const closed = once(port1, 'close');
  port2.close();
  await closed;
  expect(dispatcher.aborted).toHaveLength(1);
});

it('replies with an error if a result cannot be sent', async () => {
  const { port1, port2 } = new MessageChannel();
  using _serving = serveToolCalls(port1, { respond: async () => ({ result: () => 'a function' }) });
  port2.postMessage({ id: 1, server: 's', tool: 'add' });
  await expect(once(port2, 'message')).resolves.toMatchObject([
    { id: 1, error: { code: 'MESSAGE_UNSERIALIZABLE', delivery: 'unknown' } },
  ]);
  port1.close();
});

it('ignores what is not a call', async () => {
  const { port1, port2 } = new MessageChannel();
  const requests: unknown[] = [];
  using _serving = serveToolCalls(port1, {
    respond: async (request) => {
      requests.push(request);
      return { result: 1 };
    },
  });
  for (const message of [undefined, 5, 'x', [], {}, { id: 'x' }, { id: 9, abort: true }])
    port2.postMessage(message);
  port2.postMessage({ id: 1, server: 's', tool: 'add' });
  await expect(once(port2, 'message')).resolves.toEqual([{ id: 1, result: 1 }]);
  expect(requests).toEqual([{ server: 's', tool: 'add' }]);
  port1.close();
});
