import { FittingsError, type Clock } from '@mcp-fittings/client-core';
import type { HttpClient } from '@mcp-fittings/http-client';
import type { AuthClient, Impersonated } from 'google-auth-library';
import { libraryFailure } from './failures.js';
import { claimsOf } from './id-token.js';
import type { GoogleEndpoints } from './options.js';
import type { GoogleToken } from './token.js';
import { libraryFetch } from './transporter.js';

export interface TokenSource {
  readonly server: string;
  readonly network: Pick<HttpClient, 'fetch'>;
  readonly endpoints: GoogleEndpoints;
  readonly scopes: readonly string[];
  /** Makes it an ID token. */
  readonly audience: string | undefined;
  readonly serviceAccount: string | undefined;
  readonly clock: Clock;
}

/** What a credential needs in order to act as a service account. */
const CLOUD_PLATFORM = 'https://www.googleapis.com/auth/cloud-platform';
const AUTHORIZATION = /^Bearer [\x21-\x7e]{1,65536}$/;

/**
 * A new token. Reads the credentials anew, so that a sign-in with `gcloud` counts at once. Rejects with `AUTH_FAILED`, or
 * `RATE_LIMITED`, `SERVER_ERROR` and the codes of the network where it may pass.
 */
export async function getToken(source: TokenSource): Promise<GoogleToken> {
  const { audience, clock } = source;
  try {
    const client = await clientOf(source);
    const headers = audience === undefined ? await client.getRequestHeaders() : undefined;
    const authorization = headers?.get('authorization') ?? `Bearer ${await idToken(client, source)}`;
    return {
      authorization: checked(authorization, source),
      quotaProject: headers?.get('x-goog-user-project') ?? undefined,
      expiresAt: claimsOf(authorization)?.expiresAt ?? client.credentials.expiry_date ?? undefined,
      obtainedAt: clock.now(),
    };
  } catch (cause) {
    throw libraryFailure(cause, source);
  }
}

async function clientOf(source: TokenSource): Promise<AuthClient> {
  const { network, endpoints, scopes, serviceAccount } = source;
  // Here, so that a host pays for it with the first Google server and not at its start.
  const { GoogleAuth, Impersonated, PassThroughClient } = await import('google-auth-library');
  // Without that flag the library would log requests and replies, tokens included, when an environment variable says so.
  const quiet = { useAuthRequestParameters: false };
  const transporterOptions = { fetchImplementation: libraryFetch(network) };
  const { transporter } = new PassThroughClient({ ...quiet, transporterOptions });
  const auth = new GoogleAuth({
    scopes: serviceAccount === undefined && scopes.length > 0 ? [...scopes] : [CLOUD_PLATFORM],
    // Not needed, and without it the library would run `gcloud` to find it out.
    projectId: 'not-asked-for',
    clientOptions: {
      ...quiet,
      transporter,
      ...(endpoints.token !== undefined && { endpoints: { oauth2TokenUrl: endpoints.token } }),
    },
  });
  const client = await auth.getClient();
  useTransporter(client, transporter);
  if (serviceAccount === undefined) return client;
  return new Impersonated({
    ...quiet,
    transporter,
    sourceClient: client,
    targetPrincipal: serviceAccount,
    targetScopes: [...scopes],
    ...(endpoints.iamCredentials !== undefined && { endpoint: endpoints.iamCredentials }),
  });
}

/**
 * The library gives our transporter to most of what it makes of a credentials file. It forgets the source of an
 * impersonation and the exchange of a federated identity, which would ask for tokens past the network's rules.
 */
function useTransporter(client: AuthClient, transporter: AuthClient['transporter']): void {
  const parts: unknown[] = [
    client,
    Reflect.get(client, 'sourceClient'),
    Reflect.get(client, 'stsCredential'),
  ];
  for (const part of parts) {
    if (typeof part === 'object' && part !== null && 'transporter' in part) part.transporter = transporter;
  }
}

async function idToken(client: AuthClient, { audience = '', server }: TokenSource): Promise<string> {
  const token = makesIdTokens(client) ? await client.fetchIdToken(audience) : undefined;
  if (typeof token === 'string' && claimsOf(token)?.audience === audience) return token;
  throw new FittingsError('AUTH_FAILED', 'These Google credentials make no ID token for another audience.', {
    server,
    hint: 'Name a service account to act as ("targetServiceAccount"), or use the credentials of one.',
  });
}

function makesIdTokens(client: AuthClient): client is AuthClient & Pick<Impersonated, 'fetchIdToken'> {
  return 'fetchIdToken' in client && typeof client.fetchIdToken === 'function';
}

function checked(authorization: string, { server }: TokenSource): string {
  if (AUTHORIZATION.test(authorization)) return authorization;
  throw new FittingsError('AUTH_FAILED', 'Google gave a token that can not be sent.', { server });
}
