import {
  JWT_BEARER_GRANT,
  oauthErrorOf,
  requestOtherGrant,
  type ClientFinder,
  type GrantedToken,
  type GrantRequest,
  type OAuthClient,
} from '@mcp-fittings/auth-oauth/flows';
import { FittingsError } from '@mcp-fittings/client-core';
import { redemptionFailure } from '../failures.js';
import { stepUpIn } from '../idp/step-up-error.js';
import type { Assertion, IdJagTarget } from '../jag/assertion.js';
import type { XaaProviderOptions } from '../options.js';
import { checkAuthorizationServer } from './check-authorization-server.js';

/**
 * Gets an access token for an assertion of the identity provider. One that had been shown before and is refused is replaced
 * by a new one, once. Rejects with `AUTH_REJECTED`, `AUTH_FAILED`, `POLICY_DENIED`, `AUTH_DISCOVERY_FAILED`, and what the
 * identity provider rejects with.
 * @see https://www.rfc-editor.org/rfc/rfc7523.html#section-2.1
 */
export async function redeem(
  options: XaaProviderOptions,
  clients: Pick<ClientFinder, 'find'>,
  request: GrantRequest,
): Promise<GrantedToken> {
  const { identityProvider } = options;
  const { context, discovered, scopes, signal } = request;
  const { server } = context;
  const { authorizationServer, resource } = discovered;
  const { issuer: audience } = authorizationServer;
  checkAuthorizationServer(server, discovered, options);
  const client = await clients.find({ authorizationServer, scopes });
  if (client === undefined) throw unknownClient(server, audience);
  const { clientId } = client;
  const target: IdJagTarget = { server, audience, resource, clientId, scopes };

  for (;;) {
    const assertion = await identityProvider.assertionFor(target, signal);
    try {
      const response = await show(request, client, assertion);
      report(request, assertion.scopes, response.scope);
      return { response, clientId, session: assertion.session };
    } catch (error) {
      const stepUp = stepUpIn(error);
      const demanded = stepUp && identityProvider.stepUp({ ...stepUp, server });
      if (demanded !== undefined) throw demanded;
      if (oauthErrorOf(error) === 'invalid_grant') {
        identityProvider.discard(target, assertion);
        if (assertion.reused) continue;
      }
      throw redemptionFailure(error, server);
    }
  }
}

function show(
  { context: { server, network }, discovered, scopes, dpop, signal }: GrantRequest,
  client: OAuthClient,
  assertion: Assertion,
) {
  const { authorizationServer, resource } = discovered;
  const wanted = assertion.scopes ?? scopes;
  return requestOtherGrant(
    { network, server, authorizationServer, client, dpop, signal },
    'Redeeming the assertion',
    JWT_BEARER_GRANT,
    {
      assertion: assertion.token,
      resource,
      ...(wanted.length > 0 && { scope: wanted.join(' ') }),
    },
  );
}

/** Fewer scopes than were asked for are what the company permits: said once, and not asked for again. */
function report(
  { context: { server, logger }, scopes }: GrantRequest,
  permitted: readonly string[] | undefined,
  given: string | undefined,
): void {
  const granted = given?.split(' ') ?? permitted;
  const missing = granted === undefined ? [] : scopes.filter((scope) => !granted.includes(scope));
  if (missing.length === 0) return;
  logger?.warn(
    `"${server}" can be used with fewer rights than it asks for: ${missing.join(' ')} is missing.`,
    {
      server,
    },
  );
}

function unknownClient(server: string, issuer: string): FittingsError {
  return new FittingsError('AUTH_FAILED', `${issuer} does not know this client.`, {
    server,
    hint: 'Set "oauth.clientId" in the entry of the server, as its owner gave it.',
  });
}
