import type { JSONRPCMessage } from '@mcp-fittings/client-core/transport';

/**
 * How a host reaches another runtime (an IDE, a worker, a parent process) in which servers live: messages, each with
 * the name of the server that it is for or from. The host supplies it; how the messages travel is its own affair, as
 * long as they arrive in order.
 */
export interface ControlChannel {
  /** Passes a message on. A rejection fails the one request or notification that it carries. */
  send(server: string, message: JSONRPCMessage): void | Promise<void>;
  /** Starts to pass on what arrives; returns what ends that. */
  subscribe(listener: ControlChannelListener): () => void;
  /** This side has ended its connection to or from `server`. A channel that can should tell the other runtime. */
  closed?(server: string): void;
}

/** Takes whatever arrives: names and messages of any shape are checked, and dropped when they fit nothing. */
export interface ControlChannelListener {
  message(server: unknown, message: unknown): void;
  /** The other side ended its connection of that name, or all of them when there is no name: the channel is gone. */
  closed(server?: unknown): void;
}
