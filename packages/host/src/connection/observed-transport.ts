import type {
  JSONRPCMessage,
  Transport,
  TransportObserver,
  TransportSendOptions,
} from '@mcp-fittings/client-core';

const NO_OPTIONS: TransportSendOptions = {};

/**
 * Returns a transport that reports its messages to the observer: the same one if it can, or one in front of a transport that cannot,
 * such as one of an SDK.
 */
export function observed(transport: Transport, observer: TransportObserver): Transport {
  if (transport.observe !== undefined) {
    transport.observe(observer);
    return transport;
  }
  let handler: Transport['onmessage'];
  transport.onmessage = (message, extra) => {
    const passed = observer.receive(message);
    if (passed !== undefined) handler?.(passed, extra);
  };
  const pass = (message: JSONRPCMessage, options: TransportSendOptions): Promise<void> =>
    transport.send(message, options);
  const send = (message: JSONRPCMessage, options = NO_OPTIONS): Promise<void> =>
    observer.send(message, options, pass) ?? pass(message, options);
  return new Proxy(transport, {
    get(_, name) {
      if (name === 'onmessage') return handler;
      if (name === 'send') return send;
      const member: unknown = Reflect.get(transport, name);
      // Its private members are its own.
      return typeof member === 'function' ? member.bind(transport) : member;
    },
    set(_, name, value) {
      if (name !== 'onmessage') return Reflect.set(transport, name, value);
      handler = value;
      return true;
    },
  });
}
