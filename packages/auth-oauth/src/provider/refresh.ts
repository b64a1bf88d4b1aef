import { FittingsError } from '@mcp-fittings/client-core';
import { isSameIssuer } from '../discovery/issuer-url.js';
import type { ClientRegistry } from '../registration/client-registry.js';
import { refreshTokenGrant } from '../tokens/token-endpoint.js';
import { createTokenRecord, type TokenRecord } from '../tokens/token-record.js';
import { withCachedDiscovery } from './cached-discovery.js';
import { tokenRecordOptions, type ProviderDeps } from './provider-deps.js';

/**
 * Refreshes a token at the authorization server that issued it, as the client that it was issued to. If the MCP server names
 * another authorization server since, that one is not shown the refresh token.
 */
export async function refresh(
  provider: ProviderDeps,
  clients: ClientRegistry,
  record: TokenRecord | undefined,
): Promise<TokenRecord> {
  const { server, network } = provider;
  const refreshToken = record?.refreshToken;
  if (record === undefined || refreshToken === undefined) throw foreignToken(server);
  return withCachedDiscovery(provider, record, async (discovered) => {
    const { authorizationServer } = discovered;
    const resource = provider.resourceFor(discovered);
    if (!isSameIssuer(authorizationServer.issuer, record.issuer)) throw foreignToken(server);
    const client = await clients.find({
      authorizationServer,
      clientId: record.clientId,
      scopes: record.requested,
    });
    if (client?.clientId !== record.clientId) throw foreignToken(server);
    const dpop = record.tokenType === 'DPoP' ? await provider.dpopKeys.handle() : undefined;
    const request = { network, server, authorizationServer, client, dpop };
    const response = await refreshTokenGrant(request, refreshToken, { resource, scopes: record.scopes });
    return createTokenRecord(response, {
      ...tokenRecordOptions(provider, discovered, client.clientId, record.requested),
      previous: record,
    });
  });
}

/** Status 400, as if the authorization server had refused the refresh token: the one that is named now does not know it. */
function foreignToken(server: string): FittingsError {
  return new FittingsError(
    'AUTH_FAILED',
    `The sign-in to "${server}" belongs to another authorization server.`,
    {
      server,
      details: { status: 400 },
    },
  );
}
