import type { JSONRPCMessage, JSONRPCRequest, RequestId } from '@mcp-fittings/client-core';

/**
 * Members of `_meta` that revision 2026-07-28 defines.
 * @see https://modelcontextprotocol.io/specification/2026-07-28
 */
const PROTOCOL_VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
/** Member of `_meta` with the id of the subscription that a message belongs to. Revision 2026-07-28. */
export const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';

/** A request of a client that the server has not answered. */
export interface InFlight<Client> {
  /** Who has sent it. */
  readonly client: Client;
  /** The client's id of the request. */
  readonly id: RequestId;
  /** Its method. */
  readonly method: string;
  /** The client's progress token; undefined if it requested no progress. */
  readonly progressToken: unknown;
  /** Whether its revision cancels a request by closing the stream. */
  readonly isStateless: boolean;
  /** Abort it to stop waiting for the response. */
  readonly giveUp: AbortController;
}

/** Renumbers the requests of several clients, so that they can share one connection. */
export interface InFlightRequests<Client> {
  /**
   * Adds a request. Returns it with the number and the progress token that the server sees. With `keepsId`, which one client may
   * have, they are the client's own where that is possible.
   */
  add(
    client: Client,
    request: JSONRPCRequest,
    keepsId?: boolean,
  ): { readonly forwarded: JSONRPCRequest; readonly entry: InFlight<Client> };
  /** Returns the request with this number. Some servers return the number as a string. */
  get(number: unknown): InFlight<Client> | undefined;
  /** Returns the request with this progress token. */
  byToken(token: unknown): InFlight<Client> | undefined;
  /** Forgets the request with this number, and returns it. */
  remove(number: unknown): InFlight<Client> | undefined;
  /** Returns the number of a client's request. */
  numberOf(client: Client, id: unknown): RequestId | undefined;
  /** Returns the numbers of all requests of a client. */
  of(client: Client): readonly RequestId[];
  /** Returns all requests, the oldest first. */
  all(): readonly InFlight<Client>[];
}

/** Numbers from here on are ours; kept ids are smaller. Still 31 bits, for servers that read no more. */
const FIRST_NUMBER = 2 ** 30;

/** Creates the list of requests in flight, which is empty. A number is never used twice. */
export function createInFlightRequests<Client>(): InFlightRequests<Client> {
  const entries = new Map<number, InFlight<Client> & { readonly token: unknown }>();
  const tokens = new Map<unknown, InFlight<Client>>();
  let last = FIRST_NUMBER;
  const key = (number: unknown): number =>
    typeof number === 'string' || typeof number === 'number' ? Number(number) : NaN;
  const isOurs = (value: unknown): boolean => key(value) >= FIRST_NUMBER;

  return {
    add(client, request, keepsId = false) {
      const { id, method, params } = request;
      const isKept = keepsId && typeof id === 'number' && !isOurs(id) && !entries.has(id);
      const number = isKept ? id : (last += 1);
      const meta = params?._meta;
      const progressToken = meta?.['progressToken'];
      const keepsToken = isKept && !isOurs(progressToken) && !tokens.has(progressToken);
      const token = keepsToken ? progressToken : number;
      const version = meta?.[PROTOCOL_VERSION_KEY];
      const entry = {
        client,
        id,
        method,
        progressToken,
        token,
        isStateless: version !== undefined,
        giveUp: new AbortController(),
      };
      entries.set(number, entry);
      if (progressToken === undefined) return { forwarded: { ...request, id: number }, entry };
      tokens.set(token, entry);
      const withToken = { ...params, _meta: { ...meta, progressToken: token } };
      return { forwarded: { ...request, id: number, params: withToken }, entry };
    },
    get: (number) => entries.get(key(number)),
    byToken: (token) => tokens.get(token) ?? tokens.get(key(token)),
    remove(number) {
      const entry = entries.get(key(number));
      if (entry === undefined) return undefined;
      entries.delete(key(number));
      if (tokens.get(entry.token) === entry) tokens.delete(entry.token);
      return entry;
    },
    numberOf(client, id) {
      for (const [number, entry] of entries) if (entry.client === client && entry.id === id) return number;
      return undefined;
    },
    of: (client) => [...entries].flatMap(([number, entry]) => (entry.client === client ? [number] : [])),
    all: () => [...entries.values()],
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
