import { describe, expect, it } from 'vitest';
import type { JSONRPCMessage, Transport } from '@mcp-fittings/client-core/transport';
import { observeTransport } from '../src/connection/observe-transport.js';

type Handler = NonNullable<Transport['onmessage']>;

const request = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, method: 'ping' });
const result = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: {} });

/** A wire of which the test is both ends. */
class FakeWire implements Transport {
  onmessage?: Handler;
  readonly sent: JSONRPCMessage[] = [];
  failure: Error | undefined;
  version: string | undefined;

  async start(): Promise<void> {}
  async send(message: JSONRPCMessage): Promise<void> {
    this.sent.push(message);
    if (this.failure !== undefined) throw this.failure;
  }
  async close(): Promise<void> {}
  async [Symbol.asyncDispose](): Promise<void> {}
  setProtocolVersion(version: string): void {
    this.version = version;
  }
}

/** The same, with an accessor for its handler. */
class AccessorWire extends FakeWire {
  #handler: Handler | undefined;

  constructor() {
    super();
    delete this.onmessage;
    Object.defineProperty(Object.getPrototypeOf(this), 'onmessage', {
      configurable: true,
      get: () => this.#handler,
      set: (handler: Handler | undefined) => {
        this.#handler = handler;
      },
    });
  }

  hear(message: JSONRPCMessage): void {
    this.#handler?.(message);
  }
}

describe('observeTransport', () => {
  it('shows sent and received messages to observers, in the order in which they were added', async () => {
    const wire = new FakeWire();
    const seen: string[] = [];
    const observe = observeTransport(wire);
    for (const name of ['first', 'second']) {
      observe({
        started: () => seen.push(`${name} started`),
        negotiated: (version) => seen.push(`${name} ${version}`),
        sending: () => seen.push(`${name} sending`),
        received(message) {
          seen.push(`${name} received`);
          return message;
        },
      });
    }
    wire.onmessage = () => seen.push('engine');
    await wire.start();
    wire.setProtocolVersion('2025-11-25');
    await wire.send(request(1));
    wire.onmessage(result(1));
    expect(seen.join(', ')).toBe(
      'first started, second started, first 2025-11-25, second 2025-11-25, ' +
        'first sending, second sending, first received, second received, engine',
    );
    expect([wire.sent.length, wire.version]).toEqual([1, '2025-11-25']);
  });

  it('passes on what an observer returns, and drops the message for undefined', () => {
    const wire = new FakeWire();
    const got: unknown[] = [];
    const later: unknown[] = [];
    const observe = observeTransport(wire);
    observe({ received: (message) => ('result' in message ? result(2) : undefined) });
    observe({
      received(message) {
        later.push(message);
        return message;
      },
    });
    wire.onmessage = (message) => got.push(message);
    wire.onmessage(result(1));
    wire.onmessage(request(1));
    expect(got).toEqual([result(2)]);
    expect(later).toEqual([result(2)]);
  });

  it('observes a message once if an engine calls the previous handler', () => {
    const wire = new FakeWire();
    const got: string[] = [];
    let observed = 0;
    observeTransport(wire)({
      received(message) {
        observed++;
        return message;
      },
    });
    wire.onmessage = () => got.push('probe');
    const before: Handler = wire.onmessage;
    wire.onmessage = (message, extra) => {
      before(message, extra);
      got.push('engine');
    };
    wire.onmessage(result(1));
    expect([observed, got]).toEqual([1, ['probe', 'engine']]);
    // Put back, it is the handler again that it was.
    wire.onmessage = before;
    expect(wire.onmessage).toBe(before);
    wire.onmessage(result(2));
    expect([observed, got.length]).toEqual([2, 3]);
  });

  it('observes a message that arrives while another one is handled', () => {
    const wire = new FakeWire();
    const observed: unknown[] = [];
    observeTransport(wire)({
      received(message) {
        observed.push('id' in message && message.id);
        return message;
      },
    });
    wire.onmessage = (message) => {
      if ('id' in message && message.id === 1) wire.onmessage?.(result(2));
    };
    wire.onmessage(result(1));
    expect(observed).toEqual([1, 2]);
  });

  it('keeps the accessor of the handler of a transport', () => {
    const wire = new AccessorWire();
    const got: unknown[] = [];
    observeTransport(wire)({ received: (message) => ('result' in message ? message : undefined) });
    wire.onmessage = (message) => got.push(message);
    wire.hear(request(1));
    wire.hear(result(1));
    expect(got).toEqual([result(1)]);
  });

  it('tells observers about messages that could not be sent, and hides a cancellation that could not', async () => {
    const wire = new FakeWire();
    const failed: unknown[] = [];
    observeTransport(wire)({ sendFailed: (message, error) => failed.push([message, error]) });
    wire.failure = new Error('gone');
    await expect(wire.send(request(1))).rejects.toBe(wire.failure);
    expect(failed).toEqual([[request(1), wire.failure]]);
    await wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  });
});
