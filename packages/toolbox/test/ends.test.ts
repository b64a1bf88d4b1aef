import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type JSONRPCMessage, TransportError } from '@mcp-fittings/client-core';
import { WireTransport } from './support/wire-transport.js';

const request = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, method: 'ping' });
const note: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/x' };
const settle = (sent: Promise<void>): Promise<unknown> =>
  sent.then(
    () => 'sent',
    (error: unknown) => error,
  );

async function open(): Promise<{ transport: WireTransport; order: string[] }> {
  const transport = new WireTransport();
  const order: string[] = [];
  transport.onclose = () => order.push('onclose');
  await transport.start();
  return { transport, order };
}

describe('the order of events at the end', () => {
  it('close() calls onclose before it returns, and requests are rejected after it', async () => {
    const { transport, order } = await open();
    const sent = settle(transport.send(request(1))).then(() => order.push('request'));
    const closed = transport.close().then(() => order.push('closed'));
    expect(order).toEqual(['onclose']);
    await Promise.all([sent, closed]);
    expect(order).toEqual(['onclose', 'request', 'closed']);
  });

  it('the signal of the host closes like close(), but with a reason', async () => {
    const abort = new AbortController();
    const transport = new WireTransport({ signal: abort.signal });
    const order: string[] = [];
    transport.onclose = () => order.push('onclose');
    await transport.start();
    const sent = settle(transport.send(request(1))).then(() => order.push('request'));
    abort.abort('enough');
    expect(order).toEqual(['onclose']);
    await sent;
    expect(order).toEqual(['onclose', 'request']);
    expect(transport.shutDowns).toEqual([undefined]);
    expect(transport.closeReason).toMatchObject({ code: 'ABORTED', cause: 'enough' });
  });

  it('a handler that closes again, and one that throws, change nothing', async () => {
    const { transport, order } = await open();
    const errors: Error[] = [];
    transport.onerror = (error) => errors.push(error);
    transport.onclose = () => {
      order.push('onclose');
      void transport.close();
      throw new Error('thrown by the test');
    };
    await transport.close();
    await turn();
    expect(order).toEqual(['onclose']);
    expect(errors).toMatchObject([{ code: 'CALLBACK_FAILED' }]);
  });

  it('when the wire ends, a request fails with our reason first, and a close() because of it calls onclose at once', async () => {
    const { transport, order } = await open();
    const failed = settle(transport.send(request(1))).then((error) => {
      order.push(error instanceof TransportError ? error.message : 'not ours');
      void transport.close();
      order.push('closed');
    });
    transport.break();
    expect(order).toEqual([]);
    await failed;
    expect(order).toEqual(['The wire broke.', 'onclose', 'closed']);
    expect(transport.closeReason).toMatchObject({ message: 'The wire broke.' });
    await transport.close();
    await turn();
    expect(order).toEqual(['The wire broke.', 'onclose', 'closed']);
  });

  it('does not call onclose for a connection that was never open', async () => {
    const transport = new WireTransport();
    let closes = 0;
    transport.onclose = () => void closes++;
    transport.whenOpening = () => Promise.reject(new Error('no wire'));
    await expect(transport.start()).rejects.toMatchObject({ code: 'CONNECT_FAILED' });
    await transport.close();
    await turn();
    expect(closes).toBe(0);
  });
});

describe('a caller that retries without a pause', () => {
  /** Sends until the connection has ended; rejects after a time in which a starved one would hang. */
  async function storm(transport: WireTransport, message: () => JSONRPCMessage): Promise<number> {
    let sends = 0;
    let closed = false;
    transport.onclose = () => (closed = true);
    const stop = Date.now() + 3000;
    while (!closed) {
      await settle(transport.send(message()));
      sends++;
      if (Date.now() > stop) throw new Error(`starved after ${sends} sends`);
    }
    return sends;
  }
  let id = 100;
  const ways: readonly [string, () => JSONRPCMessage][] = [
    ['a request', () => request(++id)],
    ['a notification', () => note],
  ];

  it.each(ways)('cannot keep a wire from ending, with %s', async (_, message) => {
    const { transport } = await open();
    transport.whenShuttingDown = async () => {
      await turn();
      await turn();
    };
    transport.break();
    expect(await storm(transport, message)).toBeGreaterThan(0);
  });

  it.each(ways)(
    'cannot keep a wire that refuses to write from saying that it broke, with %s',
    async (_, message) => {
      const { transport } = await open();
      const lost = (): TransportError =>
        new TransportError('CONNECTION_LOST', 'reset', { delivery: 'not-sent' });
      for (const write of [
        () => Promise.reject(lost()),
        () => {
          throw lost();
        },
      ]) {
        transport.whenWriting = write;
        expect(await settle(transport.send(message()))).toMatchObject({
          message: 'reset',
          delivery: 'not-sent',
        });
      }
      setImmediate(() => transport.break());
      expect(await storm(transport, message)).toBeGreaterThan(0);
    },
  );

  it('cannot keep a start from finishing', async () => {
    const transport = new WireTransport();
    transport.whenOpening = () => turn();
    const started = transport.start();
    for (let sends = 0; (await settle(transport.send(note))) !== 'sent'; sends++) {
      if (sends > 100_000) throw new Error('starved');
    }
    await started;
    await transport.close();
  });

  it('rejects many sends of one turn in their order, each with its own reason', async () => {
    const { transport } = await open();
    await transport.close();
    const order: number[] = [];
    const all = Array.from({ length: 50 }, (_, index) =>
      settle(transport.send(request(index))).then((error) => {
        expect(error).toMatchObject({ code: 'TRANSPORT_CLOSED', delivery: 'not-sent' });
        order.push(index);
      }),
    );
    await Promise.all(all);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });
});

