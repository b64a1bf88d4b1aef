import { describe, expect, it } from 'vitest';
import type {
  JSONRPCMessage,
  Transport,
  TransportObserver,
  TransportSendOptions,
} from '@mcp-fittings/client-core';
import { createLinkedPair } from '@mcp-fittings/transport-inprocess';
import { observed } from '../src/connection/observed-transport.js';

const request = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, method: 'ping' });
const result = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: {} });

/** A wire of a stranger, of which the test is both ends. */
class FakeWire implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onerror?: NonNullable<Transport['onerror']>;
  onclose?: NonNullable<Transport['onclose']>;
  onreconnect?: NonNullable<Transport['onreconnect']>;
  readonly sessionId = 'session-1';
  readonly sendsHeaders = true;
  readonly hasPerRequestStream = true;
  readonly sent: unknown[] = [];
  readonly calls: unknown[] = [];

  async start(): Promise<void> {
    this.calls.push('start');
  }
  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    this.sent.push([message, options]);
  }
  async close(): Promise<void> {
    this.calls.push('close');
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
  setProtocolVersion(version: string): void {
    this.calls.push(version);
  }
  limitUnsolicited(share: number): void {
    this.calls.push(share);
  }
  describe() {
    return { transport: 'fake' };
  }
}

class LocalWire extends FakeWire {
  readonly pid = 1;
  readonly stderr = null;
}

/** Adds a header to what is sent, and drops requests of the peer. */
const observer: TransportObserver = {
  send: (message, options, next) => next(message, { ...options, headers: { 'x-seen': '1' } }),
  receive: (message) => ('method' in message ? undefined : message),
};

describe('a transport that cannot report its messages', () => {
  it('sends a message as it is if the observer returns undefined', async () => {
    const wire = new FakeWire();
    const transport = observed(wire, { ...observer, send: () => undefined });
    await transport.start();
    await transport.send(request(1), { headers: { 'x-own': '2' } });
    expect(wire.sent).toEqual([[request(1), { headers: { 'x-own': '2' } }]]);
  });

  it('is wrapped, and none of its methods is replaced', async () => {
    const wire = new FakeWire();
    const transport = observed(wire, observer);
    expect(transport).not.toBe(wire);
    const got: unknown[] = [];
    transport.onmessage = (message, extra) => got.push([message, extra]);
    await transport.start();
    await transport.send(request(1), { headers: { 'x-own': '2' } });
    wire.onmessage?.(request(2));
    wire.onmessage?.(result(1), 'extra');
    expect(wire.sent).toEqual([[request(1), { headers: { 'x-seen': '1' } }]]);
    expect(got).toEqual([[result(1), 'extra']]);
    expect(Object.keys(wire)).not.toEqual(expect.arrayContaining(['send', 'start', 'close']));
  });

  it('passes on everything else', async () => {
    const wire = new FakeWire();
    const transport = observed(wire, observer);
    const { sessionId, sendsHeaders, hasPerRequestStream } = transport;
    expect({ sessionId, sendsHeaders, hasPerRequestStream }).toEqual({
      sessionId: 'session-1',
      sendsHeaders: true,
      hasPerRequestStream: true,
    });
    expect(transport.describe?.()).toEqual({ transport: 'fake' });
    const told: unknown[] = [];
    transport.onerror = (error) => told.push(error.message);
    transport.onclose = () => told.push('closed');
    transport.onreconnect = () => told.push('reconnected');
    wire.onerror?.(new Error('odd'));
    wire.onclose?.();
    wire.onreconnect?.();
    expect(told).toEqual(['odd', 'closed', 'reconnected']);
    await transport.start();
    transport.setProtocolVersion?.('2025-11-25');
    transport.limitUnsolicited?.(0.5);
    await transport.close();
    expect(wire.calls).toEqual(['start', '2025-11-25', 0.5, 'close']);
  });

  it('is known as local if it is', () => {
    expect('pid' in observed(new LocalWire(), observer)).toBe(true);
    expect('pid' in observed(new FakeWire(), observer)).toBe(false);
  });
});

it('a transport on BaseTransport reports its messages itself', async () => {
  const [client, other] = createLinkedPair({ server: 'pair' });
  expect(observed(client, observer)).toBe(client);
  const got: unknown[] = [];
  client.onmessage = (message) => got.push(message);
  other.onmessage = (message) => {
    if (!('method' in message) || !('id' in message)) return;
    void other.send({ jsonrpc: '2.0', method: 'notifications/x' });
    void other.send({ jsonrpc: '2.0', id: message.id, result: {} });
  };
  await Promise.all([client.start(), other.start()]);
  await client.send(request(1));
  expect(got).toEqual([result(1)]);
  await client.close();
});
