import type { ListKind } from '@mcp-fittings/host';
import type { Server } from '@modelcontextprotocol/server';
import type { ExposedKind } from '../catalog/exposure.js';
import { freshnessOf } from '../catalog/freshness.js';
import { pageOf } from '../catalog/pages.js';
import { snapshotOf } from '../catalog/ready-servers.js';
import type { ClientConnection } from '../contracts/surface.js';
import { withSignIn } from './call-checks.js';
import { toProtocolError } from './protocol-errors.js';
import { paramsWith } from './request-params.js';
import type { SurfaceDeps } from './surface-deps.js';

const LISTS: readonly { readonly method: string; readonly kind: ListKind; readonly exposed: ExposedKind }[] =
  [
    { method: 'tools/list', kind: 'tools', exposed: 'tools' },
    { method: 'prompts/list', kind: 'prompts', exposed: 'prompts' },
    { method: 'resources/list', kind: 'resources', exposed: 'resources' },
    { method: 'resources/templates/list', kind: 'resourceTemplates', exposed: 'resources' },
  ];

/**
 * Answers requests for lists. They wait for servers that are not connected yet, but not for long: what such a server lists is reported
 * as a change. At the address of one server, a server that cannot be used is an error.
 */
export function setListHandlers(
  server: Server,
  connection: ClientConnection,
  deps: SurfaceDeps,
  onListed: (kind: ExposedKind) => void,
): void {
  const { caller, mount, era } = connection;
  const { catalog, exposure, limits, clock, servers } = deps;
  const { host, signIn } = deps.options;

  /** Throws the reason why the only server has no lists. */
  const checkUsable = async (): Promise<void> => {
    const { server: only } = mount;
    if (only === undefined || !exposure.hasServer(connection, only)) return;
    const state = snapshotOf(host, only, caller.principal)?.state;
    if (state?.status !== 'needs-auth' && state?.status !== 'failed') return;
    const { error } = state;
    await withSignIn(() => Promise.reject(error), undefined, {
      connection,
      server: only,
      signIn,
      clock,
      answerMs: limits.answerMs,
      onPage: () => undefined,
    });
  };

  for (const { method, kind, exposed } of LISTS) {
    server.setRequestHandler(method, { params: paramsWith() }, async ({ cursor }) => {
      try {
        const names = exposure.hasKind(exposed) ? exposure.servers(connection) : [];
        await servers.ready(names, caller.principal, limits.listMs);
        await checkUsable();
        const page = pageOf(kind, catalog[kind](connection), cursor, limits.pageItems);
        onListed(exposed);
        return {
          [kind]: page.items,
          ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
          ...(era === 'modern' && freshnessOf(kind, names, connection, { host, clock })),
        };
      } catch (error) {
        throw toProtocolError(error, era);
      }
    });
  }
}
