import type { JSONRPCMessage, JSONRPCRequest, RequestId } from '@mcp-fittings/client-core/transport';

/**
 * Members of `_meta` that revision 2026-07-28 defines.
 * @see https://modelcontextprotocol.io/specification/2026-07-28
 */
const PROTOCOL_VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
export const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';

/** A request of a client that the server has not answered. */
export interface InFlight<Client> {
  readonly client: Client;
  /** The client's id of the request. */
  readonly id: RequestId;
  readonly method: string;
  /** The client's progress token; undefined if it requested no progress. */
  readonly progressToken: unknown;
  /** Whether its revision cancels a request by closing the stream. */
  readonly isStateless: boolean;
  readonly giveUp: AbortController;
}

/** Renumbers the requests of several clients, so that they can share one connection. */
export interface InFlightRequests<Client> {
  /** Adds a request. Returns it with the number and the progress token that the server sees. */
  add(
    client: Client,
    request: JSONRPCRequest,
  ): { readonly forwarded: JSONRPCRequest; readonly entry: InFlight<Client> };
  /** Returns the request with this number. Some servers return the number as a string. */
  get(number: unknown): InFlight<Client> | undefined;
  remove(number: unknown): InFlight<Client> | undefined;
  /** Returns the number of a client's request. */
  numberOf(client: Client, id: unknown): RequestId | undefined;
  of(client: Client): readonly RequestId[];
}

export function createInFlightRequests<Client>(): InFlightRequests<Client> {
  const entries = new Map<number, InFlight<Client>>();
  let last = 0;
  const key = (number: unknown): number =>
    typeof number === 'string' ? Number(number) : Number(number ?? 0);

  return {
    add(client, request) {
      last += 1;
      const { params } = request;
      const meta = params?._meta;
      const progressToken = meta?.['progressToken'];
      const version = meta?.[PROTOCOL_VERSION_KEY];
      const entry = {
        client,
        id: request.id,
        method: request.method,
        progressToken,
        isStateless: version !== undefined,
        giveUp: new AbortController(),
      };
      entries.set(last, entry);
      const withToken =
        progressToken === undefined ? params : { ...params, _meta: { ...meta, progressToken: last } };
      const forwarded = { ...request, id: last, ...(withToken !== undefined && { params: withToken }) };
      return { forwarded, entry };
    },
    get: (number) => entries.get(key(number)),
    remove(number) {
      const entry = entries.get(key(number));
      entries.delete(key(number));
      return entry;
    },
    numberOf(client, id) {
      for (const [number, entry] of entries) if (entry.client === client && entry.id === id) return number;
      return undefined;
    },
    of: (client) => [...entries].flatMap(([number, entry]) => (entry.client === client ? [number] : [])),
  };
}

/** Returns the message with the subscription id that the client knows. */
export function withSubscription<Message extends JSONRPCMessage>(message: Message, id: RequestId): Message {
  if ('params' in message && message.params?._meta?.[SUBSCRIPTION_KEY] !== undefined) {
    const { params } = message;
    return { ...message, params: { ...params, _meta: { ...params._meta, [SUBSCRIPTION_KEY]: id } } };
  }
  if ('result' in message && message.result._meta?.[SUBSCRIPTION_KEY] !== undefined) {
    const { result } = message;
    return { ...message, result: { ...result, _meta: { ...result._meta, [SUBSCRIPTION_KEY]: id } } };
  }
  return message;
}
