import { isNotification, type JSONRPCMessage, type Transport } from '@mcp-fittings/client-core/transport';
import type { TransportObserver } from '../contracts/transport-observer.js';

type Handler = NonNullable<Transport['onmessage']>;

/**
 * Lets observers see the messages between a transport and the engine that uses it, whichever handlers the engine sets and
 * however often. Call it once for each transport, before the transport is started.
 * @returns a function that adds an observer; it sees each message after those that were added before it
 * @example
 * const observe = observeTransport(transport);
 * observe({ sending: (message) => console.log('→', message) });
 * const session = await engine.connect(transport, { ...options, observe });
 */
export function observeTransport(transport: Transport): (observer: TransportObserver) => void {
  const observers: TransportObserver[] = [];
  observeSending(transport, observers);
  observeReceiving(transport, observers);

  const start = transport.start.bind(transport);
  transport.start = async () => {
    await start();
    for (const observer of observers) observer.started?.();
  };
  const told = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (version) => {
    for (const observer of observers) observer.negotiated?.(version);
    told?.(version);
  };
  return (observer) => void observers.push(observer);
}

function observeSending(transport: Transport, observers: readonly TransportObserver[]): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    let isWatched = false;
    for (const observer of observers) {
      observer.sending?.(message);
      isWatched ||= observer.sendFailed !== undefined;
    }
    const sent = send(message, options);
    if (isWatched) {
      sent.catch((error: unknown) => {
        for (const observer of observers) observer.sendFailed?.(message, error);
      });
    }
    // The request has been rejected already; that the cancellation could not be sent adds nothing.
    return isCancellation(message) ? sent.catch(() => undefined) : sent;
  };
}

function isCancellation(message: JSONRPCMessage): boolean {
  return isNotification(message) && message.method === 'notifications/cancelled';
}

function observeReceiving(transport: Transport, observers: readonly TransportObserver[]): void {
  const wrapped = new WeakSet<Handler>();
  let delivering: JSONRPCMessage | undefined;
  const wrap = (handler: Handler): Handler => {
    const deliver: Handler = (message, extra) => {
      // Both SDKs call the previous handler from their own, and each message is observed once.
      if (message === delivering) return handler(message, extra);
      const passed = receivedBy(observers, message);
      if (passed === undefined) return undefined;
      const outer = delivering;
      delivering = passed;
      try {
        handler(passed, extra);
      } finally {
        delivering = outer;
      }
    };
    wrapped.add(deliver);
    return deliver;
  };

  const inner = accessorOf(transport);
  let current = transport.onmessage;
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    enumerable: true,
    get: () => current,
    set(given: Handler | undefined) {
      current = given === undefined || wrapped.has(given) ? given : wrap(given);
      inner?.set?.call(transport, current);
    },
  });
}

function receivedBy(
  observers: readonly TransportObserver[],
  message: JSONRPCMessage,
): JSONRPCMessage | undefined {
  let passed: JSONRPCMessage | undefined = message;
  for (const observer of observers) {
    if (observer.received === undefined) continue;
    passed = observer.received(passed);
    if (passed === undefined) return undefined;
  }
  return passed;
}

/** Returns the accessor with which a transport takes its handler, if it has one, so that it still receives it. */
function accessorOf(transport: Transport): PropertyDescriptor | undefined {
  for (let owner: unknown = transport; typeof owner === 'object' && owner !== null;) {
    const found = Object.getOwnPropertyDescriptor(owner, 'onmessage');
    if (found !== undefined) return found;
    owner = Object.getPrototypeOf(owner);
  }
  return undefined;
}
