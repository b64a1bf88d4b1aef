import type { TransportError } from '../errors/fittings-error.js';
import type { JSONRPCMessage, JSONRPCObject, RequestId } from './json-rpc.js';

/**
 * Options of one {@link Transport.send}. A transport ignores what has no meaning on its wire.
 */
export interface TransportSendOptions {
  /** Id of the request that this message belongs to, so that it can use the stream of that request. */
  readonly relatedRequestId?: RequestId | undefined;
  /** Resume the stream that ended after this event id instead of sending anew. HTTP, revisions before 2026-07-28. */
  readonly resumptionToken?: string | undefined;
  /** Called with each event id, so that the caller can resume later. HTTP, revisions before 2026-07-28. */
  readonly onresumptiontoken?: ((token: string) => void) | undefined;
  /** Gives up this one request when it is aborted: an HTTP transport closes its stream, others ignore the response. */
  readonly requestSignal?: AbortSignal | undefined;
  /** Called when the stream of this request has ended without `requestSignal` being aborted. */
  readonly onRequestStreamEnd?: (() => void) | undefined;
  /** Extra HTTP headers for this message. A transport rejects those that it sets itself (authorization, mcp-*, …). */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Sees every message of a transport, and may change it. Its methods must not throw. */
export interface TransportObserver {
  /**
   * Called with each message that is to be sent. Returns undefined to have it sent as it is. Otherwise sends it with `next`, with
   * additions if it wants, and returns a promise that settles as that of `next` does.
   */
  send(
    message: JSONRPCMessage,
    options: TransportSendOptions,
    next: (message: JSONRPCMessage, options: TransportSendOptions) => Promise<void>,
  ): Promise<void> | undefined;
  /** Called with each message of the peer. Returns the message for {@link Transport.onmessage}; `undefined` drops it. */
  receive(message: JSONRPCMessage): JSONRPCMessage | undefined;
}

/** Facts about a connection, for error messages and diagnostics. Contains no secret. */
export interface TransportDescription {
  /** A value by its name, such as `command`, `pid` or `url`. */
  readonly [fact: string]: string | number | boolean | undefined;
}

/**
 * A connection to one MCP peer. It carries JSON-RPC messages and does not interpret them.
 *
 * Pass it to `Client.connect()` of `@modelcontextprotocol/sdk` or `@modelcontextprotocol/client`. A transport is used once:
 * create a new one to connect again.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
 */
export interface Transport extends AsyncDisposable {
  /**
   * Opens the connection. Call it once, after the handlers are set. It must be assignable on the instance, because SDK v2
   * replaces it after calling it. Rejects with a `TransportError` that says why it cannot connect.
   */
  start(): Promise<void>;

  /**
   * Sends one message. For a notification or a response, it resolves when the wire has accepted it; await it to respect
   * back-pressure. For a request, it resolves when the response was delivered to {@link onmessage}, and rejects with a
   * `TransportError` as soon as no response can arrive; its `delivery` says whether the peer may have seen the request. Both
   * SDKs then fail the request at once.
   */
  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void>;

  /** Ends the connection and frees its resources. Resolves when that is done. Later calls do nothing more. */
  close(): Promise<void>;

  /** Called with each message, one at a time, in the order of arrival. */
  onmessage?: (message: JSONRPCMessage, extra?: unknown) => void;
  /** Called with an error that does not belong to a {@link send}. The connection may still be open. */
  onerror?: (error: Error) => void;
  /**
   * Called exactly once, when a started connection has ended: within {@link close}, before open requests are rejected, and
   * otherwise after they were rejected with {@link closeReason}. Not called if {@link start} rejected.
   */
  onclose?: () => void;
  /**
   * Called with the new result of `initialize` when the peer had lost the session and a new one was created. What the peer
   * stored for the old session (subscriptions, log level) has to be requested again.
   */
  onsessionrestored?: (result: JSONRPCObject) => void;
  /**
   * Called when the stream for messages from the peer, or the session, is restored after a gap. Notifications that were sent
   * meanwhile are lost, so lists and subscribed resources have to be read again.
   */
  onreconnect?: () => void;

  /** Error with which the connection ended, unless {@link close} ended it. Set before {@link onclose} is called. */
  readonly closeReason?: TransportError | undefined;
  // Without `| undefined`: SDK v2 would refuse it under exactOptionalPropertyTypes.
  /** Id of the session, once the server has assigned one. Streamable HTTP before 2026-07-28 only. */
  readonly sessionId?: string;
  /** True if every request has a stream of its own, so that aborting `requestSignal` cancels it on the server. */
  readonly hasPerRequestStream?: boolean;
  /**
   * True if {@link send} puts `headers` of its options on the wire. A host refuses a call with headers if it is not. Default: false.
   */
  readonly sendsHeaders?: boolean;
  /** Called by the engine with the negotiated protocol revision, for example `2025-11-25`. */
  setProtocolVersion?(version: string): void;
  /**
   * Limits unsolicited input (notifications, requests and noise, but not responses) to this share of the time of the program,
   * from 0.01 to 1, apart from a short burst; beyond it, the wire is not read for a while. For hosts with many servers. Without
   * it, a transport is only limited within one turn of the event loop.
   */
  limitUnsolicited?(share: number): void;
  /**
   * Reports all messages to this observer from now on. Call it before {@link start}. Optional: a host wraps a transport that does
   * not have it.
   */
  observe?(observer: TransportObserver): void;
  /** Returns what is known about the connection (command, pid, url, the end of stderr …), to explain a failure. */
  describe?(): TransportDescription;
}
