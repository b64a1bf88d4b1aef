import {
  type FittingsError,
  type JSONRPCMessage,
  type JSONRPCObject,
  type Transport,
  type TransportDescription,
  TransportError,
  type TransportSendOptions,
} from '@mcp-fittings/client-core';
import { withFallback } from '@mcp-fittings/toolbox/connect';

/**
 * Creates a transport that switches to another one to the same server, for programs without a host, if the server refuses `initialize` as only an older server does
 * (`ENDPOINT_INCOMPATIBLE`; the README lists the statuses). It does not switch after any other failure, because an older protocol
 * does not help against missing credentials, an unreachable network or a broken server. If both transports fail, `initialize`
 * rejects with the second error, whose `cause` contains both.
 *
 * @example
 * ```ts
 * const url = 'https://mcp.example.com/mcp';
 * const transport = createFallbackTransport({
 *   first: createHttpTransport({ url }),
 *   fallback: () => createSseTransport({ url }),
 * });
 * ```
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility
 */
export function createFallbackTransport(options: {
  /** Transport that is tried first. */
  readonly first: Transport;
  /** Creates the transport to use if the server does not speak the first one. Called at most once. */
  readonly fallback: () => Transport;
}): Transport {
  return new FallbackTransport(options);
}

class FallbackTransport implements Transport {
  onmessage?: (message: JSONRPCMessage, extra?: unknown) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  onsessionrestored?: (result: JSONRPCObject) => void;
  onreconnect?: () => void;
  declare readonly sessionId?: string;

  readonly #fallback: () => Transport;
  #active: Transport;
  #changed = false;
  #closing: Promise<void> | undefined;
  #hasEnded = false;

  constructor({ first, fallback }: Parameters<typeof createFallbackTransport>[0]) {
    this.#active = first;
    this.#fallback = fallback;
    this.#listen(first);
    Object.defineProperty(this, 'sessionId', { get: () => this.#active.sessionId });
  }

  get hasPerRequestStream(): boolean {
    return this.#active.hasPerRequestStream ?? false;
  }

  get sendsHeaders(): boolean {
    return this.#active.sendsHeaders ?? false;
  }

  get closeReason(): TransportError | undefined {
    return this.#active.closeReason;
  }

  start(): Promise<void> {
    return this.#active.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const send = (): Promise<void> => this.#active.send(message, options);
    if (!isHandshake(message) || this.#changed) return send();
    await withFallback('the server over either transport', send, async (refused) => {
      if (this.#changed || this.#closing !== undefined) throw refused;
      this.#changed = true;
      await this.#change(refused);
      await send();
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#active.close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  setProtocolVersion(version: string): void {
    this.#active.setProtocolVersion?.(version);
  }

  describe(): TransportDescription {
    return { ...this.#active.describe?.(), fallback: this.#changed };
  }

  async #change(first: FittingsError): Promise<void> {
    const older = this.#active;
    // The end of the first transport is not the end of the connection.
    older.onmessage = () => undefined;
    older.onerror = () => undefined;
    older.onclose = () => undefined;
    const newer = this.#fallback();
    await older.close();
    if (this.#closing === undefined) {
      this.#active = newer;
      this.#listen(newer);
      return newer.start();
    }
    await newer.close();
    this.#end();
    throw new TransportError('TRANSPORT_CLOSED', 'The transport was closed.', {
      server: first.server,
      delivery: 'rejected',
    });
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.onclose?.();
  }

  #listen(transport: Transport): void {
    transport.onmessage = (message, extra) => this.onmessage?.(message, extra);
    transport.onerror = (error) => this.onerror?.(error);
    transport.onclose = () => this.#end();
    transport.onsessionrestored = (result) => this.onsessionrestored?.(result);
    transport.onreconnect = () => this.onreconnect?.();
  }
}

function isHandshake(message: JSONRPCMessage): boolean {
  return 'method' in message && message.method === 'initialize';
}
