import type { Logger } from '@mcp-fittings/client-core';
import {
  allowInsecureRequests,
  customFetch,
  processRevocationResponse,
  revocationRequest,
} from 'oauth4webapi';
import type { DiscoveredServer } from '../discovery/discover.js';
import type { ClientRegistry } from './client-registry.js';
import type { TokenRecord } from '../tokens/token-record.js';
import { isSameIssuer } from '../protocol/values.js';
import { type Fetcher, guardedFetch } from '../protocol/endpoint.js';

/** Options of {@link revokeTokens}. */
export interface RevocationRequest {
  /** The tokens; the refresh token is revoked first, because it ends the whole grant. */
  readonly record: TokenRecord;
  /** Sends the requests. */
  readonly network: Fetcher;
  /** Name of the server, for the warning. */
  readonly server: string;
  /** Finds the client that the tokens were issued to. */
  readonly clients: Pick<ClientRegistry, 'find'>;
  /** Discovers the authorization server. Tokens of another issuer are not sent to it. */
  readonly discover: () => Promise<Pick<DiscoveredServer, 'authorizationServer'>>;
  /** Receives a warning if the revocation fails. */
  readonly logger: Logger | undefined;
}

/**
 * Revokes the tokens of a sign-in. Never rejects: the person is signed out locally in any case, and a failure is logged as a
 * warning.
 * @see https://www.rfc-editor.org/rfc/rfc7009.html
 */
export async function revokeTokens({
  record,
  network,
  server,
  clients,
  discover,
  logger,
}: RevocationRequest): Promise<void> {
  try {
    const { authorizationServer: as } = await discover();
    if (!isSameIssuer(as.issuer, record.issuer) || as.revocation_endpoint === undefined) return;
    const client = await clients.find({
      authorizationServer: as,
      clientId: record.clientId,
      scopes: record.requested,
    });
    if (client?.clientId !== record.clientId) return;
    for (const token of [record.refreshToken, record.accessToken]) {
      if (token === undefined || token === '') continue;
      const response = await revocationRequest(
        as,
        { client_id: client.clientId },
        client.authenticate,
        token,
        {
          [customFetch]: guardedFetch(network),
          [allowInsecureRequests]: true,
        },
      );
      await processRevocationResponse(response);
    }
  } catch {
    logger?.warn(`Deleted the tokens for "${server}", but could not revoke them at ${record.issuer}.`, {
      server,
    });
  }
}
