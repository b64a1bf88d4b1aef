import type { JSONRPCMessage } from '@mcp-fittings/client-core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WireTransport } from './support/wire-transport.js';

const note: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/x' };
const request = (id: string | number): JSONRPCMessage => ({ jsonrpc: '2.0', id, method: 'x' });
const answer = (id: unknown): unknown => ({ jsonrpc: '2.0', id, result: {} });

async function open(): Promise<{ transport: WireTransport; heard: JSONRPCMessage[] }> {
  const transport = new WireTransport({ server: 'wire' });
  const heard: JSONRPCMessage[] = [];
  transport.onmessage = (message) => void heard.push(message);
  await transport.start();
  return { transport, heard };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a response right after another message', () => {
  it('is delivered two promise jobs later, however long ago that message came', async () => {
    const { transport, heard } = await open();
    const sent = transport.send(request(1));
    transport.hear(note);
    await new Promise((resolve) => setImmediate(resolve));
    transport.hear(answer(1));
    expect(heard).toEqual([note]);
    await sent;
    expect(heard).toEqual([note, answer(1)]);
  });

  it('does not delay the response after it', async () => {
    const { transport, heard } = await open();
    const sent = Promise.all([transport.send(request(1)), transport.send(request(2))]);
    transport.hear(note);
    transport.hear(answer(1));
    transport.hear(answer(2));
    await sent;
    expect(heard).toEqual([note, answer(1), answer(2)]);
    const third = transport.send(request(3));
    transport.hear(answer(3));
    expect(heard).toHaveLength(4);
    await third;
  });

  it('costs the other messages nothing: only a response queues promise jobs', async () => {
    const { transport, heard } = await open();
    const queued = vi.spyOn(globalThis, 'queueMicrotask');
    for (let n = 0; n < 100; n++) transport.hear(n % 2 === 0 ? note : request(n));
    expect(heard).toHaveLength(100);
    expect(queued).not.toHaveBeenCalled();
    const sent = transport.send(request(1));
    transport.hear(answer(1));
    expect(queued).toHaveBeenCalledTimes(1);
    await sent;
  });
});

describe('requests in flight', () => {
  it.each([
    [1, [2, 3, 4]],
    [2, [1, 3, 4]],
  ])('fail in the order in which they were sent, also when request %i was answered', async (first, rest) => {
    const { transport } = await open();
    const failed: number[] = [];
    const begin = async (id: number): Promise<void> => {
      try {
        await transport.send(request(id));
      } catch {
        failed.push(id);
      }
    };
    const outcomes = [1, 2, 3].map(begin);
    transport.hear(answer(first));
    outcomes.push(begin(4));
    transport.break();
    await Promise.all(outcomes);
    expect(failed).toEqual(rest);
  });

  it('keep their ids, whichever was sent first', async () => {
    const { transport } = await open();
    const sent = [1, 2].map((id) => transport.send(request(id)));
    for (const id of [1, 2]) {
      await expect(transport.send(request(id))).rejects.toMatchObject({ code: 'REQUEST_ID_IN_USE' });
    }
    transport.hear(answer(2));
    sent.push(transport.send(request(2)));
    transport.hear(answer(1));
    sent.push(transport.send(request(1)));
    for (const id of [2, 1]) transport.hear(answer(id));
    await Promise.all(sent);
  });
});

it('reads each member of a message once, because a look at an object of SDK v1 is slow on Node.js 20', async () => {
  const { transport } = await open();
  const looks: PropertyKey[] = [];
  const watched = <T extends object>(message: T): T =>
    new Proxy(message, {
      get(target, key, self): unknown {
        looks.push(key);
        return Reflect.get(target, key, self);
      },
      has(target, key) {
        looks.push(key);
        return Reflect.has(target, key);
      },
    });
  const sent = transport.send(watched({ jsonrpc: '2.0', id: 1, method: 'x' }));
  expect(looks.map(String).toSorted()).toEqual(['id', 'method']);
  looks.length = 0;
  transport.hear(watched({ jsonrpc: '2.0', id: 1, method: 'x' }));
  expect(looks.map(String).toSorted()).toEqual(['error', 'id', 'jsonrpc', 'method', 'params', 'result']);
  transport.hear(answer(1));
  await sent;
});
