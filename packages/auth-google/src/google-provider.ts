import { type AuthChallenge, type AuthProvider, FittingsError } from '@mcp-fittings/client-core';
import { systemClock, withTimeout } from '@mcp-fittings/toolbox/timing';
import { createIdleHttpClient, type HttpClient } from '@mcp-fittings/http-client';
import type { GoogleProviderOptions } from './options.js';
import { checkRecipient } from './recipients.js';
import { GoogleTokens } from './google-tokens.js';
import { requestToken } from './token-request.js';

const SERVICE_ACCOUNT = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,254}$/;
/** Sent to the metadata server in the query, without encoding. */
const AUDIENCE = /^[\w.~:/@%+=-]{1,2048}$/;
const TIMEOUT_MS = 30_000;

/**
 * Creates a provider that signs the requests to one server with the Google credentials of this machine: the file at the
 * path in `GOOGLE_APPLICATION_CREDENTIALS`, the one that `gcloud auth application-default login` writes, or those of a
 * machine in Google Cloud. It never asks a person.
 *
 * Throws `CONFIG_INVALID` for invalid options and `POLICY_DENIED` for a server that must not receive a token. Its methods
 * reject with `AUTH_REQUIRED` (the sign-in of `gcloud` has expired), `AUTH_FAILED` (no credentials, or Google refused to
 * issue a token), `AUTH_REJECTED` (the server refuses the tokens), `AUTH_SCOPE_INSUFFICIENT`, `RATE_LIMITED`,
 * `SERVER_ERROR`, `TIMEOUT`, or other codes of the network.
 * @example
 * ```ts
 * const provider = createGoogleProvider({
 *   url: 'https://bigquery.googleapis.com/mcp',
 *   scopes: ['https://www.googleapis.com/auth/bigquery'],
 * });
 * const headers = await provider.headers({ url: new URL('https://bigquery.googleapis.com/mcp'), method: 'POST' });
 * ```
 * @see https://cloud.google.com/docs/authentication/application-default-credentials
 */
export function createGoogleProvider(options: GoogleProviderOptions): AuthProvider {
  const { endpoints = {}, serviceAccount, timeoutMs = TIMEOUT_MS, clock = systemClock } = options;
  if (!URL.canParse(String(options.url))) {
    throw new FittingsError('CONFIG_INVALID', `"${String(options.url)}" is not an absolute URL.`, {
      server: options.server,
    });
  }
  const url = new URL(options.url);
  const server = options.server ?? url.host;
  const scopes = options.scopes ?? [];
  const audience = scopes.length > 0 ? undefined : (options.audience ?? url.origin);
  check(server, options);
  checkRecipient({ url, server, audience, hosts: options.hosts ?? [] });

  const request = {
    server,
    network: networkOf(options, url, server),
    endpoints,
    scopes,
    audience,
    serviceAccount,
    clock,
  };
  const error = (): FittingsError =>
    new FittingsError('TIMEOUT', `Google issued no token within ${String(timeoutMs)} ms.`, { server });
  // Google's library retries, and cannot be aborted.
  const get = () => withTimeout({ ms: timeoutMs, error, clock }, () => requestToken(request));
  const tokens = new GoogleTokens(get, clock);

  return {
    async headers({ url: target }) {
      if (target.origin !== url.origin) return {};
      const token = await tokens.current();
      const quotaProject = options.quotaProject ?? token.quotaProject;
      return {
        authorization: token.authorization,
        ...(quotaProject !== undefined && { 'x-goog-user-project': quotaProject }),
      };
    },
    async hasNewSignIn() {
      // Reads the credentials file again. A token service that refuses is asked at most once a minute.
      return tokens.current().then(
        () => true,
        () => false,
      );
    },
    async onChallenge(challenge) {
      const { held } = tokens;
      // Another request was refused as well, and has already replaced the token.
      if (held === undefined || (challenge.refused ?? held.authorization) !== held.authorization)
        return 'retry';
      if (challenge.status === 403) throw insufficient(server, challenge, audience === undefined);
      if ((await tokens.replace(held)) !== undefined) return 'retry';
      throw new FittingsError('AUTH_REJECTED', `"${server}" refuses the tokens that Google issues.`, {
        server,
        delivery: 'rejected',
        hint:
          audience === undefined
            ? 'Check whether the server accepts access tokens of these credentials.'
            : `Check whether the server accepts ID tokens for the audience ${audience}.`,
      });
    },
  };
}

function insufficient(server: string, { status }: AuthChallenge, access: boolean): FittingsError {
  return new FittingsError(
    'AUTH_SCOPE_INSUFFICIENT',
    `"${server}" requires a scope or role that the Google token does not have.`,
    {
      server,
      delivery: 'rejected',
      details: { status },
      hint: access
        ? 'Add the missing scope to "oauth.scopes" in the entry of the server.'
        : 'Grant the account a role that may call the server, for example "Cloud Run Invoker".',
    },
  );
}

function check(server: string, { scopes = [], audience, serviceAccount }: GoogleProviderOptions): void {
  const refuse = (message: string, hint: string): never => {
    throw new FittingsError('CONFIG_INVALID', message, { server, hint });
  };
  if (audience !== undefined && scopes.length > 0) {
    refuse(
      `The entry of "${server}" sets both scopes and an audience.`,
      'Keep one: scopes request an access token, an audience requests an ID token.',
    );
  }
  if (audience !== undefined && !AUDIENCE.test(audience)) {
    refuse(`The audience for "${server}" is not valid.`, 'Use a URL without a query, or a client id.');
  }
  if (serviceAccount !== undefined && !SERVICE_ACCOUNT.test(serviceAccount)) {
    refuse(`The service account for "${server}" is not valid.`, 'Use its email address or its unique id.');
  }
}

function networkOf(
  { network, clock = systemClock }: GoogleProviderOptions,
  url: URL,
  server: string,
): Pick<HttpClient, 'fetch'> {
  if (network !== undefined && 'fetch' in network) return network;
  return createIdleHttpClient({ ...network, url, server, clock }, clock);
}
