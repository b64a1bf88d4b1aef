import type { JSONRPCMessage } from '@mcp-fittings/client-core';

/**
 * A way to pass messages to another runtime that holds MCP servers, such as an IDE, a worker or a parent process. Each
 * message goes with the name of the server that it is for or from. The host implements this interface on whatever it has;
 * the only requirement is that messages arrive in the order in which they were sent. The program names the servers behind it; a server
 * that appeared by itself would reach a model without an entry, an approval or a permission.
 */
export interface ControlChannel {
  /** Sends a message. Throw or reject to fail the one request or notification that it carries. */
  send(server: string, message: JSONRPCMessage): void | Promise<void>;
  /**
   * Starts to pass what arrives to `listener`. Returns a function that stops it. Pass on everything: names and messages are checked
   * by the listener, and dropped if they are not valid.
   */
  subscribe(listener: {
    /** Call it with each message, and the name of the server that it is for or from. */
    message(server: unknown, message: unknown): void;
    /** Call it when the other side has closed its connection of that name; without a name, when the channel itself is gone. */
    closed(server?: unknown): void;
  }): () => void;
  /**
   * Called when this side has closed its connection to or from `server`. Pass it on if you can, so that the other side
   * calls `closed` of its listener. Without it, the other runtime keeps the server until it is asked anew.
   */
  closed?(server: string): void;
}
