import type {
  JSONRPCMessage,
  JSONRPCObject,
  RequestId,
  Transport,
  TransportSendOptions,
} from '@mcp-fittings/client-core';
import { isResponse } from '@mcp-fittings/toolbox/messages';
import { REVISION } from './scripted-server.js';

/** A client that is nothing but a transport and a list of what it said. */
export interface Caller<T extends Transport = Transport> extends AsyncDisposable {
  readonly transport: T;
  readonly messages: JSONRPCMessage[];
  readonly errors: Error[];
  readonly closes: number;
  /** `initialize`, `setProtocolVersion`, `notifications/initialized`. */
  handshake(): Promise<JSONRPCObject>;
  /** The result; rejects with what `send` rejected with, or with the JSON-RPC error. */
  request(method: string, params?: JSONRPCObject, options?: CallOptions): Promise<JSONRPCObject>;
  notify(method: string, params?: JSONRPCObject): Promise<void>;
  /** Settles when a message or error came for which `find` gives something. */
  until<R>(find: () => R | undefined): Promise<R>;
  notifications(method: string): JSONRPCMessage[];
}

export interface CallOptions extends TransportSendOptions {
  readonly id?: RequestId;
}

export async function startCaller<T extends Transport>(transport: T): Promise<Caller<T>> {
  const messages: JSONRPCMessage[] = [];
  const errors: Error[] = [];
  const watchers = new Set<() => void>();
  let closes = 0;
  let lastId = 0;
  const happened = (): void => {
    for (const watcher of watchers) watcher();
  };
  transport.onmessage = (message) => {
    messages.push(message);
    happened();
  };
  transport.onerror = (error) => {
    errors.push(error);
    happened();
  };
  transport.onclose = () => {
    closes++;
    happened();
  };
  await transport.start();

  const caller: Caller<T> = {
    transport,
    messages,
    errors,
    get closes() {
      return closes;
    },
    async handshake() {
      const result = await caller.request('initialize', {
        protocolVersion: REVISION,
        capabilities: {},
        clientInfo: { name: 'caller', version: '1' },
      });
      transport.setProtocolVersion?.(String(result['protocolVersion']));
      await caller.notify('notifications/initialized');
      return result;
    },
    async request(method, params = {}, { id = ++lastId, ...options } = {}) {
      await transport.send({ jsonrpc: '2.0', id, method, params }, options);
      const response = messages.find((message) => isResponse(message) && message.id === id);
      if (response === undefined) throw new Error(`send() of ${method} settled without its answer`);
      if ('error' in response)
        throw Object.assign(new Error(response.error.message), { rpc: response.error });
      return 'result' in response ? response.result : {};
    },
    notify: (method, params = {}) => transport.send({ jsonrpc: '2.0', method, params }),
    until(find) {
      return new Promise((resolve) => {
        const watcher = (): void => {
          const found = find();
          if (found === undefined) return;
          watchers.delete(watcher);
          resolve(found);
        };
        watchers.add(watcher);
        watcher();
      });
    },
    notifications: (method) => messages.filter((message) => 'method' in message && message.method === method),
    [Symbol.asyncDispose]: () => transport.close(),
  };
  return caller;
}

/** Starts a transport and performs the handshake. */
export async function connect<T extends Transport>(transport: T): Promise<Caller<T>> {
  const caller = await startCaller(transport);
  await caller.handshake();
  return caller;
}
