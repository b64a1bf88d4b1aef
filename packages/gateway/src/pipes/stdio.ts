import type { Clock, JSONRPCMessage, Logger } from '@mcp-fittings/client-core';
import { createLineReader, type Line } from '@mcp-fittings/toolbox/framing';
import { isMessage, isRequest, parseJson } from '@mcp-fittings/toolbox/messages';
import type { Caller } from '../contracts/caller.js';
import type { StdioOptions } from '../contracts/gateway.js';
import type { Surface } from '../contracts/surface.js';
import { errorOf, Peer } from '../rpc/peer.js';
import { checkMeta, checkRevision, isStateless } from '../rpc/stateless.js';

/** Options of {@link serveStdio}. */
export interface ServeStdioOptions extends StdioOptions {
  readonly surface: Surface;
  readonly caller: Caller;
  readonly maxMessageBytes: number;
  readonly clock: Clock;
  readonly logger: Logger | undefined;
}

/** Serves one client of either protocol era over two streams. Resolves when the connection has ended. */
export async function serveStdio(options: ServeStdioOptions): Promise<void> {
  const { signal, maxMessageBytes, logger } = options;
  const { input = process.stdin, output = process.stdout } = options;
  const send = (message: JSONRPCMessage): void => void output.write(`${JSON.stringify(message)}\n`);
  const receive = receiver({ ...options, send });
  await new Promise<void>((resolve) => {
    const end = (): void => {
      input.off('data', onData).off('end', end).off('close', end);
      if (input.listenerCount('data') === 0) input.pause();
      signal?.removeEventListener('abort', end);
      output.off('close', end);
      receive.close();
      resolve();
    };
    const onLine = (line: Line): void => {
      if (line.kind === 'text') return receive.text(line.text);
      logger?.warn('The client has sent a message that cannot be read.', {
        kind: line.kind,
        bytes: line.bytes,
      });
      end();
    };
    const reader = createLineReader({ maxBytes: maxMessageBytes, onLine, onDiscard: end });
    const onData = (chunk: Buffer): void => reader.push(chunk);
    if (signal?.aborted === true || input.readableEnded || input.destroyed) return end();
    signal?.addEventListener('abort', end, { once: true });
    input.on('data', onData).on('end', end).on('close', end);
    input.on('error', (error) => logger?.debug(error.message));
    // It stays, so that what is written later is not an uncaught error.
    output.on('error', end);
    output.on('close', end);
  });
}

/** Takes the messages of one client. */
function receiver(options: ServeStdioOptions & { readonly send: (message: JSONRPCMessage) => void }): {
  readonly text: (text: string) => void;
  readonly close: () => void;
} {
  const { surface, caller, mount = {}, clock, logger } = options;
  let isOpen = true;
  const send = (message: JSONRPCMessage): void => {
    if (isOpen) options.send(message);
  };
  const peer = new Peer({ surface, caller, mount, clock, send });

  const receive = (message: JSONRPCMessage): void => {
    const params = 'method' in message ? (message.params ?? {}) : {};
    if (!isRequest(message) || !isStateless(params)) return peer.receive(message, caller);
    try {
      checkMeta(params);
      checkRevision(params);
    } catch (error) {
      return send({ jsonrpc: '2.0', id: message.id, error: { ...errorOf(error) } });
    }
    peer.receive(message, caller, 'modern');
  };
  return {
    text(text) {
      const message = parseJson(text);
      if (isMessage(message)) receive(message);
      else if (text.trim() !== '') logger?.debug('The client has sent a line that is not a message.');
    },
    close() {
      isOpen = false;
      peer.close();
    },
  };
}
