import type { JSONRPCObject } from '@mcp-fittings/client-core';
import type { ListKind } from '@mcp-fittings/host';
import type { ListedItem } from '../catalog/catalog.js';
import type { ExposedKind } from '../catalog/exposure.js';
import { freshnessOf } from '../catalog/freshness.js';
import { pageOf } from '../catalog/pages.js';
import { isEmpty, snapshotOf } from '../catalog/ready-servers.js';
import type { ClientRequest } from '../contracts/surface.js';
import { withSignIn } from './call-checks.js';
import { isRecord } from '@mcp-fittings/toolbox/messages';
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
  const { catalog, exposure, limits, clock, servers, options } = deps;
  const { caller, era, params } = request;
  const exposed = EXPOSED[kind];
  const names = exposure.hasKind(exposed) ? exposure.servers(request) : [];
  await servers.ready(names, caller.principal, limits.listMs);
  await checkUsable(request, deps);
  const listed = catalog[kind](request);
  const page = pageOf(kind, listed, params['cursor']);
  onListed(exposed);
  const items = era === 'legacy' && kind === 'tools' ? page.items.map(asBefore) : page.items;
  return {
    [kind]: items,
    ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
    ...(era === 'modern' && freshnessOf(kind, names, request, { host: options.host, clock })),
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
