import type { Clock } from '@mcp-fittings/client-core';
import type { Host, ListKind } from '@mcp-fittings/host';
import type { Scope } from './exposure.js';
import { snapshotOf } from './ready-servers.js';

/** Cache lifetime and scope of a result. */
export interface Freshness {
  /** Milliseconds. */
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
}

/**
 * Returns how long a list that was merged from those of several servers may be kept: as long as the first of them. It is public only if
 * all of them are, and everybody sees the same.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export function freshnessOf(
  kind: ListKind,
  servers: readonly string[],
  { caller }: Scope,
  { host, clock }: { readonly host: Host; readonly clock: Clock },
): Freshness {
  let isPublic = caller.principal === undefined && caller.allows === undefined && servers.length > 0;
  let until = servers.length === 0 ? 0 : Infinity;
  for (const server of servers) {
    const snapshot = snapshotOf(host, server, caller.principal);
    const list = snapshot?.state.status === 'connected' ? snapshot.lists[kind] : undefined;
    until = Math.min(until, list?.freshUntil ?? 0);
    isPublic &&= list?.isPublic === true;
  }
  return {
    ttlMs: Math.max(0, Math.floor(until - clock.now())),
    cacheScope: isPublic ? 'public' : 'private',
  };
}
