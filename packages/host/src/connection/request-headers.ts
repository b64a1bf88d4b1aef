import { FittingsError } from '@mcp-fittings/client-core';
import type { JSONRPCMessage, Transport } from '@mcp-fittings/client-core/transport';

type Headers = Readonly<Record<string, string>>;

/** Gives the requests of one connection HTTP headers of their own. */
export interface RequestHeaders {
  /**
   * Returns the member of `_meta` that stands for these headers until it is disposed of. It never reaches the server. Throws
   * `CAPABILITY_MISSING` if the transport does not send headers.
   */
  attach(headers: Headers): Disposable & { readonly meta: Readonly<Record<string, string>> };
}

/** Member of `_meta` that marks a message. A protocol library passes `_meta` on, but not options of the transport. */
const MARK = 'com.mcp-fittings/headers';

/** Call it once for each transport, after `observeTransport` and before the transport is started. */
export function carryHeaders(transport: Transport, server: string, type: string): RequestHeaders {
  const attached = new Map<string, Headers>();
  let marks = 0;
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const mark = attached.size === 0 ? undefined : markOf(message);
    const headers = mark === undefined ? undefined : attached.get(mark);
    if (headers === undefined) return send(message, options);
    return send(unmarked(message), { ...options, headers: { ...options?.headers, ...headers } });
  };
  return {
    attach(headers) {
      if (transport.sendsHeaders !== true) {
        throw new FittingsError(
          'CAPABILITY_MISSING',
          `The server "${server}" is connected over ${type}, which does not send headers with a call.`,
          {
            server,
            delivery: 'not-sent',
            hint: 'Only Streamable HTTP sends headers of a call. Use "meta" of the call for other servers.',
            details: { transport: type },
          },
        );
      }
      const mark = String(++marks);
      attached.set(mark, { ...headers });
      return { meta: { [MARK]: mark }, [Symbol.dispose]: () => void attached.delete(mark) };
    },
  };
}

function markOf(message: JSONRPCMessage): string | undefined {
  if (!('method' in message)) return undefined;
  const mark = message.params?._meta?.[MARK];
  return typeof mark === 'string' ? mark : undefined;
}

/** Returns a copy without the mark. A protocol library may keep the message, to send it again. */
function unmarked(message: JSONRPCMessage): JSONRPCMessage {
  if (!('method' in message) || message.params?._meta === undefined) return message;
  const { [MARK]: _, ...meta } = message.params._meta;
  const { _meta, ...params } = message.params;
  return { ...message, params: Object.keys(meta).length === 0 ? params : { ...params, _meta: meta } };
}
