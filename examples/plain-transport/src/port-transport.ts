import type { MessagePort } from 'node:worker_threads';
import {
  type Delivery,
  FittingsError,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
  TransportError,
  type TransportPlugin,
  type TransportSendOptions,
} from '@mcp-fittings/client-core';

/** A request whose `send()` has not settled. */
interface OpenRequest {
  readonly resolve: () => void;
  readonly reject: (error: TransportError) => void;
}

/** Sends messages through a `MessagePort`. Written with `client-core` alone: {@link Transport} is all that a transport has to fulfill. */
class PortTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  readonly #port: MessagePort;
  /** Puts the handlers of the client back whose start() succeeded: another client sets its own before its start() rejects. */
  #restoreHandlers = (): void => undefined;
  #protocolVersion: string | undefined;
  readonly #open = new Map<RequestId, OpenRequest>();
  /** Requests that were given up. A late response to one of them is not reported. */
  readonly #givenUp = new Set<RequestId>();
  #state: 'new' | 'started' | 'closed' = 'new';
  #closeReason: TransportError | undefined;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  get closeReason(): TransportError | undefined {
    return this.#closeReason;
  }

  async start(): Promise<void> {
    if (this.#state !== 'new') {
      this.#restoreHandlers();
      throw new TransportError('TRANSPORT_ALREADY_STARTED', 'Create another transport to connect again.');
    }
    this.#state = 'started';
    const { onmessage, onerror, onclose } = this;
    this.#restoreHandlers = () => Object.assign(this, { onmessage, onerror, onclose });
    this.#port.on('message', (value: unknown) => this.#receive(value));
    this.#port.on('messageerror', (cause: Error) =>
      this.#report(
        new TransportError('MESSAGE_INVALID', 'The peer sent a value that cannot be read.', { cause }),
      ),
    );
    this.#port.on('close', () => this.#end(new TransportError('CONNECTION_LOST', 'The port was closed.')));
  }

  setProtocolVersion(version: string): void {
    this.#protocolVersion = version;
  }

  async send(message: JSONRPCMessage, { requestSignal }: TransportSendOptions = {}): Promise<void> {
    if (this.#state === 'new')
      throw new TransportError('TRANSPORT_NOT_STARTED', 'Call start() first.', { delivery: 'not-sent' });
    if (this.#state === 'closed') throw this.#closedError('not-sent');
    const id = 'method' in message && 'id' in message ? message.id : undefined;
    if (id === undefined) return this.#post(message);
    if (this.#open.has(id)) {
      const text = `A request with the id ${id} is in flight.`;
      throw new TransportError('REQUEST_ID_IN_USE', text, { delivery: 'not-sent' });
    }
    if (requestSignal?.aborted === true) throw aborted('not-sent', requestSignal);
    const answered = new Promise<void>((resolve, reject) => this.#open.set(id, { resolve, reject }));
    const abort = (): void => this.#fail(id, aborted('unknown', requestSignal));
    requestSignal?.addEventListener('abort', abort);
    try {
      this.#post(message);
      await answered;
    } finally {
      requestSignal?.removeEventListener('abort', abort);
      this.#open.delete(id);
    }
  }

  async close(): Promise<void> {
    this.#end(undefined);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #post(message: JSONRPCMessage): void {
    try {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- of a MessagePort, which has no origin
      this.#port.postMessage(message);
    } catch (cause) {
      const text = 'The message cannot be copied to the other side.';
      throw new TransportError('MESSAGE_UNSERIALIZABLE', text, { cause, delivery: 'not-sent' });
    }
    // The engine waits no longer for a request that it cancels, and its response may not come.
    if ('method' in message && message.method === 'notifications/cancelled') {
      const { requestId } = message.params ?? {};
      if (typeof requestId === 'string' || typeof requestId === 'number')
        this.#fail(requestId, aborted('unknown'));
    }
  }

  #receive(value: unknown): void {
    if (this.#state !== 'started') return;
    // The only revision in which a peer may send several messages in one array.
    if (Array.isArray(value) && this.#protocolVersion === '2025-03-26')
      for (const each of value) this.#receive(each);
    else if (!isMessage(value)) this.#refuse(value);
    else if ('method' in value) this.#deliver(value);
    else if (value.id !== undefined && value.id !== null && this.#open.has(value.id)) {
      const request = this.#open.get(value.id);
      this.#open.delete(value.id);
      this.#deliver(value);
      request?.resolve();
    } else if (value.id === undefined || !this.#givenUp.delete(value.id))
      this.#report(new TransportError('RESPONSE_UNEXPECTED', 'The response answers no open request.'));
  }

  #deliver(message: JSONRPCMessage): void {
    try {
      this.onmessage?.(message);
    } catch (cause) {
      this.#report(new TransportError('CALLBACK_FAILED', 'onmessage threw an error.', { cause }));
    }
  }

  /** A value that is not a message fails the request that it seems to answer, and nothing else. */
  #refuse(value: unknown): void {
    const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
    const isAnswer = (typeof id === 'string' || typeof id === 'number') && this.#open.has(id);
    const code = isAnswer ? 'PROTOCOL_VIOLATION' : 'MESSAGE_INVALID';
    const error = new TransportError(code, 'The peer sent a value that is not a JSON-RPC message.', {
      delivery: isAnswer ? 'unknown' : undefined,
    });
    if (isAnswer) this.#fail(id, error);
    else this.#report(error);
  }

  #fail(id: RequestId, error: TransportError): void {
    this.#open.get(id)?.reject(error);
    if (!this.#open.delete(id)) return;
    this.#givenUp.add(id);
    const [oldest] = this.#givenUp;
    if (this.#givenUp.size > 1000 && oldest !== undefined) this.#givenUp.delete(oldest);
  }

  /** Ends it once: with a reason, open requests fail before `onclose`, as both SDKs expect; without one, after it. */
  #end(reason: TransportError | undefined): void {
    if (this.#state === 'closed') return;
    const wasStarted = this.#state === 'started';
    this.#state = 'closed';
    this.#closeReason = reason;
    this.#port.close();
    if (reason !== undefined) this.#failRequests();
    try {
      if (wasStarted) this.onclose?.();
    } catch (cause) {
      this.#report(new TransportError('CALLBACK_FAILED', 'onclose threw an error.', { cause }));
    }
    this.#failRequests();
  }

  #failRequests(): void {
    for (const { reject } of this.#open.values()) reject(this.#closedError('unknown'));
    this.#open.clear();
  }

  #closedError(delivery: Delivery): TransportError {
    const code = this.#closeReason?.code ?? 'TRANSPORT_CLOSED';
    const text = this.#closeReason?.message ?? 'The transport was closed.';
    return new TransportError(code, text, { delivery, cause: this.#closeReason });
  }

  #report(error: Error): void {
    try {
      this.onerror?.(error);
    } catch {
      // There is nowhere left to report it.
    }
  }
}

function aborted(delivery: Delivery, signal?: AbortSignal): TransportError {
  const cause: unknown = signal?.reason;
  return new TransportError('ABORTED', 'The request was aborted by its caller.', { delivery, cause });
}

function isMessage(value: unknown): value is JSONRPCMessage {
  if (typeof value !== 'object' || value === null || !('jsonrpc' in value) || value.jsonrpc !== '2.0')
    return false;
  const hasId = !('id' in value) || typeof value.id === 'string' || typeof value.id === 'number';
  if ('method' in value) {
    const isNamed =
      !('params' in value) || (typeof value.params === 'object' && !Array.isArray(value.params));
    return typeof value.method === 'string' && hasId && isNamed;
  }
  if ('error' in value === 'result' in value) return false;
  const content = 'result' in value ? value.result : 'error' in value ? value.error : undefined;
  return 'id' in value && hasId && typeof content === 'object' && content !== null;
}

/** Creates a transport for the `Client` of an official SDK. */
export function createPortTransport(port: MessagePort): Transport {
  return new PortTransport(port);
}

/** The config entry of a server. */
export interface PortEntry {
  /** Name of the port. */
  readonly port: string;
}

/** Creates a plugin for `createHost({ transports: [port(ports)] })`. It accepts entries such as `{ "type": "port", "port": "editor" }`. */
export function port(ports: ReadonlyMap<string, MessagePort>): TransportPlugin<PortEntry> {
  return {
    specVersion: 1,
    type: 'port',
    // Any Standard Schema works; of a library, or by hand.
    schema: {
      '~standard': {
        version: 1,
        vendor: 'custom-transport',
        validate: (value) =>
          typeof value === 'object' && value !== null && 'port' in value && typeof value.port === 'string'
            ? { value: { port: value.port } }
            : { issues: [{ message: 'must be the name of a port', path: ['port'] }] },
      },
    },
    create(entry, { server }) {
      const found = ports.get(entry.port);
      if (found !== undefined) return createPortTransport(found);
      throw new FittingsError('CONFIG_INVALID', `There is no port "${entry.port}".`, { server });
    },
  };
}
