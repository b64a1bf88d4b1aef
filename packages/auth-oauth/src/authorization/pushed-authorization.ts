import { FittingsError } from '@mcp-fittings/client-core';
import { processPushedAuthorizationResponse, pushedAuthorizationRequest } from 'oauth4webapi';
import { callEndpoint, type TokenRequest } from '../tokens/token-endpoint.js';
import { asResponse } from '../protocol/endpoint.js';

/**
 * Pushes the authorization request to the authorization server, and returns the parameters that refer to it. Rejects with
 * `AUTH_DISCOVERY_FAILED` if the server names no endpoint for it, and with `AUTH_FAILED` if it refuses the request.
 * @see https://www.rfc-editor.org/rfc/rfc9126.html
 */
export async function pushRequest(
  request: TokenRequest,
  parameters: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const { authorizationServer: as, client, server } = request;
  if (as.pushed_authorization_request_endpoint === undefined) {
    throw new FittingsError(
      'AUTH_DISCOVERY_FAILED',
      `${as.issuer} requires pushed authorization requests, but names no endpoint for them.`,
      { server, hint: 'Ask its owner to add "pushed_authorization_request_endpoint" to its metadata.' },
    );
  }
  const library = { client_id: client.clientId };
  return callEndpoint(
    request,
    `The authorization request to ${as.issuer} failed`,
    (options) => pushedAuthorizationRequest(as, library, client.authenticate, { ...parameters }, options),
    async (document) => {
      // The reference is used at once, however long it is valid.
      const answer = asResponse({ ...document, expires_in: 0 }, 201);
      const { request_uri } = await processPushedAuthorizationResponse(as, library, answer);
      return { client_id: client.clientId, request_uri };
    },
  );
}
