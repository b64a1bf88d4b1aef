import { FittingsError, type JSONRPCMessage } from '@mcp-fittings/client-core';
import { describe, expect, it } from 'vitest';
import { WireTransport } from './support/wire-transport.js';

const note: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/x' };
const request = (id: string | number): JSONRPCMessage => ({ jsonrpc: '2.0', id, method: 'x' });
const answer = (id: unknown, n = 0): unknown => ({ jsonrpc: '2.0', id, result: { n } });
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

interface Open {
  readonly transport: WireTransport;
  readonly heard: JSONRPCMessage[];
  readonly errors: Error[];
  readonly closes: number[];
}

async function open(): Promise<Open> {
  const transport = new WireTransport({ server: 'wire' });
  const heard: JSONRPCMessage[] = [];
  const errors: Error[] = [];
  const closes: number[] = [];
  transport.onmessage = (message) => void heard.push(message);
  transport.onerror = (error) => void errors.push(error);
  transport.onclose = () => void closes.push(heard.length);
  await transport.start();
  return { transport, heard, errors, closes };
}

describe('answers', () => {
  it('delivers a response once, also when its duplicate came in the same chunk after a notification', async () => {
    const { transport, heard, errors } = await open();
    const sent = transport.send(request(5));
    for (const value of [note, answer(5, 1), answer(5, 2)]) transport.hear(value);
    await sent;
    await turn();
    expect(heard).toEqual([note, answer(5, 1)]);
    expect(errors).toMatchObject([{ code: 'RESPONSE_UNEXPECTED' }]);
  });

  it('resolves a request whose response is delayed when the wire ends right after it', async () => {
    const { transport, heard } = await open();
    const sent = transport.send(request(5));
    transport.hear(note);
    transport.hear(answer(5));
    transport.break();
    await sent;
    expect(heard).toEqual([note, answer(5)]);
  });

  it('does not let the wire fail a request whose response has arrived', async () => {
    const { transport } = await open();
    const sent = transport.send(request(5));
    transport.hear(note);
    transport.hear(answer(5));
    expect(transport.giveUp(5)).toBe(false);
    await sent;
  });

  it('drops a delayed response whose request was canceled', async () => {
    const { transport, heard } = await open();
    const sent = transport.send(request(5));
    transport.hear(note);
    transport.hear(answer(5));
    const cancel: JSONRPCMessage = {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 5 },
    };
    await transport.send(cancel);
    await sent;
    await turn();
    expect(heard).toEqual([note]);
  });

  it('distinguishes ids by type, and ignores invalid ids', async () => {
    const { transport, heard } = await open();
    const sent = Promise.all([transport.send(request(1)), transport.send(request('1'))]);
    for (const id of [
      '01',
      1.5,
      -1,
      null,
      true,
      {},
      [1],
      undefined,
      Number.POSITIVE_INFINITY,
      Number.NaN,
      '',
    ]) {
      transport.hear(answer(id));
    }
    await turn();
    expect(heard).toEqual([]);
    transport.hear(answer('1', 2));
    transport.hear(answer(1, 1));
    await sent;
    expect(heard).toEqual([answer('1', 2), answer(1, 1)]);
  });

  it.each([
    ['a result and an error', { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: 'x' } }],
    ['a wrong version', { jsonrpc: '1.0', id: 1, result: {} }],
    ['no version', { id: 1, result: {} }],
    ['a result that is not an object', { jsonrpc: '2.0', id: 1, result: [] }],
    ['null for a result', { jsonrpc: '2.0', id: 1, result: null }],
    ['neither result nor error', { jsonrpc: '2.0', id: 1 }],
  ])('%s fails that request and no other', async (_what, broken) => {
    const { transport, heard } = await open();
    const [first, second] = [transport.send(request(1)), transport.send(request(2))];
    transport.hear(broken);
    await expect(first).rejects.toMatchObject({
      code: 'PROTOCOL_VIOLATION',
      delivery: 'unknown',
      server: 'wire',
    });
    transport.hear(answer(2));
    await second;
    expect(heard).toEqual([answer(2)]);
  });
});

describe('handlers', () => {
  it('a handler that rejects later is reported like one that throws', async () => {
    const { transport, errors } = await open();
    const cause = new Error('later');
    // oxlint-disable-next-line typescript/no-misused-promises -- what careless hosts do
    transport.onmessage = async () => {
      await Promise.resolve();
      throw cause;
    };
    transport.hear(note);
    await turn();
    expect(errors).toMatchObject([{ code: 'CALLBACK_FAILED', cause }]);
  });

  it('so are onclose and onerror, and no rejection is unhandled', async () => {
    const { transport } = await open();
    const reject: () => unknown = () => Promise.reject(new Error('later'));
    transport.onerror = reject;
    transport.onclose = reject;
    transport.hear('no message');
    await transport.close();
    await turn();
  });

  it('delivers one message at a time, also when a handler makes the wire deliver another', async () => {
    const { transport } = await open();
    const order: string[] = [];
    transport.onmessage = (message) => {
      const name = 'method' in message ? message.method : 'answer';
      order.push(`> ${name}`);
      if (name === 'one') {
        for (const method of ['two', 'three']) transport.hear({ jsonrpc: '2.0', method });
      }
      if (name === 'two') transport.hear({ jsonrpc: '2.0', method: 'four' });
      order.push(`< ${name}`);
    };
    transport.hear({ jsonrpc: '2.0', method: 'one' });
    expect(order).toEqual(['one', 'two', 'three', 'four'].flatMap((name) => [`> ${name}`, `< ${name}`]));
  });

  it('may close, fail or restart from within a handler without a second onclose', async () => {
    const { transport, closes } = await open();
    transport.onmessage = () => {
      transport.break();
      void transport.close();
      transport.break();
    };
    transport.hear(note);
    await transport.close();
    expect(closes).toHaveLength(1);
    expect(transport.closeReason).toMatchObject({ code: 'CONNECTION_LOST' });
    expect(transport.shutDowns).toHaveLength(1);
  });
});

