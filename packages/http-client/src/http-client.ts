import type { PacedSource, Pausable, TransportError } from '@mcp-fittings/client-core/transport';

/** HTTP client of one MCP server: for its messages, and for the sign-in at servers that it names. */
export interface HttpClient extends AsyncDisposable {
  /** Origin of the configured URL, such as `https://mcp.example.com`. */
  readonly origin: string;
  /**
   * Loads what requests need, so that the first one does not wait for it. Resolves when it is loaded, and sends nothing. Never
   * rejects: a file that cannot be read fails the requests. Call it when a request is about to be made. Without it, the first
   * request loads the same.
   */
  load(): Promise<void>;
  /**
   * Sends one request to the configured origin and passes the response to `handler` as it arrives. Returns at once; every failure
   * goes to `handler.onError`. Follows redirects within the origin only. A request to another origin fails with `POLICY_DENIED`,
   * so that configured headers cannot reach it.
   */
  exchange(request: HttpRequest, handler: ResponseHandler): Exchange;
  /**
   * Sends one request to the configured origin and resolves with the whole response, whatever its status. Rejects with a
   * `TransportError`: see {@link ResponseHandler.onError} for its codes, and `ABORTED` if `signal` is aborted.
   */
  request(request: CollectedRequest): Promise<HttpReply>;
  /**
   * Fetches a URL that a server named, as during sign-in. Follows no redirects, requires https except on loopback, refuses private
   * addresses, and limits the body (256 KiB) and the time (30 s). Suitable as `customFetch` of oauth4webapi. Rejects with a
   * `TransportError`; `ADDRESS_BLOCKED` and `POLICY_DENIED` mean that nothing was sent.
   */
  fetch(url: string | URL, init?: GuardedFetchInit): Promise<Response>;
  /** Ends every exchange with `TRANSPORT_CLOSED` and closes all sockets. Safe to call again. */
  close(): Promise<void>;
}

/** One HTTP request to the configured origin. */
export interface HttpRequest {
  /** Absolute URL; its origin must be the configured one. */
  readonly url: URL;
  /** HTTP method in upper case. */
  readonly method: string;
  /** Headers by lower-case name; they override configured headers of the same name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Body to send; a string is sent as UTF-8. Default: none. */
  readonly body?: string | Uint8Array | undefined;
  /** Overrides `timeouts.headersMs` for this request, in milliseconds. */
  readonly headersMs?: number | undefined;
  /** Overrides `timeouts.bodyIdleMs` for this request, in milliseconds. */
  readonly bodyIdleMs?: number | undefined;
  /** Overrides `maxBodyBytes` for this request. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Whether the caller accepts an event stream and limits the size of its events itself. A 2xx response of the type
   * `text/event-stream` is then exempt from `maxBodyBytes`; any other response is not. Default `false`.
   */
  readonly eventStream?: boolean | undefined;
  /** Slows reading down to the pace of a transport; see `paced` of `BaseTransport`. Default: the body is read as it arrives. */
  readonly paced?: ((source: Pausable) => PacedSource) | undefined;
  /** What happens to a larger body: `'error'` (default) fails with `MESSAGE_TOO_LARGE`; `'truncate'` ends it early. Both close the socket. */
  readonly overflow?: 'error' | 'truncate' | undefined;
  /**
   * Which redirects are followed. `'same-origin'` (default): those within the origin. `'same-method'`: the same, except a 303,
   * which would turn the request into a GET and lose the message. `'never'`: none; a redirect is a response like any other.
   * A redirect that is not allowed fails with `REDIRECT_REFUSED`.
   */
  readonly redirect?: 'same-origin' | 'same-method' | 'never' | undefined;
}

/** A request whose response is collected. It cannot ask for an event stream, which may never end. */
export interface CollectedRequest extends Omit<HttpRequest, 'eventStream' | 'paced'> {
  /** Abandons the request when aborted; it then rejects with `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Receives a response as it arrives. Calls come in this order: `onHeaders`, `onData` any number of times, then `onEnd` or `onError`.
 * Nothing is called after `abort()`.
 */
export interface ResponseHandler {
  /** Status and headers arrived. */
  onHeaders(head: ResponseHead): void;
  /** More bytes of the body arrived, decoded. The handler may keep them. */
  onData(bytes: Uint8Array): void;
  /** The body is complete, or was truncated as requested. */
  onEnd(): void;
  /**
   * The exchange failed. Codes with the `delivery` `not-sent`: `CONNECTION_REFUSED`, `HOST_NOT_FOUND`, `CONNECT_FAILED`,
   * `TLS_FAILED`, `PROXY_FAILED`, `ADDRESS_BLOCKED`, `POLICY_DENIED` (another origin), `HEADER_INVALID`, `CONFIG_INVALID`. Other
   * codes: `CONNECTION_LOST`, `TIMEOUT`, `MESSAGE_TOO_LARGE`, `REDIRECT_REFUSED`, `PROTOCOL_VIOLATION`, `TRANSPORT_CLOSED`.
   */
  onError(error: TransportError): void;
}

/** Status and headers of a response. */
export interface ResponseHead {
  /** HTTP status code. */
  readonly status: number;
  /** Returns the value of a header by its lower-case name; several fields are joined by a comma. Cookies are left out. */
  header(name: string): string | undefined;
  /** All headers in the same form. */
  headers(): Iterable<[name: string, value: string]>;
  /** Media type of the body in lower case, without parameters; empty if the response has none. */
  readonly contentType: string;
  /** URL that the response came from, after redirects. */
  readonly url: URL;
}

/** Controls one request and its response. */
export interface Exchange {
  /** Ends the exchange without calling the handler; closes the socket unless the response is complete. Safe to call again. */
  abort(): void;
  /** Stops reading until {@link resume}, for back-pressure. Data that has been read already is still delivered. */
  pause(): void;
  /** Continues reading. */
  resume(): void;
}

/** A whole response. */
export interface HttpReply extends ResponseHead {
  /** The decoded body; empty if the response has no body. */
  readonly body: Uint8Array;
  /** Returns the body decoded as UTF-8; malformed bytes become U+FFFD. */
  text(): string;
}

/** Options of {@link HttpClient.fetch}: the part of `RequestInit` that it supports, and limits. */
export interface GuardedFetchInit {
  /** HTTP method. Default `GET`. */
  readonly method?: string | undefined;
  /** Headers to send. Default: none beside `accept`, `accept-encoding` and `user-agent`. */
  readonly headers?: Headers | Readonly<Record<string, string>> | undefined;
  /** Body to send; `URLSearchParams` are sent as a form. Default: none. */
  readonly body?: string | Uint8Array | URLSearchParams | null | undefined;
  /** Abandons the request when aborted; it then rejects with `ABORTED`. */
  readonly signal?: AbortSignal | null | undefined;
  /**
   * Redirects are never followed. With `'error'` a redirect rejects with `REDIRECT_REFUSED`, which names both origins; with any
   * other value, or without one, the redirect itself is the response.
   */
  readonly redirect?: string | undefined;
  /** Largest decoded body in bytes; a larger one rejects with `MESSAGE_TOO_LARGE`. Default 262 144 (256 KiB). */
  readonly maxBodyBytes?: number | undefined;
  /** Time from the call to the last byte of the response, in milliseconds; then it rejects with `TIMEOUT`. Default 30 000. */
  readonly timeoutMs?: number | undefined;
}
