import {
  FittingsError,
  systemClock,
  type AuthChallenge,
  type AuthProvider,
} from '@mcp-fittings/client-core/auth';
import { withTimeout } from '@mcp-fittings/client-core/timing';
import { createIdleNetwork, type Network } from '@mcp-fittings/http-client';
import type { GoogleProviderOptions } from './options.js';
import { checkRecipient } from './recipients.js';
import { createTokenHolder } from './token-holder.js';
import { getToken } from './token-source.js';

const SERVICE_ACCOUNT = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,254}$/;
/** It goes into the query of the metadata server as it is. */
const AUDIENCE = /^[\w.~:/@%+=-]{1,2048}$/;
const TIMEOUT_MS = 30_000;

/**
 * Signs the requests to one server with Google credentials of this machine: the file that
 * `GOOGLE_APPLICATION_CREDENTIALS` names, the one that `gcloud auth application-default login` writes, or those of the
 * machine in Google Cloud. Never asks a person.
 *
 * Throws `CONFIG_INVALID` for options that can't work and `POLICY_DENIED` for a server that may not get a token. Its
 * requests reject with `AUTH_REQUIRED` (the sign-in of `gcloud` has ended), `AUTH_FAILED` (no credentials, or Google gave no token), `AUTH_REJECTED` (the server refuses
 * the tokens), `AUTH_SCOPE_INSUFFICIENT`, `RATE_LIMITED`, `SERVER_ERROR`, `TIMEOUT` or other codes of the network.
 * @see https://cloud.google.com/docs/authentication/application-default-credentials
 */
export function createGoogleProvider(options: GoogleProviderOptions): AuthProvider {
  const { endpoints = {}, serviceAccount, timeoutMs = TIMEOUT_MS, clock = systemClock } = options;
  if (!URL.canParse(String(options.url))) {
    throw new FittingsError('CONFIG_INVALID', 'The URL of the server is not one.', {
      server: options.server,
    });
  }
  const url = new URL(options.url);
  const server = options.server ?? url.host;
  const scopes = options.scopes ?? [];
  const audience = scopes.length > 0 ? undefined : (options.audience ?? url.origin);
  check(server, options);
  checkRecipient({ url, server, audience, hosts: options.hosts ?? [] });

  const source = {
    server,
    network: networkOf(options, url, server),
    endpoints,
    scopes,
    audience,
    serviceAccount,
    clock,
  };
  const error = (): FittingsError =>
    new FittingsError('TIMEOUT', `Google gave no token within ${String(timeoutMs)} ms.`, { server });
  // Google's library retries, and can't be told to stop.
  const get = () => withTimeout({ ms: timeoutMs, error, clock }, () => getToken(source));
  const holder = createTokenHolder(get, clock);

  return {
    async headers(request) {
      if (request.url.origin !== url.origin) return {};
      const token = await holder.current();
      const quotaProject = options.quotaProject ?? token.quotaProject;
      return {
        authorization: token.authorization,
        ...(quotaProject !== undefined && { 'x-goog-user-project': quotaProject }),
      };
    },
    async hasNewSignIn() {
      // The credentials file is read anew. A token server that refuses is asked once a minute at most.
      return holder.current().then(
        () => true,
        () => false,
      );
    },
    async onChallenge(challenge) {
      const { held } = holder;
      // Somebody else was refused as well, and was faster.
      if (held === undefined || (challenge.refused ?? held.authorization) !== held.authorization)
        return 'retry';
      if (challenge.status === 403) throw insufficient(server, challenge, audience === undefined);
      if ((await holder.replace(held)) !== undefined) return 'retry';
      throw new FittingsError('AUTH_REJECTED', `"${server}" refuses the tokens that Google gives.`, {
        server,
        delivery: 'rejected',
        hint:
          audience === undefined
            ? 'Check whether it takes access tokens of these credentials.'
            : `Check whether it takes ID tokens for the audience ${audience}.`,
      });
    },
  };
}

function insufficient(server: string, { status }: AuthChallenge, access: boolean): FittingsError {
  return new FittingsError(
    'AUTH_SCOPE_INSUFFICIENT',
    `"${server}" demands more than the Google token allows.`,
    {
      server,
      delivery: 'rejected',
      details: { status },
      hint: access
        ? 'Add the missing scope to "oauth.scopes" of its entry.'
        : 'Grant the account in use the right to call it, e.g. the role "Cloud Run Invoker".',
    },
  );
}

function check(server: string, { scopes = [], audience, serviceAccount }: GoogleProviderOptions): void {
  const refuse = (message: string, hint: string): never => {
    throw new FittingsError('CONFIG_INVALID', message, { server, hint });
  };
  if (audience !== undefined && scopes.length > 0) {
    refuse(
      `The entry of "${server}" asks for scopes and for an audience.`,
      'Scopes make an access token, an audience makes an ID token: keep one.',
    );
  }
  if (audience !== undefined && !AUDIENCE.test(audience)) {
    refuse(`The audience for "${server}" is not one.`, 'Write a URL without a query, or a client id.');
  }
  if (serviceAccount !== undefined && !SERVICE_ACCOUNT.test(serviceAccount)) {
    refuse(`The service account for "${server}" is not one.`, 'Write its e-mail address or its unique id.');
  }
}

function networkOf(
  { network, clock = systemClock }: GoogleProviderOptions,
  url: URL,
  server: string,
): Pick<Network, 'fetch'> {
  if (network !== undefined && 'fetch' in network) return network;
  return createIdleNetwork({ ...network, url, server, clock }, clock);
}
