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
