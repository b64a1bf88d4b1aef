import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord, RPC_CODES } from '@mcp-fittings/toolbox/messages';
import type { ListKind } from '@mcp-fittings/host';
import type { ListedItem } from '../catalog/catalog.js';
import type { ExposedKind } from '../catalog/exposure.js';
import { isEmpty, snapshotOf } from '../catalog/ready-servers.js';
import { RpcError } from '../contracts/rpc-error.js';
import type { ClientRequest } from '../contracts/surface.js';
import { withSignIn } from './call-checks.js';
import type { SurfaceDeps } from './surface-deps.js';

/** The kind of items to which each list belongs. */
const EXPOSED: Readonly<Record<ListKind, ExposedKind>> = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  resourceTemplates: 'resources',
};

/**
 * Answers a request for a list. It waits for servers that are not connected yet, but not for long: what such a server lists is reported as a
 * change. At the address of one server, a server that cannot be used is an error.
 * @param onListed - called when the client is about to get the list
 */
export async function answerList(
  kind: ListKind,
  request: ClientRequest,
  deps: SurfaceDeps,
  onListed: (kind: ExposedKind) => void,
): Promise<JSONRPCObject> {
  const { catalog, exposure, limits, servers } = deps;
  const { caller, era, params } = request;
  const exposed = EXPOSED[kind];
  const names = exposure.hasKind(exposed) ? exposure.servers(request) : [];
  await servers.ready(names, caller.principal, limits.listMs);
  await checkUsable(request, deps);
  const listed = catalog[kind](request);
  const start = positionOf(kind, params['cursor'], listed.length);
  const end = start + PAGE_ITEMS;
  const items = listed.slice(start, end);
  onListed(exposed);
  return {
    [kind]: era === 'legacy' && kind === 'tools' ? items.map(asBefore) : items,
    ...(end < listed.length && { nextCursor: cursorAt(kind, end) }),
    ...(era === 'modern' && freshnessOf(kind, names, request, deps)),
  };
}

/** Throws the reason why the only server has no lists. */
async function checkUsable(request: ClientRequest, deps: SurfaceDeps): Promise<void> {
  const { exposure, limits, clock, options } = deps;
  const { server: only } = request.mount;
  if (only === undefined || !exposure.hasServer(request, only)) return;
  const check = async (): Promise<void> => {
    const { state, counts } = snapshotOf(options.host, only, request.caller.principal) ?? {};
    if (state?.status === 'needs-auth' || state?.status === 'failed') throw state.error;
    // What a server that worked before has listed stays while it is tried again.
    if (state?.status === 'pending' && state.error !== undefined && isEmpty(counts)) throw state.error;
  };
  await withSignIn(check, undefined, {
    connection: request,
    server: only,
    signIn: options.signIn,
    clock,
    answerMs: limits.answerMs,
    onPage: () => undefined,
  });
}

/** Revisions before 2026-07-28 know only schemas of objects as `outputSchema`. */
function asBefore(tool: ListedItem): ListedItem {
  const { outputSchema, ...rest } = tool;
  return isRecord(outputSchema) && outputSchema['type'] === 'object' ? tool : rest;
}

/** Items on a page of a list. A list that changes between two pages is reported by `list_changed`. */
const PAGE_ITEMS = 200;

/** A cursor is opaque to clients; it contains the position and the kind of the list. */
const cursorAt = (kind: string, position: number): string =>
  Buffer.from(`${kind}:${position}`).toString('base64url');

/** Returns where a page begins. Throws -32602 for a cursor that this list did not give. */
function positionOf(kind: string, cursor: unknown, length: number): number {
  if (cursor === undefined) return 0;
  const text = typeof cursor === 'string' ? cursor.slice(0, 100) : '';
  const position = Number(Buffer.from(text, 'base64url').toString().split(':')[1]);
  const isPage = position > 0 && position <= length && position % PAGE_ITEMS === 0;
  if (isPage && cursor === cursorAt(kind, position)) return position;
  throw new RpcError(RPC_CODES.invalidParams, 'The cursor is invalid. List from the beginning.');
}

/**
 * Returns how long a list that was merged from those of several servers may be kept: as long as the first of them. It is public only if
 * all of them are, and everybody sees the same.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
function freshnessOf(
  kind: ListKind,
  servers: readonly string[],
  { caller }: ClientRequest,
  { options, clock }: SurfaceDeps,
): { readonly ttlMs: number; readonly cacheScope: 'public' | 'private' } {
  let isPublic = caller.principal === undefined && caller.allows === undefined && servers.length > 0;
  let until = servers.length === 0 ? 0 : Infinity;
  for (const server of servers) {
    const snapshot = snapshotOf(options.host, server, caller.principal);
    const list = snapshot?.state.status === 'connected' ? snapshot.lists[kind] : undefined;
    until = Math.min(until, list?.freshUntil ?? 0);
    isPublic &&= list?.isPublic === true;
  }
  return {
    ttlMs: Math.max(0, Math.floor(until - clock.now())),
    cacheScope: isPublic ? 'public' : 'private',
  };
}
