import type { Server, ServerEventBus } from '@modelcontextprotocol/server';
import type { Caller, Mount } from './caller.js';

/** One client of the gateway: the caller, and what it has connected to. */
export interface ClientConnection {
  /** Whose connection it is. */
  readonly caller: Caller;
  /** What the client reaches. */
  readonly mount: Mount;
  /** `legacy`: a session of a revision before 2026-07-28. `modern`: one exchange of 2026-07-28, or a pipe that speaks it. */
  readonly era: 'legacy' | 'modern';
}

/** Error of a request that does not reach a server. */
export interface Refused {
  readonly code: number;
  readonly message: string;
  readonly data: unknown;
}

/** The servers of the host as an MCP server, whatever the wire. */
export interface Surface {
  /**
   * Creates the SDK's server that answers one connection (a session, a pipe) or one exchange. Close it to withdraw its calls; it reports
   * `list_changed` and `resources/updated` of a session by itself.
   */
  createServer(connection: ClientConnection): Server;
  /**
   * Events of the lists and resources that this caller sees at this mount, for one `subscriptions/listen`.
   * @param resources - URIs that the client subscribes to; the servers are asked to report them while the bus has a listener.
   *   Default: none
   */
  events(caller: Caller, mount: Mount, resources?: readonly string[]): ServerEventBus;
  /** Returns the `inputSchema` of a tool by its name at the mount; `undefined` if the caller does not see it. */
  inputSchema(caller: Caller, mount: Mount, tool: string): unknown;
  /** Returns the error of a message that a rate limit is known to refuse. It needs no server of the SDK. */
  refusal(caller: Caller, mount: Mount, message: unknown): Refused | undefined;
  /** Withdraws every call that still waits for an answer of its caller. */
  close(): Promise<void>;
}
