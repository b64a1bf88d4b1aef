import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';

/** The revision without `initialize`. */
export const STATELESS_REVISION = '2026-07-28';

/** Revisions with `initialize`, newest first. The first one is offered. */
export const INITIALIZE_REVISIONS = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
] as const;

/**
 * Members of `_meta` that revision 2026-07-28 defines.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta
 */
export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** Requests of the host that revision 2026-07-28 does not have. */
const REMOVED_METHODS: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'notifications/initialized',
  'notifications/roots/list_changed',
]);
/** Requests of the host that only revision 2026-07-28 has. */
const ADDED_METHODS: ReadonlySet<string> = new Set(['server/discover', 'subscriptions/listen']);

/** Whether the method of a request or notification belongs to the other era, so that the server cannot know it. */
export function isOfOtherEra(method: string, isStateless: boolean): boolean {
  return (isStateless ? REMOVED_METHODS : ADDED_METHODS).has(method);
}

/** A result of `server/discover`. */
export interface Discovery extends JSONRPCObject {
  readonly supportedVersions: readonly string[];
  readonly capabilities: JSONRPCObject;
}

export function isDiscovery(value: unknown): value is Discovery {
  if (!isRecord(value) || !isRecord(value['capabilities'])) return false;
  const { supportedVersions: versions } = value;
  return Array.isArray(versions) && versions.every((version) => typeof version === 'string');
}
