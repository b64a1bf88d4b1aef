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
export interface Subscriptions<Client> {
  /** Returns the request as the server should see it, or the response if the server need not be asked. */
  request(client: Client, request: JSONRPCRequest): JSONRPCRequest | JSONRPCResponse;
  /** Notes that a request was answered, or has failed. */
  settled(client: Client, id: RequestId, hasSucceeded: boolean): void;
  /** Returns who receives a notification. */
  audience(message: JSONRPCNotification, all: ReadonlySet<Client>): Iterable<Client>;
  /** Forgets a client. Returns requests that take back what only it wanted. */
  forget(client: Client): readonly JSONRPCRequest[];
}

export function createSubscriptions<Client>(): Subscriptions<Client> {
  const byUri = new Map<string, Set<Client>>();
  const levels = new Map<Client, LogLevel>();
  /** Subscriptions that the server has not confirmed, by program and id. */
  const open = new Map<Client, Map<RequestId, string>>();

  const drop = (client: Client, uri: string): boolean => {
    const clients = byUri.get(uri);
    clients?.delete(client);
    if (clients === undefined || clients.size > 0) return false;
    return byUri.delete(uri);
  };
  const leastLevel = (): LogLevel | undefined =>
    LOG_LEVELS.find((level) => [...levels.values()].includes(level));

  return {
    request(client, request) {
      const { id, method, params } = request;
      const uri = params?.['uri'];
      if (method === 'resources/subscribe' && typeof uri === 'string') {
        const clients = byUri.get(uri) ?? new Set<Client>();
        byUri.set(uri, clients.add(client));
        open.set(client, (open.get(client) ?? new Map<RequestId, string>()).set(id, uri));
      } else if (method === 'resources/unsubscribe' && typeof uri === 'string') {
        const isKept = byUri.has(uri) && !drop(client, uri);
        if (isKept) return { jsonrpc: '2.0', id, result: {} };
      } else if (method === 'logging/setLevel') {
        const level = params?.['level'];
        // The server checks a level that is not one.
        if (!isLogLevel(level)) return request;
        levels.set(client, level);
        return { ...request, params: { ...params, level: leastLevel() } };
      }
      return request;
    },
    settled(client, id, hasSucceeded) {
      const uri = open.get(client)?.get(id);
      if (uri === undefined) return;
      open.get(client)?.delete(id);
      if (!hasSucceeded) drop(client, uri);
    },
    audience({ method, params }, all) {
      if (method === 'notifications/resources/updated') {
        const uri = params?.['uri'];
        const exact = typeof uri === 'string' ? byUri.get(uri) : undefined;
        // It may be a part of what was subscribed to.
        return exact ?? new Set([...byUri.values()].flatMap((clients) => [...clients]));
      }
      if (method !== 'notifications/message') return all;
      const level = params?.['level'];
      if (!isLogLevel(level)) return all;
      const at = LOG_LEVELS.indexOf(level);
      return [...all].filter((client) => at >= LOG_LEVELS.indexOf(levels.get(client) ?? 'debug'));
    },
    forget(client) {
      const before = leastLevel();
      levels.delete(client);
      open.delete(client);
      const uris = [...byUri.keys()].filter(
        (uri) => byUri.get(uri)?.has(client) === true && drop(client, uri),
      );
      const level = leastLevel();
      const requests = uris.map((uri) => ({ method: 'resources/unsubscribe', params: { uri } }));
      const changed =
        level === undefined || level === before ? [] : [{ method: 'logging/setLevel', params: { level } }];
      return [...requests, ...changed].map((each) => ({ jsonrpc: '2.0', id: 0, ...each }));
    },
  };
}
