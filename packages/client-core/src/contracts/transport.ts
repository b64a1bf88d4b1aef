import type { TransportError } from '../errors/fittings-error.js';
import type { JSONRPCMessage, JSONRPCObject, RequestId } from './json-rpc.js';

/**
 * Options of one {@link Transport.send}. A transport ignores what has no meaning on its wire.
 */
export interface TransportSendOptions {
  /** The request that this message belongs to, so that it can travel on that request's stream. */
  readonly relatedRequestId?: RequestId | undefined;
  /** Resume the stream that ended after this event id instead of sending anew. HTTP, revisions before 2026-07-28. */
  readonly resumptionToken?: string | undefined;
  /** Told each event id, so that the caller can resume later. HTTP, revisions before 2026-07-28. */
  readonly onresumptiontoken?: ((token: string) => void) | undefined;
  /** Aborting it gives up this one request: an HTTP transport closes its stream, others forget the answer. */
  readonly requestSignal?: AbortSignal | undefined;
  /** Told when the stream of this request ended without anybody here having asked for it. */
  readonly onRequestStreamEnd?: (() => void) | undefined;
  /** Extra headers for this message; a transport refuses those that it owns (authorization, mcp-*, …). */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Facts about a transport for error messages and diagnosis; never a secret. */
export interface TransportDescription {
  readonly [fact: string]: string | number | boolean | undefined;
}

/**
 * One connection to one MCP peer: carries JSON-RPC messages, knows nothing of what they mean.
 *
 * It is accepted as is by `Client.connect()` of `@modelcontextprotocol/sdk` and of
 * `@modelcontextprotocol/client`. A transport is used once: after `close()` make a new one.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
 */
export interface Transport extends AsyncDisposable {
  /**
   * Opens the connection; call it once, after the handlers are set. It must be assignable on the instance,
   * because SDK v2 replaces it after having called it itself.
   * Rejects with a `TransportError` that says why there is no connection.
   */
  start(): Promise<void>;

  /**
   * Sends one message. For a notification or a response it settles when the wire took it (back-pressure: await it).
   * For a request it settles when its answer was delivered to {@link onmessage}, and rejects with a
   * `TransportError` as soon as no answer can come any more; its `delivery` says what the peer may have seen.
   * Both SDKs turn that rejection into the failure of the request at once.
   */
  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void>;

  /** Ends the connection and frees everything it holds. Safe to call again; resolves when all is gone. */
  close(): Promise<void>;

  /** Called for each message, one at a time, in the order of the wire. */
  onmessage?: (message: JSONRPCMessage, extra?: unknown) => void;
  /** Called for what went wrong outside of a `send`; not necessarily fatal. */
  onerror?: (error: Error) => void;
  /**
   * Called exactly once, when a started connection has ended, whoever ended it: within our own {@link close}, before open
   * requests are rejected, and otherwise after they were rejected with {@link closeReason}. Not called
   * where {@link start} rejected.
   */
  onclose?: () => void;
  /**
   * Called when the peer had forgotten the session and a new one was made. It gets the new answer to `initialize`;
   * what the peer kept for the old session (subscriptions, log level) has to be asked for again.
   */
  onsessionrestored?: (result: JSONRPCObject) => void;
  /**
   * Called when the stream on which the peer sends by itself, or the session, is back after a gap: what the peer
   * announced meanwhile is lost, so lists and subscribed resources have to be read again.
   */
  onreconnect?: () => void;

  /** Why the connection ended, when it did not end by our `close()`. Set before {@link onclose} runs. */
  readonly closeReason?: TransportError | undefined;
  // Without `| undefined`: SDK v2 would refuse it under exactOptionalPropertyTypes.
  /** The session that the server gave, unset until then. Streamable HTTP before 2026-07-28 only. */
  readonly sessionId?: string;
  /** True where every request has a stream of its own, so that aborting `requestSignal` cancels it on the server. */
  readonly hasPerRequestStream?: boolean;
  /** Told the negotiated protocol revision, e.g. `2025-11-25`. */
  setProtocolVersion?(version: string): void;
  /**
   * For a host of many servers: from now on what the peer sends unasked (notifications, requests, noise, not answers)
   * takes at most this part of the time of the program, from 0.01 to 1, apart from a short burst. The wire is not read
   * meanwhile. Without it a transport is limited in one turn of the event loop only.
   */
  limitUnasked?(share: number): void;
  /** What is known about the connection (command, pid, url, stderr tail …) for whoever explains a failure. */
  describe?(): TransportDescription;
}
