import { FittingsError } from '@mcp-fittings/client-core';
import type { ClientFinder } from '../registration/find-client.js';
import type { TokenRecord } from '../tokens/token-record.js';
import { refreshGrant } from '../tokens/refresh-grant.js';
import { toRecord } from '../tokens/token-response.js';
import { recordContext, type ProviderDeps } from './context.js';
import { atKnownServer } from './known-server.js';

/**
 * One refresh token grant, at the authorization server that gave the token and by the client that it was given to.
 * Whatever moved since then: what an old server gave is none of the business of a new one.
 */
export async function refresh(
  context: ProviderDeps,
  clients: ClientFinder,
  record: TokenRecord | undefined,
): Promise<TokenRecord> {
  const { server, network } = context;
  const refreshToken = record?.refreshToken;
  if (record === undefined || refreshToken === undefined) throw gone(server);
  return atKnownServer(context, record, async (known) => {
    const { authorizationServer, resource } = known;
    if (authorizationServer.issuer !== record.issuer) throw gone(server);
    const client = await clients.find({
      authorizationServer,
      clientId: record.clientId,
      scopes: record.requested,
    });
    if (client?.clientId !== record.clientId) throw gone(server);
    const dpop = record.tokenType === 'DPoP' ? await context.proofs.handle() : undefined;
    const request = { network, server, authorizationServer, client, dpop };
    const response = await refreshGrant(request, refreshToken, resource);
    return toRecord(response, {
      ...recordContext(context, known, client.clientId, record.requested),
      previous: record,
    });
  });
}

/** As if the authorization server had said that the refresh token is of no use: to the one that is asked now, it is not. */
function gone(server: string): FittingsError {
  return new FittingsError(
    'AUTH_FAILED',
    `The sign-in to "${server}" belongs to another authorization server.`,
    {
      server,
      details: { status: 400 },
    },
  );
}
