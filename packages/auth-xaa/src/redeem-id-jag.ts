import {
  type ClientRegistry,
  type DiscoveredServer,
  type GrantedToken,
  type GrantRequest,
  isSameIssuer,
  type OAuthClient,
  oauthErrorCode,
  requestExtensionGrant,
} from '@mcp-fittings/auth-oauth/toolkit';
import { FittingsError } from '@mcp-fittings/client-core';
import { redemptionError, xaaUnsupported } from './errors.js';
import type { IdJag, IdJagTarget } from './id-jag/id-jag.js';
import { ID_JAG_PROFILE } from './id-jag/token-exchange.js';
import { stepUpIn } from './identity-provider/step-up.js';
import type { SharedIdentityProvider } from './identity-provider/identity-provider.js';
import type { XaaProviderOptions } from './options.js';

/** The `grant_type` of JWT assertions. @see https://www.rfc-editor.org/rfc/rfc7523.html#section-2.1 */
const JWT_BEARER_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/**
 * Requests an access token with an ID-JAG. When a reused ID-JAG is refused, a new one is requested, once. Rejects with
 * `AUTH_REJECTED`, `AUTH_FAILED`, `POLICY_DENIED`, `AUTH_DISCOVERY_FAILED`, and with the errors of the identity provider.
 * @see https://www.rfc-editor.org/rfc/rfc7523.html#section-2.1
 */
export async function redeemIdJag(
  options: XaaProviderOptions,
  identityProvider: SharedIdentityProvider,
  clients: ClientRegistry,
  request: GrantRequest,
): Promise<GrantedToken> {
  const { provider, discovered, scopes, signal } = request;
  const { server } = provider;
  const { authorizationServer, resource } = discovered;
  const { issuer: audience } = authorizationServer;
  checkAuthorizationServer(server, discovered, options);
  const client = await clients.find({ authorizationServer, scopes });
  if (client === undefined) throw unknownClient(server, audience);
  const { clientId } = client;
  const target: IdJagTarget = { server, audience, resource, clientId, scopes };

  for (;;) {
    const idJag = await identityProvider.requestIdJag(target, signal);
    try {
      const response = await requestAccessToken(request, client, idJag);
      reportMissingScopes(request, idJag.scopes, response.scope);
      return { response, clientId, session: idJag.sessionId };
    } catch (error) {
      const stepUp = stepUpIn(error);
      const demanded = stepUp && (await identityProvider.requireStepUp({ ...stepUp, server }));
      if (demanded !== undefined) throw demanded;
      if (oauthErrorCode(error) === 'invalid_grant') {
        identityProvider.discardIdJag(target, idJag);
        if (idJag.reused) continue;
      }
      throw redemptionError(error, server);
    }
  }
}

function requestAccessToken(
  { provider: { server, network }, discovered, scopes, dpop, signal }: GrantRequest,
  client: OAuthClient,
  idJag: IdJag,
) {
  const { authorizationServer, resource } = discovered;
  const requested = idJag.scopes ?? scopes;
  return requestExtensionGrant(
    { network, server, authorizationServer, client, dpop, signal },
    'Redeeming the ID-JAG',
    JWT_BEARER_GRANT,
    {
      assertion: idJag.token,
      resource,
      ...(requested.length > 0 && { scope: requested.join(' ') }),
    },
  );
}

/** Logs once when the company permits fewer scopes than requested; the others are not requested again. */
function reportMissingScopes(
  { provider: { server, logger }, scopes }: GrantRequest,
  permitted: readonly string[] | undefined,
  given: string | undefined,
): void {
  const granted = given?.split(' ') ?? permitted;
  const missing = granted === undefined ? [] : scopes.filter((scope) => !granted.includes(scope));
  if (missing.length === 0) return;
  logger?.warn(
    `The sign-in to "${server}" was granted fewer scopes than the server requests; missing: ${missing.join(' ')}.`,
    { server },
  );
}

function unknownClient(server: string, issuer: string): FittingsError {
  return new FittingsError('AUTH_FAILED', `The authorization server ${issuer} does not know this client.`, {
    server,
    hint: 'Set "oauth.clientId" in the entry of the server to the client id that its owner gave you.',
  });
}

/**
 * Throws unless an ID-JAG may be requested for this authorization server: `POLICY_DENIED` when it is not on the list,
 * `AUTH_DISCOVERY_FAILED` when it does not accept ID-JAGs.
 */
function checkAuthorizationServer(
  server: string,
  { authorizationServer: as }: DiscoveredServer,
  { allowedAuthorizationServers: allowed, unannounced = 'try' }: XaaProviderOptions,
): void {
  if (allowed !== undefined && !allowed.some((issuer) => isSameIssuer(issuer, as.issuer))) {
    throw new FittingsError(
      'POLICY_DENIED',
      `The server "${server}" uses the authorization server ${as.issuer}, which is not on the list of allowed ones.`,
      {
        server,
        kind: 'auth',
        hint: 'If it is correct, ask your administrator to add it to `allowedAuthorizationServers`.',
      },
    );
  }
  const profiles = as['authorization_grant_profiles_supported'];
  const isListed = Array.isArray(profiles) && profiles.includes(ID_JAG_PROFILE);
  if (isListed || (profiles === undefined && unannounced === 'try')) return;
  throw xaaUnsupported(
    server,
    profiles === undefined
      ? `The metadata of ${as.issuer} do not say whether it supports cross-app access (ID-JAG).`
      : `The authorization server ${as.issuer} does not support cross-app access (ID-JAG).`,
  );
}
