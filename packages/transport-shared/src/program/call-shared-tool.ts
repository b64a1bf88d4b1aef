import {
  isRequest,
  isResponse,
  RPC_CODES,
  type JSONRPCObject,
  type JSONRPCResponse,
} from '@mcp-fittings/client-core/transport';
import { sharedFolder } from '../wire/socket-address.js';
import { SharedTransport } from './shared-transport.js';

/** Options of {@link callSharedTool}. */
export interface CallSharedToolOptions {
  /** What `onTicket` of `sharedStdio()` was called with. */
  readonly ticket: string;
  /** Name of the server, for errors. */
  readonly server: string;
  /** Name of the tool, as the server lists it. */
  readonly tool: string;
  /** Arguments of the tool. They are not checked. Default none. */
  readonly args?: JSONRPCObject | undefined;
  /** URIs that `roots/list` is answered with. All other requests of the server are refused. Default none. */
  readonly roots?: readonly string[] | undefined;
  /** Folder of the socket. Default: that of `sharedStdio()`. */
  readonly folder?: string | undefined;
  /** Aborts the call, and cancels it at the server. Default none. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls a tool of a server that the shared process runs, in the session of which another program has got the ticket, and resolves
 * with the response as the server has sent it. It needs no SDK and no host, so that a short program costs little more than
 * Node.js itself. It makes none of a host's checks: of arguments, permissions, pins and results.
 *
 * Rejects with a `TransportError`. If its `delivery` is not `unknown`, the server has not seen the call: the ticket has ended
 * with the server, or when the server listed other tools, or no shared process runs.
 *
 * @example
 * ```ts
 * const response = await callSharedTool({ ticket, server: 'notes', tool: 'search', args: { query: 'mcp' } });
 * ```
 */
export async function callSharedTool(options: CallSharedToolOptions): Promise<JSONRPCResponse> {
  const { ticket, server, tool, args = {}, roots = [], folder = sharedFolder(), signal } = options;
  const transport = new SharedTransport({
    opening: () => ({ ticket }),
    folder,
    start: undefined,
    startTimeoutMs: 0,
    server,
    signal,
  });
  let response: JSONRPCResponse | undefined;
  transport.onmessage = (message) => {
    if (isResponse(message)) response = message;
    if (!isRequest(message)) return;
    const { id, method } = message;
    const answer =
      method === 'roots/list'
        ? { result: { roots: roots.map((uri) => ({ uri })) } }
        : { error: { code: RPC_CODES.methodNotFound, message: `This program does not answer ${method}.` } };
    // The connection has ended, and so has the call.
    transport.send({ jsonrpc: '2.0', id, ...answer }).catch(() => undefined);
  };
  await transport.start();
  try {
    await transport.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: tool, arguments: args },
    });
  } finally {
    await transport.close();
  }
  if (response === undefined) throw transport.lost('unknown');
  return response;
}
