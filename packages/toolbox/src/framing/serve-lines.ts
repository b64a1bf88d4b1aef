import type { JSONRPCMessage, Logger } from '@mcp-fittings/client-core';
import { isMessage, parseJson } from '../messages.js';
import { createLineReader, type Line } from './line-reader.js';

/** Options of {@link serveLines}. */
export interface ServeLinesOptions {
  /** Largest line in bytes. A longer one ends the reading: it cannot be answered. */
  readonly maxBytes: number;
  /** Called with each message, also with each of a batch, as in revision 2025-03-26. */
  readonly onMessage: (message: JSONRPCMessage) => void;
  /** Stops reading when it is aborted. Default none. */
  readonly signal?: AbortSignal | undefined;
  /** Receives a warning for each line that is not a message. Default none. */
  readonly logger?: Pick<Logger, 'warn'> | undefined;
}

const ENDS = ['end', 'close', 'error'] as const;

/**
 * Reads the messages of a client, one a line, from the input of a program. Resolves when the input has ended or has a line that is too
 * long, when `output`, which the caller writes to, accepts no more, or when `signal` is aborted.
 *
 * @example
 * ```ts
 * const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
 * await serveLines(process.stdin, process.stdout, { maxBytes, onMessage: (message) => send(answerTo(message)) });
 * ```
 */
export async function serveLines(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  options: ServeLinesOptions,
): Promise<void> {
  const { maxBytes, onMessage, signal, logger } = options;
  let end = (): void => undefined;
  const onLine = (line: Line): void => {
    const value = line.kind === 'text' ? parseJson(line.text) : undefined;
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    const messages = values.filter(isMessage);
    for (const message of messages) onMessage(message);
    if (messages.length === values.length && values.length > 0) return;
    if (line.kind !== 'text' || line.text.trim() !== '')
      logger?.warn('The client sent a line that is not a message.', { kind: line.kind });
    if (line.kind === 'oversized') end();
  };
  const reader = createLineReader({ maxBytes, onLine });
  const encoder = new TextEncoder();
  const onData = (chunk: Uint8Array | string): void =>
    reader.push(typeof chunk === 'string' ? encoder.encode(chunk) : chunk);
  await new Promise<void>((resolve) => {
    end = () => {
      input.off('data', onData);
      for (const event of ENDS) input.off(event, end);
      if (input.listenerCount('data') === 0) input.pause();
      signal?.removeEventListener('abort', end);
      output.off('close', end);
      resolve();
    };
    if (signal?.aborted === true || !input.readable) return end();
    signal?.addEventListener('abort', end, { once: true });
    for (const event of ENDS) input.on(event, end);
    input.on('data', onData);
    output.on('close', end);
    // It stays, so that what is written later is not an uncaught error.
    output.on('error', end);
  });
}