describe('errors of the wire', () => {
  it('a write that throws at once fails its own request and leaves no id behind', async () => {
    const { transport } = await open();
    const cause = new Error('sync');
    transport.whenWriting = () => {
      throw cause;
    };
    const failed = { code: 'CONNECTION_LOST', delivery: 'unknown', cause };
    await expect(transport.send(request(1))).rejects.toMatchObject(failed);
    await expect(transport.send(note)).rejects.toMatchObject(failed);
    transport.whenWriting = () => Promise.resolve();
    const again = transport.send(request(1));
    transport.hear(answer(1));
    await again;
  });

  it('a write that rejects with a foreign error gives a TransportError, for notifications too', async () => {
    const { transport } = await open();
    const cause = Object.assign(new Error('write EPIPE \u001b[31m'), { code: 'EPIPE' });
    transport.whenWriting = () => Promise.reject(cause);
    for (const message of [request(1), note]) {
      const error: unknown = await transport.send(message).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ name: 'TransportError', code: 'CONNECTION_LOST', cause });
      expect(error).toMatchObject({ delivery: 'unknown', message: 'write EPIPE ', server: 'wire' });
    }
  });

  it('a message that is not an object is rejected before it reaches the wire', async () => {
    const { transport } = await open();
    for (const value of [undefined, null, 'x', 7]) {
      const sent = transport.send(value as unknown as JSONRPCMessage);
      await expect(sent).rejects.toMatchObject({ code: 'MESSAGE_INVALID', delivery: 'not-sent' });
    }
    expect(transport.written).toEqual([]);
  });

  it('a shutDown that rejects is reported and ends the connection all the same', async () => {
    const { transport, errors, closes } = await open();
    transport.whenShuttingDown = () => Promise.reject(new Error('stuck'));
    await transport.close();
    expect(closes).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(FittingsError);
  });

  it('close() during start() ends with TRANSPORT_CLOSED, without onclose; what was opened later is freed', async () => {
    const transport = new WireTransport();
    let closes = 0;
    transport.onclose = () => void closes++;
    let opened: () => void = () => undefined;
    transport.whenOpening = () => new Promise((resolve) => (opened = resolve));
    const started = expect(transport.start()).rejects.toMatchObject({ code: 'TRANSPORT_CLOSED' });
    const closed = transport.close();
    opened();
    await Promise.all([started, closed]);
    expect([closes, transport.closeReason, transport.shutDowns]).toEqual([
      0,
      undefined,
      [undefined, undefined],
    ]);
  });

  it('a wire that breaks during start() fails it with its reason', async () => {
    const transport = new WireTransport();
    transport.whenOpening = async () => transport.break('It broke early.');
    await expect(transport.start()).rejects.toMatchObject({ message: 'It broke early.' });
    await expect(transport.send(note)).rejects.toMatchObject({ delivery: 'not-sent' });
  });
});

describe('floods', () => {
  it('reports the first, tenth, hundredth … of a kind, and counts all', async () => {
    const { transport, errors } = await open();
    for (let index = 0; index < 12_345; index++) transport.hear('no message');
    expect(errors.map((error) => (error as FittingsError).details['times'])).toEqual([
      1, 10, 100, 1000, 10_000,
    ]);
    expect(transport.ignoredByKind).toEqual({ MESSAGE_INVALID: 12_345 });
  });

  it('delivers 200 000 alternating notifications and responses, in order and in linear time', async () => {
    const { transport, heard } = await open();
    const count = 100_000;
    const sends = Array.from({ length: count }, (_, id) => transport.send(request(id)));
    for (let id = 0; id < count; id++) {
      transport.hear(note);
      transport.hear(answer(id));
    }
    await Promise.all(sends);
    expect(heard.length).toBe(2 * count);
    const ids = heard.flatMap((message) => ('id' in message ? [message.id] : []));
    expect(ids.every((id, index) => id === index)).toBe(true);
  });

  it('limits what it quotes of a hostile id', async () => {
    const { transport, errors } = await open();
    transport.hear(answer(`\u001b]8;;http://evil\u0007${'x'.repeat(1_000_000)}`));
    expect(errors[0]?.message.length).toBeLessThan(200);
    expect(errors[0]?.message).toMatch(/^[\x20-\x7e…]*$/);
  });
});
