import type {
  JSONRPCMessage,
  JSONRPCObject,
  JSONRPCRequest,
  RequestId,
  TransportSendOptions,
} from '@mcp-fittings/client-core';
import { BaseTransport } from '@mcp-fittings/toolbox/base-transport';
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

/** A server and the transport to it in one object. It needs no SDK, so a case can send what it wants. */
export class ScriptedServer extends BaseTransport {
  /** Every message of the engine, in order. */
  readonly received: JSONRPCMessage[] = [];
  /** Headers of the messages that have some, in order. */
  readonly headers: Readonly<Record<string, string>>[] = [];
  /** Revision that the engine has told the transport. */
  negotiated: string | undefined;
  readonly #answers: ReadonlyMap<string, Answer>;
  readonly #asked = new Map<RequestId, (response: JSONRPCMessage) => void>();
  #lastId = 0;

  constructor(answers: Readonly<Record<string, Answer>>) {
    super();
    const all: Readonly<Record<string, Answer>> = {
      initialize: () => ({
        protocolVersion: PROTOCOL_VERSION,
        capabilities: {
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { subscribe: true, listChanged: true },
          logging: {},
        },
        serverInfo: { name: 'scripted', version: '1.2.3' },
        instructions: 'Be brief.',
      }),
      'tools/list': () => ({ tools: [] }),
      'resources/list': () => ({ resources: [] }),
      'resources/templates/list': () => ({ resourceTemplates: [] }),
      ping: () => ({}),
      ...answers,
    };
    this.#answers = new Map(Object.entries(all));
  }

  protected override async open(): Promise<void> {
    // The server is in this object.
  }

  protected override write(message: JSONRPCMessage, { headers }: TransportSendOptions): undefined {
    // As on a wire: the engine keeps no part of what the server has received.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON of a message is a message
    const received = JSON.parse(this.encode(message)) as JSONRPCMessage;
    this.received.push(received);
    if (headers !== undefined) this.headers.push(headers);
    if (isRequest(received)) queueMicrotask(() => this.#answer(received));
    else if ('id' in received && received.id !== undefined) this.#asked.get(received.id)?.(received);
    return undefined;
  }

  protected override async shutDown(): Promise<void> {
    // The base class has ended the connection.
  }

  override describe(): { readonly transport: string } {
    return { transport: 'scripted' };
  }

  override setProtocolVersion(version: string): void {
    this.negotiated = version;
  }

  #answer({ id, method, params = {} }: JSONRPCRequest): void {
    try {
      const answer = this.#answers.get(method);
      if (answer === undefined) throw new RpcFailure(-32_601, `Method not found: ${method}`);
      const result = answer(params, id);
      if (result !== undefined) this.receive({ jsonrpc: '2.0', id, result });
    } catch (error) {
      const code = error instanceof RpcFailure ? error.code : -32_603;
      const message = error instanceof Error ? error.message : String(error);
      this.receive({ jsonrpc: '2.0', id, error: { code, message } });
    }
  }

  notify(method: string, params: JSONRPCObject = {}): void {
    this.receive({ jsonrpc: '2.0', method, params });
  }

  /** Sends a request to the engine; resolves with its response. */
  request(method: string, params: JSONRPCObject = {}): Promise<JSONRPCMessage> {
    const id = `server-${++this.#lastId}`;
    return new Promise((resolve) => {
      this.#asked.set(id, resolve);
      this.receive({ jsonrpc: '2.0', id, method, params });
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
    this.fail(this.error('PROCESS_EXITED', 'The server exited with code 3.', { delivery: 'unknown' }));
  }
}
