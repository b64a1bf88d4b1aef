import type { JSONRPCMessage } from '@mcp-fittings/client-core/transport';

/** Observes the messages between an engine and its transport. Its methods must not throw. */
export interface TransportObserver {
  /** Called when the transport is open. */
  started?(): void;
  /** Called before a message of the engine goes to the transport. */
  sending?(message: JSONRPCMessage): void;
  /** Called when the transport could not send the message, or when no response to this request can arrive any more. */
  sendFailed?(message: JSONRPCMessage, error: unknown): void;
  /** Called with each message of the server. Returns the message for the engine; `undefined` drops it. */
  received?(message: JSONRPCMessage): JSONRPCMessage | undefined;
  /** Called when the engine tells the transport the negotiated protocol revision. */
  negotiated?(version: string): void;
}
