import type {
  JSONRPCMessage,
  Transport,
  TransportObserver,
  TransportSendOptions,
} from '@mcp-fittings/client-core';
import { overlay } from '@mcp-fittings/toolbox/base-transport';

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
  const pass = (message: JSONRPCMessage, options: TransportSendOptions): Promise<void> =>
    transport.send(message, options);
  const own: Pick<Transport, 'send'> & { onmessage: Transport['onmessage'] | undefined } = {
    send: (message, options = NO_OPTIONS) => observer.send(message, options, pass) ?? pass(message, options),
    onmessage: undefined,
  };
  transport.onmessage = (message, extra) => {
    const passed = observer.receive(message);
    if (passed !== undefined) own.onmessage?.(passed, extra);
  };
  return overlay(transport, own);
}
