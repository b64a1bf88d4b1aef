import type {
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResponse,
  RequestId,
} from '@mcp-fittings/client-core';
import { isLogLevel, LOG_LEVELS, type LogLevel } from '@mcp-fittings/toolbox/logging';

/**
 * Keeps what a server has for its one client and programs see as theirs: subscriptions to resources and the log level. The server
 * is asked for what all programs together want, and each program receives what it wants itself.
 */
export class Subscriptions<Client> {
  readonly #byUri = new Map<string, Set<Client>>();
  readonly #levels = new Map<Client, LogLevel>();
  /** Subscriptions that the server has not confirmed, by program and id. */
  readonly #open = new Map<Client, Map<RequestId, string>>();

  /** Returns the request as the server should see it, or the response if the server need not be asked. */
  request(client: Client, request: JSONRPCRequest): JSONRPCRequest | JSONRPCResponse {
    const { id, method, params } = request;
    const uri = params?.['uri'];
    if (method === 'resources/subscribe' && typeof uri === 'string') {
      const clients = this.#byUri.get(uri) ?? new Set<Client>();
      // The failure of a repeated one leaves the first as it is.
      if (!clients.has(client))
        this.#open.set(client, (this.#open.get(client) ?? new Map<RequestId, string>()).set(id, uri));
      this.#byUri.set(uri, clients.add(client));
    } else if (method === 'resources/unsubscribe' && typeof uri === 'string') {
      const isKept = this.#byUri.has(uri) && !this.#drop(client, uri);
      if (isKept) return { jsonrpc: '2.0', id, result: {} };
    } else if (method === 'logging/setLevel') {
      const level = params?.['level'];
      // The server checks a level that is not one.
      if (!isLogLevel(level)) return request;
      this.#levels.set(client, level);
      return { ...request, params: { ...params, level: this.#leastLevel() } };
    }
    return request;
  }

  /** Notes that a request was answered, or has failed. Returns the resource that no client is subscribed to any more because of it. */
  settled(client: Client, id: RequestId, hasSucceeded: boolean): string | undefined {
    const uri = this.#open.get(client)?.get(id);
    this.#open.get(client)?.delete(id);
    return uri !== undefined && !hasSucceeded && this.#drop(client, uri) ? uri : undefined;
  }

  /** Returns who receives a notification. */
  audience({ method, params }: JSONRPCNotification, all: ReadonlySet<Client>): Iterable<Client> {
    if (method === 'notifications/resources/updated') {
      const uri = params?.['uri'];
      const exact = typeof uri === 'string' ? this.#byUri.get(uri) : undefined;
      // It may be a part of what was subscribed to.
      return exact ?? new Set([...this.#byUri.values()].flatMap((clients) => [...clients]));
    }
    if (method !== 'notifications/message') return all;
    const level = params?.['level'];
    if (!isLogLevel(level)) return all;
    const at = LOG_LEVELS.indexOf(level);
    return [...all].filter((client) => at >= LOG_LEVELS.indexOf(this.#levels.get(client) ?? 'debug'));
  }

  /** Forgets a client. Returns requests that take back what only it wanted. */
  forget(client: Client): readonly JSONRPCRequest[] {
    const before = this.#leastLevel();
    this.#levels.delete(client);
    this.#open.delete(client);
    const uris = [...this.#byUri].flatMap(([uri, clients]) =>
      clients.has(client) && this.#drop(client, uri) ? [uri] : [],
    );
    const level = this.#leastLevel();
    const requests = uris.map((uri) => ({ method: 'resources/unsubscribe', params: { uri } }));
    const changed =
      level === undefined || level === before ? [] : [{ method: 'logging/setLevel', params: { level } }];
    return [...requests, ...changed].map((each) => ({ jsonrpc: '2.0', id: 0, ...each }));
  }

  /** Returns whether the client was the last one with this subscription. */
  #drop(client: Client, uri: string): boolean {
    const clients = this.#byUri.get(uri);
    clients?.delete(client);
    return clients?.size === 0 && this.#byUri.delete(uri);
  }

  #leastLevel(): LogLevel | undefined {
    return LOG_LEVELS.find((level) => [...this.#levels.values()].includes(level));
  }
}
