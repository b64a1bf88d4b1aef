import { FittingsError, type Delivery } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { ToolDispatcher, ToolReply } from './tool-dispatcher.js';

/** One end of a channel: a `MessagePort`, a `Worker` or the `parentPort` of Node.js. */
export interface ToolCallPort {
  /** Sends plain data to the other end. */
  postMessage(message: unknown): void;
  /** Adds a listener of `message` or `close`. A `Worker` ends with `exit`. */
  on(event: 'message' | 'close' | 'exit', listener: (message: unknown) => void): unknown;
  /** Removes a listener. */
  off(event: 'message' | 'close' | 'exit', listener: (message: unknown) => void): unknown;
}

/**
 * Answers the calls that come over a port. When the port closes or the result is disposed of, the calls under way are aborted.
 * @param port The end of the host. The other end is that of {@link connectToolCalls}.
 * @example
 * ```ts
 * const worker = new Worker(new URL('./sandbox.js', import.meta.url));
 * using serving = serveToolCalls(worker, createToolDispatcher(tools.snapshot()));
 * ```
 */
export function serveToolCalls(port: ToolCallPort, dispatcher: Pick<ToolDispatcher, 'respond'>): Disposable {
  const pending = new Map<number, AbortController>();
  let open = true;

  const reply = (id: number, message: ToolReply): void => {
    if (!open) return;
    try {
      port.postMessage({ id, ...message });
    } catch {
      // An in-process server may return what cannot be sent.
      const error = {
        code: 'MESSAGE_UNSERIALIZABLE',
        message: 'The result cannot be sent over a channel.',
        delivery: 'unknown',
      };
      port.postMessage({ id, error });
    }
  };
  const answer = async (id: number, request: unknown): Promise<void> => {
    const aborter = new AbortController();
    pending.set(id, aborter);
    const message = await dispatcher.respond(request, { signal: aborter.signal });
    pending.delete(id);
    reply(id, message);
  };
  const onMessage = (message: unknown): void => {
    if (!isRecord(message) || typeof message['id'] !== 'number') return;
    const { id, abort, ...request } = message;
    if (abort === true) pending.get(id)?.abort();
    // `respond` does not reject.
    else if (!pending.has(id)) void answer(id, request);
  };
  const end = (): void => {
    if (!open) return;
    open = false;
    port.off('message', onMessage);
    for (const event of ENDS) port.off(event, end);
    for (const aborter of pending.values()) aborter.abort();
  };
  port.on('message', onMessage);
  for (const event of ENDS) port.on(event, end);
  return { [Symbol.dispose]: end };
}

const ENDS = ['close', 'exit'] as const;

/**
 * Returns the function `callTool` that the script of `toTypeScript` expects, for a sandbox that can import packages. Others
 * send `{ id, server, tool, args }`, and receive `{ id, result }` or `{ id, error }`.
 * @param port The end of the sandbox. The other end is that of {@link serveToolCalls}.
 * @example
 * ```ts
 * globalThis.callTool = connectToolCalls(parentPort);
 * ```
 */
export function connectToolCalls(port: ToolCallPort): (
  request: {
    /** Name of the server in the host. */
    readonly server: string;
    /** Name of the tool on its server. */
    readonly tool: string;
    /** The arguments, with the names of the server's schema. Default: none. */
    readonly args?: unknown;
  },
  options?: { readonly signal?: AbortSignal | undefined },
) => Promise<ToolReply> {
  const pending = new Map<number, (reply: ToolReply) => void>();
  let last = 0;
  let ended = false;
  const settle = (id: number, reply: ToolReply): void => {
    pending.get(id)?.(reply);
    pending.delete(id);
  };
  port.on('message', (message) => {
    if (!isReply(message)) return;
    const { id, ...reply } = message;
    settle(id, reply);
  });
  const end = (): void => {
    ended = true;
    pending.forEach((_, id) => settle(id, closed('unknown')));
  };
  for (const event of ENDS) port.on(event, end);

  return ({ server, tool, args }, { signal } = {}) =>
    new Promise((resolve) => {
      if (ended) return resolve(closed('not-sent'));
      const id = ++last;
      const abort = (): void => port.postMessage({ id, abort: true });
      pending.set(id, (reply) => {
        signal?.removeEventListener('abort', abort);
        resolve(reply);
      });
      try {
        port.postMessage({ id, server, tool, args });
      } catch (cause) {
        settle(id, { error: unsendable(cause) });
        return;
      }
      if (signal?.aborted === true) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    });
}

const closed = (delivery: Delivery): ToolReply => ({
  error: { code: 'TRANSPORT_CLOSED', message: 'The channel to the host is closed.', delivery },
});

function isReply(message: unknown): message is ToolReply & { readonly id: number } {
  return (
    isRecord(message) &&
    typeof message['id'] === 'number' &&
    ('result' in message || isRecord(message['error']))
  );
}

function unsendable(cause: unknown): {
  readonly code: 'MESSAGE_UNSERIALIZABLE';
  readonly message: string;
  readonly delivery: 'not-sent';
} {
  const reason = cause instanceof Error ? ` ${cause.message}` : '';
  const { message } = new FittingsError(
    'MESSAGE_UNSERIALIZABLE',
    `The arguments cannot be sent over a channel.${reason}`,
  );
  return { code: 'MESSAGE_UNSERIALIZABLE', message, delivery: 'not-sent' };
}
