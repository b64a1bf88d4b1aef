import type { PacedSource, Pausable } from '@mcp-fittings/toolbox/base-transport';
import type { RefusedReply } from '@mcp-fittings/toolbox/refusal';
import type { LifetimeSignal } from '@mcp-fittings/toolbox/timing';

/** HTTP client of one MCP server: for its messages, and for the sign-in at servers that it names. */
export interface HttpClient extends AsyncDisposable {
  /**
   * Loads what requests need, so that the first one does not wait for it. Resolves when it is loaded, and sends nothing. Never
   * rejects: a file that cannot be read fails the requests. Call it when a request is about to be made. Without it, the first
   * request loads the same.
   */
  load(): Promise<void>;
  /**
   * Sends one request to the configured origin, and hands the body of the reply to a sink as it arrives. Follows redirects within the
   * origin only. Resolves when the reply has been read, or with `undefined` if `lifetime` ends first.
   *
   * Rejects with a `TransportError` if no reply arrives. Codes with the `delivery` `not-sent`: `CONNECTION_REFUSED`,
   * `HOST_NOT_FOUND`, `CONNECT_FAILED`, `TLS_FAILED`, `PROXY_FAILED`, `ADDRESS_BLOCKED`, `POLICY_DENIED` (another origin),
   * `HEADER_INVALID`, `CONFIG_INVALID`. Other codes: `CONNECTION_LOST`, `TIMEOUT`, `MESSAGE_TOO_LARGE`, `REDIRECT_REFUSED`,
   * `PROTOCOL_VIOLATION`, `TRANSPORT_CLOSED`. A body that ends with one of these is `broken`.
   *
   * @param accept Called with the head of the reply. Returns the sink for the body; `'discard'` to resolve at once and ignore the
   * body, which may take one second more; or `undefined` to refuse the reply, whose first 64 KiB are then read as text.
   */
  send(
    request: HttpRequest,
    lifetime: LifetimeSignal,
    accept: (head: ResponseHead) => BodySink | 'discard' | undefined,
  ): Promise<AcceptedReply | RefusedReply | undefined>;
  /**
   * Fetches a URL that a server named, as during sign-in. Follows no redirects, requires https except on loopback, refuses private
   * addresses, and limits the body (256 KiB, `MESSAGE_TOO_LARGE`) and the time (30 s, `TIMEOUT`). Suitable as `customFetch` of
   * oauth4webapi. Rejects with a `TransportError`; `ADDRESS_BLOCKED` and `POLICY_DENIED` mean that nothing was sent.
   */
  fetch(
    url: string | URL,
    init?: {
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
    },
  ): Promise<Response>;
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
  /** Overrides `maxBodyBytes` for this request. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * True if the caller accepts an event stream and limits the size of its events itself. A 2xx response of the type `text/event-stream` is
   * then exempt from `maxBodyBytes`; any other response is not. Default `false`.
   */
  readonly eventStream?: boolean | undefined;
  /** Slows reading down to the pace of a transport; see `PacedSource` of the toolbox. Default: the body is read as it arrives. */
  readonly paced?: ((source: Pausable) => Pick<PacedSource, 'read'>) | undefined;
  /** Handles a larger body: `'error'` (default) fails with `MESSAGE_TOO_LARGE`; `'truncate'` ends it early. Both close the socket. */
  readonly overflow?: 'error' | 'truncate' | undefined;
  /**
   * Chooses which redirects are followed. `'same-origin'` (default): those within the origin. `'same-method'`: the same, except a 303,
   * which would turn the request into a GET and lose the message. `'never'`: none; a redirect is a response like any other. A redirect that
   * is not allowed fails with `REDIRECT_REFUSED`.
   */
  readonly redirect?: 'same-origin' | 'same-method' | 'never' | undefined;
}

/** Receives the body of a reply as it arrives. */
export interface BodySink {
  /** Takes the next decoded bytes. If it throws, the body ends there and the error becomes `broken` of the reply. */
  data(bytes: Uint8Array): void;
  /** Called when the body is complete. If it throws, the error becomes `broken` of the reply. */
  end(): void;
}

/** A reply whose head was accepted; its body went to the sink. */
export interface AcceptedReply {
  /** Tells it from a refused reply. */
  readonly accepted: true;
  /** Status and headers. */
  readonly head: ResponseHead;
  /** Error because of which the body is incomplete; `undefined` if it is complete. */
  readonly broken?: unknown;
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
