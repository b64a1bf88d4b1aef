import { getEventListeners } from 'node:events';
import { type FittingsError, TransportError } from '@mcp-fittings/client-core';
import type { TransportController } from '@mcp-fittings/toolbox/base-transport';
import { isRequest } from '@mcp-fittings/toolbox/messages';
import { describe, expect, it } from 'vitest';
import { WireTransport } from './support/wire-transport.js';

describe('what a transport does for its wire', () => {
  it('runs tasks at the end, once, before the wire is shut down, and at once after it', async () => {
    const transport = new WireTransport();
    const order: string[] = [];
    transport.whenShuttingDown = async () => void order.push('shutDown');
    const controller: TransportController = transport;
    await transport.start();
    controller.onEnd(() => order.push('kept'));
    controller.onEnd(() => order.push('taken back'))();
    expect(controller.ended).toBe(false);
    await transport.close();
    expect(controller.ended).toBe(true);
    expect(order).toEqual(['kept', 'shutDown']);
    controller.onEnd(() => order.push('late'));
    expect(order).toEqual(['kept', 'shutDown', 'late']);
  });

  it('reports what a function of the host throws or rejects with, and continues', async () => {
    await using transport = new WireTransport({ server: 'guarded' });
    const reported: Error[] = [];
    transport.onerror = (error) => reported.push(error);
    transport.guard(() => {
      throw new Error('thrown');
    });
    transport.guard(() => Promise.reject(new Error('rejected')), 'The listener');
    transport.guard(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    expect(reported).toMatchObject([
      { code: 'CALLBACK_FAILED', server: 'guarded', cause: { message: 'thrown' } },
      { code: 'CALLBACK_FAILED', server: 'guarded', message: 'The listener threw.' },
    ]);
  });

  it('names the server in what the wire reports and fails with', async () => {
    await using transport = new WireTransport({ server: 'named' });
    const reported: FittingsError[] = [];
    transport.onerror = (error) => {
      if (error instanceof TransportError) reported.push(error);
    };
    await transport.start();
    transport.report(new TransportError('MESSAGE_INVALID', 'bad'));
    const lost = transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    transport.failRequest(1, new TransportError('STREAM_LOST', 'lost'));
    await expect(lost).rejects.toMatchObject({ server: 'named' });
    transport.fail(new TransportError('CONNECTION_LOST', 'gone'));
    expect(reported).toMatchObject([{ server: 'named' }]);
    expect(transport.closeReason).toMatchObject({ server: 'named' });
  });

  it('an aborted request that was not sent yet fails as not-sent, and any other as unknown', async () => {
    await using transport = new WireTransport();
    transport.whenWriting = async (message) => {
      if (!isRequest(message)) return;
      transport.markUnsent(message.id);
      if (message.id === 2) transport.markSent(2);
    };
    await transport.start();
    const abort = new AbortController();
    const [unsent, sent] = [1, 2].map((id) =>
      transport.send({ jsonrpc: '2.0', id, method: 'ping' }, { requestSignal: abort.signal }),
    );
    abort.abort();
    await expect(unsent).rejects.toMatchObject({ code: 'ABORTED', delivery: 'not-sent' });
    await expect(sent).rejects.toMatchObject({ code: 'ABORTED', delivery: 'unknown' });
  });

  it('listens to a signal once for all of its requests, and not when they are done', async () => {
    await using transport = new WireTransport();
    await transport.start();
    const { signal } = new AbortController();
    const listeners = (): number => getEventListeners(signal, 'abort').length;
    const requests = [1, 2].map((id) =>
      transport.send({ jsonrpc: '2.0', id, method: 'ping' }, { requestSignal: signal }),
    );
    await expect.poll(() => transport.written).toHaveLength(2);
    expect(listeners()).toBe(1);
    for (const id of [1, 2]) transport.hear({ jsonrpc: '2.0', id, result: {} });
    await Promise.all(requests);
    expect(listeners()).toBe(0);
  });
});
