import { connect } from 'node:net';
import {
  createLineReader,
  isMessage,
  isRequest,
  isResponse,
  RPC_CODES,
  TransportError,
  type JSONRPCObject,
  type JSONRPCRequest,
  type JSONRPCResponse,
} from '@mcp-fittings/client-core/transport';
import {
  asControlEvent,
  controlLine,
  controlOf,
  fromWireError,
  MAX_LINE_BYTES,
  messageLine,
  WIRE_VERSION,
  type ControlEvent,
} from '../wire/protocol.js';
import { findAddress, sharedFolder } from '../wire/socket-address.js';

/** The only request on its connection. */
const CALL_ID = 1;

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
  /** URIs that `roots/list` is answered with, read when the server asks. All other requests of the server are refused. Default none. */
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
  const { ticket, server, tool, args = {}, folder = sharedFolder(), signal } = options;
  signal?.throwIfAborted();
  const path = await findAddress(folder);
  let delivery: 'not-sent' | 'unknown' = 'not-sent';
  const error = (message: string, cause?: unknown): TransportError =>
    new TransportError('CONNECTION_LOST', message, { server, delivery, cause });
  if (path === undefined) throw error('No shared process has run.');
  const socket = connect(path);
  const write = (line: string): void => void socket.write(line);
  /** Answers a request of the server, which has one client for all programs. */
  const answer = ({ id, method }: JSONRPCRequest): void => {
    const content =
      method === 'roots/list'
        ? { result: { roots: (options.roots ?? []).map((uri) => ({ uri })) } }
        : { error: { code: RPC_CODES.methodNotFound, message: `This program does not answer ${method}.` } };
    write(messageLine({ jsonrpc: '2.0', id, ...content }));
  };
  const params = { name: tool, arguments: args };

  return new Promise<JSONRPCResponse>((resolve, reject) => {
    const fail = (reason: Error): void => {
      reject(reason);
      socket.destroy();
    };
    const onAbort = (): void =>
      fail(
        new TransportError('ABORTED', 'The call was aborted.', { server, delivery, cause: signal?.reason }),
      );
    signal?.addEventListener('abort', onAbort, { once: true });
    const happened = (event: ControlEvent | undefined): void => {
      if (event?.event === 'opened') {
        delivery = 'unknown';
        write(messageLine({ jsonrpc: '2.0', id: CALL_ID, method: 'tools/call', params }));
      } else if (event?.event === 'failed') fail(fromWireError(event.error, server));
      else if (event?.event === 'ended') fail(fromWireError({ delivery, ...event.error }, server));
    };
    const reader = createLineReader({
      maxBytes: MAX_LINE_BYTES,
      onLine(line) {
        const value: unknown = line.kind === 'text' ? JSON.parse(line.text) : undefined;
        const control = controlOf(value);
        if (control !== undefined) return happened(asControlEvent(control));
        if (!isMessage(value)) return fail(error('The shared process sent what is not a message.'));
        if (isRequest(value)) answer(value);
        if (!isResponse(value) || value.id !== CALL_ID) return;
        resolve(value);
        socket.end();
        // What was written still is; the process need not wait until the shared process has closed its end too.
        socket.unref();
      },
    });
    socket.on('data', (chunk: Uint8Array) => reader.push(chunk));
    socket.on('error', (cause) => fail(error('The shared process cannot be reached.', cause)));
    socket.on('close', () => {
      signal?.removeEventListener('abort', onAbort);
      // Nothing happens if there was a response.
      reject(error('The shared process that runs this server has ended.'));
    });
    write(controlLine({ wire: WIRE_VERSION, ticket }));
  });
}
