import { FittingsError } from '@mcp-fittings/client-core';
import {
  isDPoPNonceError,
  processPushedAuthorizationResponse,
  pushedAuthorizationRequest,
} from 'oauth4webapi';
import { jsonOnly } from '../protocol/json.js';
import { oauthError } from '../protocol/oauth-error.js';
import { createSentSecrets } from '../protocol/sent-secrets.js';
import { toLibraryClient } from '../registration/oauth-client.js';
import { libraryOptions, type TokenRequest } from '../tokens/token-endpoint.js';

/**
 * Gives the authorization request to the server itself, where that is demanded, and has the person carry a reference to it.
 * Rejects with `AUTH_DISCOVERY_FAILED` when there is no place for it, `AUTH_FAILED` when it is refused.
 * @see https://www.rfc-editor.org/rfc/rfc9126.html
 */
export async function pushRequest(
  request: TokenRequest,
  parameters: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const { authorizationServer: as, client, server, dpop } = request;
  if (as.pushed_authorization_request_endpoint === undefined) {
    throw new FittingsError(
      'AUTH_DISCOVERY_FAILED',
      `${as.issuer} demands pushed authorization requests, and does not say where.`,
      { server, hint: 'Ask its owner to name pushed_authorization_request_endpoint in its metadata.' },
    );
  }
  const library = toLibraryClient(client);
  const sentSecrets = createSentSecrets();
  const once = async (): Promise<string> => {
    const options = libraryOptions(request, sentSecrets);
    const response = await pushedAuthorizationRequest(
      as,
      library,
      client.authenticate,
      { ...parameters },
      options,
    );
    return (await processPushedAuthorizationResponse(as, library, jsonOnly(response, as, server)))
      .request_uri;
  };
  try {
    const reference = await once().catch((error: unknown) => {
      // The library has kept the nonce of the answer, and puts it into the next proof.
      if (dpop !== undefined && isDPoPNonceError(error)) return once();
      throw error;
    });
    return { client_id: client.clientId, request_uri: reference };
  } catch (cause) {
    throw oauthError(cause, `The authorization request to ${as.issuer} failed`, { server, sentSecrets });
  }
}