describe('a rejected start()', () => {
  const wire = (transport: WireTransport, name: string, log: string[]): void => {
    const { onmessage, onclose } = transport;
    transport.onmessage = (message) => {
      onmessage?.(message);
      log.push(`${name} message`);
    };
    transport.onerror = () => void log.push(`${name} error`);
    transport.onclose = () => {
      onclose?.();
      log.push(`${name} close`);
    };
  };

  it.each([
    ['while the first still opens', 'starting'],
    ['once it is open', 'open'],
    ['after messages', 'used'],
  ])('leaves the handlers of the first client in charge, %s', async (_, when) => {
    const transport = new WireTransport();
    const log: string[] = [];
    wire(transport, 'first', log);
    const started = transport.start();
    if (when !== 'starting') await started;
    if (when === 'used') transport.hear(note);
    wire(transport, 'second', log);
    await expect(transport.start()).rejects.toMatchObject({ code: 'TRANSPORT_ALREADY_STARTED' });
    await started;
    log.length = 0;
    transport.hear(note);
    await transport.close();
    expect(log).toEqual(['first message', 'first close']);
  });

  it('keeps handlers that the first client replaced before it sent a message', async () => {
    const { transport } = await open();
    const log: string[] = [];
    transport.onmessage = () => void log.push('exchanged');
    await transport.send(note);
    transport.onmessage = () => void log.push('second');
    await expect(transport.start()).rejects.toMatchObject({ code: 'TRANSPORT_ALREADY_STARTED' });
    transport.hear(note);
    expect(log).toEqual(['exchanged']);
    await transport.close();
  });
});

describe('an open() that is still running at the end', () => {
  it('gets a signal, and shutDown runs again for what it creates later', async () => {
    const transport = new WireTransport();
    let made = 0;
    let aborted = false;
    let dialled: () => void = () => undefined;
    transport.whenOpening = async (signal) => {
      signal.addEventListener('abort', () => (aborted = true));
      await new Promise<void>((resolve) => (dialled = resolve));
      made++;
    };
    transport.whenShuttingDown = async () => {
      if (made > 0) made--;
    };
    const started = settle(transport.start());
    const closed = transport.close();
    expect(aborted).toBe(true);
    await turn();
    dialled();
    await closed;
    expect(made).toBe(0);
    expect(await started).toMatchObject({ code: 'TRANSPORT_CLOSED' });
  });

  it('also frees what it created before it failed, and after a wire that broke by itself', async () => {
    const transport = new WireTransport();
    transport.whenOpening = async () => {
      transport.break('It broke early.');
      await turn();
      throw new Error('too late');
    };
    expect(await settle(transport.start())).toMatchObject({ message: 'It broke early.' });
    expect(transport.shutDowns).toHaveLength(2);
  });

  it('does not delay close() forever', async () => {
    const transport = new WireTransport();
    transport.whenOpening = () => new Promise(() => undefined);
    void settle(transport.start());
    await transport.close();
  });
});

describe('with a stopped clock', () => {
  afterEach(() => void vi.useRealTimers());

  it('starts, delivers, rejects and closes', async () => {
    vi.useFakeTimers();
    const { transport, order } = await open();
    const sent = settle(transport.send(request(1)));
    transport.hear({ jsonrpc: '2.0', id: 1, result: {} });
    expect(await sent).toBe('sent');
    transport.break();
    while (order.length === 0) expect(await settle(transport.send(note))).not.toBe('sent');
    await transport.close();
  });
});
