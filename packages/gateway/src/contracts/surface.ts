import type { JSONRPCObject, RequestId } from '@mcp-fittings/client-core';
import type { Caller, Mount } from './caller.js';

/** One client of the gateway: the caller, and what it has connected to. */
export interface ClientConnection {
  /** Whose connection it is. */
  readonly caller: Caller;
  /** Address that the client uses. */
  readonly mount: Mount;
  /** `legacy`: a session of a revision before 2026-07-28. `modern`: one request of 2026-07-28. */
  readonly era: 'legacy' | 'modern';
}

/** Sends a notification to a client. Does nothing if the client cannot be reached. */
export type Notify = (method: string, params: JSONRPCObject) => void;

/** Keeps the state of a client of a revision before 2026-07-28 between its requests. Dispose of it when the client has left. */
export interface ClientSession extends Disposable {
  /** Capabilities that the client has declared; undefined before its handshake. */
  readonly capabilities: JSONRPCObject | undefined;
  /** Tells the client what belongs to none of its requests. */
  readonly notify: Notify;
}

/** A request of a client, whatever the wire. */
export interface ClientRequest extends ClientConnection {
  readonly id: RequestId;
  readonly method: string;
  /** Parameters as the client sent them, with `_meta`. */
  readonly params: JSONRPCObject;
  /** The session that {@link Surface.openSession} has opened; undefined in the `modern` era. */
  readonly session?: ClientSession | undefined;
  /** True if another replica has answered it, and this one restores the session: it counts against no rate limit. */
  readonly isReplayed?: boolean | undefined;
  /** Identifies the client among all clients: questions of one client's calls may be asked in any of them. */
  readonly client: object;
  /** Aborted when the client cancels the request or is gone, or what it asks for is given up. */
  readonly controller: AbortController;
  /** Sends a notification that belongs to the request. */
  readonly notify: Notify;
  /** Asks the client within the request, until the signal is aborted. A client of 2026-07-28 is asked with the result. */
  readonly ask?: Ask | undefined;
}

/** Asks a client. Resolves with its result, not validated, and rejects with its error. */
export type Ask = (
  question: { readonly method: string; readonly params?: JSONRPCObject | undefined },
  options: { readonly signal: AbortSignal; readonly timeoutMs: number },
) => Promise<JSONRPCObject>;

/** The servers of the host as an MCP server, whatever the wire. */
export interface Surface {
  /** Answers a request. Rejects with an {@link RpcError} for the client. */
  answer(request: ClientRequest): Promise<JSONRPCObject>;
  /** Opens the session of a client that begins with `initialize`. It is told of changes by `notify`, which belong to no request. */
  openSession(connection: ClientConnection, notify: Notify): ClientSession;
  /**
   * Resolves with the `inputSchema` of a tool by its name at the mount; `undefined` if the caller does not see it. Waits as a list does for a
   * server that is not connected yet.
   */
  inputSchema(caller: Caller, mount: Mount, tool: string): Promise<unknown>;
  /** Withdraws every call that still waits for an answer of its caller. */
  close(): Promise<void>;
}
