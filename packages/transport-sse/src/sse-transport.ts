import type {
  JSONRPCMessage,
  Transport,
  TransportDescription,
  TransportSendOptions,
} from '@mcp-fittings/client-core';
import { BaseTransport } from '@mcp-fittings/toolbox/base-transport';
import {
  checkHeaders,
  checkHttpOptions,
  checkServerUrl,
  collectHeaders,
  originOf,
  SDK_ONLY_OPTIONS,
  withUrl,
} from '@mcp-fittings/toolbox/connect';
import { Credentials } from '@mcp-fittings/toolbox/refusal';
import type { Redactor } from '@mcp-fittings/toolbox/text';
import { systemClock, withTimeout } from '@mcp-fittings/toolbox/timing';
import type { CheckedOptions, SseTransportOptions } from './options.js';
import type { SseWire } from './sse-wire.js';

/** Headers that this transport sets and that cannot be configured. */
const OWNED_HEADERS = ['accept', 'cache-control', 'content-type', 'last-event-id'];
const START_MS = 30_000;
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const SDK_ONLY: Readonly<Record<string, string>> = {
  ...SDK_ONLY_OPTIONS,
  eventSourceInit: 'Leave it out: `headers` and `network` apply to the event stream too.',
};

/**
 * Creates a transport for HTTP+SSE, the HTTP transport of the revision 2024-11-05, deprecated by 2025-03-26. The URL is a member of the options or, as in the
 * official SDK, the first argument. Throws `CONFIG_INVALID` or `HEADER_INVALID` if an option is invalid. Nothing is sent before
 * `start()`.
 *
 * @example
 * ```ts
 * import { createSseTransport } from '@mcp-fittings/transport-sse';
 * import { Client } from '@modelcontextprotocol/client';
 *
 * const client = new Client({ name: 'my-agent', version: '1.0.0' });
 * await client.connect(createSseTransport({ url: 'https://mcp.example.com/sse' }));
 * ```
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export function createSseTransport(options: SseTransportOptions): Transport;
/** Creates the transport with the URL as the first argument. */
export function createSseTransport(url: string | URL, options?: Omit<SseTransportOptions, 'url'>): Transport;
export function createSseTransport(
  first: string | URL | SseTransportOptions,
  rest: Omit<SseTransportOptions, 'url'> = {},
): Transport {
  return openSseTransport(withUrl<SseTransportOptions>(first, rest), {});
}

/** Creates the transport for a plugin, which adds members to its description. */
export function openSseTransport(options: SseTransportOptions, description: TransportDescription): Transport {
  return new SseTransport(options, description);
}

class SseTransport extends BaseTransport {
  readonly #options: CheckedOptions;
  readonly #description: TransportDescription;
  /** Created by `start()`. */
  #wire: SseWire | undefined;

  constructor(options: SseTransportOptions, description: TransportDescription) {
    super({ server: options.server, signal: options.signal });
    this.#options = checkOptions(options);
    this.#description = description;
  }

  override describe(): TransportDescription {
    return {
      url: originOf(this.#options.shown),
      protocolVersion: this.protocolVersion,
      endpoint: this.#wire?.isOpen ?? false,
      ...this.#description,
      ...this.ignored,
    };
  }

  protected override async open(signal: AbortSignal): Promise<void> {
    const { startTimeoutMs: ms, clock } = this.#options;
    const error = (): Error =>
      this.error('TIMEOUT', `The server did not send its endpoint within ${String(ms)} ms.`, {
        hint: 'Check that the URL is that of an event stream (HTTP+SSE), and whether a proxy buffers the response.',
      });
    await withTimeout({ ms, clock, signal, error }, (starting) => this.#open(starting));
  }

  /** Most of the code is loaded here, because a program may import a transport and never start it. */
  async #open(signal: AbortSignal): Promise<void> {
    const { SseWire } = await import('./sse-wire.js');
    signal.throwIfAborted();
    this.#wire = new SseWire(this.#options, this);
    await this.#wire.open();
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

/** Throws `CONFIG_INVALID` or `HEADER_INVALID`. */
function checkOptions(options: SseTransportOptions): CheckedOptions {
  const { server, apiKey, network = {} } = options;
  const { url, shown } = checkServerUrl(options.url, { server, sockets: true });
  const given = {
    ...collectHeaders(options, SDK_ONLY),
    ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }),
  };
  const headers = checkHeaders(given, { server, reserved: OWNED_HEADERS });
  // What the HTTP client checks too, which is created when the transport starts.
  checkHttpOptions({ ...network, url: shown, server, headers, logger: options.logger });
  const authorization = headers['authorization'];
  return {
    url,
    shown,
    server,
    headers,
    credentials: new Credentials({ url, provider: options.auth, authorization, server }),
    network,
    startTimeoutMs: options.startTimeoutMs ?? START_MS,
    idleMs: options.idleMs ?? 0,
    maxMessageBytes: options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
    retryLater: options.retryLater ?? {},
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
}
