import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord, META, RPC_CODES } from '@mcp-fittings/toolbox/messages';
import { RpcError } from '../contracts/rpc-error.js';
import type { ClientRequest } from '../contracts/surface.js';
import type { StreamPlaces } from './stream-places.js';

/** A change that a client listens for. */
export type ListenEvent =
  | { readonly kind: 'tools' | 'prompts' | 'resources' }
  | {
      /** A resource that the client has subscribed to, by the URI that it uses. */
      readonly uri: string;
    };

const LISTS = {
  toolsListChanged: 'tools',
  promptsListChanged: 'prompts',
  resourcesListChanged: 'resources',
} as const;

/**
 * Answers `subscriptions/listen`: acknowledges what the client is told of, and tells it until it cancels the request, which is answered when
 * the gateway closes.
 * @param watch - tells of changes until its result is disposed of; the URIs are those of the resources that the client subscribes to
 */
export async function answerListen(
  request: ClientRequest,
  places: StreamPlaces,
  closing: AbortSignal,
  maxSubscriptions: number,
  watch: (uris: readonly string[], onEvent: (event: ListenEvent) => void) => Disposable,
): Promise<JSONRPCObject> {
  const { id, params, notify } = request;
  const { signal } = request.controller;
  const filter = params['notifications'];
  if (!isRecord(filter)) {
    throw new RpcError(RPC_CODES.invalidParams, 'Invalid params: "notifications" must be an object.');
  }
  const { resourceSubscriptions: given } = filter;
  const texts = Array.isArray(given) ? given.filter((uri) => typeof uri === 'string') : [];
  const uris = [...new Set(texts)].slice(0, maxSubscriptions);
  const lists = Object.keys(LISTS).filter((name) => filter[name] === true);
  const honored = {
    ...Object.fromEntries(lists.map((name) => [name, true])),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  };
  const _meta = { [META.subscriptionId]: id };
  using place = places.take(request);
  notify('notifications/subscriptions/acknowledged', { notifications: honored, _meta });
  if (Object.keys(honored).length === 0) return { _meta };
  const kinds = new Set(
    Object.entries(LISTS).flatMap(([name, kind]) => (lists.includes(name) ? [kind] : [])),
  );
  using _watching = watch(uris, (event) => {
    if ('uri' in event) notify('notifications/resources/updated', { uri: event.uri, _meta });
    else if (kinds.has(event.kind)) notify(`notifications/${event.kind}/list_changed`, { _meta });
  });
  await new Promise<void>((resolve) => {
    const end = (): void => {
      // At once: the next message may ask for a stream in its place.
      place[Symbol.dispose]();
      signal.removeEventListener('abort', end);
      closing.removeEventListener('abort', end);
      resolve();
    };
    if (signal.aborted || closing.aborted) return end();
    signal.addEventListener('abort', end);
    closing.addEventListener('abort', end);
  });
  return { _meta };
}
