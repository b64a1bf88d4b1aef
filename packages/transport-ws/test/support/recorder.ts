import type { JSONRPCMessage, JSONRPCObject, Transport, TransportError } from '@mcp-fittings/client-core';

/** A transport and all that it said. */
export interface Recorder {
  readonly transport: Transport;
  readonly messages: JSONRPCMessage[];
  readonly errors: Error[];
  /** `closeReason` at each `onclose`. */
  readonly closes: (TransportError | undefined)[];
  /** Resolves when `onclose` was called. */
  readonly closed: Promise<void>;
  /** Resolves with the next message that `onmessage` gets. */
  next(): Promise<JSONRPCMessage>;
  nextError(): Promise<Error>;
  request(id: number | string, method?: string, params?: JSONRPCObject): Promise<void>;
  notify(method: string, params?: JSONRPCObject): Promise<void>;
}

export function record(transport: Transport): Recorder {
  const messageWaiters: ((message: JSONRPCMessage) => void)[] = [];
  const errorWaiters: ((error: Error) => void)[] = [];
  let onClosed: () => void = () => undefined;
  const recorder: Recorder = {
    transport,
    messages: [],
    errors: [],
    closes: [],
    closed: new Promise((resolve) => (onClosed = resolve)),
    next: () => new Promise((resolve) => messageWaiters.push(resolve)),
    nextError: () => new Promise((resolve) => errorWaiters.push(resolve)),
    request: (id, method = 'ping', params = {}) => transport.send({ jsonrpc: '2.0', id, method, params }),
    notify: (method, params = {}) => transport.send({ jsonrpc: '2.0', method, params }),
  };
  transport.onmessage = (message) => {
    recorder.messages.push(message);
    messageWaiters.shift()?.(message);
  };
  transport.onerror = (error) => {
    recorder.errors.push(error);
    errorWaiters.shift()?.(error);
  };
  transport.onclose = () => {
    recorder.closes.push(transport.closeReason);
    onClosed();
  };
  return recorder;
}
