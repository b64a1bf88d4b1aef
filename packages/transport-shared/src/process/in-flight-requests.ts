import type { JSONRPCMessage, JSONRPCRequest, RequestId } from '@mcp-fittings/client-core';
import { META } from '@mcp-fittings/toolbox/messages';

/** A request of a client that the server has not answered. */
export interface InFlight<Client> {
  /** The client that has sent it. */
  readonly client: Client;
  /** The client's id of the request. */
  readonly id: RequestId;
  /** Its method. */
  readonly method: string;
  /** The client's progress token; undefined if it requested no progress. */
  readonly progressToken: unknown;
  /** Abort it to stop waiting for the response. */
  readonly giveUp: AbortController;
}

/** Numbers from here on are ours; kept ids are smaller. Still 31 bits, for servers that read no more. */
const FIRST_NUMBER = 2 ** 30;

/** Renumbers the requests of several clients, so that they can share one connection. A number is never used twice. */
export class InFlightRequests<Client> {
  readonly #entries = new Map<number, InFlight<Client> & { readonly token: unknown }>();
  readonly #tokens = new Map<unknown, InFlight<Client>>();
  #last = FIRST_NUMBER;

  /**
   * Adds a request. Returns it with the number and the progress token that the server sees. With `keepsId`, which one client may
   * have, they are the client's own where that is possible.
   */
  add(
    client: Client,
    request: JSONRPCRequest,
    keepsId = false,
  ): { readonly forwarded: JSONRPCRequest; readonly entry: InFlight<Client> } {
    const { id, method, params } = request;
    const isKept = keepsId && typeof id === 'number' && !isOurs(id) && !this.#entries.has(id);
    const number = isKept ? id : (this.#last += 1);
    const meta = params?._meta;
    const progressToken = meta?.['progressToken'];
    const keepsToken = isKept && !isOurs(progressToken) && !this.#tokens.has(progressToken);
    const token = keepsToken ? progressToken : number;
    const entry = { client, id, method, progressToken, token, giveUp: new AbortController() };
    this.#entries.set(number, entry);
    if (progressToken === undefined) return { forwarded: { ...request, id: number }, entry };
    this.#tokens.set(token, entry);
    const withToken = { ...params, _meta: { ...meta, progressToken: token } };
    return { forwarded: { ...request, id: number, params: withToken }, entry };
  }

  /** Returns the request with this number. Some servers return the number as a string. */
  get(number: unknown): InFlight<Client> | undefined {
    return this.#entries.get(keyOf(number));
  }

  /** Returns the request with this progress token. */
  byToken(token: unknown): InFlight<Client> | undefined {
    return this.#tokens.get(token) ?? this.#tokens.get(keyOf(token));
  }

  /** Forgets the request with this number, and returns it. */
  remove(number: unknown): InFlight<Client> | undefined {
    const entry = this.#entries.get(keyOf(number));
    if (entry === undefined) return undefined;
    this.#entries.delete(keyOf(number));
    if (this.#tokens.get(entry.token) === entry) this.#tokens.delete(entry.token);
    return entry;
  }

  /** Returns the number of a client's request. */
  numberOf(client: Client, id: unknown): RequestId | undefined {
    for (const [number, entry] of this.#entries)
      if (entry.client === client && entry.id === id) return number;
    return undefined;
  }

  /** Returns the numbers of all requests of a client. */
  of(client: Client): readonly RequestId[] {
    return [...this.#entries].flatMap(([number, entry]) => (entry.client === client ? [number] : []));
  }

  /** Returns all requests, the oldest first. */
  all(): readonly InFlight<Client>[] {
    return [...this.#entries.values()];
  }
}

function keyOf(number: unknown): number {
  return typeof number === 'string' || typeof number === 'number' ? Number(number) : NaN;
}

function isOurs(value: unknown): boolean {
  return keyOf(value) >= FIRST_NUMBER;
}

/** Returns the message with the subscription id that the client knows. */
export function withSubscription<Message extends JSONRPCMessage>(message: Message, id: RequestId): Message {
  if ('params' in message && message.params?._meta?.[META.subscriptionId] !== undefined) {
    const { params } = message;
    return { ...message, params: { ...params, _meta: { ...params._meta, [META.subscriptionId]: id } } };
  }
  if ('result' in message && message.result._meta?.[META.subscriptionId] !== undefined) {
    const { result } = message;
    return { ...message, result: { ...result, _meta: { ...result._meta, [META.subscriptionId]: id } } };
  }
  return message;
}
