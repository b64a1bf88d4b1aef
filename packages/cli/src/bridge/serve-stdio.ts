import type { JSONRPCMessage, Logger } from '@mcp-fittings/client-core';
import { createLineReader, type Line } from '@mcp-fittings/toolbox/framing';
import { isMessage, parseJson } from '@mcp-fittings/toolbox/messages';
import { BridgedClient } from './bridged-client.js';
import type { OpenUpstream } from './upstream.js';

export interface ServeStdioOptions {
  readonly open: OpenUpstream;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly logger?: Logger | undefined;
  readonly signal: AbortSignal;
}

/** Largest message that is accepted from the client, in bytes. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/**
 * Serves the client on stdin and stdout, and writes only messages to stdout. Resolves after the client has closed stdin, or `signal` was
 * aborted, and the connection to the server is closed.
 */
export async function serveStdio(options: ServeStdioOptions): Promise<void> {
  const { open, stdin, stdout, logger, signal } = options;
  const send = (message: JSONRPCMessage): Promise<void> =>
    new Promise((resolve, reject) => {
      stdout.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  const client = new BridgedClient({ open, send, logger });
  const onLine = (line: Line): void => {
    const message = line.kind === 'text' ? parseJson(line.text) : undefined;
    if (isMessage(message)) client.receive(message);
    else if (line.kind !== 'text' || line.text.trim() !== '')
      logger?.warn('The client sent a line that is not a message.');
  };
  const reader = createLineReader({ maxBytes: MAX_MESSAGE_BYTES, onLine });
  const onData = (chunk: Uint8Array | string): void =>
    reader.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  await new Promise<void>((resolve) => {
    const end = (): void => resolve();
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    for (const event of ['end', 'close', 'error']) stdin.once(event, end);
    // A client that has exited does not read stdout.
    stdout.on('error', end);
    stdin.on('data', onData);
  });
  stdin.off('data', onData).pause();
  await client.close();
}
