import { FittingsError } from '@mcp-fittings/client-core';
import { processPushedAuthorizationResponse, pushedAuthorizationRequest } from 'oauth4webapi';
import { oauthError, oauthErrorCode } from '../protocol/oauth-error.js';
import { libraryOptions, type TokenRequest } from '../tokens/token-endpoint.js';
import { asResponse, readAnswer, SentSecrets } from '../protocol/endpoint.js';

/**
 * Pushes the authorization request to the authorization server, and returns the parameters that refer to it. Rejects with
 * `AUTH_DISCOVERY_FAILED` if the server names no endpoint for it, and with `AUTH_FAILED` if it refuses the request.
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
      `${as.issuer} requires pushed authorization requests, but names no endpoint for them.`,
      { server, hint: 'Ask its owner to add "pushed_authorization_request_endpoint" to its metadata.' },
    );
  }
  const library = { client_id: client.clientId };
  const sentSecrets = new SentSecrets();
  const failed = `The authorization request to ${as.issuer} failed`;
  const once = async (): Promise<string> => {
    const options = libraryOptions(request, sentSecrets);
    const response = await pushedAuthorizationRequest(
      as,
      library,
      client.authenticate,
      { ...parameters },
      options,
    );
    const document = await readAnswer(response, { issuer: as.issuer, server, what: failed, sentSecrets });
    // The reference is used at once, however long it is valid.
    const answer = asResponse({ ...document, expires_in: 0 }, 201);
    return (await processPushedAuthorizationResponse(as, library, answer)).request_uri;
  };
  try {
    const reference = await once().catch((error: unknown) => {
      // The library has kept the nonce of the response, and uses it in the next proof.
      if (dpop !== undefined && oauthErrorCode(error) === 'use_dpop_nonce') return once();
      throw error;
    });
    return { client_id: client.clientId, request_uri: reference };
  } catch (cause) {
    throw oauthError(cause, failed, { server, sentSecrets });
  }
}
