// oxlint-disable unicorn/prefer-add-event-listener -- a transport has handler properties and is not an EventTarget
import { fileURLToPath } from 'node:url';
import type {
  JSONRPCMessage,
  JSONRPCObject,
  JSONRPCResponse,
  TransportError,
} from '@mcp-fittings/client-core';
import {
  createStdioTransport,
  type StdioTransport,
  type StdioTransportOptions,
} from '@mcp-fittings/transport-stdio';

const TOY = fileURLToPath(new URL('toy-server.mjs', import.meta.url));

/** A client that is nothing but the transport, and remembers all that it said. */
export interface ToyClient extends AsyncDisposable {
  readonly transport: StdioTransport;
  readonly messages: JSONRPCMessage[];
  readonly errors: Error[];
  /** `closeReason` at each `onclose`. */
  readonly closes: (TransportError | undefined)[];
  /** Settles with the first `onclose`. */
  readonly closed: Promise<TransportError | undefined>;
  /** The settled `send` and the answer. */
  ask(method: string, params?: JSONRPCObject): Promise<JSONRPCResponse>;
  /** The result of the answer. */
  result(method: string, params?: JSONRPCObject): Promise<JSONRPCObject>;
  notify(method: string, params?: JSONRPCObject): Promise<void>;
}

export type ToyOptions = Partial<StdioTransportOptions> & { readonly flags?: readonly string[] };

/** The options that start the toy server. */
export function toy({ flags = [], ...options }: ToyOptions = {}): StdioTransportOptions {
  return { command: process.execPath, args: [TOY, ...flags], server: 'toy', ...options };
}

export function toyClient(options: ToyOptions = {}): ToyClient {
  return clientOf(createStdioTransport(toy(options)));
}

export async function startToy(options: ToyOptions = {}): Promise<ToyClient> {
  const client = toyClient(options);
  await client.transport.start();
  return client;
}

export function clientOf(transport: StdioTransport): ToyClient {
  const messages: JSONRPCMessage[] = [];
  const errors: Error[] = [];
  const closes: (TransportError | undefined)[] = [];
  let lastId = 0;
  const closed = new Promise<TransportError | undefined>((resolve) => {
    transport.onclose = () => {
      closes.push(transport.closeReason);
      resolve(transport.closeReason);
    };
  });
  transport.onmessage = (message) => void messages.push(message);
  transport.onerror = (error) => void errors.push(error);

  const exchange = async (method: string, params: JSONRPCObject): Promise<JSONRPCResponse> => {
    const id = ++lastId;
    await transport.send({ jsonrpc: '2.0', id, method, params });
    const answer = messages.find((message) => !('method' in message) && message.id === id);
    if (answer === undefined || 'method' in answer)
      throw new Error(`${method} was settled without an answer`);
    return answer;
  };
  const ask = (method: string, params: JSONRPCObject = {}): Promise<JSONRPCResponse> => {
    const answer = exchange(method, params);
    // A test may look at the failure later than it comes.
    answer.catch(() => undefined);
    return answer;
  };

  return {
    transport,
    messages,
    errors,
    closes,
    closed,
    ask,
    async result(method, params) {
      const answer = await ask(method, params);
      if (!('result' in answer)) throw new Error(`${method}: ${JSON.stringify(answer)}`);
      return answer.result;
    },
    notify: (method, params = {}) => transport.send({ jsonrpc: '2.0', method, params }),
    [Symbol.asyncDispose]: () => transport.close(),
  };
}
