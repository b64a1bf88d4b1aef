import type { JSONRPCMessage, Logger } from '@mcp-fittings/client-core';
import { serveLines } from '@mcp-fittings/toolbox/framing';
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
  const onMessage = (message: JSONRPCMessage): void => client.receive(message);
  await serveLines(stdin, stdout, { maxBytes: MAX_MESSAGE_BYTES, onMessage, signal, logger });
  await client.close();
}
