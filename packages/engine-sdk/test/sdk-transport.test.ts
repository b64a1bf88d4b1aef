import { describe, expect, it } from 'vitest';
import type { JSONRPCMessage, Transport, TransportSendOptions } from '@mcp-fittings/client-core';
import { createSdkTransport, type MessageObserver } from '../src/sdk-transport.js';

const request = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, method: 'ping', params: { a: 1 } });
const result = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: {} });

/** A wire of which the test is both ends. */
class FakeWire implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly sent: unknown[] = [];
  failure: Error | undefined;

  async start(): Promise<void> {}
  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    this.sent.push([message, options?.headers]);
    if (this.failure !== undefined) throw this.failure;
  }
  async close(): Promise<void> {}
  async [Symbol.asyncDispose](): Promise<void> {}
}

class LocalWire extends FakeWire {
  readonly pid = 1;
  readonly stderr = null;
}

function wired(observer: MessageObserver = {}) {
  const wire = new FakeWire();
  const got: unknown[] = [];
  const transport = createSdkTransport(wire, [observer]);
  transport.onmessage = (message) => got.push(message);
  return { wire, transport, got };
}

describe('a transport as an SDK uses it', () => {
  it('passes on what an observer returns, drops a message for undefined, and observes each once', () => {
    const seen: unknown[] = [];
    const { wire, transport, got } = wired({
      received(message) {
        seen.push(message);
        return 'result' in message ? result(2) : undefined;
      },
    });
    const before = transport.onmessage;
    transport.onmessage = (message, extra) => before?.(message, extra);
    wire.onmessage?.(result(1));
    wire.onmessage?.(request(1));
    expect(got).toEqual([result(2)]);
    expect(seen).toEqual([result(1), request(1)]);
  });

  it('leaves the methods of the inner transport as they are', () => {
    const { wire, transport } = wired();
    transport.start = () => Promise.reject(new Error('replaced'));
    expect(Object.hasOwn(wire, 'start')).toBe(false);
  });

  it('sends the headers of a request until they are disposed of, and never the mark', async () => {
    const { wire, transport } = wired();
    const headers = { 'X-Tenant': 'a' };
    const attached = transport.attach(headers, { a: 1, _meta: { b: 2 } });
    const marked: JSONRPCMessage = { jsonrpc: '2.0', id: 1, method: 'ping', params: attached.params };
    await transport.send(marked);
    await transport.send(request(2));
    attached[Symbol.dispose]();
    expect(wire.sent).toEqual([
      [{ jsonrpc: '2.0', id: 1, method: 'ping', params: { a: 1, _meta: { b: 2 } } }, headers],
      [request(2), undefined],
    ]);
  });

  it('tells observers what could not be sent, and hides a cancellation that could not', async () => {
    const failed: unknown[] = [];
    const { wire, transport } = wired({ sendFailed: (message, error) => failed.push([message, error]) });
    wire.failure = new Error('gone');
    await expect(transport.send(request(1))).rejects.toBe(wire.failure);
    expect(failed).toEqual([[request(1), wire.failure]]);
    await transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  });

  it('is local if the inner transport is', () => {
    expect('pid' in createSdkTransport(new LocalWire(), [])).toBe(true);
    expect('pid' in createSdkTransport(new FakeWire(), [])).toBe(false);
  });
});
