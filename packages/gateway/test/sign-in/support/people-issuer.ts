import { serveProvider, type ServedProvider } from '../../../../auth-oauth/test/support/provider-server.mjs';

/** The issuer (`oidc-provider`) at which the callers of a gateway sign in. Its access tokens are JWTs for the gateway. */
export async function startPeopleIssuer(options: {
  /** Public URL of the gateway. */
  readonly gateway: string;
  readonly scopes?: readonly string[];
}): Promise<ServedProvider> {
  const { gateway, scopes = ['tools'] } = options;
  return serveProvider(() => ({
    clients: [
      {
        client_id: 'gateway-pages',
        token_endpoint_auth_method: 'none',
        redirect_uris: [`${gateway}/sign-in/callback`],
        application_type: 'native',
      },
      {
        client_id: 'program',
        token_endpoint_auth_method: 'none',
        redirect_uris: ['http://127.0.0.1:9/done'],
        application_type: 'native',
      },
    ],
    scopes: ['openid', 'offline_access', ...scopes],
    cookies: { keys: ['people'] },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    pkce: { required: () => true },
    ttl: { AccessToken: 3600, Session: 600, Interaction: 600, Grant: 600, IdToken: 600 },
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_: unknown, indicator: string) => ({
          scope: scopes.join(' '),
          audience: indicator,
          accessTokenFormat: 'jwt',
        }),
      },
    },
  }));
}
