import type { PacedSource, Pausable, TransportError } from '@mcp-fittings/client-core/transport';

/** One HTTP policy for everything that has to do with one server: its messages and its sign-in. */
export interface Network extends AsyncDisposable {
  /** Origin of the configured URL. */
  readonly origin: string;
  /**
   * Sends one request to the configured origin and hands the answer on as it arrives: the fast path. Returns at once;
   * every failure goes to `handler.onError`. Follows redirects inside the origin only, and refuses to send anything
   * to another one, so that no header can get there.
   */
  exchange(request: HttpRequest, handler: ResponseHandler): Exchange;
  /**
   * Sends one request to the configured origin and collects the answer, whatever its status.
   * Rejects with a `TransportError`, see {@link ResponseHandler.onError}; `ABORTED` when `signal` says so.
   */
  request(request: CollectedRequest): Promise<HttpReply>;
  /**
   * For sign-in, and for anything else whose URL a server named: a `fetch` that follows no redirect, demands https
   * except on loopback, refuses private addresses, and bounds body (256 KiB) and time (30 s).
   * Fits `customFetch` of oauth4webapi. Rejects with a `TransportError`; `ADDRESS_BLOCKED` and `POLICY_DENIED` say
   * that nothing was sent.
   */
  fetch(url: string | URL, init?: GuardedFetchInit): Promise<Response>;
  /** Ends every exchange with `TRANSPORT_CLOSED` and frees all sockets. */
  close(): Promise<void>;
}

export interface HttpRequest {
  readonly url: URL;
  readonly method: string;
  /** With lower-case names; they override configured ones. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
  /** Where this request differs from the network's settings. */
  readonly headersMs?: number | undefined;
  readonly bodyIdleMs?: number | undefined;
  readonly maxBodyBytes?: number | undefined;
  /**
   * The caller wants an event stream and bounds its events one by one: a 2xx answer of the type `text/event-stream` is then
   * exempt from `maxBodyBytes`. Any other answer is bounded, whatever it calls itself. Default false.
   */
  readonly eventStream?: boolean | undefined;
  /** Reads the body at the pace of a transport, see `paced` of `BaseTransport`. Default: as it comes. */
  readonly paced?: ((source: Pausable) => PacedSource) | undefined;
  /** What a larger body does: fail with `MESSAGE_TOO_LARGE` (default), or end early. The socket is closed. */
  readonly overflow?: 'error' | 'truncate' | undefined;
  /**
   * `'never'`: a redirect is an answer like any other. `'same-method'`: one that would turn the request into a GET (303)
   * is refused, for messages that would be lost. Default `'same-origin'`.
   */
  readonly redirect?: 'same-origin' | 'same-method' | 'never' | undefined;
}

/** A stream that may never end is not collected. */
export interface CollectedRequest extends Omit<HttpRequest, 'eventStream' | 'paced'> {
  readonly signal?: AbortSignal | undefined;
}

/** Called in this order: `onHeaders`, `onData` any number of times, then `onEnd` or `onError`; nothing after `abort`. */
export interface ResponseHandler {
  onHeaders(head: ResponseHead): void;
  /** The next decoded bytes of the body. They are yours to keep. */
  onData(bytes: Uint8Array): void;
  onEnd(): void;
  /**
   * No answer, or no more of it. `delivery` is `not-sent` when the request never left: `CONNECTION_REFUSED`,
   * `HOST_NOT_FOUND`, `CONNECT_FAILED`, `TLS_FAILED`, `PROXY_FAILED`, `ADDRESS_BLOCKED`; else `CONNECTION_LOST`,
   * `TIMEOUT`, `MESSAGE_TOO_LARGE`, `REDIRECT_REFUSED`, `POLICY_DENIED` (another origin), `PROTOCOL_VIOLATION`, `HEADER_INVALID`, `CONFIG_INVALID`,
   * `TRANSPORT_CLOSED`.
   */
  onError(error: TransportError): void;
}

export interface ResponseHead {
  readonly status: number;
  /** Value of a header, by lower-case name; several fields joined by a comma. Cookies are never shown. */
  header(name: string): string | undefined;
  /** All of them, in the same form. */
  headers(): Iterable<[name: string, value: string]>;
  /** Media type in lower case and without parameters; empty when there is none. */
  readonly contentType: string;
  /** Where the answer came from, after redirects. */
  readonly url: URL;
}

/** Holds one exchange. */
export interface Exchange {
  /** Ends it at once and silently; closes its socket unless the answer is complete. Safe to call again. */
  abort(): void;
  /** Back-pressure: no more `onData` until {@link resume}, except for what was on its way. */
  pause(): void;
  resume(): void;
}

export interface HttpReply extends ResponseHead {
  readonly body: Uint8Array;
  /** The body as UTF-8; what is malformed becomes U+FFFD. */
  text(): string;
}

export interface GuardedFetchInit {
  readonly method?: string | undefined;
  readonly headers?: Headers | Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | URLSearchParams | null | undefined;
  readonly signal?: AbortSignal | null | undefined;
  /**
   * Redirects are never followed. `'error'`: one rejects with `REDIRECT_REFUSED`, which names both places. Any other value, or
   * none: it is handed back.
   */
  readonly redirect?: string | undefined;
  /** Largest decoded body in bytes. Default 256 KiB. */
  readonly maxBodyBytes?: number | undefined;
  /** From call to last byte, milliseconds. Default 30 000. */
  readonly timeoutMs?: number | undefined;
}
