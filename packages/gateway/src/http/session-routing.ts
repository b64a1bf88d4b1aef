import type { JSONRPCMessage, RequestId } from '@mcp-fittings/client-core';
import { isRequest, isRequestId, isResponse } from '@mcp-fittings/toolbox/messages';

/**
 * The ids of the requests that a replica sends to clients begin with its name, so that every replica knows whom a response is for. The
 * SDK counts them from 0 in each replica.
 */
const SEPARATOR = '~';

/** Returns a message to the client under the id that it has for all replicas. */
export function withReplica<T extends JSONRPCMessage>(message: T, replica: string): T {
  const mark = (id: unknown): unknown => (typeof id === 'number' ? `${replica}${SEPARATOR}${id}` : id);
  if (!('method' in message)) return message;
  if ('id' in message) return { ...message, id: mark(message.id) };
  if (message.method !== 'notifications/cancelled') return message;
  return { ...message, params: { ...message.params, requestId: mark(message.params?.['requestId']) } };
}

/** Messages of a client, by the replicas that they are for. */
export interface RoutedMessages {
  /** For this replica, with the ids that it has given itself. */
  readonly own: readonly JSONRPCMessage[];
  /** Responses for other replicas, as they came. */
  readonly byReplica: ReadonlyMap<string, readonly JSONRPCMessage[]>;
  /** For all other replicas: cancellations of requests that are not answered here, and notifications about the client. */
  readonly forAll: readonly JSONRPCMessage[];
}

/** Sorts the messages of a client. `isHere` says whether this replica works on a request of the client. */
export function routeMessages(
  messages: readonly JSONRPCMessage[],
  replica: string,
  isHere: (id: RequestId) => boolean,
): RoutedMessages {
  const own: JSONRPCMessage[] = [];
  const forAll: JSONRPCMessage[] = [];
  const byReplica = new Map<string, JSONRPCMessage[]>();
  for (const message of messages) {
    const to = isResponse(message) ? replicaOf(message.id) : undefined;
    if (to !== undefined && to !== replica) byReplica.set(to, [...(byReplica.get(to) ?? []), message]);
    else own.push(ownMessage(message, replica));
    if (isForAll(message, isHere)) forAll.push(message);
  }
  return { own, byReplica, forAll };
}

/** Returns a response with the id that this replica has given to its request; any other message as it is. */
export function ownMessage(message: JSONRPCMessage, replica: string): JSONRPCMessage {
  if (!isResponse(message) || replicaOf(message.id) !== replica) return message;
  return { ...message, id: Number(String(message.id).slice(replica.length + SEPARATOR.length)) };
}

function isForAll(message: JSONRPCMessage, isHere: (id: RequestId) => boolean): boolean {
  if (isResponse(message) || isRequest(message)) return false;
  if (message.method === 'notifications/roots/list_changed') return true;
  if (message.method !== 'notifications/cancelled') return false;
  const id = message.params?.['requestId'];
  return isRequestId(id) && !isHere(id);
}

function replicaOf(id: unknown): string | undefined {
  if (typeof id !== 'string') return undefined;
  const end = id.lastIndexOf(SEPARATOR);
  return end > 0 ? id.slice(0, end) : undefined;
}
