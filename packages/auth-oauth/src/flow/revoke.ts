import type { Logger } from '@mcp-fittings/client-core';
import {
  allowInsecureRequests,
  customFetch,
  processRevocationResponse,
  revocationRequest,
} from 'oauth4webapi';
import type { Discovered } from '../discovery/discover.js';
import { libraryFetch, type Fetcher } from '../library-fetch.js';
import { forLibrary } from '../registration/client.js';
import type { ClientFinder } from '../registration/find-client.js';
import type { TokenRecord } from '../tokens/token-record.js';

export interface Revocation {
  readonly record: TokenRecord;
  readonly network: Fetcher;
  readonly server: string;
  readonly clients: Pick<ClientFinder, 'find'>;
  readonly find: () => Promise<Pick<Discovered, 'authorizationServer'>>;
  readonly logger: Logger | undefined;
}

/**
 * Tells the authorization server that the tokens are not needed any more. It never rejects: the person is signed out here
 * in any case, and a server that fails is only worth a line in the log.
 * @see https://www.rfc-editor.org/rfc/rfc7009.html
 */
export async function revoke({ record, network, server, clients, find, logger }: Revocation): Promise<void> {
  try {
    const { authorizationServer: as } = await find();
    if (as.issuer !== record.issuer || as.revocation_endpoint === undefined) return;
    const client = await clients.find({
      authorizationServer: as,
      clientId: record.clientId,
      scopes: record.requested,
    });
    if (client?.clientId !== record.clientId) return;
    // The refresh token first: with it goes the whole grant.
    for (const token of [record.refreshToken, record.accessToken]) {
      if (token === undefined || token === '') continue;
      const response = await revocationRequest(as, forLibrary(client), client.authenticate, token, {
        [customFetch]: libraryFetch(network),
        [allowInsecureRequests]: true,
      });
      await processRevocationResponse(response);
    }
  } catch {
    logger?.warn(
      `The tokens of "${server}" were forgotten here, but could not be revoked at ${record.issuer}.`,
      { server },
    );
  }
}
