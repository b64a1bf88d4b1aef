import {
  BaseTransport,
  type JSONRPCMessage,
  type Redactor,
  type JSONRPCObject,
  type Transport,
  type TransportDescription,
  type TransportSendOptions,
} from '@mcp-fittings/client-core/transport';
import { withUrl } from '@mcp-fittings/remote-policy';
import type { HttpWire } from './http-wire.js';
import { checkOptions, type CheckedOptions, type HttpTransportOptions } from './options.js';

/** A Streamable HTTP connection. */
export interface HttpTransport extends Transport {
  /** Aborting the `requestSignal` of a request closes its stream, which cancels the request in the revision 2026-07-28. */
  readonly hasPerRequestStream: true;
  /** Each message is a POST with its own headers. */
  readonly sendsHeaders: true;
}

/**
 * Creates a transport for Streamable HTTP in all protocol revisions. The URL is a member of the options or, as in the official SDK,
 * the first argument. Throws `CONFIG_INVALID` or `HEADER_INVALID` if an option is invalid. Nothing is sent before the first message.
 *
 * @example
 * ```ts
 * import { createHttpTransport } from '@mcp-fittings/transport-http';
 * import { Client } from '@modelcontextprotocol/client';
 *
 * const client = new Client({ name: 'my-agent', version: '1.0.0' });
 * await client.connect(createHttpTransport({ url: 'https://mcp.example.com/mcp' }));
 * ```
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export function createHttpTransport(options: HttpTransportOptions): HttpTransport;
/** Creates the transport with the URL as the first argument. */
export function createHttpTransport(
  url: string | URL,
  options?: Omit<HttpTransportOptions, 'url'>,
): HttpTransport;
export function createHttpTransport(
  first: string | URL | HttpTransportOptions,
  rest: Omit<HttpTransportOptions, 'url'> = {},
): HttpTransport {
  return new StreamableHttpTransport(withUrl<HttpTransportOptions>(first, rest));
}

class StreamableHttpTransport extends BaseTransport implements HttpTransport {
  readonly hasPerRequestStream = true;
  readonly sendsHeaders = true;
  declare readonly sessionId?: string;
  onsessionrestored?: (result: JSONRPCObject) => void;
  onreconnect?: () => void;

  readonly #options: CheckedOptions;
  /** Created by `start()`. */
  #wire: HttpWire | undefined;

  constructor(options: HttpTransportOptions) {
    super({ server: options.server, signal: options.signal });
    this.#options = checkOptions(options);
    // Not enumerable, because it is a secret and must not show in `util.inspect`.
    Object.defineProperty(this, 'sessionId', { get: () => this.#wire?.sessionId });
  }

  override describe(): TransportDescription {
    return {
      url: this.#options.url.origin,
      protocolVersion: this.protocolVersion,
      session: this.sessionId !== undefined,
      eventStream: this.#wire?.eventStream ?? 'off',
      ...this.ignored,
    };
  }

  /**
   * Most of the code is loaded here, because a program may import a transport and never start it. undici is loaded too: the engine
   * sends a message as soon as the transport has started, and would wait for it then.
   */
  protected override async open(): Promise<void> {
    const { HttpWire } = await import('./http-wire.js');
    if (this.ended) return;
    this.#wire = new HttpWire(this.#options, this);
    await this.#wire.load();
  }

  protected override get redact(): Redactor | undefined {
    return this.#wire?.redact;
  }

  protected override write(message: JSONRPCMessage, options: TransportSendOptions): Promise<void> {
    // It exists as soon as the transport is open.
    return this.#wire?.write(message, options) ?? Promise.reject(this.lost('not-sent'));
  }

  protected override async shutDown(): Promise<void> {
    await this.#wire?.close();
  }
}
