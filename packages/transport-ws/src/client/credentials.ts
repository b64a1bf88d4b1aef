import {
  AuthRequiredError,
  FittingsError,
  TransportError,
  type AuthChallenge,
  type AuthProvider,
} from '@mcp-fittings/client-core';
import { namesError } from '@mcp-fittings/net-policy';
import { checkUpgradeHeaders } from './upgrade-headers.js';
import { abortable } from '../wait.js';
import { challengeOf, type RefusedRequest } from './refusal.js';
import type { UpgradeRefusal } from './upgrade.js';

/** Signs the upgrade requests of one connection and answers their challenges. */
export interface Credentials {
  /** Headers that sign one request, with lower-case names. */
  headers(signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** For the head of every answer: the provider is told what the next request has to contain. */
  observe(header: UpgradeRefusal['header']): void;
  /** True: it is worth to ask again. False: the refusal stands. Rejects with an `AuthRequiredError` and the like. */
  recover(refusal: UpgradeRefusal, request: RefusedRequest, signal: AbortSignal): Promise<boolean>;
}

export interface CredentialsOptions {
  /** As http: or https:. */
  readonly url: URL;
  readonly provider: AuthProvider | undefined;
  /** Credentials are configured: a 401 means that they are wrong. */
  readonly configured: boolean;
  readonly server: string | undefined;
}

/** A fresh token that is refused is no reason to fetch another one. Scopes may be widened step by step. */
const MAX_CHALLENGES = { credentials: 1, scope: 2, nonce: 1 };

export function createCredentials({ url, provider, configured, server }: CredentialsOptions): Credentials {
  const left = { ...MAX_CHALLENGES };

  const ask = async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    try {
      return await abortable(work(), signal);
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof FittingsError) throw cause;
      throw new TransportError('AUTH_FAILED', 'The provider of credentials failed.', { server, cause });
    }
  };

  return {
    async headers(signal) {
      if (provider === undefined) return {};
      return checkUpgradeHeaders(await ask(() => provider.headers({ url, method: 'GET' }), signal), server);
    },

    observe(header) {
      if (provider?.onDpopNonce === undefined) return;
      const dpopNonce = header('dpop-nonce');
      if (dpopNonce === undefined) return;
      try {
        provider.onDpopNonce({ url, dpopNonce });
      } catch {
        // The answer is as good as without it; what is wrong shows when the next request is signed.
      }
    },

    async recover(refusal, request, signal) {
      const challenge = challengeOf(refusal, request);
      if (challenge === undefined) return false;
      const { status } = challenge;
      if (provider === undefined) {
        if (configured || status === 403) return false;
        throw new AuthRequiredError('The server wants credentials and none are configured.', {
          server,
          challenge,
          hint: 'Install a sign-in package for it, or configure `headers` or `apiKey`.',
          details: { status, url: request.origin },
        });
      }
      const kind = kindOf(challenge);
      if (left[kind]-- === 0) {
        // New credentials are refused as well: what is left is another sign-in, where there is one.
        if (kind !== 'credentials' || provider.signIn === undefined) return false;
        throw new AuthRequiredError('The server refuses the credentials, also after they were renewed.', {
          server,
          challenge,
          hint: 'Sign in again, with host.signIn() or signIn() of the provider.',
          details: { status, url: request.origin },
        });
      }
      await ask(() => provider.onChallenge(challenge), signal);
      return true;
    },
  };
}

/** A nonce for a DPoP proof is no new token: it may be wanted before the token is even looked at. */
function kindOf({ status, wwwAuthenticate }: AuthChallenge): keyof typeof MAX_CHALLENGES {
  if (status === 403) return 'scope';
  return namesError(wwwAuthenticate, 'use_dpop_nonce') ? 'nonce' : 'credentials';
}
