import type {
  JSONRPCMessage,
  JSONRPCObject,
  Transport,
  TransportDescription,
  TransportError,
  TransportSendOptions,
} from '@mcp-fittings/client-core';
import { isNotification } from '@mcp-fittings/toolbox/messages';
import { isLocal } from '@mcp-fittings/host/engine';

type Headers = Readonly<Record<string, string>>;

/** Sees the messages between an SDK and its transport. The methods must not throw. */
export interface MessageObserver {
  /** Called before a message of the SDK goes to the transport. */
  sending?(message: JSONRPCMessage): void;
  /** Called when the transport could not send the message, or when no response to this request can arrive any more. */
  sendFailed?(message: JSONRPCMessage, error: unknown): void;
  /** Called with each error of the transport that belongs to no message. */
  failed?(error: Error): void;
  /** Called with each message of the server. Returns the message for the SDK; `undefined` drops it. */
  received?(message: JSONRPCMessage): JSONRPCMessage | undefined;
}

/** Member of `_meta` that marks a message, because an SDK passes on `_meta`, but not `headers` of a request. */
const MARK = 'com.mcp-fittings/headers';

/**
 * A transport as an SDK uses it: observers see each message, and the headers of a call reach the transport. The SDK may replace its
 * methods, which leaves those of the inner transport as they are.
 */
export class SdkTransport implements Transport {
  onmessage?: (message: JSONRPCMessage, extra?: unknown) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  declare readonly sessionId?: string;
  /** The revision that the SDK has negotiated. */
  negotiated: string | undefined;
  readonly #inner: Transport;
  readonly #observers: readonly MessageObserver[];
  readonly #headers = new Map<string, Headers>();
  #marks = 0;

  constructor(inner: Transport, observers: readonly MessageObserver[]) {
    this.#inner = inner;
    this.#observers = observers;
    Object.defineProperty(this, 'sessionId', { get: () => inner.sessionId });
    inner.onmessage = (message, extra) => this.#receive(message, extra);
    // Not to the SDK: SDK v2 has no handler of its own while it probes for the era.
    inner.onerror = (error) => {
      for (const observer of observers) observer.failed?.(error);
    };
    inner.onclose = () => this.onclose?.();
  }

  get closeReason(): TransportError | undefined {
    return this.#inner.closeReason;
  }

  get hasPerRequestStream(): boolean {
    return this.#inner.hasPerRequestStream === true;
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    for (const observer of this.#observers) observer.sending?.(message);
    const sent = this.#sendWithHeaders(message, options);
    sent.catch((error: unknown) => {
      for (const observer of this.#observers) observer.sendFailed?.(message, error);
    });
    // The request has been rejected already; that the cancellation could not be sent adds nothing.
    return isCancellation(message) ? sent.catch(() => undefined) : sent;
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  setProtocolVersion(version: string): void {
    this.negotiated = version;
    this.#inner.setProtocolVersion?.(version);
  }

  describe(): TransportDescription {
    return this.#inner.describe?.() ?? {};
  }

  /** Returns `params` with a member of `_meta` that stands for these headers until it is disposed of. It never reaches the server. */
  attach(
    headers: Headers | undefined,
    params: JSONRPCObject,
  ): Disposable & { readonly params: JSONRPCObject } {
    if (headers === undefined) return { params, [Symbol.dispose]: () => undefined };
    const mark = String(++this.#marks);
    this.#headers.set(mark, headers);
    return {
      params: { ...params, _meta: { ...params._meta, [MARK]: mark } },
      [Symbol.dispose]: () => void this.#headers.delete(mark),
    };
  }

  #sendWithHeaders(message: JSONRPCMessage, options: TransportSendOptions | undefined): Promise<void> {
    const mark = this.#headers.size === 0 ? undefined : markOf(message);
    const headers = mark === undefined ? undefined : this.#headers.get(mark);
    if (headers === undefined) return this.#inner.send(message, options);
    return this.#inner.send(unmarked(message), {
      ...options,
      headers: { ...options?.headers, ...headers },
    });
  }

  #receive(message: JSONRPCMessage, extra: unknown): void {
    let passed: JSONRPCMessage | undefined = message;
    for (const observer of this.#observers) {
      if (observer.received === undefined) continue;
      passed = observer.received(passed);
      if (passed === undefined) return;
    }
    this.onmessage?.(passed, extra);
  }
}

/** A transport to a local program, which SDK v2 recognizes by these members. */
class LocalSdkTransport extends SdkTransport {
  readonly pid = undefined;
  readonly stderr = null;
}

export function createSdkTransport(inner: Transport, observers: readonly MessageObserver[]): SdkTransport {
  return new (isLocal(inner) ? LocalSdkTransport : SdkTransport)(inner, observers);
}

function isCancellation(message: JSONRPCMessage): boolean {
  return isNotification(message) && message.method === 'notifications/cancelled';
}

function markOf(message: JSONRPCMessage): string | undefined {
  if (!('method' in message)) return undefined;
  const mark = message.params?._meta?.[MARK];
  return typeof mark === 'string' ? mark : undefined;
}

/** Returns a copy without the mark. An SDK may keep the message, to send it again. */
function unmarked(message: JSONRPCMessage): JSONRPCMessage {
  if (!('method' in message) || message.params?._meta === undefined) return message;
  const { [MARK]: _, ...meta } = message.params._meta;
  const { _meta, ...params } = message.params;
  return { ...message, params: Object.keys(meta).length === 0 ? params : { ...params, _meta: meta } };
}
