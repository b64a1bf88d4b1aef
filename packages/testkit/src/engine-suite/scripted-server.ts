import {
  type JSONRPCMessage,
  type JSONRPCObject,
  type JSONRPCRequest,
  type RequestId,
  type Transport,
  TransportError,
  type TransportSendOptions,
} from '@mcp-fittings/client-core';
import { isRequest } from '@mcp-fittings/toolbox/messages';

/** Handles one request of the engine: returns its result, throws an {@link RpcFailure}, or returns `undefined` to stay silent. */
export type Answer = (params: JSONRPCObject, id: RequestId) => JSONRPCObject | undefined;

/** Makes the server respond with an error. */
export class RpcFailure extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Revision that the server agrees to. */
export const PROTOCOL_VERSION = '2025-11-25';

/**
 * A server and the transport to it in one object, which keeps the contract of `Transport`. It needs no SDK, so a case can send
 * what it wants.
 */
export class ScriptedServer implements Transport {
  onmessage?: (message: JSONRPCMessage, extra?: unknown) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  closeReason: TransportError | undefined;
  /** Every message of the engine, in order. */
  readonly received: JSONRPCMessage[] = [];
  /** Headers of the messages that have some, in order. */
  readonly headers: Readonly<Record<string, string>>[] = [];
  /** Revision that the engine has told the transport. */
  negotiated: string | undefined;
  isStarted = false;
  isClosed = false;
  readonly #answers = new Map<string, Answer>();
  readonly #open = new Map<RequestId, { resolve: () => void; reject: (error: unknown) => void }>();
  readonly #asked = new Map<RequestId, (response: JSONRPCMessage) => void>();
  #lastId = 0;

  constructor(answers: Readonly<Record<string, Answer>>) {
    const all: Readonly<Record<string, Answer>> = {
      initialize: () => ({
        protocolVersion: PROTOCOL_VERSION,
        capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} },
        serverInfo: { name: 'scripted', version: '1.2.3' },
        instructions: 'Be brief.',
      }),
      'tools/list': () => ({ tools: [] }),
      'resources/list': () => ({ resources: [] }),
      'resources/templates/list': () => ({ resourceTemplates: [] }),
      ping: () => ({}),
      ...answers,
    };
    for (const [method, answer] of Object.entries(all)) this.#answers.set(method, answer);
  }

  async start(): Promise<void> {
    if (this.isStarted) {
      throw new TransportError('TRANSPORT_ALREADY_STARTED', 'The transport was already started.');
    }
    this.isStarted = true;
  }

  async send(message: JSONRPCMessage, { headers }: TransportSendOptions = {}): Promise<void> {
    if (this.isClosed || !this.isStarted) {
      throw new TransportError('TRANSPORT_CLOSED', 'The transport is not open.', { delivery: 'not-sent' });
    }
    // As on a wire: the engine keeps no part of what the server has received.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion, unicorn/prefer-structured-clone -- JSON of a message is a message; a wire drops members that are undefined
    const received = JSON.parse(JSON.stringify(message)) as JSONRPCMessage;
    this.received.push(received);
    if (headers !== undefined) this.headers.push(headers);
    if (!isRequest(received)) {
      if ('id' in received && received.id !== undefined) this.#asked.get(received.id)?.(received);
      return;
    }
    const answered = new Promise<void>((resolve, reject) => {
      this.#open.set(received.id, { resolve, reject });
    });
    queueMicrotask(() => this.#answer(received));
    await answered;
  }

  #answer({ id, method, params = {} }: JSONRPCRequest): void {
    try {
      const answer = this.#answers.get(method);
      if (answer === undefined) throw new RpcFailure(-32_601, `Method not found: ${method}`);
      const result = answer(params, id);
      if (result !== undefined) this.deliver({ jsonrpc: '2.0', id, result });
    } catch (error) {
      const code = error instanceof RpcFailure ? error.code : -32_603;
      const message = error instanceof Error ? error.message : String(error);
      this.deliver({ jsonrpc: '2.0', id, error: { code, message } });
    }
  }

  /** Delivers a message to the engine. */
  deliver(message: JSONRPCMessage): void {
    if (this.isClosed) return;
    this.onmessage?.(message);
    if (!('method' in message) && message.id !== undefined) {
      this.#open.get(message.id)?.resolve();
      this.#open.delete(message.id);
    }
  }

  notify(method: string, params: JSONRPCObject = {}): void {
    this.deliver({ jsonrpc: '2.0', method, params });
  }

  /** Sends a request to the engine; resolves with its response. */
  request(method: string, params: JSONRPCObject = {}): Promise<JSONRPCMessage> {
    const id = `server-${++this.#lastId}`;
    return new Promise((resolve) => {
      this.#asked.set(id, resolve);
      this.deliver({ jsonrpc: '2.0', id, method, params });
    });
  }

  /** Messages of the engine with this method. */
  sent(method: string): readonly JSONRPCObject[] {
    return this.received.flatMap((message) =>
      'method' in message && message.method === method ? [message.params ?? {}] : [],
    );
  }

  /** Ends the connection as a server that exits does. */
  die(): void {
    const reason = new TransportError('PROCESS_EXITED', 'The server exited with code 3.', {
      delivery: 'unknown',
    });
    this.closeReason = reason;
    this.isClosed = true;
    this.#rejectOpen(reason);
    this.onclose?.();
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    if (this.isStarted) this.onclose?.();
    this.#rejectOpen(
      new TransportError('TRANSPORT_CLOSED', 'The transport was closed.', { delivery: 'unknown' }),
    );
  }

  #rejectOpen(error: TransportError): void {
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
  }

  setProtocolVersion(version: string): void {
    this.negotiated = version;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
