import type { Clock, JSONRPCMessage, Logger } from '@mcp-fittings/client-core';
import { serveLines } from '@mcp-fittings/toolbox/framing';
import { isRequest } from '@mcp-fittings/toolbox/messages';
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
  const { surface, caller, mount = {}, clock, logger, signal, maxMessageBytes: maxBytes } = options;
  const { input = process.stdin, output = process.stdout } = options;
  let isOpen = true;
  const send = (message: JSONRPCMessage): void => {
    if (isOpen) output.write(`${JSON.stringify(message)}\n`);
  };
  const peer = new Peer({ surface, caller, mount, clock, send });
  const onMessage = (message: JSONRPCMessage): void => {
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
  await serveLines(input, output, { maxBytes, onMessage, signal, logger });
  isOpen = false;
  peer.close();
}
