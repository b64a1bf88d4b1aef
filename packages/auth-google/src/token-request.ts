import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { HttpClient } from '@mcp-fittings/http-client';
import type { AuthClient, Impersonated } from 'google-auth-library';
import { googleError } from './google-errors.js';
import type { GoogleEndpoints } from './options.js';
import type { GoogleToken } from './google-tokens.js';

/** Options of a token request. */
export interface GoogleTokenOptions {
  readonly server: string;
  readonly network: Pick<HttpClient, 'fetch'>;
  readonly endpoints: GoogleEndpoints;
  readonly scopes: readonly string[];
  /** Audience of an ID token; undefined for an access token. */
  readonly audience: string | undefined;
  readonly serviceAccount: string | undefined;
  readonly clock: Clock;
}

/** The scope that a credential needs to act as a service account. */
const CLOUD_PLATFORM = 'https://www.googleapis.com/auth/cloud-platform';
const AUTHORIZATION = /^Bearer [\x21-\x7e]{1,65536}$/;

/**
 * Requests a new token. The credentials are read again each time, so that a sign-in with `gcloud` counts at once. Rejects
 * with `AUTH_REQUIRED`, `AUTH_FAILED`, or for temporary failures with `RATE_LIMITED`, `SERVER_ERROR` and the codes of the
 * network.
 */
export async function requestToken(options: GoogleTokenOptions): Promise<GoogleToken> {
  const { audience, clock } = options;
  try {
    const client = await clientOf(options);
    const headers = audience === undefined ? await client.getRequestHeaders() : undefined;
    const authorization = headers?.get('authorization') ?? `Bearer ${await idToken(client, options)}`;
    return {
      authorization: checkedAuthorization(authorization, options),
      quotaProject: headers?.get('x-goog-user-project') ?? undefined,
      expiresAt: claimsOf(authorization)?.expiresAt ?? client.credentials.expiry_date ?? undefined,
      obtainedAt: clock.now(),
    };
  } catch (cause) {
    throw googleError(cause, options);
  }
}

async function clientOf(options: GoogleTokenOptions): Promise<AuthClient> {
  const { network, endpoints, scopes, serviceAccount } = options;
  // Imported here, so that a host loads the library with the first Google server and not at startup.
  const { GoogleAuth, Impersonated, PassThroughClient } = await import('google-auth-library');
  // Without this flag an environment variable makes the library log requests and responses, tokens included.
  const quiet = { useAuthRequestParameters: false };
  const transporterOptions = { fetchImplementation: guardedFetch(network) };
  const { transporter } = new PassThroughClient({ ...quiet, transporterOptions });
  const auth = new GoogleAuth({
    scopes: serviceAccount === undefined && scopes.length > 0 ? [...scopes] : [CLOUD_PLATFORM],
    // Not used, but without it the library runs `gcloud` to find the project.
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
 * Sets the transporter of clients that the library creates without it: the source of an impersonation, and the token
 * exchange of a federated identity. Their requests would bypass the policy of the network.
 */
function useTransporter(client: AuthClient, transporter: AuthClient['transporter']): void {
  const clients: unknown[] = [
    client,
    Reflect.get(client, 'sourceClient'),
    Reflect.get(client, 'stsCredential'),
  ];
  for (const each of clients) {
    if (typeof each === 'object' && each !== null && 'transporter' in each) each.transporter = transporter;
  }
}

async function idToken(client: AuthClient, { audience = '', server }: GoogleTokenOptions): Promise<string> {
  const token = makesIdTokens(client) ? await client.fetchIdToken(audience) : undefined;
  if (typeof token === 'string' && claimsOf(token)?.audience === audience) return token;
  throw new FittingsError(
    'AUTH_FAILED',
    `The Google credentials of this machine cannot create an ID token for ${audience}.`,
    {
      server,
      hint: 'Set "targetServiceAccount" to a service account to impersonate, or use the credentials of one.',
    },
  );
}

function makesIdTokens(client: AuthClient): client is AuthClient & Pick<Impersonated, 'fetchIdToken'> {
  return 'fetchIdToken' in client && typeof client.fetchIdToken === 'function';
}

function checkedAuthorization(authorization: string, { server }: GoogleTokenOptions): string {
  if (AUTHORIZATION.test(authorization)) return authorization;
  throw new FittingsError('AUTH_FAILED', 'Google issued a token with invalid characters.', { server });
}

/** Returns the fetch of a network as Google's library calls it, so that token requests follow the policy of the network. */
function guardedFetch(network: Pick<HttpClient, 'fetch'>): typeof fetch {
  return async (input, init = {}) => {
    const url = typeof input === 'string' || input instanceof URL ? input : input.url;
    return network.fetch(url, {
      method: init.method,
      headers: new Headers(init.headers),
      body: plainBody(init.body),
      signal: init.signal,
    });
  };
}

function plainBody(body: unknown): string | Uint8Array | URLSearchParams | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string' || body instanceof Uint8Array || body instanceof URLSearchParams) return body;
  throw new FittingsError('AUTH_FAILED', 'Google’s library sent a request body of an unsupported type.');
}

interface IdTokenClaims {
  readonly audience: string | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | undefined;
}

/**
 * Reads the claims of a JWT without verification: it comes from Google, and the server verifies it. Undefined if it is not
 * a JWT.
 */
function claimsOf(token: string): IdTokenClaims | undefined {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    if (!isRecord(claims)) return undefined;
    const { aud, exp } = claims;
    return {
      audience: typeof aud === 'string' ? aud : undefined,
      expiresAt: typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : undefined,
    };
  } catch {
    return undefined;
  }
}
