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
 * Answers the calls that come over a port: to `{ id, server, tool, args }` it replies with `{ id, result }` or `{ id, error }`, and
 * `{ id, abort: true }` aborts a call. When the port closes or the result is disposed of, the calls under way are aborted.
 * @param port The end of the host.
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
