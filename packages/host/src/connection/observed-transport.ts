import type {
  JSONRPCMessage,
  JSONRPCObject,
  Transport,
  TransportDescription,
  TransportError,
  TransportObserver,
  TransportSendOptions,
} from '@mcp-fittings/client-core';
import { isLocal } from '../engine/era.js';

const NO_OPTIONS: TransportSendOptions = {};

/** Returns a transport that reports its messages to the observer: the same one if it can, or one around it. */
export function observed(transport: Transport, observer: TransportObserver): Transport {
  if (transport.observe === undefined)
    return new (isLocal(transport) ? LocalObservedTransport : ObservedTransport)(transport, observer);
  transport.observe(observer);
  return transport;
}

/** Reports the messages of a transport that cannot do so, such as one of an SDK. */
class ObservedTransport implements Transport {
  onmessage?: (message: JSONRPCMessage, extra?: unknown) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  onsessionrestored?: (result: JSONRPCObject) => void;
  onreconnect?: () => void;
  declare readonly sessionId?: string;
  readonly #inner: Transport;
  readonly #observer: TransportObserver;
  readonly #send = (message: JSONRPCMessage, options: TransportSendOptions): Promise<void> =>
    this.#inner.send(message, options);

  constructor(inner: Transport, observer: TransportObserver) {
    this.#inner = inner;
    this.#observer = observer;
    Object.defineProperty(this, 'sessionId', { get: () => inner.sessionId });
    inner.onmessage = (message, extra) => {
      const passed = observer.receive(message);
      if (passed !== undefined) this.onmessage?.(passed, extra);
    };
    inner.onerror = (error) => this.onerror?.(error);
    inner.onclose = () => this.onclose?.();
    inner.onsessionrestored = (result) => this.onsessionrestored?.(result);
    inner.onreconnect = () => this.onreconnect?.();
  }

  get closeReason(): TransportError | undefined {
    return this.#inner.closeReason;
  }

  get hasPerRequestStream(): boolean {
    return this.#inner.hasPerRequestStream === true;
  }

  get sendsHeaders(): boolean {
    return this.#inner.sendsHeaders === true;
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  send(message: JSONRPCMessage, options: TransportSendOptions = NO_OPTIONS): Promise<void> {
    return this.#observer.send(message, options, this.#send) ?? this.#send(message, options);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  limitUnsolicited(share: number): void {
    this.#inner.limitUnsolicited?.(share);
  }

  describe(): TransportDescription {
    return this.#inner.describe?.() ?? {};
  }
}

/** Has the members by which a transport to a local program is recognized. */
class LocalObservedTransport extends ObservedTransport {
  readonly pid = undefined;
  readonly stderr = null;
}
