import type { JSONRPCMessage, RequestId } from '@mcp-fittings/client-core';
import { isRequest, isRequestId, isResponse } from '@mcp-fittings/toolbox/messages';

/** The ids of the requests that a replica sends to clients begin with its name and this, so that every replica knows whom a response is for. */
export const REPLICA_END = '~';

/** Messages of a client, by the replicas that they are for. */
export interface RoutedMessages {
  /** For this replica. */
  readonly own: readonly JSONRPCMessage[];
  /** Responses for other replicas, as they came. */
  readonly byReplica: ReadonlyMap<string, readonly JSONRPCMessage[]>;
  /** For all other replicas: cancellations of requests that are not answered here. */
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
    else own.push(message);
    if (isForAll(message, isHere)) forAll.push(message);
  }
  return { own, byReplica, forAll };
}

function isForAll(message: JSONRPCMessage, isHere: (id: RequestId) => boolean): boolean {
  if (isResponse(message) || isRequest(message)) return false;
  if (message.method !== 'notifications/cancelled') return false;
  const id = message.params?.['requestId'];
  return isRequestId(id) && !isHere(id);
}

function replicaOf(id: unknown): string | undefined {
  if (typeof id !== 'string') return undefined;
  const end = id.lastIndexOf(REPLICA_END);
  return end > 0 ? id.slice(0, end) : undefined;
}
